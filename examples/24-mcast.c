/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Multicast: membership in a group is an object of the QP. */

#include <arpa/inet.h>

#include "example.h"

int main(void)
{
	struct vx_mcast_init group = { .lid = 0xc001 };
	struct vx_context *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mcast *member;

	must(vx_context_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));

	inet_pton(AF_INET6, "ff12:401b::1", group.gid.raw);
	must(vx_mcast_create(qp, &group, &member));
	vx_print(stdout, member);

	/* The QP leaves the group before it goes. */
	must(vx_close(qp));
	must(vx_close(ctx));
	return 0;
}
