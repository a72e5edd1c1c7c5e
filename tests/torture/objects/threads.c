/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Threads that make, ask, adopt and close objects of all sorts under one context and of shared parents, in several orders,
 * for ThreadSanitizer, while others take events. Pairs of threads close what has a user in common. Then all that is left is
 * closed at once.
 *
 * usage: torture-object-threads ROUNDS
 */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/verbsx.h>

#define THREADS 8

static unsigned int rounds; /* of each thread */
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

/* Some of the shared PD's are there already, whoever made them; those of the own PD go with that. */
static void make_ahs(struct vx_pd *own)
{
	static atomic_uint count;
	struct vx_path way = { .dlid = 7 };
	struct vx_ah *shared, *again, *ah;

	way.sl = atomic_fetch_add(&count, 1) & 0xf;
	must(vx_pd_ah(shared_pd, &way, &shared));
	must(vx_pd_ah(own, &way, &ah));
	must(vx_pd_ah(own, &way, &again));
	must(ah == again && ah != shared ? 0 : -1);
}

static void make(struct set *s)
{
	struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, 0x40, 0x1b, [15] = 1 }, .lid = 0xc001 };

	must(vx_pd_create(ctx, NULL, &s->pd));
	make_ahs(s->pd);
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

/* What everybody has is given to everybody, and counted; what rdma-core alone made is known as long as one has it. */
static void adopt(struct set *s)
{
	struct vx_ctx *same_ctx;
	struct vx_cq *same_cq;
	struct vx_mr *own, *again;
	struct ibv_mr *raw;

	must(vx_ctx_borrow(vx_ctx_raw(ctx), &same_ctx));
	must(vx_cq_adopt(same_ctx, vx_cq_raw(shared_cq), &same_cq));
	raw = ibv_reg_mr(vx_pd_raw(s->pd), s, sizeof(*s), 0);
	must(raw ? 0 : -1);
	must(vx_mr_adopt(s->pd, raw, &own));
	must(vx_mr_borrow(s->pd, raw, &again));
	must(same_ctx == ctx && same_cq == shared_cq && own == again ? 0 : -1);
	must(vx_close(own));
	must(vx_close(again));
	must(vx_close(same_cq));
	must(vx_close(same_ctx));
}

/* ---- two that close what has a user in common ---- */

static void *close_one(void *object)
{
	must(vx_close(object));
	return NULL;
}

static void overlap(void)
{
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	pthread_t thread;

	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	must(pthread_create(&thread, NULL, close_one, pd) ? -1 : 0);
	close_one(cq);
	pthread_join(thread, NULL);
}

/* ---- one borrows what another's close takes along ---- */

#define LENT_ROUNDS 500
#define MOMENTS 250 /* at which the other closes, early and late */

struct lent {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct vx_cq *borrowed;
	atomic_int begun, ended; /* rounds */
};

/* At once, or on a machine that is busy some time. */
static void wait_for(const atomic_int *count, int wanted)
{
	int tries;

	for (tries = 0; *count < wanted; tries++)
		if (tries > 20000)
			sched_yield();
}

static void *close_lent_cq(void *arg)
{
	struct lent *lent = arg;
	volatile int delay;
	int round;

	for (round = 1; round <= LENT_ROUNDS; round++) {
		wait_for(&lent->begun, round);
		for (delay = round % MOMENTS; delay; delay--)
			;
		must(vx_close(lent->borrowed));
		lent->ended = round;
	}
	return NULL;
}

static void borrow_lent_qp(struct lent *lent, int round)
{
	struct vx_pd *pd;
	struct vx_qp *qp;
	int rc;

	must(vx_pd_borrow(ctx, lent->pd, &pd));
	must(vx_cq_borrow(ctx, lent->cq, &lent->borrowed));
	lent->begun = round;
	rc = vx_qp_borrow(pd, lent->qp, &qp);
	must(rc == -EBUSY ? 0 : rc);
	wait_for(&lent->ended, round);
	must(vx_close(pd));
}

static int live(const char *kind);

/* The QP is neither's, whenever the CQ that it uses is closed. */
static void lend(void)
{
	struct lent lent = { .pd = ibv_alloc_pd(vx_ctx_raw(ctx)), .cq = ibv_create_cq(vx_ctx_raw(ctx), 1, NULL, NULL, 0) };
	struct ibv_qp_init_attr attr = { .send_cq = lent.cq, .recv_cq = lent.cq, .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	int round, others = live("qp");
	pthread_t thread;

	lent.qp = ibv_create_qp(lent.pd, &attr);
	must(pthread_create(&thread, NULL, close_lent_cq, &lent) ? -1 : 0);
	for (round = 1; round <= LENT_ROUNDS; round++) {
		borrow_lent_qp(&lent, round);
		if (live("qp") != others + 1) {
			fprintf(stderr, "a QP that was borrowed is destroyed, in round %d\n", round);
			exit(1);
		}
	}
	pthread_join(thread, NULL);
	must(ibv_destroy_qp(lent.qp) + ibv_destroy_cq(lent.cq) + ibv_dealloc_pd(lent.pd));
}

/* ---- events ---- */

static atomic_bool done;

static void send_event(const struct set *s)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	char list[64], why[128];

	snprintf(list, sizeof(list), "COMM_EST:%u", vx_qp_raw(s->qp)->qp_num);
	if (fault)
		fault(list, why, sizeof(why));
}

/* Some are left to whoever closes the object. */
static void *take_events(void *arg)
{
	struct vx_async_event event;
	unsigned int *taken = arg;
	int rc;

	while (!done) {
		rc = vx_ctx_get_async_event(ctx, 1, &event);
		if (rc == -EAGAIN)
			continue;
		must(rc);
		if (++*taken % 2)
			vx_async_event_ack(&event);
	}
	return NULL;
}

static void *work(void *arg)
{
	const unsigned int thread = *(unsigned int *)arg;
	struct set set;
	unsigned int round;

	pthread_barrier_wait(&start);
	for (round = 0; round < rounds; round++) {
		make(&set);
		look(&set);
		send_event(&set);
		adopt(&set);
		if (round % 8 == 0)
			overlap();
		end(&set, thread + round);
	}
	return NULL;
}

/* Objects of the device. */
static int live(const char *kind)
{
	int (*count)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_live");

	return count ? count(kind) : -1;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], readers[2];
	unsigned int numbers[THREADS], taken[2] = { 0 }, i;

	rounds = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	if (!rounds) {
		fprintf(stderr, "usage: %s ROUNDS\n", argv[0]);
		return 2;
	}
	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &shared_pd));
	must(vx_cq_create(ctx, NULL, &shared_cq));
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < 2; i++)
		if (pthread_create(&readers[i], NULL, take_events, &taken[i]))
			return 1;
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	done = true;
	for (i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	if (taken[0] + taken[1] == 0)
		must(-1);
	pthread_barrier_destroy(&start);
	lend();
	must(vx_close(ctx));
	if (live(NULL) != 0) {
		fprintf(stderr, "%d objects are left\n", live(NULL));
		return 1;
	}
	printf("cases: %u\n", THREADS * rounds);
	return 0;
}
