/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Posting and polling through handles, beside what rdma-core has, on a provider that does nothing. Each turn does something 16 times, or
 * a clock would not see it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "datapath.h"
#include "reach/loader.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static struct ibv_cq_ex *raw_cq;
struct vx_qp *qp;
struct vx_ah *ah;
struct vx_mlx5_mkey *mkey;
struct mlx5dv_mkey *raw_mkey;
struct ibv_ah *raw_ah;
struct ibv_qp_ex *raw_qp;
struct vx_mlx5_wr mlx5;
struct mlx5dv_qp_ex *raw_mlx5;
char memory[4096];
static struct ibv_sge entry = { .length = 64, .lkey = 77 };

/* ---- lists of builders ---- */

static void list_raw(struct ibv_qp_ex *ex, int count)
{
	int i;

	ibv_wr_start(ex);
	for (i = 0; i < count; i++) {
		ex->wr_id = (uint64_t)i;
		ex->wr_flags = i + 1 == count ? IBV_SEND_SIGNALED : 0;
		ibv_wr_rdma_write(ex, 1, 2);
		ibv_wr_set_sge(ex, 77, (uintptr_t)memory, 64);
	}
	must(!ibv_wr_complete(ex), "ibv_wr_complete()");
}

static void list_vx(struct vx_qp *to, int count)
{
	struct vx_wr *wr = vx_wr_start(to);
	int i;

	for (i = 0; i < count; i++) {
		vx_wr_rdma_write(wr, (uint64_t)i, i + 1 == count ? IBV_SEND_SIGNALED : 0, 1, 2);
		vx_wr_set_sge(wr, 77, (uintptr_t)memory, 64);
	}
	must(!vx_wr_complete(wr), "vx_wr_complete()");
}

ALONE static void list16_raw(void)
{
	list_raw(raw_qp, LIST);
}

ALONE static void list16_vx(void)
{
	list_vx(qp, LIST);
}

ALONE static void list1_raw(void)
{
	EACH_TURN
		list_raw(raw_qp, 1);
}

ALONE static void list1_vx(void)
{
	EACH_TURN
		list_vx(qp, 1);
}

/* ---- one request ---- */

ALONE static void post_raw(void)
{
	EACH_TURN {
		struct ibv_send_wr *bad, wr = { .wr_id = 7, .sg_list = &entry, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { .remote_addr = 2, .rkey = 1 } };

		must(!ibv_post_send(&raw_qp->qp_base, &wr, &bad), "ibv_post_send()");
	}
}

ALONE static void post_vx(void)
{
	EACH_TURN
		must(!vx_qp_post_rdma_write(qp, 7, IBV_SEND_SIGNALED, &entry, 1, 1, 2), "vx_qp_post_rdma_write()");
}

/* ---- completions ---- */

ALONE static void poll_raw(void)
{
	struct ibv_poll_cq_attr attr = { 0 };
	uint64_t sum = 0;
	int rc;

	for (rc = ibv_start_poll(raw_cq, &attr); rc == 0; rc = ibv_next_poll(raw_cq))
		sum += raw_cq->wr_id + raw_cq->status + ibv_wc_read_byte_len(raw_cq);
	must(rc == ENOENT, "ibv_next_poll()");
	ibv_end_poll(raw_cq);
	keep(sum);
}

ALONE static void poll_vx(void)
{
	struct vx_wc *wc;
	uint64_t sum = 0;
	int rc;

	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc))
		sum += vx_wc_wr_id(wc) + vx_wc_status(wc) + vx_wc_read_byte_len(wc);
	must(!rc, "vx_wc_next()");
	keep(sum);
}

ALONE static void structures_raw(void)
{
	struct ibv_wc wc;
	int rc;

	EACH_TURN {
		rc = ibv_poll_cq(ibv_cq_ex_to_cq(raw_cq), 1, &wc);
		must(rc >= 0, "ibv_poll_cq()");
		keep(wc.wr_id + (unsigned int)rc);
	}
}

ALONE static void structures_vx(void)
{
	struct ibv_wc wc;
	int rc;

	EACH_TURN {
		rc = vx_cq_poll(cq, 1, &wc);
		must(rc >= 0, "vx_cq_poll()");
		keep(wc.wr_id + (unsigned int)rc);
	}
}

/* ---- a queue that is full ---- */

static int tell_cap(struct ibv_qp *of, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)of, (void)mask;
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	init->cap = (struct ibv_qp_cap){ .max_send_wr = 256, .max_recv_wr = 256, .max_send_sge = 4, .max_recv_sge = 4, .max_inline_data = 64 };
	return 0;
}

/* A checked QP asks how long a message may be. */
static int tell_port(struct ibv_context *of, uint8_t number, struct ibv_port_attr *attr)
{
	(void)of, (void)number;
	memset(attr, 0, sizeof(*attr));
	attr->max_msg_sz = 1u << 30;
	return 0;
}

static struct ibv_qp_ex *extended(struct ibv_qp *of)
{
	return (struct ibv_qp_ex *)of;
}

ALONE static void full_raw(void)
{
	struct ibv_send_wr *bad, wr = { .wr_id = 7, .sg_list = &entry, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE };

	nothing_code = ENOMEM;
	must(ibv_post_send(&raw_qp->qp_base, &wr, &bad) == ENOMEM, "ibv_post_send() to what is full");
	nothing_code = 0;
}

ALONE static void full_vx(void)
{
	nothing_code = ENOMEM;
	must(vx_qp_post_rdma_write(qp, 7, 0, &entry, 1, 1, 2) == -EAGAIN, "vx_qp_post_rdma_write() to what is full");
	nothing_code = 0;
}

/* ---- the checked form: a list, and the completion by which its places are free again ---- */

#ifdef VERBSX_HAVE_VX_QP_CHECK
static struct vx_qp *checked;

static void take_one(void)
{
	struct ibv_wc wc;

	must(vx_cq_poll(cq, 1, &wc) == 1, "vx_cq_poll()");
	keep(wc.wr_id);
}

static void list_and_poll(int count)
{
	struct ibv_wc wc;

	list_raw(raw_qp, count);
	must(ibv_poll_cq(ibv_cq_ex_to_cq(raw_cq), 1, &wc) == 1, "ibv_poll_cq()");
	keep(wc.wr_id);
}

ALONE static void checked16_raw(void)
{
	list_and_poll(LIST);
}

ALONE static void checked16_vx(void)
{
	list_vx(checked, LIST);
	take_one();
}

ALONE static void checked1_raw(void)
{
	EACH_TURN {
		list_and_poll(1);
	}
}

ALONE static void checked1_vx(void)
{
	EACH_TURN {
		list_vx(checked, 1);
		take_one();
	}
}

PAIR_OF(checked16)
PAIR_OF(checked1)
#define CHECKED PAIR(checked16), PAIR(checked1),

/* From here on the QP is another, as the CQ is: what is not checked was measured before. */
static void check(void)
{
	must(!vx_cq_check(cq) && !vx_qp_check(qp), "vx_qp_check()");
	checked = qp;
}
#else
#define CHECKED
static void check(void)
{
}
#endif

ALONE static void nothing_raw(void)
{
	keep(0);
}

ALONE static void nothing_vx(void)
{
	keep(0);
}

PAIR_OF(nothing)
PAIR_OF(list16)
PAIR_OF(list1)
PAIR_OF(post)
PAIR_OF(poll)
PAIR_OF(structures)
PAIR_OF(full)

static const struct pair unchecked_pairs[] = { PAIR(nothing), PAIR(list16), PAIR(list1), PAIR(post), PAIR(poll), PAIR(structures), PAIR(full) };
static const struct pair checked_pairs[] = { PAIR(nothing), CHECKED };

#define COUNT(pairs) (sizeof(pairs) / sizeof(pairs[0]))

/* ---- instructions ---- */

#ifdef CALLGRIND_ZERO_STATS
static void dump(const char *name, const char *what, void (*run)(unsigned int), unsigned int times)
{
	char text[64];

	snprintf(text, sizeof(text), "%s.%s", name, what);
	run(times); /* once before it counts: what is called is looked up by then */
	CALLGRIND_ZERO_STATS;
	run(times);
	CALLGRIND_DUMP_STATS_AT(text);
}

/* Valgrind writes a file for each, which says how many there were. */
static int count_instructions(const struct pair *pairs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		dump(pairs[i].name, "raw", pairs[i].raw, 100);
		dump(pairs[i].name, "vx", pairs[i].run, 100);
	}
	return 0;
}
#else
static int count_instructions(const struct pair *pairs, size_t count)
{
	(void)pairs, (void)count;
	return 1;
}
#endif

static int run(const struct pair *pairs, size_t count, int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "instructions") ? count_instructions(pairs, count) : measure_pairs(pairs, count, argc, argv);
}

/* usage: datapath [TIMES [ROUNDS]], or datapath instructions under callgrind */
int main(int argc, char **argv)
{
	int rc;

	make_nothing();
	raw_qp = &nothing_qp;
	raw_cq = &nothing_cq;
	raw_mlx5 = &nothing_mlx5;
	mlx5 = (struct vx_mlx5_wr){ &nothing_qp, &nothing_mlx5 };	/* as vx_mlx5_qp_wr() has it of a device of mlx5 */
	entry.addr = (uintptr_t)memory;
	must(!vx_loader_replace("ibv_query_qp", (vx_function)tell_cap) && !vx_loader_replace("ibv_query_port", (vx_function)tell_port) &&
	     !vx_loader_replace("ibv_qp_to_qp_ex", (vx_function)extended), "replacing");
	must(!vx_ctx_borrow(&nothing_context, &ctx) && !vx_pd_borrow(ctx, &nothing_pd, &pd) &&
	     !vx_cq_borrow(ctx, (struct ibv_cq *)&nothing_cq, &cq) && !vx_qp_borrow(pd, &nothing_qp.qp_base, &qp) && !vx_ah_borrow(pd, &nothing_ah, &ah), "the handles");
	raw_mkey = (struct mlx5dv_mkey *)memory;
	raw_ah = &nothing_ah;
	must(!vx_mlx5_mkey_borrow(pd, raw_mkey, &mkey), "the handle of a key");
	rc = run(unchecked_pairs, COUNT(unchecked_pairs), argc, argv);
	rc = rc ? rc : run(mlx5_pairs, mlx5_pair_count, argc, argv);
	if (rc || COUNT(checked_pairs) == 1)
		return rc;
	check();
	return run(checked_pairs, COUNT(checked_pairs), argc, argv);
}
