/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "pool_bed.h"

struct vx_pool *new_pool_with(struct vx_pool_init init)
{
	struct vx_pool *pool;

	init.size = SIZE;
	made(vx_pool_create(pd, &init, &pool));
	return pool;
}

struct vx_pool *new_pool(uint32_t count, uint32_t flags)
{
	return new_pool_with((struct vx_pool_init){ .count = count, .flags = flags });
}

uint32_t get(struct vx_pool *pool)
{
	uint32_t index;

	made(vx_pool_get(pool, &index));
	return index;
}

void send_buffer(struct vx_pool *pool, struct vx_qp *from, uint32_t index, uint32_t length)
{
	struct ibv_send_wr wr = { .wr_id = vx_pool_wr_id(pool, index), .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_sge sge;

	made(vx_pool_sge(pool, index, length, &sge));
	wr.sg_list = &sge;
	if (vx_qp_raw(from)->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = vx_ah_raw(way_back());
		wr.wr.ud.remote_qpn = vx_qp_raw(from)->qp_num;
		wr.wr.ud.remote_qkey = 0x1234;
	}
	cr_assert_eq(ibv_post_send(vx_qp_raw(from), &wr, &bad), 0);
}
