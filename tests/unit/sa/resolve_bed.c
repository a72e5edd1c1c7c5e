/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "resolve_bed.h"

#include "reach/umad.h"

struct ibv_port_attr port;
struct vx_path to_myself;

void open_port(void)
{
	struct ibv_gid_entry gid;

	open_device();
	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	to_myself = (struct vx_path){ .ctx = ctx, .dgid = gid.gid };
}

void close_port(void)
{
	vx_umad_replace(NULL);
	fail_calls(NULL);
	close_device();
}

bool ethernet(void)
{
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

int resolve(struct vx_path *out, int timeout_ms)
{
	*out = to_myself;
	return vx_path_resolve(out, timeout_ms);
}
