/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What one DCI sends to a DCT, by requests that say where to; and when completions came. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "pair.h"

enum { SIZE = 256, ROUNDS = 8, STREAMS_LOG = 2, KEY = 0xadb };

static struct {
	struct vx_cq *cq;
	struct vx_mr *mr;
	struct vx_srq *srq;
	struct vx_qp *dct, *dci;
	struct vx_mlx5_wr mlx5;
	struct vx_ah *ah;
	int access;		/* of the region, beyond what is needed */
	uint8_t failed_log;	/* how many streams may fail before the DCI does, as a power of two */
} dc;

static void open_dct(void)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					    .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = KEY } };
	const struct vx_path path = { .mask = VX_PATH_SPSN, .access = IBV_ACCESS_REMOTE_WRITE };

	made(vx_srq_create(pd, NULL, &dc.srq));
	made(vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = dc.cq, .recv_cq = dc.cq, .srq = dc.srq, .mlx5dv_qp_init_attr = &attr }, &dc.dct));
	made(vx_qp_to_rtr(dc.dct, &path));
}

static void open_dci(uint64_t operation, bool streams)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	const struct vx_path path = { .mask = VX_PATH_SPSN };

	if (streams) {
		attr.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		attr.dc_init_attr.dci_streams = (struct mlx5dv_dci_streams){ STREAMS_LOG, dc.failed_log };
	}
	made(vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = dc.cq, .recv_cq = dc.cq, .mlx5dv_qp_init_attr = &attr, .send_ops_flags = operation },
			       &dc.dci));
	made(vx_qp_to_rts(dc.dci, &path));
	made(vx_mlx5_qp_wr(dc.dci, &dc.mlx5));
}

static void open_dc(uint64_t operation, bool streams)
{
	struct vx_path path = { 0 };

	made(vx_cq_create(ctx, NULL, &dc.cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * SIZE, .access = dc.access | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &dc.mr));
	open_dct();
	open_dci(operation, streams);
	made(vx_path_fill(&path, dc.dct));
	vx_path_reverse(&path);
	made(vx_pd_ah(pd, &path, &dc.ah));
}

static void expect_done(int count)
{
	const struct pair of = { .cq = dc.cq };

	while (count--)
		cr_assert_eq(next(&of), IBV_WC_SUCCESS);
}

/* A request of one message, to the second half of the region, by an lkey of its own. */
static void send_by(uint32_t lkey, bool writes, bool streams, uint16_t stream)
{
	const uint64_t memory = (uintptr_t)vx_mr_addr(dc.mr);
	const uint32_t number = vx_qp_raw(dc.dct)->qp_num;
	struct vx_wr *wr = vx_wr_start(dc.dci);

	if (writes)
		vx_wr_rdma_write(wr, 1, IBV_SEND_SIGNALED, vx_mr_rkey(dc.mr), memory + SIZE);
	else
		vx_wr_send(wr, 1, IBV_SEND_SIGNALED);
	if (streams)
		vx_mlx5_wr_set_dc_addr_stream(&dc.mlx5, dc.ah, number, KEY, stream);
	else
		vx_mlx5_wr_set_dc_addr(&dc.mlx5, dc.ah, number, KEY);
	vx_wr_set_sge(wr, lkey, memory, SIZE);
	made(vx_wr_complete(wr));
}

static void send_message(bool writes, bool streams, uint16_t stream)
{
	send_by(vx_mr_lkey(dc.mr), writes, streams, stream);
}

static void send_all(bool writes, bool streams)
{
	struct ibv_sge place;
	char *memory;
	int i;

	open_dc(writes ? IBV_QP_EX_WITH_RDMA_WRITE : IBV_QP_EX_WITH_SEND, streams);
	memory = vx_mr_addr(dc.mr);
	place = (struct ibv_sge){ (uintptr_t)memory + SIZE, SIZE, vx_mr_lkey(dc.mr) };
	for (i = 0; i < ROUNDS; i++) {
		memset(memory, i + 1, SIZE);
		memset(memory + SIZE, 0, SIZE);
		if (!writes)
			made(vx_srq_post_recv(dc.srq, &(struct ibv_recv_wr){ .sg_list = &place, .num_sge = 1 }, NULL));
		send_message(writes, streams, (uint16_t)(i % (1 << STREAMS_LOG)));
		expect_done(writes ? 1 : 2);
		cr_assert_eq(memcmp(memory, memory + SIZE, SIZE), 0);
	}
}

#define Dc(name) Twin(test_mlx5_dc, DCTest, name)

Dc(test_dc_send)
{
	send_all(false, false);
}

Dc(test_dc_rdma_write)
{
	send_all(true, false);
}

Dc(test_dc_rdma_write_stream)
{
	send_all(true, true);
}

static bool reaches_on_demand(const struct mlx5dv_context *caps)
{
	return caps->dc_odp_caps & IBV_ODP_SUPPORT_SEND && caps->dc_odp_caps & IBV_ODP_SUPPORT_WRITE;
}

Dc(test_odp_dc_traffic)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_DC_ODP_CAPS };

	made(vx_mlx5_ctx_query_device(ctx, &caps));
	if (!reaches_on_demand(&caps))
		cr_skip_test("DC QPs of the device reach no memory on demand");
	dc.access = IBV_ACCESS_ON_DEMAND;
	send_all(false, false);
}

/* ---- streams that fail ---- */

static enum ibv_wc_status status_of_next(void)
{
	const struct pair of = { .cq = dc.cq };

	return next(&of);
}

/* A message by memory that is not the DCI's to read. */
static void fail_stream(uint16_t stream)
{
	send_by(vx_mr_lkey(dc.mr) + 0x100, true, true, stream);
	cr_assert_eq(status_of_next(), IBV_WC_LOC_PROT_ERR);
}

static enum ibv_wc_status status_of_stream(uint16_t stream)
{
	send_message(true, true, stream);
	return status_of_next();
}

static enum ibv_qp_state state_of_dci(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(dc.dci, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

/* Others go on, and it does when it is reset. */
Dc(test_dc_send_stream_bad_flow)
{
	dc.failed_log = 1;
	open_dc(IBV_QP_EX_WITH_RDMA_WRITE, true);
	fail_stream(1);
	cr_expect_eq(state_of_dci(), IBV_QPS_RTS);
	cr_expect_eq(status_of_stream(2), IBV_WC_SUCCESS);
	cr_expect_eq(status_of_stream(1), IBV_WC_WR_FLUSH_ERR);
	made(vx_mlx5_qp_dci_stream_id_reset(dc.dci, 1));
	cr_expect_eq(status_of_stream(1), IBV_WC_SUCCESS);
	refused(vx_mlx5_qp_dci_stream_id_reset(dc.dci, 1 << STREAMS_LOG));
}

/* As many as the DCI was made to bear: then it fails itself, and goes on after a reset. */
Dc(test_dc_send_stream_bad_flow_qp)
{
	const struct vx_path path = { .mask = VX_PATH_SPSN };

	dc.failed_log = 1;
	open_dc(IBV_QP_EX_WITH_RDMA_WRITE, true);
	fail_stream(1);
	fail_stream(2);
	cr_expect_eq(state_of_dci(), IBV_QPS_ERR);
	cr_expect_eq(status_of_stream(3), IBV_WC_WR_FLUSH_ERR);
	made(vx_qp_reset(dc.dci));
	made(vx_qp_to_rts(dc.dci, &path));
	cr_expect_eq(status_of_stream(1), IBV_WC_SUCCESS);
}

/* ---- when ---- */

static uint64_t time_of_next(struct vx_cq *cq, bool of_the_day)
{
	struct vx_wc *wc = NULL;
	uint64_t when;
	int rc;

	do {
		rc = vx_cq_start_poll(cq, &wc);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
	} while (!rc);
	when = of_the_day ? vx_wc_read_completion_wallclock_ns(wc) : vx_wc_read_completion_ts(wc);
	cr_expect_eq(vx_wc_next(wc), 0, "one message came"); /* which ends it */
	return when;
}

/* Of what is received, one after the other, by whichever clock. */
static void expect_times(uint64_t wc_flags)
{
	const bool of_the_day = wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	uint64_t before = 0, now;
	struct vx_cq *cq;
	struct pair p;
	int i;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = wc_flags }, &cq));
	p = connected_to(pd, cq);
	for (i = 0; i < ROUNDS; i++) {
		made(vx_qp_post_recv(p.server, &(struct ibv_recv_wr){ .wr_id = 1 }, NULL));
		cr_assert_eq(done(&p, p.client, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }), IBV_WC_SUCCESS);
		now = time_of_next(cq, of_the_day);
		cr_expect(now > before);
		before = now;
	}
}

#define TimeStamp(name) Twin(test_mlx5_timestamp, TimeStampTest, name)

TimeStamp(test_timestamp_free_running_rc_traffic)
{
	expect_times(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
}

TimeStamp(test_timestamp_real_time_rc_traffic)
{
	expect_times(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
}
