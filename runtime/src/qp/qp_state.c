/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A QP through its states along a path, of whatever type: which states lie between, and what each step must be told, are lines of
 * gen/lore/transitions.toml.
 */

#include <stdio.h>

#include <verbsx/calls.h>
#include <verbsx/defaults.h>

#include "error/fail.h"
#include "gid/gid_choice.h"
#include "object/make.h"
#include "path/asked.h"
#include "reason/reason.h"

/* ---- what must be known ---- */

static const char *missing_address(const struct vx_path *path)
{
	if (path->is_global)
		return vx_gid_is_zero(&path->dgid) ? "dgid, the GID there," : vx_gid_is_zero(&path->sgid) ? "sgid, the GID here," : NULL;
	return vx_lid_is_of_port(path->dlid) ? NULL : "dlid, the LID there,";
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

/* All that ibv_modify_qp(3) can be told of a path that is filled, but for the state. */
static int path_to_attr(const struct vx_path *path, struct vx_asked *here, const char *call, struct ibv_qp_attr *out)
{
	*out = VX_DEFAULT(ibv_qp_attr);
	vx_path_copy(path, out);
	out->port_num = out->ah_attr.port_num = vx_path_port(path);
	out->timeout = vx_path_timeout(path);
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
		rc = path_to_attr(path, &here, "vx_path_qp_attr", &own);
	if (rc == 0)
		VX_GIVE(attr, size, &own);
	return rc;
}

/* ---- from state to state ---- */

/* A QP on its way. */
struct climb {
	const char *call;
	struct vx_qp *qp;
	unsigned int type;
	enum ibv_qp_state from, goal;
	const struct vx_path *path;
	struct vx_asked *here;		/* of the device */
	bool filled;			/* attr is, which takes asking the device: not before the first step */
	struct ibv_qp_attr attr;
};

/* What a QP says of itself. Some types tell only in some states: then nothing has failed. */
static bool ask_attr(const struct vx_qp *qp, int mask, struct ibv_qp_attr *attr)
{
	struct ibv_qp_init_attr init;
	int rc;

	VX_QUIETLY(rc = vx_qp_query(qp, attr, mask, &init));
	return rc == 0;
}

/* One that failed is in ERR, whatever libibverbs remembers. */
static enum ibv_qp_state state_now(const struct vx_qp *qp)
{
	struct ibv_qp_attr attr;

	return ask_attr(qp, IBV_QP_STATE, &attr) ? attr.qp_state : vx_qp_raw(qp)->state;
}

/* The next step; NULL where none leads to the goal. */
static const struct vx_transition *next_step(const struct climb *climb)
{
	if (climb->from < climb->goal && climb->from < IBV_QPS_RTR)
		return vx_transition_find(climb->type, climb->from, climb->from + 1u);
	return vx_transition_find(climb->type, climb->from, climb->goal);
}

static int no_step(const struct climb *climb)
{
	const char *from = VX_STATE(climb->type, climb->from), *to = VX_STATE(climb->type, climb->goal), *name = VX_NAME(climb->qp);

	if (!climb->type)
		return vx_fail(-EOPNOTSUPP, climb->call, name, "nothing is known of the states of this type: use vx_qp_modify()");
	if (vx_transition_find(climb->type, climb->from, IBV_QPS_RESET))
		return vx_fail(-EINVAL, climb->call, name, "from %s no way leads to %s: vx_qp_reset() it first", from, to);
	return vx_fail(-EINVAL, climb->call, name, "%s has no way from %s to %s", vx_transition_type_name(climb->type), from, to);
}

static int lacks(const struct climb *climb, const char *what)
{
	char name[VX_LONGEST_NAME + 2 * VX_LONGEST_STATE];

	snprintf(name, sizeof(name), "%s, %s -> %s", VX_NAME(climb->qp), VX_STATE(climb->type, climb->from),
		 VX_STATE(climb->type, climb->attr.qp_state));
	return vx_fail(-EINVAL, climb->call, name, "%s needs %s", vx_transition_type_name(climb->type), what);
}

/* A peer is wanted where its QP is. */
static int check_peer(const struct climb *climb, uint32_t mask)
{
	if (!(mask & IBV_QP_DEST_QPN))
		return 0;
	if (!climb->path)
		return lacks(climb, "a path: where the peer is");
	if (!climb->attr.dest_qp_num)
		return lacks(climb, "dqpn of the path: the QP number there");
	if (climb->attr.ah_attr.is_global && vx_gid_is_zero(&climb->attr.ah_attr.grh.dgid))
		return lacks(climb, "dgid of the path: the GID there");
	if (climb->attr.ah_attr.is_global && vx_gid_is_group(&climb->attr.ah_attr.grh.dgid))
		return lacks(climb, "one peer, and dgid of the path is that of a group");
	if (vx_port_has_lids(&climb->here->port) && !climb->attr.ah_attr.dlid)
		return lacks(climb, "dlid of the path: the LID there, which vx_path_resolve() finds by dgid");
	return 0;
}

/* Whether the type is told something by its step to a state. */
static bool tells_in_step(const struct climb *climb, enum ibv_qp_state to, uint32_t what)
{
	const struct vx_transition *step = vx_transition_find(climb->type, to - 1u, to);

	return step && step->required & what;
}

/* Of a type that knows no peer, such as UD, the addresses of a path are those of some message: they do not count. */
static bool has_peer(const struct climb *climb)
{
	return tells_in_step(climb, IBV_QPS_RTR, IBV_QP_AV);
}

/* Whether this side begins to count its packets on the way. */
static bool begins_to_send(const struct climb *climb)
{
	return climb->goal == IBV_QPS_RTS && climb->from < IBV_QPS_RTS && tells_in_step(climb, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

/*
 * Where the peer counts from is known, and where this side does, of what the peer was told, is not: it takes what comes for repeated or
 * lost, and acknowledges messages that it throws away. Looked at before the first step: those before the last one would keep the path.
 */
static int check_numbers(const struct climb *climb)
{
	const struct vx_path *path = climb->path;

	if (!path || !path->dpsn || path->spsn || path->mask & VX_PATH_SPSN || !begins_to_send(climb) || !has_peer(climb))
		return 0;
	return lacks(climb, "spsn of the path: what the peer was told, or VX_PATH_SPSN where that is 0");
}

static int was_told(const struct climb *climb, const char *what, uint32_t was, const char *now, uint32_t is)
{
	return vx_fail(-EINVAL, climb->call, VX_NAME(climb->qp), "it is in %s with %s 0x%x, and the path %s 0x%x: vx_qp_reset() it first",
		       VX_STATE(climb->type, climb->from), what, was, now, is);
}

/* Where packets do not have it, as GIDs on InfiniBand, a QP does not say it either. What counts packets has gone on since. */
static int check_address(const struct climb *climb, const struct ibv_qp_attr *attr)
{
	const struct vx_path *path = climb->path;

	if (path->dqpn && attr->dest_qp_num != path->dqpn)
		return was_told(climb, "qp", attr->dest_qp_num, "leads to qp", path->dqpn);
	if (path->dlid && attr->ah_attr.dlid && attr->ah_attr.dlid != path->dlid)
		return was_told(climb, "dlid", attr->ah_attr.dlid, "has", path->dlid);
	if (attr->ah_attr.is_global && !vx_gid_is_zero(&path->dgid) && memcmp(&attr->ah_attr.grh.dgid, &path->dgid, sizeof(path->dgid)))
		return vx_fail(-EINVAL, climb->call, VX_NAME(climb->qp), "it is in %s with another dgid than the path has: vx_qp_reset() it first",
			       VX_STATE(climb->type, climb->from));
	return 0;
}

/* One that has its peer already is told of no other, nor of another Q_Key: the steps from there on have no place for it. */
static int check_told(const struct climb *climb)
{
	const struct vx_path *path = climb->path;
	const bool late = climb->from >= IBV_QPS_RTR;
	struct ibv_qp_attr attr;

	if (!path)
		return 0;
	if (late && has_peer(climb))
		return ask_attr(climb->qp, IBV_QP_DEST_QPN | IBV_QP_AV, &attr) ? check_address(climb, &attr) : 0;
	if ((late || climb->from == climb->goal) && climb->type == IBV_QPT_UD && path->qkey && ask_attr(climb->qp, IBV_QP_QKEY, &attr) &&
	    attr.qkey != path->qkey)
		return was_told(climb, "Q_Key", attr.qkey, "has", path->qkey);
	return 0;
}

static int fill_attr(struct climb *climb)
{
	bool addresses = has_peer(climb);
	struct vx_path path;
	int rc;

	climb->attr = VX_DEFAULT(ibv_qp_attr);
	if (!climb->path)
		return 0;
	path = *climb->path;
	path.is_global = path.is_global && addresses;
	rc = vx_path_fill_here(&path, climb->qp, addresses, climb->here, climb->call);
	return rc < 0 ? rc : path_to_attr(&path, climb->here, climb->call, &climb->attr);
}

/* What a QP that was in INIT already, for its receives, can be told still. */
static uint32_t told_late(const struct climb *climb, const struct vx_transition *step)
{
	uint32_t mask = 0;

	if (!climb->path || step->from != IBV_QPS_INIT)
		return 0;
	if (climb->path->access)
		mask |= IBV_QP_ACCESS_FLAGS;
	if (climb->path->pkey)
		mask |= IBV_QP_PKEY_INDEX;
	if (climb->path->qkey)
		mask |= IBV_QP_QKEY;
	return mask & step->optional;
}

static int take_step(struct climb *climb, const struct vx_transition *step)
{
	int rc = climb->filled ? 0 : fill_attr(climb);

	if (rc < 0)
		return rc;
	climb->filled = true;
	climb->attr.qp_state = (enum ibv_qp_state)step->to;
	rc = check_peer(climb, step->required);
	if (rc == 0)
		rc = vx_qp_modify(climb->qp, &climb->attr, (int)(IBV_QP_STATE | step->required | told_late(climb, step)));
	if (rc == 0)
		climb->from = (enum ibv_qp_state)step->to;
	return rc;
}

static int climb_to(enum ibv_qp_state goal, const char *call, struct vx_qp *qp, const struct vx_path *path, struct vx_asked *here)
{
	struct climb climb = { .call = call, .qp = qp, .goal = goal, .path = path, .here = here, .attr.qp_state = goal };
	const struct vx_transition *step;
	int rc = 0;

	if (vx_wrong(qp, VX_OBJECT_QP, call, "qp"))
		return -EINVAL;
	climb.type = vx_transition_type(vx_qp_raw(qp));
	climb.from = state_now(qp);
	if (climb.from <= goal || vx_transition_find(climb.type, climb.from, goal))
		rc = check_told(&climb);
	if (rc == 0)
		rc = check_numbers(&climb);
	while (rc == 0 && climb.from != goal) {
		step = next_step(&climb);
		rc = step ? take_step(&climb, step) : no_step(&climb);
	}
	return rc;
}

int vx_qp_to_init(struct vx_qp *qp, const struct vx_path *path)
{
	return climb_to(IBV_QPS_INIT, "vx_qp_to_init", qp, path, &(struct vx_asked){ 0 });
}

int vx_qp_to_rtr(struct vx_qp *qp, const struct vx_path *path)
{
	return climb_to(IBV_QPS_RTR, "vx_qp_to_rtr", qp, path, &(struct vx_asked){ 0 });
}

int vx_qp_move_to_rts(struct vx_qp *qp, const struct vx_path *path, struct vx_asked *here)
{
	return climb_to(IBV_QPS_RTS, "vx_qp_to_rts", qp, path, here);
}

int vx_qp_to_rts(struct vx_qp *qp, const struct vx_path *path)
{
	return vx_qp_move_to_rts(qp, path, &(struct vx_asked){ 0 });
}

/* All that have a way there have it from where they are. */
static int leave_for(enum ibv_qp_state state, const char *call, struct vx_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return vx_wrong(qp, VX_OBJECT_QP, call, "qp") ? -EINVAL : vx_qp_modify(qp, &attr, IBV_QP_STATE);
}

int vx_qp_to_err(struct vx_qp *qp)
{
	return leave_for(IBV_QPS_ERR, "vx_qp_to_err", qp);
}

int vx_qp_reset(struct vx_qp *qp)
{
	return leave_for(IBV_QPS_RESET, "vx_qp_reset", qp);
}
