/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Waiting for completions, and messages there and back, on the device at hand: libverbsx and rdma-core in turns, by elapsed time. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"

enum { MOST = 10000, WARM = 20 };

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_mr *mr;

/* A poller has the descriptor of its channel not wait, so what is compared with needs one of its own. */
static struct side {
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct vx_qp *here, *there;
} with_vx, with_raw;

static struct ibv_sge entry;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what is there ---- */

static struct vx_qp *make_qp(struct vx_cq *cq)
{
	struct vx_qp *qp;

	must(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp), "a QP");
	return qp;
}

static void connect_to(struct vx_qp *qp, struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	must(!vx_path_fill(&path, peer), "vx_path_fill()");
	vx_path_reverse(&path);
	path.access = IBV_ACCESS_REMOTE_WRITE;
	must(!vx_qp_to_rts(qp, &path), "vx_qp_to_rts()");
}

static void make_side(struct side *side)
{
	must(!vx_comp_channel_create(ctx, NULL, &side->channel) &&
	     !vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 256, .channel = side->channel }, &side->cq), "a CQ");
	side->here = make_qp(side->cq);
	side->there = make_qp(side->cq);
	connect_to(side->here, side->there);
	connect_to(side->there, side->here);
}

static void make_all(void)
{
	must(!vx_ctx_open_index(0, &ctx) && !vx_pd_create(ctx, NULL, &pd), "a PD");
	must(!vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE }, &mr), "an MR");
	entry = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 8, vx_mr_lkey(mr) };
	make_side(&with_vx);
	make_side(&with_raw);
}

/* ---- there and back ---- */

static void hop_vx(struct vx_qp *from, struct vx_qp *to)
{
	struct ibv_wc wc;
	int rc, done = 0;

	must(!vx_qp_post_recv_one(to, 1, &entry, 1) && !vx_qp_post_send_one(from, 2, IBV_SEND_SIGNALED, &entry, 1), "posting");
	while (done < 2) {
		rc = vx_cq_poll(with_vx.cq, 1, &wc);
		must(rc >= 0, "vx_cq_poll()");
		done += rc;
	}
}

static void hop_raw(struct vx_qp *from, struct vx_qp *to)
{
	struct ibv_recv_wr *bad_recv, recv = { .wr_id = 1, .sg_list = &entry, .num_sge = 1 };
	struct ibv_send_wr *bad_send, send = { .wr_id = 2, .sg_list = &entry, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	int rc, done = 0;

	must(!ibv_post_recv(vx_qp_raw(to), &recv, &bad_recv) && !ibv_post_send(vx_qp_raw(from), &send, &bad_send), "posting");
	while (done < 2) {
		rc = ibv_poll_cq(vx_cq_raw(with_raw.cq), 1, &wc);
		must(rc >= 0, "ibv_poll_cq()");
		done += rc;
	}
}

static int64_t pingpong_vx(void)
{
	int64_t start = now();

	hop_vx(with_vx.here, with_vx.there);
	hop_vx(with_vx.there, with_vx.here);
	return now() - start;
}

static int64_t pingpong_raw(void)
{
	int64_t start = now();

	hop_raw(with_raw.here, with_raw.there);
	hop_raw(with_raw.there, with_raw.here);
	return now() - start;
}

/* ---- many QPs ---- */

/* Written to by so many at a time; those of both kinds are next to each other, so that both find the machine equally busy. */
enum { MANY = 1000, SOME = 20 };

static struct vx_qp *many[MANY];

/* Of which only posting is measured: each is its own peer, and writes nothing. */
static void make_many(void)
{
	struct vx_cq *cq;
	int i;

	must(!vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 4 * MANY }, &cq), "a CQ of many");
	for (i = 0; i < MANY; i++) {
		many[i] = make_qp(cq);
		connect_to(many[i], many[i]);
	}
}

static void take_many(void)
{
	struct ibv_cq *cq = vx_qp_raw(many[0])->send_cq;
	struct ibv_wc wc[64];
	int i, rc, done;

	for (done = 0; done < MANY; done += rc) {
		rc = ibv_poll_cq(cq, 64, wc);
		must(rc >= 0, "ibv_poll_cq()");
		for (i = 0; i < rc; i++)
			must(!wc[i].status, "a write of many");
	}
}

/* Some of them, in turn: the first, after all were written to and have completed. */
static struct vx_qp *const *next_some(void)
{
	static int posted;

	if (posted == MANY) {
		take_many();
		posted = 0;
	}
	posted += SOME;
	return &many[posted - SOME];
}

/* The same request to each: what one that is filled for each takes is measured elsewhere. */
static int64_t many_vx(void)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct vx_qp *const *some = next_some();
	int64_t start = now();
	int i;

	for (i = 0; i < SOME; i++)
		must(!vx_qp_post_send(some[i], &wr, NULL), "posting");
	return now() - start;
}

static int64_t many_raw(void)
{
	struct ibv_send_wr *bad, wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct vx_qp *const *some = next_some();
	int64_t start = now();
	int i;

	for (i = 0; i < SOME; i++)
		must(!ibv_post_send(vx_qp_raw(some[i]), &wr, &bad), "posting");
	return now() - start;
}

/* ---- waking up ---- */

static struct vx_poller *poller;
static pthread_barrier_t ready;
static int64_t posted;

/* In the order of measure_round(). */
static bool is_for_vx(unsigned int post)
{
	return post / 2 % 2 == (post % 2 == 0);
}

/* The other thread is asleep by then. */
static void *post_later(void *rounds)
{
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	unsigned int i;

	for (i = 0; i < *(unsigned int *)rounds; i++) {
		pthread_barrier_wait(&ready);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		posted = now();
		must(!ibv_post_send(vx_qp_raw(is_for_vx(i) ? with_vx.here : with_raw.here), &wr, &bad), "posting");
	}
	return NULL;
}

static int64_t wake_vx(void)
{
	struct ibv_wc wc;

	pthread_barrier_wait(&ready);
	must(vx_poller_poll(poller, 1, &wc, -1) == 1, "vx_poller_poll()");
	return now() - posted;
}

static int64_t wake_raw(void)
{
	struct ibv_cq *from, *raw = vx_cq_raw(with_raw.cq);
	struct ibv_wc wc;
	void *context;

	must(!ibv_req_notify_cq(raw, 0), "ibv_req_notify_cq()");
	pthread_barrier_wait(&ready);
	must(!ibv_get_cq_event(vx_comp_channel_raw(with_raw.channel), &from, &context), "ibv_get_cq_event()");
	ibv_ack_cq_events(from, 1);
	must(ibv_poll_cq(raw, 1, &wc) == 1, "ibv_poll_cq()");
	return now() - posted;
}

/* ---- in turns ---- */

static struct round {
	int64_t vx, raw;
} taken[MOST];

/* Who is first changes from round to round, as the device is in another state for who comes after. */
static struct round measure_round(int64_t (*vx)(void), int64_t (*raw)(void), unsigned int number)
{
	struct round round;

	if (number % 2)
		round.vx = vx();
	round.raw = raw();
	if (number % 2 == 0)
		round.vx = vx();
	return round;
}

static int by_both(const void *a, const void *b)
{
	const struct round *x = a, *y = b;
	const int64_t left = x->vx + x->raw, right = y->vx + y->raw;

	return (left > right) - (left < right);
}

/* Others on the machine make rounds longer, and none shorter: of those in which both together took least, a tenth, the mean is told. */
static void report_least(const char *name, unsigned int rounds)
{
	const unsigned int least = rounds / 10 + 1;
	double vx = 0, raw = 0;
	char text[64];
	unsigned int i;

	qsort(taken, rounds, sizeof(*taken), by_both);
	for (i = 0; i < least; i++) {
		vx += (double)taken[i].vx;
		raw += (double)taken[i].raw;
	}
	snprintf(text, sizeof(text), "%s.vx", name);
	report(text, vx / least);
	snprintf(text, sizeof(text), "%s.raw", name);
	report(text, raw / least);
}

static void measure_in_turns(const char *name, int64_t (*vx)(void), int64_t (*raw)(void), unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < WARM; i++)
		measure_round(vx, raw, i);
	for (i = 0; i < rounds; i++)
		taken[i] = measure_round(vx, raw, i);
	report_least(name, rounds);
}

static void measure_waking(unsigned int rounds)
{
	unsigned int posts = 2 * (WARM + rounds);
	pthread_t thread;

	must(!vx_poller_create(with_vx.cq, &(struct vx_poller_init){ .mode = VX_POLLER_SLEEP }, &poller), "a poller");
	must(!pthread_barrier_init(&ready, NULL, 2) && !pthread_create(&thread, NULL, post_later, &posts), "a thread");
	measure_in_turns("wake", wake_vx, wake_raw, rounds);
	pthread_join(thread, NULL);
}

/* usage: datapath_device [TIMES] */
int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

	must(rounds > 0 && rounds <= MOST, "so many times");
	make_all();
	measure_in_turns("pingpong", pingpong_vx, pingpong_raw, rounds < MOST / 10 ? 10 * (unsigned int)rounds : MOST);
	measure_waking((unsigned int)rounds);
	make_many();
	measure_in_turns("many", many_vx, many_raw, rounds < MOST / 10 ? 10 * (unsigned int)rounds : MOST);
	return vx_close(ctx) ? 1 : 0;
}
