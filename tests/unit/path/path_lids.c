/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Paths of a port with several LIDs, which no device here has: what the provider says of it is made up. */

#include <errno.h>

#include "unit/device.h"

static int port_of_four(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size)
{
	(void)context, (void)port;
	cr_assert_geq(size, sizeof(*out));
	*out = (struct ibv_port_attr){ .lid = 8, .lmc = 2, .link_layer = IBV_LINK_LAYER_INFINIBAND, .gid_tbl_len = 1, .active_mtu = IBV_MTU_1024 };
	return 0;
}

static void open_port_of_four(void)
{
	open_device();
	verbs_get_ctx(vx_ctx_raw(ctx))->query_port = port_of_four;
}

TestSuite(path_lids, .init = open_port_of_four, .fini = close_device);

static struct vx_qp *new_qp(void)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

/* The bits of what was sent to a group are nobody's, and some providers give all that the LID ends with. */
Test(path_lids, of_a_completion_are_those_of_the_port)
{
	struct ibv_wc wc = { .src_qp = 0x105, .slid = 7, .dlid_path_bits = 0x7e };
	struct vx_path path;
	struct vx_ah *ah;
	char text[512];

	made(vx_path_from_wc(ctx, 1, &wc, NULL, &path));
	cr_expect_eq(path.dlid, 10);
	vx_path_reply(&path);
	made(vx_path_fill(&path, new_qp()));
	cr_expect_eq(path.slid, 10);
	made(vx_pd_ah(pd, &path, &ah));
	vx_snprint(text, sizeof(text), VX_TYPEOF(ah), ah, VX_COMPACT);
	cr_expect_not_null(strstr(text, " src_path_bits=2 "), "%s", text);
}

Test(path_lids, are_named_where_a_path_begins_at_another)
{
	struct vx_qp *qp = new_qp();
	struct vx_path path = { .slid = 11 };

	made(vx_path_fill(&path, qp));
	path.slid = 12;
	cr_expect_eq(vx_path_fill(&path, qp), -EINVAL);
	expect_reason("slid = 12 is none of port 1, which has LIDs 8 to 11");
}
