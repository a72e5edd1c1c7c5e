/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "bed.h"

struct vx_comp_channel *channel;
struct vx_cq *cq;
struct vx_poller *poller;
struct vx_pool *pool;
struct vx_srq *srq;

void open_all(void)
{
	open_device();
	made(vx_comp_channel_create(ctx, NULL, &channel));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &cq));
	made(vx_poller_create(cq, NULL, &poller));
	made(vx_pool_create(pd, &(struct vx_pool_init){ .count = BUFFERS, .size = MESSAGE, .headroom = GRH }, &pool));
}

struct vx_qp *new_qp(enum ibv_qp_type type)
{
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = type, .send_cq = cq, .recv_cq = cq, .srq = srq, .cap.max_send_sge = 2 }, &qp));
	return qp;
}

struct vx_path way_to(struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	path.qkey = QKEY;
	return path;
}

void join(struct vx_qp *qp, struct vx_qp *peer, int access)
{
	struct vx_path path = way_to(peer);

	path.access = access;
	made(vx_qp_to_rts(qp, &path));
}

void send_buffer(struct vx_qp *qp, const struct vx_path *to)
{
	struct ibv_sge entry;
	struct vx_ah *ah;
	uint32_t index;

	made(vx_pool_get(pool, &index));
	made(vx_pool_sge(pool, index, MESSAGE, &entry));
	memset(vx_pool_at(pool, index), 'm', MESSAGE);
	if (!to) {
		made(vx_qp_post_send_one(qp, vx_pool_wr_id(pool, index), IBV_SEND_SIGNALED, &entry, 1));
		return;
	}
	made(vx_pd_ah(pd, to, &ah));
	made(vx_qp_post_send_to(qp, vx_pool_wr_id(pool, index), IBV_SEND_SIGNALED, &entry, 1, ah, to->dqpn, QKEY));
}

void take(struct ibv_wc *wc, int count)
{
	int rc, have = 0;

	while (have < count) {
		rc = vx_poller_poll(poller, count - have, wc + have, PATIENCE);
		cr_assert_gt(rc, 0, "%d of %d: %s", have, count, vx_error_text());
		have += rc;
	}
}

void open_pair(enum ibv_qp_type type, struct vx_qp *qps[2])
{
	qps[0] = new_qp(type);
	qps[1] = new_qp(type);
	join(qps[0], qps[1], 0);
	join(qps[1], qps[0], 0);
}
