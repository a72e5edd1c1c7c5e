/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the subnet administrator has told, by what it was asked: the bytes of the question's record and of its ComponentMask. A
 * context has a cache from its first question on, which goes with it.
 */

#define _GNU_SOURCE /* tdestroy(3) */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include <verbsx/sa.h>

#include "error/fail.h"
#include "kinds.h"
#include "object/make.h"
#include "sa.h"

#define USUAL_MS 60000
#define MOST_ANSWERS 65536	/* of a context; when it has more, it begins anew */
#define MASK 48			/* where the ComponentMask is in a MAD, with the record behind it */
#define RECORD_SIZE 64		/* of a PathRecord */

struct answer {
	uint8_t port_num;
	uint8_t question[VX_MAD_RECORD - MASK + RECORD_SIZE];
	uint8_t record[RECORD_SIZE];
	int64_t since;
};

struct sa_cache {
	struct sa_cache *next;
	const struct vx_ctx *ctx;
	void *answers;			/* a tree of tsearch(3) */
	size_t count;
	unsigned int ms;
	unsigned int events;		/* of ports, when it was last looked at */
	uint8_t resp_times[UINT8_MAX + 1];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sa_cache *caches;

static int compare_questions(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct answer, record));
}

/* ---- under the lock ---- */

static void forget_all(struct sa_cache *cache)
{
	tdestroy(cache->answers, free);
	cache->answers = NULL;
	cache->count = 0;
	memset(cache->resp_times, 0, sizeof(cache->resp_times));
}

/* What was told before something happened to a port is worth nothing. */
static struct sa_cache *find_cache(const struct vx_ctx *ctx)
{
	struct sa_cache *cache = caches;
	unsigned int events = vx_port_event_count();

	while (cache && cache->ctx != ctx)
		cache = cache->next;
	if (cache && cache->events != events) {
		forget_all(cache);
		cache->events = events;
	}
	return cache;
}

static int end_cache(struct vx_node *node)
{
	struct sa_cache *cache = vx_node_extra(node), **link = &caches;

	pthread_mutex_lock(&lock);
	while (*link != cache)
		link = &(*link)->next;
	*link = cache->next;
	forget_all(cache);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* NULL with vx_error() filled: there is no memory. */
static struct sa_cache *make_cache(struct vx_ctx *ctx, const char *call)
{
	void *const uses[] = { ctx };
	struct vx_node *node = vx_node_new(sizeof(struct sa_cache), VX_OBJECT_SA_CACHE, end_cache, uses, 1, call), *out;
	struct sa_cache *cache;

	if (!node)
		return NULL;
	cache = vx_node_extra(node);
	cache->ctx = ctx;
	cache->ms = USUAL_MS;
	cache->events = vx_port_event_count();
	cache->next = caches;
	caches = cache;
	vx_node_link(node, vx_ctx_raw(ctx), &out);
	return cache;
}

static struct sa_cache *need_cache(struct vx_ctx *ctx, const char *call)
{
	struct sa_cache *cache = find_cache(ctx);

	return cache ? cache : make_cache(ctx, call);
}

static struct answer question_of(const struct vx_sa_link *link, const struct vx_mad *mad)
{
	struct answer answer = { .port_num = link->port_num };

	memcpy(answer.question, mad->bytes + MASK, sizeof(answer.question));
	return answer;
}

static struct answer *find_answer(const struct sa_cache *cache, const struct answer *question)
{
	struct answer **found = tfind(question, &cache->answers, compare_questions);

	return found ? *found : NULL;
}

static void add_answer(struct sa_cache *cache, const struct answer *answer)
{
	struct answer *there = find_answer(cache, answer);

	if (there) {
		*there = *answer;
		return;
	}
	if (cache->count >= MOST_ANSWERS)
		forget_all(cache);
	there = malloc(sizeof(*there));
	if (!there)
		return;
	*there = *answer;
	if (tsearch(there, &cache->answers, compare_questions))
		cache->count++;
	else
		free(there);
}

/* ---- asking and telling ---- */

bool vx_sa_recall(const struct vx_sa_link *link, struct vx_mad *mad)
{
	struct answer question = question_of(link, mad), *found = NULL;
	const struct sa_cache *cache;

	pthread_mutex_lock(&lock);
	cache = find_cache(link->ctx);
	if (cache)
		found = find_answer(cache, &question);
	if (found && vx_now_ms() - found->since >= cache->ms)
		found = NULL;
	if (found)
		memcpy(mad->bytes + VX_MAD_RECORD, found->record, sizeof(found->record));
	pthread_mutex_unlock(&lock);
	return found;
}

void vx_sa_remember(const struct vx_sa_link *link, const struct vx_mad *question, const struct vx_mad *answer)
{
	struct answer told = question_of(link, question);
	struct sa_cache *cache;

	memcpy(told.record, answer->bytes + VX_MAD_RECORD, sizeof(told.record));
	told.since = vx_now_ms();
	vx_error_try();
	pthread_mutex_lock(&lock);
	cache = need_cache(link->ctx, link->call);
	if (cache && cache->ms)
		add_answer(cache, &told);
	pthread_mutex_unlock(&lock);
	vx_error_tried(0);
}

uint8_t vx_sa_resp_time(const struct vx_sa_link *link)
{
	const struct sa_cache *cache;
	uint8_t known;

	pthread_mutex_lock(&lock);
	cache = find_cache(link->ctx);
	known = cache ? cache->resp_times[link->port_num] : 0;
	pthread_mutex_unlock(&lock);
	return known;
}

void vx_sa_remember_resp_time(const struct vx_sa_link *link, uint8_t resp_time)
{
	struct sa_cache *cache;

	vx_error_try();
	pthread_mutex_lock(&lock);
	cache = need_cache(link->ctx, link->call);
	if (cache)
		cache->resp_times[link->port_num] = resp_time;
	pthread_mutex_unlock(&lock);
	vx_error_tried(0);
}

/* ---- for programs ---- */

int vx_ctx_keep_paths(struct vx_ctx *ctx, unsigned int ms)
{
	struct sa_cache *cache;

	if (vx_wrong(ctx, VX_OBJECT_CTX, "vx_ctx_keep_paths", "ctx"))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	cache = need_cache(ctx, "vx_ctx_keep_paths");
	if (cache)
		cache->ms = ms;
	pthread_mutex_unlock(&lock);
	return cache ? 0 : vx_error()->code;
}

int vx_ctx_drop_paths(struct vx_ctx *ctx)
{
	struct sa_cache *cache;

	if (vx_wrong(ctx, VX_OBJECT_CTX, "vx_ctx_drop_paths", "ctx"))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	cache = find_cache(ctx);
	if (cache)
		forget_all(cache);
	pthread_mutex_unlock(&lock);
	return 0;
}
