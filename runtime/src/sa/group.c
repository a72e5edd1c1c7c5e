/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Groups that a port is in: joined when they are made, left when they are closed. */

#include <verbsx/calls.h>
#include <verbsx/sa_group.h>

#include "error/fail.h"
#include "ids.h"
#include "kinds.h"
#include "object/make.h"
#include "path/asked.h"
#include "sa.h"
#include "text/form.h"
#include "text/table.h"

#define CALL "vx_sa_group_create"
#define USUAL_QKEY 0x1ee7	/* of a new group: any will do that needs no privilege */
#define GROUP_QPN 0xffffffu
#define OF_GROUPS 0xff		/* how their GIDs begin */
#define SL_BITS 4
#define LABEL_BITS 20
#define JOIN_STATES (VX_SA_FULL_MEMBER | VX_SA_NON_MEMBER | VX_SA_SEND_ONLY_NON_MEMBER | VX_SA_SEND_ONLY_FULL_MEMBER)

struct vx_sa_group_state {
	struct vx_kept_sa_group kept;
	struct vx_ctx *ctx;
	struct vx_mad member;		/* the administrator's record of the port */
	int timeout_ms;
};

/* ---- what is asked ---- */

static void ask_part(struct vx_mad *mad, enum vx_mad_field field, uint64_t value, uint64_t usual, bool makes)
{
	if (value || makes)
		vx_mad_ask(mad, field, value ? value : usual);
}

/* makes: with all that a group is made by. */
static struct vx_mad member_of(const struct vx_sa_group_init *init, const union ibv_gid *port_gid, bool makes)
{
	struct vx_mad mad = { .record = VX_MC_MEMBER_RECORD };

	if (init->mgid.raw[0] || makes)
		vx_mad_ask_gid(&mad, VX_MC_MEMBER_RECORD_MGID, &init->mgid);
	vx_mad_ask_gid(&mad, VX_MC_MEMBER_RECORD_PORT_GID, port_gid);
	vx_mad_ask(&mad, VX_MC_MEMBER_RECORD_JOIN_STATE, init->join_state);
	ask_part(&mad, VX_MC_MEMBER_RECORD_Q_KEY, init->qkey, USUAL_QKEY, makes);
	ask_part(&mad, VX_MC_MEMBER_RECORD_P_KEY, init->pkey, VX_EVERYBODY, makes);
	ask_part(&mad, VX_MC_MEMBER_RECORD_SL, init->sl, 0, makes);
	ask_part(&mad, VX_MC_MEMBER_RECORD_FLOW_LABEL, init->flow_label, 0, makes);
	ask_part(&mad, VX_MC_MEMBER_RECORD_T_CLASS, init->traffic_class, 0, makes);
	return mad;
}

/* Managers differ in how they say so. */
static bool is_not_there(uint16_t status)
{
	return status == VX_SA_REQ_INVALID || status == VX_SA_INSUF_COMPONENTS || status == VX_SA_NO_RECORDS;
}

static int not_joined(const struct vx_sa_link *link, const struct vx_sa_group_init *init, const struct vx_mad *mad, uint16_t status)
{
	if (!init->only_join || !is_not_there(status))
		return vx_sa_refused(link, mad, status);
	return vx_fail(-ENOENT, CALL, VX_NAME(link->ctx), "there is no group %s, or it is not as was asked for (status 0x%04x), and only_join "
		       "does not let one be made", VX_GID_TEXT(&init->mgid), status);
}

static int join(const struct vx_sa_link *link, const struct vx_sa_group_init *init, const union ibv_gid *port_gid, struct vx_mad *mad)
{
	bool is_new = !init->mgid.raw[0];
	uint16_t status;
	int rc;

	*mad = member_of(init, port_gid, is_new);
	rc = vx_sa_exchange(link, mad, VX_SA_SET, NULL, &status);
	if (rc == 0 && !is_new && !init->only_join && is_not_there(status)) {
		*mad = member_of(init, port_gid, true);
		rc = vx_sa_exchange(link, mad, VX_SA_SET, NULL, &status);
	}
	return rc == 0 && status ? not_joined(link, init, mad, status) : rc;
}

/* ---- making and ending ---- */

static struct vx_path path_here(const struct vx_sa_group_state *group)
{
	return (struct vx_path){ .ctx = group->ctx, .port_num = (uint8_t)group->kept.port_num };
}

static int join_from_port(struct vx_sa_group_state *group, const struct vx_sa_group_init *init)
{
	struct vx_path path = path_here(group);
	struct vx_asked here = { 0 };
	struct vx_sa_link link;
	int rc = vx_asked_port(&here, &path);

	if (rc == 0 && here.port.link_layer == IBV_LINK_LAYER_ETHERNET)
		return vx_fail(-EOPNOTSUPP, CALL, VX_NAME(group->ctx),
			       "port %u is of Ethernet, which has no subnet administrator: vx_mcast_create() alone joins there", path.port_num);
	if (rc == 0)
		rc = vx_asked_gid(&here, &path, CALL);
	if (rc == 0)
		rc = vx_sa_link_make(&link, &path, &here.port, init->timeout_ms, CALL);
	return rc == 0 ? join(&link, init, &here.gid.gid, &group->member) : rc;
}

/* What is asked is who is a member of what, and as what; nothing of what the group is like. */
static int leave(const struct vx_sa_group_state *group)
{
	const uint8_t *record = group->member.bytes + VX_MAD_RECORD;
	union ibv_gid mgid = vx_mad_gid(record, VX_MC_MEMBER_RECORD_MGID), port_gid = vx_mad_gid(record, VX_MC_MEMBER_RECORD_PORT_GID);
	struct vx_mad mad = { .record = VX_MC_MEMBER_RECORD };
	struct vx_path path = path_here(group);
	struct vx_asked here = { 0 };
	struct vx_sa_link link;
	uint16_t status;
	int rc = vx_asked_port(&here, &path);

	vx_mad_ask_gid(&mad, VX_MC_MEMBER_RECORD_MGID, &mgid);
	vx_mad_ask_gid(&mad, VX_MC_MEMBER_RECORD_PORT_GID, &port_gid);
	vx_mad_ask(&mad, VX_MC_MEMBER_RECORD_JOIN_STATE, group->kept.join_state);
	if (rc == 0)
		rc = vx_sa_link_make(&link, &path, &here.port, group->timeout_ms, "vx_close");
	return rc == 0 ? vx_sa_exchange(&link, &mad, VX_SA_DELETE, NULL, &status) : rc;
}

static int end_group(struct vx_node *node)
{
	VX_QUIETLY(leave(vx_node_extra(node)));
	return 0;
}

static int check_group(const struct vx_sa_group_init *init, const struct vx_ctx *ctx)
{
	if (init->port_num > UINT8_MAX)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "port_num = %u", init->port_num);
	if (!vx_gid_is_zero(&init->mgid) && init->mgid.raw[0] != OF_GROUPS)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "mgid does not begin with 0xff, as those of groups do");
	if (vx_gid_is_zero(&init->mgid) && init->only_join)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "only_join of which group? mgid is not set");
	if (init->join_state & ~JOIN_STATES)
		return vx_unknown_bits(CALL, "join_state", init->join_state & ~JOIN_STATES, 1 + ENUM_vx_sa_join_state);
	if (init->sl >> SL_BITS)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "sl = %u, but the most is 15", init->sl);
	if (init->flow_label >> LABEL_BITS)
		return vx_fail(-EINVAL, CALL, VX_NAME(ctx), "flow_label = 0x%x, but the most is 0xfffff", init->flow_label);
	return 0;
}

/* What the administrator says may be other than what was asked for. */
static void keep_record(struct vx_sa_group_state *group)
{
	group->kept.qkey = (uint32_t)vx_mad_of_record(&group->member, VX_MC_MEMBER_RECORD_Q_KEY);
	group->kept.pkey = (uint16_t)vx_mad_of_record(&group->member, VX_MC_MEMBER_RECORD_P_KEY);
}

static int begin_group(struct vx_node *node, void *ctx, const void *of)
{
	struct vx_sa_group_init own = *(const struct vx_sa_group_init *)of;
	struct vx_sa_group_state *group = vx_node_extra(node);
	int rc = check_group(&own, ctx);

	if (rc < 0)
		return rc;
	own.port_num = own.port_num ? own.port_num : 1;
	own.join_state = own.join_state ? own.join_state : VX_SA_FULL_MEMBER;
	group->kept = (struct vx_kept_sa_group){ true, own.port_num, own.join_state, own.qkey, own.pkey };
	group->ctx = ctx;
	group->timeout_ms = own.timeout_ms;
	rc = join_from_port(group, &own);
	if (rc == 0)
		keep_record(group);
	return rc;
}

int vx_sa_group_create_sized(struct vx_ctx *parent, const struct vx_sa_group_init *init, size_t size, struct vx_sa_group **out)
{
	struct vx_sa_group_init own;

	return vx_make_own(&(struct vx_own_making){ CALL, "only_join", &own, sizeof(own), VX_OBJECT_CTX, VX_OBJECT_SA_GROUP,
						    sizeof(struct vx_sa_group_state), begin_group, end_group }, parent, init, size, out);
}

/* ---- asking ---- */

/* A rate that only a newer release knows is as that of the port. */
static void tell_sizes(struct vx_path *path, const uint8_t *record)
{
	const uint8_t rate = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_RATE);

	path->path_mtu = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_MTU);
	path->static_rate = vx_is_rate(rate) ? rate : IBV_RATE_MAX;
	path->packet_life_time = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_PACKET_LIFE_TIME);
	path->mask |= path->packet_life_time ? 0 : VX_PATH_PACKET_LIFE_TIME;
}

int vx_sa_group_path(const struct vx_sa_group *group, struct vx_path *path)
{
	const uint8_t *record;

	if (vx_is_no_sa_group(group, "vx_sa_group_path"))
		return -EINVAL;
	if (!path)
		return vx_null_fail("vx_sa_group_path", "path");
	record = vx_sa_group_state_of(group)->member.bytes + VX_MAD_RECORD;
	*path = path_here(vx_sa_group_state_of(group));
	path->is_global = 1;
	path->dgid = vx_mad_gid(record, VX_MC_MEMBER_RECORD_MGID);
	path->sgid = vx_mad_gid(record, VX_MC_MEMBER_RECORD_PORT_GID);
	path->dlid = (uint16_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_MLID);
	path->dqpn = GROUP_QPN;
	path->qkey = (uint32_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_Q_KEY);
	path->pkey = (uint16_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_P_KEY);
	path->sl = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_SL);
	path->traffic_class = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_T_CLASS);
	path->flow_label = (uint32_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_FLOW_LABEL);
	path->hop_limit = (uint8_t)vx_mad_get(record, VX_MC_MEMBER_RECORD_HOP_LIMIT);
	path->mask |= path->hop_limit ? 0 : VX_PATH_HOP_LIMIT;
	tell_sizes(path, record);
	return 0;
}
