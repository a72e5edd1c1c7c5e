/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A path as address handles take it. */

#include <verbsx/calls.h>

#include "gid/gid_choice.h"
#include "object/object.h"
#include "path.h"

static void set_local(const struct vx_path *path, const struct ibv_port_attr *port, struct vx_ah_init *out)
{
	*out = (struct vx_ah_init){
		.dlid = path->dlid,
		.sl = path->sl,
		.src_path_bits = (uint8_t)(path->slid & ((1u << port->lmc) - 1)),
		.static_rate = path->static_rate,
		.port_num = vx_path_port(path),
	};
}

static int unknown(const struct vx_path *path, const char *call, const char *what)
{
	return vx_fail(-EINVAL, call, VX_NAME(path->ctx), "%s is not known", what);
}

/* Packets have GIDs where their port needs them, and elsewhere those that go to another subnet or to a group. */
static int set_global(const struct vx_path *path, const char *call, const struct ibv_port_attr *port, struct vx_ah_init *out)
{
	const bool has_lids = vx_port_has_lids(port), needs_gids = vx_port_needs_gids(port);
	struct ibv_gid_entry gid;
	int rc;

	if (vx_gid_is_zero(&path->dgid))
		return needs_gids || path->is_global ? unknown(path, call, "dgid, the GID there,") : 0;
	if (has_lids && !path->dlid && vx_gid_is_ipv4(&path->dgid))
		return vx_fail(-EINVAL, call, VX_NAME(path->ctx), VX_IP_ON_INFINIBAND);
	rc = vx_path_choose_gid(path, call, &gid);
	if (rc < 0)
		return rc;
	if (!needs_gids && !path->is_global && gid.gid.global.subnet_prefix == path->dgid.global.subnet_prefix)
		return 0;
	if (has_lids && !path->dlid)
		return unknown(path, call, "dlid, the LID there,");
	out->is_global = 1;
	out->grh = (struct ibv_global_route){
		.dgid = path->dgid,
		.flow_label = path->flow_label,
		.sgid_index = (uint8_t)gid.gid_index,
		.hop_limit = path->hop_limit,
		.traffic_class = path->traffic_class,
	};
	if (path->mask & VX_PATH_HOP_LIMIT)
		out->comp_mask = VX_AH_INIT_HOP_LIMIT;
	return 0;
}

int vx_path_to_ah(const struct vx_path *path, const char *call, struct vx_ah_init *out)
{
	struct ibv_port_attr port;
	int rc = vx_ctx_query_port(path->ctx, vx_path_port(path), &port);

	if (rc < 0)
		return rc;
	set_local(path, &port, out);
	return set_global(path, call, &port, out);
}
