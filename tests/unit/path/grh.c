/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A port of InfiniBand each of whose addresses has GIDs, and which ports have LIDs. */

#include <errno.h>

#include "gid/gid.h"
#include "unit/path/device.h"

TestSuite(grh, .init = open_device, .fini = close_device);

static struct ibv_port_attr port_here(const struct vx_path *path)
{
	struct ibv_port_attr port;

	made(vx_ctx_query_port((struct vx_ctx *)path->ctx, 1, &port));
	return port;
}

Test(grh, a_path_within_the_subnet_has_gids)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);
	struct ibv_port_attr port = port_here(&path);

	cr_assert_eq(port.link_layer, IBV_LINK_LAYER_INFINIBAND);
	cr_assert(port.flags & IBV_QPF_GRH_REQUIRED);
	cr_expect_eq(path.is_global, 1);
	cr_expect_eq(path.slid, port.lid);
	made(vx_qp_to_rts(qp, &path));
	cr_expect_eq(queried(qp, IBV_QP_AV).ah_attr.is_global, 1);
}

Test(grh, an_address_within_the_subnet_has_gids)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);
	struct vx_path path = path_to_itself(qp);
	struct vx_pd *pd;
	struct vx_ah *ah;
	char text[512];

	path.is_global = 0;
	made(vx_pd_borrow((struct vx_ctx *)path.ctx, vx_qp_raw(qp)->pd, &pd));
	made(vx_pd_ah(pd, &path, &ah));
	vx_snprint(text, sizeof(text), VX_TYPEOF(ah), ah, VX_COMPACT);
	cr_expect_not_null(strstr(text, "is_global=true"), "%s", text);
	memset(&path.dgid, 0, sizeof(path.dgid));
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EINVAL);
	expect_reason("dgid, the GID there, is not known");
	made(vx_pd_drop_ahs(pd));
	made(vx_close(pd));
}

Test(grh, a_path_that_says_otherwise_is_not_filled_yet)
{
	struct vx_path path = path_to_itself(new_qp(IBV_QPT_RC));

	path.is_global = 0;
	cr_expect_eq(vx_path_complete(&path), -EINVAL);
	expect_reason("packets of its port have GIDs, and it is not filled yet: vx_path_fill()");
}

Test(grh, an_address_without_is_told_of)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);
	struct vx_pd *pd;
	struct vx_ah *ah;
	struct ibv_qp_attr attr;

	made(vx_pd_borrow((struct vx_ctx *)path.ctx, vx_qp_raw(qp)->pd, &pd));
	cr_expect_eq(vx_ah_create(pd, &(struct vx_ah_init){ .dlid = path.dlid, .port_num = 1 }, &ah), -EINVAL);
	expect_reason("the port needs a GRH in each address (IBV_QPF_GRH_REQUIRED): is_global = 1 and grh.dgid");
	made(vx_close(pd));
	made(vx_qp_to_init(qp, &path));
	made(vx_path_qp_attr(&path, &attr));
	attr.qp_state = IBV_QPS_RTR;
	attr.ah_attr.is_global = 0;
	cr_expect_eq(vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), -EINVAL);
	expect_reason("the port needs a GRH in each address (IBV_QPF_GRH_REQUIRED): ah_attr.is_global = 1 and ah_attr.grh.dgid");
}

/* As EFA has it, and drivers that are older than link layers. */
Test(grh, lids_are_not_of_every_port_that_is_no_ethernet)
{
	const struct ibv_port_attr efa = { .link_layer = IBV_LINK_LAYER_UNSPECIFIED }, old = { .link_layer = IBV_LINK_LAYER_UNSPECIFIED, .lid = 7 },
				   down = { .link_layer = IBV_LINK_LAYER_INFINIBAND }, roce = { .link_layer = IBV_LINK_LAYER_ETHERNET, .lid = 7 };

	cr_expect(!vx_port_has_lids(&efa) && vx_port_needs_gids(&efa));
	cr_expect(vx_port_has_lids(&old) && !vx_port_needs_gids(&old));
	cr_expect(vx_port_has_lids(&down) && !vx_port_needs_gids(&down));
	cr_expect(!vx_port_has_lids(&roce) && vx_port_needs_gids(&roce));
}
