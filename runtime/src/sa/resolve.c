/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The PathRecord of a path: what is asked, and what becomes of the answer. */

#include <verbsx/calls.h>
#include <verbsx/sa.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/asked.h"
#include "sa.h"

#define CALL "vx_path_resolve"
#define LAST_UNICAST 0xbfff	/* LID */
#define NEAR 1			/* hops: in the own subnet */

static int no_peer(const struct vx_path *path, bool has_lids)
{
	return vx_fail(-EINVAL, CALL, VX_NAME(path->ctx), "where to? dgid%s of the path is not set", has_lids ? ", or dlid," : "");
}

/* ---- the question ---- */

static void ask_number(struct vx_mad *mad, enum vx_mad_field field, uint64_t value)
{
	if (value)
		vx_mad_ask(mad, field, value);
}

/* A GID, where there is one, says more than a LID; both may contradict each other. */
static void ask_peer(struct vx_mad *mad, const struct vx_path *path)
{
	if (vx_gid_is_zero(&path->dgid))
		vx_mad_ask(mad, VX_PATH_RECORD_DLID, path->dlid);
	else
		vx_mad_ask_gid(mad, VX_PATH_RECORD_DGID, &path->dgid);
}

static struct vx_mad question_for(const struct vx_path *path, const union ibv_gid *sgid)
{
	struct vx_mad mad = { .record = VX_PATH_RECORD };

	ask_peer(&mad, path);
	vx_mad_ask_gid(&mad, VX_PATH_RECORD_SGID, sgid);
	vx_mad_ask(&mad, VX_PATH_RECORD_REVERSIBLE, 1);
	vx_mad_ask(&mad, VX_PATH_RECORD_NUMB_PATH, 1);
	ask_number(&mad, VX_PATH_RECORD_SLID, path->slid);
	ask_number(&mad, VX_PATH_RECORD_FLOW_LABEL, path->flow_label);
	ask_number(&mad, VX_PATH_RECORD_T_CLASS, path->traffic_class);
	ask_number(&mad, VX_PATH_RECORD_P_KEY, path->pkey);
	ask_number(&mad, VX_PATH_RECORD_SL, path->sl);
	return mad;
}

/* ---- the answer ---- */

static int damaged(const struct vx_path *path, const char *field, uint64_t value)
{
	return vx_fail(-EBADMSG, CALL, VX_NAME(path->ctx), "the subnet administrator's PathRecord has %s = %u, which no path has", field,
		       (unsigned int)value);
}

static bool is_unicast(uint64_t lid)
{
	return lid && lid <= LAST_UNICAST;
}

/* Groups have LIDs of their own; what is in another subnet is reached by a router's. */
static int check_record(const struct vx_mad *mad, const struct vx_path *path)
{
	uint64_t mtu = vx_mad_of_record(mad, VX_PATH_RECORD_MTU), slid = vx_mad_of_record(mad, VX_PATH_RECORD_SLID);
	union ibv_gid dgid = vx_mad_gid(mad->bytes + VX_MAD_RECORD, VX_PATH_RECORD_DGID);
	uint64_t dlid = vx_mad_of_record(mad, VX_PATH_RECORD_DLID);

	if (!vx_gid_is_zero(&path->dgid) && memcmp(&dgid, &path->dgid, sizeof(dgid)))
		return vx_fail(-EBADMSG, CALL, VX_NAME(path->ctx), "the subnet administrator's PathRecord leads to another DGID");
	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)
		return damaged(path, "MTU", mtu);
	if (!is_unicast(slid))
		return damaged(path, "SLID", slid);
	if (!is_unicast(dlid) && dgid.raw[0] != 0xff)
		return damaged(path, "DLID", dlid);
	return 0;
}

/* Of two rates the slower; what is 0 is that of the port. Their numbers are in no order. */
static uint8_t slower(uint8_t rate, uint8_t other)
{
	if (!rate || !other)
		return rate ? rate : other;
	return ibv_rate_to_mbps((enum ibv_rate)rate) < ibv_rate_to_mbps((enum ibv_rate)other) ? rate : other;
}

static void take_addresses(struct vx_path *path, const uint8_t *record)
{
	path->dgid = vx_mad_gid(record, VX_PATH_RECORD_DGID);
	path->sgid = vx_mad_gid(record, VX_PATH_RECORD_SGID);
	path->dlid = (uint16_t)vx_mad_get(record, VX_PATH_RECORD_DLID);
	path->slid = (uint16_t)vx_mad_get(record, VX_PATH_RECORD_SLID);
}

static void take_record(struct vx_path *path, const uint8_t *record)
{
	uint8_t mtu = (uint8_t)vx_mad_get(record, VX_PATH_RECORD_MTU), hops = (uint8_t)vx_mad_get(record, VX_PATH_RECORD_HOP_LIMIT);

	take_addresses(path, record);
	path->port_num = vx_path_port(path);
	path->is_global = path->is_global || hops > NEAR || path->dgid.raw[0] == 0xff;
	if (hops > NEAR)
		path->hop_limit = hops;
	path->pkey = (uint16_t)vx_mad_get(record, VX_PATH_RECORD_P_KEY);
	path->sl = (uint8_t)vx_mad_get(record, VX_PATH_RECORD_SL);
	path->traffic_class = (uint8_t)vx_mad_get(record, VX_PATH_RECORD_T_CLASS);
	path->flow_label = (uint32_t)vx_mad_get(record, VX_PATH_RECORD_FLOW_LABEL);
	path->path_mtu = path->path_mtu && path->path_mtu < mtu ? path->path_mtu : mtu;
	path->static_rate = slower(path->static_rate, (uint8_t)vx_mad_get(record, VX_PATH_RECORD_RATE));
	path->packet_life_time = (uint8_t)vx_mad_get(record, VX_PATH_RECORD_PACKET_LIFE_TIME);
	path->mask |= path->packet_life_time ? 0 : VX_PATH_PACKET_LIFE_TIME;
}

/* ---- both ---- */

static int ask_manager(const struct vx_path *path, const struct ibv_port_attr *port, struct vx_mad *mad, int timeout_ms)
{
	struct vx_mad question = *mad;
	struct vx_sa_link link;
	uint16_t status;
	int rc = vx_sa_link_make(&link, path, port, timeout_ms, CALL);

	if (rc == 0)
		rc = vx_sa_exchange(&link, mad, VX_SA_GET, &status);
	if (rc == 0 && status)
		return vx_sa_refused(&link, mad, status);
	if (rc == 0)
		rc = check_record(mad, path);
	if (rc == 0)
		vx_sa_remember(&link, &question, mad);
	return rc;
}

static VX_COLD int is_not_known(const struct vx_path *path)
{
	return vx_fail(-EAGAIN, CALL, VX_NAME(path->ctx), "the subnet administrator would have to be asked, and timeout_ms is 0");
}

static int resolve_by_manager(struct vx_path *path, struct vx_asked *here, int timeout_ms)
{
	struct vx_sa_link link = { .ctx = path->ctx, .call = CALL, .port_num = vx_path_port(path) };
	struct vx_mad mad;
	int rc;

	if (vx_gid_is_zero(&path->dgid) && !path->dlid)
		return no_peer(path, true);
	rc = vx_asked_gid(here, path, CALL);
	if (rc < 0)
		return rc;
	mad = question_for(path, &here->gid.gid);
	if (!vx_sa_recall(&link, &mad))
		rc = !timeout_ms ? is_not_known(path) : ask_manager(path, &here->port, &mad, timeout_ms);
	if (rc == 0)
		take_record(path, mad.bytes + VX_MAD_RECORD);
	return rc;
}

/* What vx_path_fill() would fill is all that there is to know: packets find their way by the peer's address. */
static int resolve_by_address(struct vx_path *path, struct vx_asked *here)
{
	struct vx_path filled = *path;
	int rc;

	if (vx_gid_is_zero(&path->dgid))
		return no_peer(path, false);
	filled.port_num = vx_path_port(path);
	rc = vx_path_fill_wire(&filled, here, CALL);
	if (rc == 0)
		*path = filled;
	return rc;
}

int vx_path_resolve(struct vx_path *path, int timeout_ms)
{
	struct vx_asked here = { 0 };
	int rc;

	if (!path)
		return vx_null_fail(CALL, "path");
	if (vx_wrong(path->ctx, VX_OBJECT_CTX, CALL, "ctx of the path"))
		return -EINVAL;
	rc = vx_asked_port(&here, path);
	if (rc < 0)
		return rc;
	return here.port.link_layer == IBV_LINK_LAYER_ETHERNET ? resolve_by_address(path, &here) : resolve_by_manager(path, &here, timeout_ms);
}
