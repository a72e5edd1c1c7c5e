/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A path as ibv_modify_qp(3) takes it. */

#include <verbsx/defaults.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/asked.h"

#define FIRST_MULTICAST_LID 0xc000

/* ---- what must be known ---- */

static const char *missing_address(const struct vx_path *path)
{
	if (path->is_global)
		return vx_gid_is_zero(&path->dgid) ? "dgid, the GID there," : vx_gid_is_zero(&path->sgid) ? "sgid, the GID here," : NULL;
	return !path->dlid || path->dlid >= FIRST_MULTICAST_LID ? "dlid, the LID there," : NULL;
}

/* Such as a path that was read from a text: where packets have GIDs, vx_path_fill() makes it say so. */
static bool is_unfilled(const struct vx_path *path)
{
	struct vx_asked here = { 0 };

	return !path->is_global && !vx_gid_is_zero(&path->dgid) && vx_asked_port(&here, path) == 0 && vx_port_needs_gids(&here.port);
}

int vx_path_complete(const struct vx_path *path)
{
	const char *missing;
	int rc;

	if (!path)
		return vx_null_fail("vx_path_complete", "path");
	rc = vx_path_check(path, "vx_path_complete");
	if (rc == 0 && path->ctx)
		rc = vx_path_check_ctx(path, "vx_path_complete");
	if (rc < 0)
		return rc;
	missing = !path->ctx ? "ctx, the device here," : missing_address(path);
	if (path->ctx && is_unfilled(path))
		return vx_fail(-EINVAL, "vx_path_complete", VX_NAME(path->ctx), "packets of its port have GIDs, and it is not filled yet: vx_path_fill()");
	if (!missing && !path->dqpn)
		missing = "dqpn, the QP number there,";
	return missing ? vx_fail(-EINVAL, "vx_path_complete", NULL, "%s is not known", missing) : 0;
}

/* ---- places in tables of the port ---- */

/* Of a port with several LIDs the last bits choose one. */
static int find_path_bits(const struct vx_path *path, struct vx_asked *here, uint8_t *out)
{
	int rc;

	*out = 0;
	if (!path->slid)
		return 0;
	rc = vx_asked_port(here, path);
	if (rc == 0)
		*out = (uint8_t)(path->slid & ((1u << here->port.lmc) - 1));
	return rc;
}

static int find_places(const struct vx_path *path, struct vx_asked *here, const char *call, struct ibv_qp_attr *out)
{
	int rc;

	rc = vx_asked_pkey(here, path);
	out->pkey_index = here->pkey_index;
	if (rc == 0)
		rc = find_path_bits(path, here, &out->ah_attr.src_path_bits);
	if (rc < 0 || !path->is_global)
		return rc;
	rc = vx_asked_gid(here, path, call);
	if (rc == 0)
		out->ah_attr.grh.sgid_index = (uint8_t)here->gid.gid_index;
	return rc;
}

/* ---- all of it ---- */

static void copy_address(const struct vx_path *path, struct ibv_ah_attr *out)
{
	out->grh.dgid = path->dgid;
	out->grh.flow_label = path->flow_label;
	out->grh.hop_limit = path->hop_limit;
	out->grh.traffic_class = path->traffic_class;
	out->dlid = path->dlid;
	out->sl = path->sl;
	out->static_rate = path->static_rate;
	out->is_global = path->is_global;
	out->port_num = vx_path_port(path);
}

int vx_path_to_attr(const struct vx_path *path, struct vx_asked *here, const char *call, struct ibv_qp_attr *out)
{
	*out = VX_DEFAULT(ibv_qp_attr);
	copy_address(path, &out->ah_attr);
	out->path_mtu = (enum ibv_mtu)path->path_mtu;
	out->qkey = path->qkey;
	out->rq_psn = path->dpsn;
	out->sq_psn = path->spsn;
	out->dest_qp_num = path->dqpn;
	out->qp_access_flags = (unsigned int)path->access;
	out->max_rd_atomic = path->srd_atomic;
	out->max_dest_rd_atomic = path->drd_atomic;
	out->min_rnr_timer = path->min_rnr_timer;
	out->port_num = vx_path_port(path);
	out->timeout = vx_path_timeout(path);
	out->retry_cnt = path->retry_cnt;
	out->rnr_retry = path->rnr_retry;
	return find_places(path, here, call, out);
}

int vx_path_qp_attr_sized(const struct vx_path *path, struct ibv_qp_attr *attr, size_t size)
{
	struct vx_asked here = { 0 };
	struct ibv_qp_attr own;
	int rc;

	if (!path)
		return vx_null_fail("vx_path_qp_attr", "path");
	rc = vx_path_check_ctx(path, "vx_path_qp_attr");
	if (rc == 0 && vx_no_place(attr, size, "vx_path_qp_attr", "attr"))
		return -EINVAL;
	if (rc == 0)
		rc = vx_path_check(path, "vx_path_qp_attr");
	if (rc == 0)
		rc = vx_path_to_attr(path, &here, "vx_path_qp_attr", &own);
	if (rc == 0)
		VX_GIVE(attr, size, &own);
	return rc;
}
