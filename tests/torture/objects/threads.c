/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Threads that make, ask and close objects of all sorts under one context and of shared parents, in several orders, for
 * ThreadSanitizer. Then all that is left is closed at once.
 */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/verbsx.h>

#define THREADS 4
#define ROUNDS 300

static struct vx_ctx *ctx;
static struct vx_pd *shared_pd;
static struct vx_cq *shared_cq;
static pthread_barrier_t start;

static void must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s\n", vx_error_text());
	exit(1);
}

/* What one thread has in one round. */
struct set {
	struct vx_pd *pd;
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct vx_mr *mr, *mr_of_shared;
	struct vx_srq *srq;
	struct vx_qp *qp, *qp_of_shared;
	struct vx_mcast *mcast;
};

static void make(struct set *s)
{
	struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, 0x40, 0x1b, [15] = 1 }, .lid = 0xc001 };

	must(vx_pd_create(ctx, NULL, &s->pd));
	must(vx_comp_channel_create(ctx, NULL, &s->channel));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = s->channel }, &s->cq));
	must(vx_mr_create(s->pd, &(struct vx_mr_init){ .length = 64 }, &s->mr));
	must(vx_mr_create(shared_pd, &(struct vx_mr_init){ .length = 64 }, &s->mr_of_shared));
	must(vx_srq_create(s->pd, NULL, &s->srq));
	must(vx_qp_create(s->pd, &(struct vx_qp_init){ .send_cq = s->cq, .recv_cq = shared_cq, .srq = s->srq }, &s->qp));
	must(vx_qp_create(shared_pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = shared_cq, .recv_cq = s->cq },
			  &s->qp_of_shared));
	must(vx_mcast_create(s->qp_of_shared, &group, &s->mcast));
}

/* Names, text and errors are of this thread. */
static void look(struct set *s)
{
	char text[4096];
	struct vx_qp *none;

	vx_snprint(text, sizeof(text), VX_TYPEOF(s->qp), s->qp, VX_COMPACT);
	vx_snprint(text, sizeof(text), VX_TYPEOF(s->mr_of_shared), s->mr_of_shared, VX_JSON);
	if (vx_qp_create(s->pd, &(struct vx_qp_init){ .send_cq = s->cq }, &none) == 0 || !*vx_error_text())
		must(-1);
}

/* One by one; from the parents; or some, and what is left with the context. */
static void end(struct set *s, unsigned int order)
{
	must(vx_close(s->qp_of_shared));
	must(vx_close(s->mr_of_shared));
	if (order % 3 == 0) {
		must(vx_close(s->qp));
		must(vx_close(s->srq));
		must(vx_close(s->mr));
	}
	if (order % 3 == 2)
		return;
	must(vx_close(s->channel));
	must(vx_close(s->pd));
}

static void *work(void *arg)
{
	const unsigned int thread = *(unsigned int *)arg;
	struct set set;
	unsigned int round;

	pthread_barrier_wait(&start);
	for (round = 0; round < ROUNDS; round++) {
		make(&set);
		look(&set);
		end(&set, thread + round);
	}
	return NULL;
}

static int live(void)
{
	int (*count)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_live");

	return count ? count(NULL) : -1;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned int numbers[THREADS], i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &shared_pd));
	must(vx_cq_create(ctx, NULL, &shared_cq));
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
	must(vx_close(ctx));
	if (live() != 0) {
		fprintf(stderr, "%d objects are left\n", live());
		return 1;
	}
	printf("cases: %d\n", THREADS * ROUNDS);
	return 0;
}
