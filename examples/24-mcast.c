/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Multicast: membership in a group is an object of the QP, which then receives what is sent there. */

#include <arpa/inet.h>

#include "connect.h"
#include "example.h"

#define QKEY 0x1234
#define LID 0xc001
#define EVERY_MEMBER 0xffffff

/* One message to the group, of whatever lies behind the place for what comes in. */
static void send_to(struct vx_qp *qp, struct vx_ah *group, struct vx_mr *mr)
{
	struct ibv_sge in = { (uintptr_t)vx_mr_addr(mr), 128, vx_mr_lkey(mr) };
	struct ibv_sge out = { in.addr + 128, 8, in.lkey };

	must(vx_qp_post_recv_one(qp, 0, &in, 1));
	must(vx_qp_post_send_to(qp, 0, 0, &out, 1, group, EVERY_MEMBER, QKEY));
}

int main(void)
{
	struct vx_mcast_init group = { .lid = LID };
	struct vx_ah_init where = { .dlid = LID };
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_comp_channel *channel;
	struct vx_comp_event event;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_mcast *member;
	struct vx_ah *ah;
	struct ibv_wc wc;
	int rc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_comp_channel_create(ctx, NULL, &channel));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .channel = channel }, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 256 }, &mr));
	must(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));

	inet_pton(AF_INET6, "ff12:401b::1", group.gid.raw);
	must(vx_mcast_create(qp, &group, &member));
	vx_print(stdout, member);

	/* The group has an address as a peer has. Whether its members hear themselves is up to the network. */
	where.grh.dgid = group.gid;
	must(vx_ah_create(pd, &where, &ah));
	must(vx_cq_req_notify(cq, 0));
	send_to(qp, ah, mr);
	if (vx_comp_channel_get_event(channel, 1000, &event) < 0)
		printf("%s\n", vx_error_text());
	while ((rc = vx_cq_poll(cq, 1, &wc)) > 0) {
		must_complete(&wc, qp);
		printf("%s, %u bytes from QP %u\n", vx_ibv_wc_opcode_name(wc.opcode), wc.byte_len - 40, wc.src_qp);
	}
	must(rc);

	/* The QP leaves the group before it goes. */
	must(vx_close(qp));
	must(vx_close(ctx));
	return 0;
}
