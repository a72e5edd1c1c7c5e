/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * usage: stress [--kill] [SECONDS [SEED [THREADS [PAIRS]]]]
 *
 * Threads that move data at random between pairs of QPs, so many each; or, with --kill, one process that talks to others, which are
 * killed. The seed of a run is printed.
 */

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

uint64_t seed;
struct shared shared;
static struct worker workers[MOST_THREADS];
static uint32_t threads = 4, pairs = 6;
static int64_t seconds, end;
static atomic_bool over;

void give_up(const char *file, int line, const char *what)
{
	fprintf(stderr, "stress: %s:%d does not hold: %s\nstress: last error: %s\nstress: seed %" PRIu64 "\n", file, line, what,
		vx_error_text(), seed);
	abort();
}

static void *work(void *worker)
{
	work_until(worker, end);
	return NULL;
}

/* Pollers may be woken at any time, by anybody. */
static void *wake(void *unused)
{
	struct chance chance = { seed };

	while (!over) {
		vx_poller_wake(workers[draw_below(&chance, threads)].poller);
		usleep(100 + draw_below(&chance, 2000));
	}
	return unused;
}

static void open_store(struct store *store, uint32_t headroom)
{
	const struct vx_pool_init init = {
		.count = BUFFERS, .size = LARGEST, .headroom = headroom, .flags = VX_POOL_SHARED,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};

	made(vx_pool_create(shared.pd, &init, &store->pool));
}

static void open_all(void)
{
	uint32_t i;

	made(vx_ctx_open_index(0, &shared.ctx));
	made(vx_pd_create(shared.ctx, NULL, &shared.pd));
	if (!is_soft_roce())
		made(vx_xrcd_create(shared.ctx, NULL, &shared.xrcd));
	open_store(&shared.plain, 0);
	open_store(&shared.datagrams, 40);
	for (i = 0; i < threads; i++)
		open_worker(&workers[i], i + 1, pairs);
}

static void run_threads(void)
{
	pthread_t ids[MOST_THREADS], waker;
	uint32_t i;

	end = now_ms() + seconds * 1000;
	must(!pthread_create(&waker, NULL, wake, NULL));
	for (i = 0; i < threads; i++)
		must(!pthread_create(&ids[i], NULL, work, &workers[i]));
	for (i = 0; i < threads; i++)
		must(!pthread_join(ids[i], NULL));
	over = true;
	must(!pthread_join(waker, NULL));
}

/* All buffers are back, and all was closed. */
static void close_all(void)
{
	uint64_t moved = 0, drained = 0, joined = 0, lost = 0;
	uint32_t i;

	for (i = 0; i < threads; i++) {
		close_worker(&workers[i]);
		moved += workers[i].moved;
		drained += workers[i].drained;
		joined += workers[i].joined;
		lost += workers[i].lost;
	}
	must(vx_pool_left(shared.plain.pool) == BUFFERS - lost);
	must(vx_pool_left(shared.datagrams.pool) == BUFFERS);
	made(vx_close(shared.ctx));
	printf("%" PRIu64 " completions, %" PRIu64 " times drained, %" PRIu64 " connected\n", moved, drained, joined);
	must(moved && drained > joined / 2);
	tell_of_vendors();
}

static uint64_t number(char **argv, uint64_t otherwise)
{
	return *argv ? strtoull(*argv, NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	bool kills = argc > 1 && !strcmp(argv[1], "--kill");
	char *none[] = { NULL }, **at = argv + 1 + kills;

	seconds = (int64_t)number(at, 3);
	at = *at ? at + 1 : none;
	seed = number(at, (uint64_t)now_ms());
	at = *at ? at + 1 : none;
	threads = (uint32_t)number(at, threads);
	at = *at ? at + 1 : none;
	pairs = (uint32_t)number(at, pairs);
	must(threads > 0 && threads <= MOST_THREADS && pairs > 0 && pairs <= MOST_PAIRS);
	printf("seed %" PRIu64 "\n", seed);
	fflush(stdout);
	if (kills)
		return kill_peers(now_ms() + seconds * 1000);
	open_all();
	run_threads();
	close_all();
	return 0;
}
