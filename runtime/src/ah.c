/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Address handles made of a completion. */

#include <arpa/inet.h>
#include <errno.h>

#include <verbsx/ah.h>

#include "fail.h"
#include "make.h"
#include "outcome.h"
#include "reason_query.h"
#include "traced.h"

#define LONGEST_NAME 128

/* Whether the GRH could not be turned round: its receiver is looked up among the port's GIDs. */
static bool is_strange(struct ibv_context *context, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	return wc->wc_flags & IBV_WC_GRH && ibv_init_ah_from_wc(context, port, wc, grh, &attr) != 0;
}

/* Where the GID is not found, rdma-core leaves errno as the look behind the end of the table left it, or alone. */
static bool is_end_of_table(int left)
{
	return left == 0 || left == EINVAL || left == ENOENT || left == ENODATA;
}

static bool is_roce(struct ibv_context *context, uint8_t port)
{
	struct ibv_port_attr attr;

	return !ibv_query_port(context, port, &attr) && attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

static int fail(struct vx_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	char name[LONGEST_NAME], gid[INET6_ADDRSTRLEN] = "";
	struct ibv_port_attr attr;
	int left = errno, code = vx_code_of_refusal();

	vx_object_name(pd, name, sizeof(name));
	if (!(wc->wc_flags & IBV_WC_GRH) && is_roce(vx_pd_raw(pd)->context, port))
		return vx_call_fail(code, "ibv_create_ah_from_wc", name,
				    "wc_flags lacks IBV_WC_GRH, and on RoCE a GRH is all that tells who sent the message");
	if (ibv_query_port(vx_pd_raw(pd)->context, port, &attr))
		return vx_port_fail((struct vx_context *)vx_node_root((struct vx_node *)pd), code, "ibv_create_ah_from_wc", port);
	if (!is_strange(vx_pd_raw(pd)->context, wc, grh, port))
		return vx_call_fail(code, "ibv_create_ah_from_wc", name, NULL);
	if (code == -EPROTONOSUPPORT)
		return vx_call_fail(code, "ibv_create_ah_from_wc", name, "the 40 bytes are no GRH and no IPv4 header");
	if (!is_end_of_table(left))
		return vx_call_fail(code, "ibv_create_ah_from_wc", name, NULL);
	inet_ntop(AF_INET6, &grh->dgid, gid, sizeof(gid));
	return vx_call_fail(-ENOENT, "ibv_create_ah_from_wc", name, "port %u has no GID %s, to which the message was sent",
			    port, gid);
}

int vx_ah_create_from_wc(struct vx_pd *parent, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port, struct vx_ah **out)
{
	struct ibv_grh none = { 0 };
	struct ibv_ah *raw;
	int rc;

	if (!parent)
		return vx_null_fail("vx_ah_create_from_wc", "the parent");
	if (!wc)
		return vx_null_fail("vx_ah_create_from_wc", "wc");
	if (wc->wc_flags & IBV_WC_GRH && !grh)
		return vx_fail(-EINVAL, "vx_ah_create_from_wc", NULL, "grh is NULL, but wc_flags has IBV_WC_GRH");
	VX_CHECK(parent, VX_OBJECT_PD);
	grh = grh ? grh : &none; /* rdma-core looks at it whatever the flags say */
	errno = 0;
	raw = ibv_create_ah_from_wc(vx_pd_raw(parent), wc, grh, port);
	if (!raw)
		return fail(parent, wc, grh, port);
	rc = vx_ah_adopt(parent, raw, out);
	if (rc < 0)
		ibv_destroy_ah(raw);
	return rc;
}
