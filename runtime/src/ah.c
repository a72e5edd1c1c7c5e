/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Address handles made of a completion. */

#include <arpa/inet.h>
#include <errno.h>

#include <verbsx/ah.h>

#include "fail.h"
#include "make.h"
#include "outcome.h"

#define LONGEST_NAME 128

/* rdma-core looks for the GID that the GRH was sent to in the port's table, and leaves errno alone when it is not there. */
static bool lacks_gid(struct ibv_context *context, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	return wc->wc_flags & IBV_WC_GRH && ibv_init_ah_from_wc(context, port, wc, grh, &attr) != 0;
}

static int fail(struct vx_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	char name[LONGEST_NAME], gid[INET6_ADDRSTRLEN] = "";
	int code = vx_code_in_errno();

	vx_object_name(pd, name, sizeof(name));
	if (!lacks_gid(vx_pd_raw(pd)->context, wc, grh, port))
		return vx_call_fail(code, "ibv_create_ah_from_wc", name, NULL);
	inet_ntop(AF_INET6, &grh->dgid, gid, sizeof(gid));
	return vx_call_fail(-ENOENT, "ibv_create_ah_from_wc", name, "port %u has no GID %s, to which the message was sent",
			    port, gid);
}

int vx_ah_create_from_wc(struct vx_pd *parent, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port, struct vx_ah **out)
{
	struct ibv_ah *raw;
	int rc;

	if (!parent)
		return vx_fail(-EINVAL, "vx_ah_create_from_wc", NULL, "the parent is NULL");
	if (wc->wc_flags & IBV_WC_GRH && !grh)
		return vx_fail(-EINVAL, "vx_ah_create_from_wc", NULL, "grh is NULL, but wc_flags has IBV_WC_GRH");
	errno = 0;
	raw = ibv_create_ah_from_wc(vx_pd_raw(parent), wc, grh, port);
	if (!raw)
		return fail(parent, wc, grh, port);
	rc = vx_ah_adopt(parent, raw, out);
	if (rc < 0)
		ibv_destroy_ah(raw);
	return rc;
}
