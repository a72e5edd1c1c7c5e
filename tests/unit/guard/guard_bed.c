/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "guard_bed.h"

char memory[2 * ROOM] __attribute__((aligned(4096)));
struct vx_mr *mr;
uint32_t lkey;
struct vx_cq *done;
struct vx_wr *wr;

struct vx_qp *new_checked(enum ibv_qp_type type, uint64_t ops)
{
	struct vx_qp_init init = { .send_cq = done, .recv_cq = done, .qp_type = type, .send_ops_flags = ops, .checked = true,
				   .cap = { .max_send_wr = 16, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = 64 } };
	struct vx_qp *out;

	made(vx_qp_create(pd, &init, &out));
	made(vx_qp_to_init(out, &(struct vx_path){ .qkey = 0x1234, .access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC }));
	return out;
}

void open_checked(void)
{
	open_device();
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000, .wc_flags = IBV_WC_STANDARD_FLAGS }, &done));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC }, &mr));
	lkey = vx_mr_lkey(mr);
	qp = new_checked(IBV_QPT_RC, ALL);
	connect_to(qp, qp);
}

uint64_t at(size_t offset)
{
	return (uintptr_t)memory + offset;
}

void write_one(uint64_t wr_id, unsigned int flags)
{
	vx_wr_rdma_write(wr, wr_id, flags, vx_mr_rkey(mr), at(1024));
	vx_wr_set_sge(wr, lkey, at(0), 8);
}

uint32_t room(void)
{
	uint32_t out = 0;

	made(vx_qp_room(qp, &out));
	return out;
}

void poll_all(int count)
{
	struct ibv_wc wc;
	int rc;

	while (count > 0) {
		rc = vx_cq_poll(done, 1, &wc);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
		if (rc)
			cr_expect_eq(wc.status, IBV_WC_SUCCESS, "%d", wc.status);
		count -= rc;
	}
}

void expect_refused(int code, const char *words)
{
	const uint32_t before = room();

	cr_expect_eq(vx_wr_complete(wr), code, "%s", words);
	expect_reason(words);
	cr_expect_str_eq(vx_error()->call, "vx_wr_complete");
	cr_expect_geq(room(), before);
	if (!room())
		return;
	wr = vx_wr_start(qp);
	write_one(1, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	poll_all(1);
}
