/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Self-test of mlx5emu: drives the installed libibverbs/libmlx5 on the emulated
 * device.
 *
 *	LD_PRELOAD=./libverbsx-emu.so VERBSX_EMU_LEAKS=1 ./selftest
 *
 * Exit status: 0 passed, 1 failed or the emulator is not loaded.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <infiniband/mlx5dv.h>

#define CHECK(x)                                                               \
	do {                                                                   \
		if (!(x)) {                                                    \
			fprintf(stderr, "%s:%d: %s: failed (errno: %s)\n",     \
				__FILE__, __LINE__, #x, strerror(errno));      \
			exit(1);                                               \
		}                                                              \
	} while (0)

#define ACCESS_ALL                                                             \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                    \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define OPS_RC                                                                 \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |                  \
	 IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |                \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV |      \
	 IBV_QP_EX_WITH_BIND_MW)
#define OPS_MLX5                                                               \
	(MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |        \
	 MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_RAW_WQE)

static int (*emu_async)(const char *spec);
static void (*emu_fail)(const char *spec);
static int (*emu_live)(const char *kind);

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel *chan;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char buf[65536] __attribute__((aligned(4096)));

static uint64_t at(size_t off)
{
	return (uintptr_t)buf + off;
}

static struct ibv_wc wait_wc(struct ibv_cq *c)
{
	struct ibv_wc wc;

	for (int i = 0; i < 20000; i++) {
		int n = ibv_poll_cq(c, 1, &wc);

		CHECK(n >= 0);
		if (n)
			return wc;
		usleep(100);
	}
	fprintf(stderr, "no completion\n");
	exit(1);
}

static void expect_wc(uint64_t wr_id, int status, int opcode)
{
	struct ibv_wc wc = wait_wc(cq);

	if (wc.wr_id != wr_id || (int)wc.status != status ||
	    (!status && (int)wc.opcode != opcode)) {
		fprintf(stderr, "completion: wr_id %d status %s opcode %d\n",
			(int)wc.wr_id, ibv_wc_status_str(wc.status), wc.opcode);
		CHECK(!"the expected completion");
	}
}

static int readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static struct ibv_async_event wait_async(int type)
{
	struct ibv_async_event e;

	CHECK(readable(ctx->async_fd, 2000));
	CHECK(!ibv_get_async_event(ctx, &e));
	if ((int)e.event_type != type)
		fprintf(stderr, "event: %s\n",
			ibv_event_type_str(e.event_type));
	CHECK((int)e.event_type == type);
	return e;
}

static struct ibv_qp *make_qp(enum ibv_qp_type type, uint64_t ops,
			      struct mlx5dv_qp_init_attr *dv, uint32_t inl,
			      struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 4,
			 .max_recv_sge = 2,
			 .max_inline_data = inl },
		.qp_type = type,
		.pd = pd,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
	};

	return mlx5dv_create_qp(ctx, &a, dv);
}

static void to_init(struct ibv_qp *q, int access)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT,
				 .port_num = 1,
				 .qkey = 0x1234,
				 .qp_access_flags = access };
	int ud = q->qp_type == IBV_QPT_UD;

	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
}

static void connect_rc(struct ibv_qp *q, uint32_t dest, int rnr_retry)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = dest,
				 .rq_psn = 0x111,
				 .ah_attr = { .dlid = 7, .port_num = 1 },
				 .max_dest_rd_atomic = 3,
				 .min_rnr_timer = 12 };

	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				     IBV_QP_RQ_PSN | IBV_QP_AV |
				     IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 14;
	a.retry_cnt = 6;
	a.rnr_retry = rnr_retry;
	a.max_rd_atomic = 4;
	a.sq_psn = 0x222;
	CHECK(!ibv_modify_qp(q, &a,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC));
}

static void to_reset(struct ibv_qp *q)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	CHECK(!ibv_modify_qp(q, &a, IBV_QP_STATE));
}

static void reconnect(struct ibv_qp *a, struct ibv_qp *b, int rnr_retry)
{
	to_reset(a);
	to_reset(b);
	to_init(a, ACCESS_ALL);
	to_init(b, ACCESS_ALL);
	connect_rc(a, b->qp_num, rnr_retry);
	connect_rc(b, a->qp_num, rnr_retry);
}

static int qp_state(struct ibv_qp *q)
{
	struct ibv_qp_init_attr i;
	struct ibv_qp_attr a;

	CHECK(!ibv_query_qp(q, &a, IBV_QP_STATE, &i));
	return a.qp_state;
}

static void post_recv(struct ibv_qp *q, uint64_t wr_id, size_t off, uint32_t n)
{
	struct ibv_sge s = { at(off), n, mr->lkey };
	struct ibv_recv_wr w = { .wr_id = wr_id, .sg_list = &s, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	CHECK(!ibv_post_recv(q, &w, &bad));
}

static void start(struct ibv_qp_ex *x, uint64_t wr_id, unsigned flags)
{
	ibv_wr_start(x);
	x->wr_id = wr_id;
	x->wr_flags = flags;
}

static void post_write(struct ibv_qp_ex *x, uint64_t wr_id, uint32_t rkey,
		       uint64_t addr, const char *data)
{
	start(x, wr_id, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(x, rkey, addr);
	ibv_wr_set_inline_data(x, (void *)data, strlen(data));
	CHECK(!ibv_wr_complete(x));
}

static void post_send(struct ibv_qp_ex *x, uint64_t wr_id, unsigned flags,
		      uint32_t len)
{
	start(x, wr_id, IBV_SEND_SIGNALED | flags);
	ibv_wr_send(x);
	ibv_wr_set_sge(x, mr->lkey, at(0), len);
	CHECK(!ibv_wr_complete(x));
}

/* ------------------------------------------------------------------ */

static void test_rc(struct ibv_qp *a, struct ibv_qp *b)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(a);
	struct ibv_cq *ev_cq;
	struct ibv_wc wc;
	uint64_t v[2];
	void *ev_ctx;

	CHECK(!ibv_req_notify_cq(cq, 0));
	post_recv(b, 77, 4096, 256);
	strcpy(buf, "hello mlx5");
	post_send(x, 1, 0, 16);
	CHECK(!ibv_get_cq_event(chan, &ev_cq, &ev_ctx));
	CHECK(ev_cq == cq && ev_ctx == (void *)0x1234);
	ibv_ack_cq_events(cq, 1);
	expect_wc(77, 0, IBV_WC_RECV);
	expect_wc(1, 0, IBV_WC_SEND);
	CHECK(!strcmp(buf + 4096, "hello mlx5"));

	start(x, 2, 0); /* unsignaled, then read it back */
	ibv_wr_rdma_write(x, mr->rkey, at(8192));
	ibv_wr_set_inline_data(x, "inline!", 8);
	x->wr_id = 3;
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(x, mr->rkey, at(8192));
	ibv_wr_set_sge(x, mr->lkey, at(12288), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_RDMA_READ);
	CHECK(!strcmp(buf + 12288, "inline!"));

	v[0] = 40;
	memcpy(buf + 16384, v, 8);
	start(x, 4, IBV_SEND_SIGNALED);
	ibv_wr_atomic_fetch_add(x, mr->rkey, at(16384), 2);
	ibv_wr_set_sge(x, mr->lkey, at(16392), 8);
	CHECK(!ibv_wr_complete(x));
	expect_wc(4, 0, IBV_WC_FETCH_ADD);
	memcpy(v, buf + 16384, 16);
	CHECK(v[0] == 42 && v[1] == 40);

	/* A solicited-only request ignores an ordinary message */
	CHECK(!ibv_req_notify_cq(cq, 1));
	post_recv(b, 5, 4096, 64);
	post_recv(b, 6, 4096, 64);
	post_send(x, 7, 0, 8);
	CHECK(!readable(chan->fd, 50));
	post_send(x, 8, IBV_SEND_SOLICITED, 8);
	CHECK(!ibv_get_cq_event(chan, &ev_cq, &ev_ctx));
	ibv_ack_cq_events(cq, 1);
	for (int i = 0; i < 4; i++)
		CHECK(!wait_wc(cq).status);

	start(x, 9, IBV_SEND_SIGNALED);
	ibv_wr_send_imm(x, htonl(0xabcd));
	ibv_wr_set_sge(x, mr->lkey, at(0), 0);
	CHECK(!ibv_wr_complete(x));
	usleep(2000); /* receiver not ready: it must wait, not fail */
	CHECK(!ibv_poll_cq(cq, 1, &wc));
	post_recv(b, 10, 4096, 64);
	wc = wait_wc(cq);
	CHECK(wc.wr_id == 10 && wc.wc_flags & IBV_WC_WITH_IMM &&
	      wc.imm_data == htonl(0xabcd) && wc.byte_len == 0);
	expect_wc(9, 0, IBV_WC_SEND);
}

static void test_umr(struct ibv_qp *a)
{
	struct mlx5dv_mkey_init_attr mi = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 8,
	};
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(a);
	struct mlx5dv_qp_ex *mx = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	struct mlx5dv_mkey *mk = mlx5dv_create_mkey(&mi);
	struct ibv_sge list[2] = { { at(20480), 4, mr->lkey },
				   { at(24576), 4, mr->lkey } };
	struct mlx5dv_mr_interleaved il = { at(28672), 2, 6, mr->lkey };
	int rw = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	CHECK(mk);
	start(x, 1, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
	mlx5dv_wr_mr_list(mx, mk, rw, 2, list);
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, 0, MLX5DV_WC_UMR);
	post_write(x, 2, mk->rkey, 0, "ABCDEFGH");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(buf + 20480, "ABCD", 4));
	CHECK(!memcmp(buf + 24576, "EFGH", 4));

	start(x, 3, IBV_SEND_SIGNALED);
	ibv_wr_local_inv(x, mk->lkey);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_LOCAL_INV);

	start(x, 4, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
	mlx5dv_wr_mr_interleaved(mx, mk, rw, 4, 1, &il);
	CHECK(!ibv_wr_complete(x));
	expect_wc(4, 0, MLX5DV_WC_UMR);
	post_write(x, 5, mk->rkey, 0, "ABCDEFGH");
	expect_wc(5, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(buf + 28672, "AB\0\0\0\0\0\0CD", 10));
	CHECK(!memcmp(buf + 28688, "EF\0\0\0\0\0\0GH", 10));

	start(x, 6, 0); /* without SEND_INLINE */
	mlx5dv_wr_mr_list(mx, mk, 1, 2, list);
	CHECK(ibv_wr_complete(x) == EOPNOTSUPP);

	start(x, 7, IBV_SEND_SIGNALED);
	mlx5dv_wr_memcpy(mx, mr->lkey, at(32768), mr->lkey, at(0), 16);
	CHECK(!ibv_wr_complete(x));
	expect_wc(7, 0, MLX5DV_WC_MEMCPY);
	CHECK(!strcmp(buf + 32768, "hello mlx5"));

	ibv_wr_start(x); /* overflow of the send queue */
	for (int i = 0; i < 200; i++) {
		x->wr_flags = 0;
		ibv_wr_rdma_write(x, mr->rkey, at(0));
		ibv_wr_set_inline_data(x, "z", 1);
	}
	CHECK(ibv_wr_complete(x) == ENOMEM);
	CHECK(!mlx5dv_destroy_mkey(mk));
}

static void test_mw(struct ibv_qp *a)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(a);
	struct ibv_mr *m =
		ibv_reg_mr(pd, buf, 8192, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_mw_bind_info bi = { .mr = m,
				       .addr = at(4096),
				       .length = 64,
				       .mw_access_flags =
					       IBV_ACCESS_REMOTE_WRITE };
	uint32_t rkey;

	CHECK(m && mw);
	rkey = ibv_inc_rkey(mw->rkey);
	start(x, 1, IBV_SEND_SIGNALED);
	ibv_wr_bind_mw(x, mw, rkey, &bi);
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, 0, IBV_WC_BIND_MW);
	post_write(x, 2, rkey, at(4096), "window");
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(buf + 4096, "window", 6));
	start(x, 3, IBV_SEND_SIGNALED);
	ibv_wr_local_inv(x, rkey);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_LOCAL_INV);
	post_write(x, 4, rkey, at(4096), "closed");
	expect_wc(4, IBV_WC_REM_ACCESS_ERR, 0);
	CHECK(!memcmp(buf + 4096, "window", 6));
	CHECK(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(m));
}

static void test_dc(void)
{
	struct ibv_srq_init_attr sa = { .attr = { 16, 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &sa);
	struct mlx5dv_qp_init_attr dci = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};
	struct mlx5dv_qp_init_attr dct = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT,
				  .dct_access_key = 0xabcd },
	};
	struct ibv_qp_init_attr_ex ta = { .send_cq = cq,
					  .recv_cq = cq,
					  .srq = srq,
					  .qp_type = IBV_QPT_DRIVER,
					  .pd = pd,
					  .comp_mask = IBV_QP_INIT_ATTR_PD };
	struct ibv_qp *d = make_qp(IBV_QPT_DRIVER, IBV_QP_EX_WITH_RDMA_WRITE,
				   &dci, 64, NULL);
	struct ibv_qp *t = mlx5dv_create_qp(ctx, &ta, &dct);
	struct ibv_ah_attr aa = { .dlid = 7, .port_num = 1 };
	struct ibv_ah *ah = ibv_create_ah(pd, &aa);
	struct ibv_qp_attr m = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct mlx5dv_qp_ex *dm;
	struct ibv_qp_ex *x;

	CHECK(srq && d && t && ah);
	CHECK(!ibv_modify_qp(d, &m,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT));
	m.qp_state = IBV_QPS_RTR;
	m.path_mtu = 5;
	CHECK(!ibv_modify_qp(d, &m, IBV_QP_STATE | IBV_QP_PATH_MTU));
	m.qp_state = IBV_QPS_RTS;
	m.timeout = 14;
	m.retry_cnt = 1;
	CHECK(!ibv_modify_qp(d, &m,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN));
	to_init(t, IBV_ACCESS_REMOTE_WRITE);
	m = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
				  .path_mtu = 5,
				  .min_rnr_timer = 12,
				  .ah_attr = { .port_num = 1 } };
	CHECK(!ibv_modify_qp(t, &m,
			     IBV_QP_STATE | IBV_QP_PATH_MTU |
				     IBV_QP_MIN_RNR_TIMER | IBV_QP_AV));

	x = ibv_qp_to_qp_ex(d);
	dm = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	for (int i = 0; i < 2; i++) {
		start(x, 20 + i, IBV_SEND_SIGNALED);
		ibv_wr_rdma_write(x, mr->rkey, at(40960));
		ibv_wr_set_sge(x, mr->lkey, at(0), 16);
		mlx5dv_wr_set_dc_addr(dm, ah, t->qp_num, i ? 0xbad : 0xabcd);
		CHECK(!ibv_wr_complete(x));
		expect_wc(20 + i, i ? IBV_WC_RETRY_EXC_ERR : 0,
			  IBV_WC_RDMA_WRITE);
	}
	CHECK(!strcmp(buf + 40960, buf));
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(t) && !ibv_destroy_qp(d));
	CHECK(!ibv_destroy_srq(srq));
}

static void test_errors(struct ibv_qp *a, struct ibv_qp *b)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(a);
	struct ibv_async_event e;

	reconnect(a, b, 1);
	post_send(x, 1, 0, 8); /* nobody receives */
	expect_wc(1, IBV_WC_RNR_RETRY_EXC_ERR, 0);
	CHECK(qp_state(a) == IBV_QPS_ERR);
	post_recv(a, 2, 4096, 8); /* flushed at once */
	expect_wc(2, IBV_WC_WR_FLUSH_ERR, 0);

	reconnect(a, b, 7);
	post_recv(b, 3, 4096, 8);
	post_recv(b, 4, 4096, 8);
	post_write(x, 5, 0xdead00, 0, "x");
	expect_wc(5, IBV_WC_REM_ACCESS_ERR, 0);
	expect_wc(3, IBV_WC_WR_FLUSH_ERR, 0);
	expect_wc(4, IBV_WC_WR_FLUSH_ERR, 0);
	e = wait_async(IBV_EVENT_QP_ACCESS_ERR);
	CHECK(e.element.qp == b);
	ibv_ack_async_event(&e);

	reconnect(a, b, 7);
	post_recv(b, 6, 4096, 8);
	post_send(x, 7, 0, 16); /* too long */
	expect_wc(6, IBV_WC_LOC_LEN_ERR, 0);
	expect_wc(7, IBV_WC_REM_INV_REQ_ERR, 0);
	reconnect(a, b, 7);
}

static void test_query_qp(struct ibv_qp *a, struct ibv_qp *b)
{
	struct ibv_qp_init_attr i;
	struct ibv_qp_attr q, m = { .qp_state = IBV_QPS_INIT };

	CHECK(!ibv_query_qp(a, &q, 0x1fffff, &i));
	CHECK(q.qp_state == IBV_QPS_RTS && q.path_mtu == IBV_MTU_1024 &&
	      q.dest_qp_num == b->qp_num && q.rq_psn == 0x111 &&
	      q.sq_psn == 0x222 && q.max_rd_atomic == 4 &&
	      q.max_dest_rd_atomic == 3 && q.min_rnr_timer == 12 &&
	      q.timeout == 14 && q.retry_cnt == 6 && q.rnr_retry == 7 &&
	      q.port_num == 1 && q.qp_access_flags == ACCESS_ALL &&
	      q.ah_attr.dlid == 7 && q.cap.max_recv_wr >= 16);
	/* Refused: a wrong transition, a missing and a forbidden attribute */
	CHECK(ibv_modify_qp(a, &m, IBV_QP_STATE) == EINVAL);
	to_reset(a);
	CHECK(ibv_modify_qp(a, &m, IBV_QP_STATE | IBV_QP_PORT) == EINVAL);
	m.port_num = 1;
	CHECK(ibv_modify_qp(a, &m,
			    IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
				    IBV_QP_ACCESS_FLAGS | IBV_QP_QKEY) ==
	      EINVAL);
	m.port_num = 2;
	CHECK(ibv_modify_qp(a, &m,
			    IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
				    IBV_QP_ACCESS_FLAGS) == EINVAL);
	reconnect(a, b, 7);
}

static void test_limits(void)
{
	struct ibv_qp_init_attr a = { .send_cq = cq,
				      .recv_cq = cq,
				      .qp_type = IBV_QPT_RC };
	struct ibv_srq_init_attr s = { .attr = { 1 << 20, 1 } };
	struct ibv_device_attr d;
	struct ibv_port_attr p;
	union ibv_gid gid;
	__be16 pkey;

	CHECK(!ibv_query_device(ctx, &d));
	a.cap.max_send_wr = d.max_qp_wr + 1;
	CHECK(!ibv_create_qp(pd, &a) && errno == EINVAL);
	a.cap.max_send_wr = 1;
	a.cap.max_recv_wr = d.max_qp_wr + 1;
	CHECK(!ibv_create_qp(pd, &a) && errno == EINVAL);
	a.cap.max_recv_wr = 1;
	a.cap.max_send_sge = d.max_sge + 1;
	CHECK(!ibv_create_qp(pd, &a) && errno == EINVAL);
	a.cap.max_send_sge = 1;
	a.cap.max_recv_sge = d.max_sge + 1;
	CHECK(!ibv_create_qp(pd, &a) && errno == EINVAL);
	CHECK(!ibv_create_cq(ctx, d.max_cqe + 1, NULL, NULL, 0));
	CHECK(!ibv_create_cq(ctx, 0, NULL, NULL, 0));
	CHECK(!ibv_create_cq(ctx, 1, NULL, NULL, ctx->num_comp_vectors));
	CHECK(!ibv_create_srq(pd, &s));
	CHECK(!ibv_reg_mr(pd, buf, 16, IBV_ACCESS_REMOTE_WRITE));
	CHECK(!ibv_query_port(ctx, 1, &p) && p.lid == 7);
	CHECK(ibv_query_port(ctx, 2, &p));
	CHECK(!ibv_query_gid(ctx, 1, 0, &gid) && gid.raw[0] == 0xfe);
	CHECK(!ibv_query_pkey(ctx, 1, 0, &pkey) && pkey == 0xffff);
	CHECK(ibv_destroy_cq(cq) == EBUSY);
}

static void test_rereg(struct ibv_qp *a)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(a);
	struct ibv_mr *m = ibv_reg_mr(pd, buf, 4096, ACCESS_ALL);
	struct ibv_pd *other = ibv_alloc_pd(ctx);

	CHECK(m && other);
	CHECK(!ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			    buf + 49152, 4096, 0));
	post_write(x, 1, m->rkey, at(49152), "moved");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(buf + 49152, "moved", 5));
	CHECK(!ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0));
	CHECK(ibv_dealloc_pd(other) == EBUSY);
	post_write(x, 2, m->rkey, at(49152), "other");
	expect_wc(2, IBV_WC_REM_ACCESS_ERR, 0);
	CHECK(!ibv_dereg_mr(m) && !ibv_dealloc_pd(other));
}

static void test_ud(void)
{
	struct ibv_qp *a =
		make_qp(IBV_QPT_UD, IBV_QP_EX_WITH_SEND, NULL, 0, NULL);
	struct ibv_qp *b =
		make_qp(IBV_QPT_UD, IBV_QP_EX_WITH_SEND, NULL, 0, NULL);
	struct ibv_ah_attr aa = { .dlid = 7, .port_num = 1 };
	struct ibv_qp *both[2] = { a, b };
	struct ibv_qp_ex *x;
	union ibv_gid mgid = { .raw = { 0xff, 0x12, 0x40, 0x1b } };
	struct ibv_ah *ah, *mah;
	struct ibv_wc wc;

	CHECK(a && b);
	for (int i = 0; i < 2; i++) {
		struct ibv_qp_attr m = { .qp_state = IBV_QPS_RTR };

		to_init(both[i], 0);
		CHECK(!ibv_modify_qp(both[i], &m, IBV_QP_STATE));
		m.qp_state = IBV_QPS_RTS;
		CHECK(!ibv_modify_qp(both[i], &m,
				     IBV_QP_STATE | IBV_QP_SQ_PSN));
	}
	ah = ibv_create_ah(pd, &aa);
	aa.is_global = 1;
	aa.dlid = 0xc001;
	aa.grh.dgid = mgid;
	mah = ibv_create_ah(pd, &aa);
	x = ibv_qp_to_qp_ex(a);
	CHECK(ah && mah && !ibv_attach_mcast(b, &mgid, 0xc001));
	CHECK(ibv_destroy_qp(b) == EBUSY);
	for (int i = 0; i < 2; i++) {
		memset(buf + 4096, 0, 128);
		post_recv(b, 1, 4096, 128);
		start(x, 2, IBV_SEND_SIGNALED);
		ibv_wr_send(x);
		ibv_wr_set_sge(x, mr->lkey, at(0), 16);
		ibv_wr_set_ud_addr(x, i ? mah : ah, i ? 0xffffff : b->qp_num,
				   0x1234);
		CHECK(!ibv_wr_complete(x));
		wc = wait_wc(cq);
		CHECK(wc.wr_id == 1 && wc.byte_len == 56 &&
		      wc.src_qp == a->qp_num && wc.slid == 7 &&
		      !(wc.wc_flags & IBV_WC_GRH) == !i);
		CHECK(!strcmp(buf + 4096 + 40, "hello mlx5"));
		CHECK(!i || !memcmp(buf + 4096 + 24, &mgid, 16));
		expect_wc(2, 0, IBV_WC_SEND);
	}
	start(x, 3, IBV_SEND_SIGNALED); /* wrong Q_Key: silently lost */
	ibv_wr_send(x);
	ibv_wr_set_sge(x, mr->lkey, at(0), 16);
	ibv_wr_set_ud_addr(x, ah, b->qp_num, 0x4321);
	CHECK(!ibv_wr_complete(x));
	expect_wc(3, 0, IBV_WC_SEND);
	CHECK(!ibv_detach_mcast(b, &mgid, 0xc001));
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_ah(mah));
	CHECK(!ibv_destroy_qp(a) && !ibv_destroy_qp(b));
}

static void test_async(struct ibv_qp *a)
{
	struct ibv_srq_init_attr sa = { .attr = { 16, 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &sa);
	struct ibv_srq_attr q, limit = { .srq_limit = 3 };
	struct ibv_sge sge = { at(4096), 64, mr->lkey };
	struct ibv_recv_wr rw = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_async_event e;
	char spec[64];
	struct ibv_qp *s;

	CHECK(srq);
	s = make_qp(IBV_QPT_RC, OPS_RC, NULL, 0, srq);
	CHECK(s);
	reconnect(a, s, 7);
	for (int i = 0; i < 4; i++)
		CHECK(!ibv_post_srq_recv(srq, &rw, &bad));
	CHECK(!ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	CHECK(!ibv_query_srq(srq, &q) && q.srq_limit == 3);
	for (int i = 0; i < 2; i++) {
		post_send(ibv_qp_to_qp_ex(a), 1, 0, 8);
		CHECK(!wait_wc(cq).status && !wait_wc(cq).status);
	}
	e = wait_async(IBV_EVENT_SRQ_LIMIT_REACHED);
	CHECK(e.element.srq == srq);
	ibv_ack_async_event(&e);
	CHECK(!readable(ctx->async_fd, 0));

	snprintf(spec, sizeof(spec), "COMM_EST:0x%x", s->qp_num);
	CHECK(!emu_async(spec));
	e = wait_async(IBV_EVENT_COMM_EST);
	CHECK(e.element.qp == s);
	ibv_ack_async_event(&e);
	CHECK(!emu_async("LID_CHANGE:1@20"));
	e = wait_async(IBV_EVENT_LID_CHANGE);
	CHECK(e.element.port_num == 1);
	ibv_ack_async_event(&e);
	CHECK(emu_async("NO_SUCH_EVENT"));

	/* An unread event must not block the destruction */
	CHECK(!emu_async(spec));
	CHECK(readable(ctx->async_fd, 1000));
	CHECK(!ibv_destroy_qp(s));
	CHECK(!readable(ctx->async_fd, 0));
	CHECK(!ibv_destroy_srq(srq));
}

static void test_cq(struct ibv_qp *a, struct ibv_qp *b)
{
	struct ibv_cq *main_cq = cq, *small;
	struct ibv_async_event e;
	struct ibv_qp *s;

	small = cq = ibv_create_cq(ctx, 3, NULL, NULL, 0);
	CHECK(small);
	s = make_qp(IBV_QPT_RC, OPS_RC, NULL, 64, NULL);
	CHECK(s);
	reconnect(s, b, 7);
	for (int i = 0; i < 3; i++)
		post_write(ibv_qp_to_qp_ex(s), i, mr->rkey, at(4096), "x");
	usleep(20000);
	CHECK(!ibv_resize_cq(small, 7)); /* keeps what is in it */
	for (int i = 3; i < 6; i++)
		post_write(ibv_qp_to_qp_ex(s), i, mr->rkey, at(4096), "x");
	for (int i = 0; i < 6; i++)
		expect_wc(i, 0, IBV_WC_RDMA_WRITE);
	for (int i = 0; i < 12; i++)
		post_write(ibv_qp_to_qp_ex(s), i, mr->rkey, at(4096), "x");
	e = wait_async(IBV_EVENT_CQ_ERR);
	CHECK(e.element.cq == small);
	ibv_ack_async_event(&e);
	CHECK(!ibv_destroy_qp(s) && !ibv_destroy_cq(small));
	cq = main_cq;
	reconnect(a, b, 7);
}

/* Fail every call of a set-up in turn; nothing may be left behind */
static void test_fail(struct ibv_device *dev)
{
	int n, before = emu_live(NULL), failed = 0;

	for (n = 1; n < 100; n++) {
		struct ibv_qp_init_attr qa = { .cap = { 4, 4, 1, 1 },
					       .qp_type = IBV_QPT_RC };
		struct ibv_comp_channel *ch = NULL;
		struct ibv_context *c;
		struct ibv_pd *p = NULL;
		struct ibv_cq *q = NULL;
		struct ibv_qp *qp = NULL;
		struct ibv_mr *m = NULL;
		char spec[32];

		snprintf(spec, sizeof(spec), "%d:ENOMEM", n);
		emu_fail(spec);
		c = ibv_open_device(dev);
		if (c && (p = ibv_alloc_pd(c)) &&
		    (m = ibv_reg_mr(p, buf, 64, 1)) &&
		    (ch = ibv_create_comp_channel(c)) &&
		    (q = ibv_create_cq(c, 8, NULL, ch, 0))) {
			qa.send_cq = qa.recv_cq = q;
			qp = ibv_create_qp(p, &qa);
		}
		emu_fail(NULL);
		failed += !qp;
		CHECK(!qp || !ibv_destroy_qp(qp));
		CHECK(!q || !ibv_destroy_cq(q));
		CHECK(!ch || !ibv_destroy_comp_channel(ch));
		CHECK(!m || !ibv_dereg_mr(m));
		CHECK(!p || !ibv_dealloc_pd(p));
		CHECK(!c || !ibv_close_device(c));
		CHECK(emu_live(NULL) == before);
	}
	CHECK(failed >= 6);
	emu_fail("create_cq#2:EPERM");
	CHECK(cq = ibv_create_cq(ctx, 8, NULL, NULL, 0));
	CHECK(!ibv_create_cq(ctx, 8, NULL, NULL, 0) && errno == EPERM);
	CHECK(!ibv_destroy_cq(cq));
	emu_fail(NULL);
}

int main(void)
{
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = OPS_MLX5,
	};
	struct mlx5dv_context_attr ca = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list;
	struct ibv_qp *a, *b;
	int n;

	emu_async = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_async");
	emu_fail = (void (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_fail");
	emu_live = (int (*)(const char *))dlsym(RTLD_DEFAULT, "vx_emu_live");
	if (!emu_async || !emu_fail || !emu_live) {
		fprintf(stderr, "libverbsx-emu.so is not preloaded\n");
		return 1;
	}
	list = ibv_get_device_list(&n);
	CHECK(list && n == 1 && mlx5dv_is_supported(list[0]));
	ctx = mlx5dv_open_device(list[0], &ca);
	CHECK(ctx);
	pd = ibv_alloc_pd(ctx);
	chan = ibv_create_comp_channel(ctx);
	cq = ibv_create_cq(ctx, 63, (void *)0x1234, chan, 0);
	mr = ibv_reg_mr(pd, buf, sizeof(buf), ACCESS_ALL);
	CHECK(pd && chan && cq && mr);
	a = make_qp(IBV_QPT_RC, OPS_RC, &dv, 512, NULL);
	b = make_qp(IBV_QPT_RC, OPS_RC, NULL, 64, NULL);
	CHECK(a && b);

#define RUN(test, ...)                                                         \
	do {                                                                   \
		printf("%s\n", #test);                                         \
		fflush(stdout);                                                \
		test(__VA_ARGS__);                                             \
	} while (0)
	reconnect(a, b, 7);
	RUN(test_rc, a, b);
	RUN(test_umr, a);
	RUN(test_mw, a);
	CHECK(readable(ctx->async_fd, 1000)); /* access error, not read */
	RUN(test_dc);
	CHECK(!ibv_destroy_qp(b));
	b = make_qp(IBV_QPT_RC, OPS_RC, NULL, 64, NULL);
	CHECK(b && !readable(ctx->async_fd, 0));
	RUN(test_errors, a, b);
	RUN(test_query_qp, a, b);
	RUN(test_limits);
	RUN(test_ud);
	RUN(test_async, a);
	RUN(test_cq, a, b);
	RUN(test_rereg, a);

	CHECK(!ibv_destroy_qp(a) && !ibv_destroy_qp(b) && !ibv_dereg_mr(mr));
	CHECK(!ibv_destroy_cq(cq) && !ibv_destroy_comp_channel(chan));
	CHECK(!ibv_dealloc_pd(pd));
	CHECK(emu_live("uar") > 0 && emu_live(NULL) == 0);
	RUN(test_fail, list[0]);
	CHECK(!ibv_close_device(ctx));
	ibv_free_device_list(list);
	puts("all passed");
	return 0;
}
