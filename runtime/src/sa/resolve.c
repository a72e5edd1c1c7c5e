/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The PathRecord of a path: what is asked, and what becomes of the answer. */

#include <verbsx/calls.h>
#include <verbsx/sa.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/asked.h"
#include "sa.h"
#include "text/table.h"

#define CALL "vx_path_resolve"
#define CALL_ALL "vx_path_resolve_all"
#define NEAR 1			/* hops: in the own subnet */

static int no_peer(const struct vx_path *path, const char *call, bool has_lids)
{
	return vx_fail(-EINVAL, call, VX_NAME(path->ctx), "where to? dgid%s of the path is not set", has_lids ? ", or dlid," : "");
}

static bool names_peer(const struct vx_path *path)
{
	return !vx_gid_is_zero(&path->dgid) || path->dlid;
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

/* Of a table without a peer all peers are asked for, and without a number all paths to each. */
static int put_question(struct vx_mad *mad, const struct vx_path *path, struct vx_asked *here, bool is_of_one, const char *call)
{
	int rc = vx_asked_gid(here, path, call);

	if (rc < 0)
		return rc;
	*mad = (struct vx_mad){ .record = VX_PATH_RECORD };
	if (names_peer(path))
		ask_peer(mad, path);
	vx_mad_ask_gid(mad, VX_PATH_RECORD_SGID, &here->gid.gid);
	vx_mad_ask(mad, VX_PATH_RECORD_REVERSIBLE, 1);
	ask_number(mad, VX_PATH_RECORD_NUMB_PATH, is_of_one);
	ask_number(mad, VX_PATH_RECORD_SLID, path->slid);
	ask_number(mad, VX_PATH_RECORD_FLOW_LABEL, path->flow_label);
	ask_number(mad, VX_PATH_RECORD_T_CLASS, path->traffic_class);
	ask_number(mad, VX_PATH_RECORD_P_KEY, path->pkey);
	ask_number(mad, VX_PATH_RECORD_SL, path->sl);
	return 0;
}

/* ---- the answer ---- */

static int damaged(const struct vx_path *path, const char *call, const char *field, uint64_t value)
{
	return vx_fail(-EBADMSG, call, VX_NAME(path->ctx), "the subnet administrator's PathRecord has %s = %u, which no path has", field,
		       (unsigned int)value);
}

/* Groups have LIDs of their own; what is in another subnet is reached by a router's. */
static int check_record(const uint8_t *record, const struct vx_path *path, const char *call)
{
	uint64_t mtu = vx_mad_get(record, VX_PATH_RECORD_MTU), slid = vx_mad_get(record, VX_PATH_RECORD_SLID);
	union ibv_gid dgid = vx_mad_gid(record, VX_PATH_RECORD_DGID);
	uint64_t dlid = vx_mad_get(record, VX_PATH_RECORD_DLID);

	if (!vx_gid_is_zero(&path->dgid) && memcmp(&dgid, &path->dgid, sizeof(dgid)))
		return vx_fail(-EBADMSG, call, VX_NAME(path->ctx), "the subnet administrator's PathRecord leads to another DGID");
	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)
		return damaged(path, call, "MTU", mtu);
	if (!vx_lid_is_of_port(slid))
		return damaged(path, call, "SLID", slid);
	if (!vx_lid_is_of_port(dlid) && dgid.raw[0] != 0xff)
		return damaged(path, call, "DLID", dlid);
	return 0;
}

/* Of two rates the slower; what is 0 is that of the port, as is one that only a newer release knows. Their numbers are in no order. */
static uint8_t slower(uint8_t rate, uint8_t other)
{
	if (!vx_is_rate(other))
		other = 0;
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

static VX_COLD int is_not_known(const struct vx_path *path, const char *call)
{
	return vx_fail(-EAGAIN, call, VX_NAME(path->ctx), "the subnet administrator would have to be asked, and timeout_ms is 0");
}

/* @param table  of all paths; NULL: of one, whose record is behind the headers of the MAD then */
static int ask_manager(struct vx_mad *mad, const struct vx_path *path, const struct vx_asked *here, int timeout_ms, const struct vx_sa_table *table,
		       const char *call)
{
	struct vx_sa_link link;
	uint16_t status;
	int rc = timeout_ms ? vx_sa_link_make(&link, path, &here->port, timeout_ms, call) : is_not_known(path, call);

	if (rc == 0)
		rc = vx_sa_exchange(&link, mad, table ? VX_SA_GET_TABLE : VX_SA_GET, table, &status);
	return rc == 0 && status ? vx_sa_refused(&link, mad, status) : rc;
}

static int recall_or_ask(struct vx_mad *mad, const struct vx_path *path, const struct vx_asked *here, int timeout_ms)
{
	const struct vx_sa_link link = { .ctx = path->ctx, .call = CALL, .port_num = vx_path_port(path) };
	const struct vx_mad question = *mad;
	int rc;

	if (vx_sa_recall(&link, mad))
		return 0;
	rc = ask_manager(mad, path, here, timeout_ms, NULL, CALL);
	if (rc == 0)
		rc = check_record(mad->bytes + VX_MAD_RECORD, path, CALL);
	if (rc == 0)
		vx_sa_remember(&link, &question, mad);
	return rc;
}

static int resolve_by_manager(struct vx_path *path, struct vx_asked *here, int timeout_ms)
{
	struct vx_mad mad;
	int rc;

	if (!names_peer(path))
		return no_peer(path, CALL, true);
	rc = put_question(&mad, path, here, true, CALL);
	if (rc == 0)
		rc = recall_or_ask(&mad, path, here, timeout_ms);
	if (rc == 0)
		take_record(path, mad.bytes + VX_MAD_RECORD);
	return rc;
}

/* What vx_path_fill() would fill is all that there is to know: packets find their way by the peer's address. */
static int resolve_by_address(struct vx_path *path, struct vx_asked *here, const char *call)
{
	struct vx_path filled = *path;
	int rc;

	if (vx_gid_is_zero(&path->dgid))
		return no_peer(path, call, false);
	filled.port_num = vx_path_port(path);
	rc = vx_path_fill_wire(&filled, here, call);
	if (rc == 0)
		*path = filled;
	return rc;
}

/* What both calls begin with. */
static int ask_port(const struct vx_path *path, struct vx_asked *here, const char *call)
{
	int rc;

	if (!path)
		return vx_null_fail(call, "path");
	rc = vx_path_check_ctx(path, call);
	if (rc < 0)
		return rc;
	rc = vx_path_check(path, call);
	return rc < 0 ? rc : vx_asked_port(here, path);
}

int vx_path_resolve(struct vx_path *path, int timeout_ms)
{
	struct vx_asked here = { 0 };
	int rc = ask_port(path, &here, CALL);

	if (rc < 0)
		return rc;
	return vx_port_has_lids(&here.port) ? resolve_by_manager(path, &here, timeout_ms) : resolve_by_address(path, &here, CALL);
}

/* ---- all paths ---- */

struct wanted {
	const struct vx_path *path;	/* of which all are */
	struct vx_path *paths;
	size_t room, count;
};

static int take_paths(void *data, const uint8_t *records, size_t stride, size_t count)
{
	struct wanted *wanted = data;
	size_t i;
	int rc;

	for (i = 0; i < count; i++, records += stride) {
		rc = check_record(records, wanted->path, CALL_ALL);
		if (rc < 0)
			return rc;
		if (i >= wanted->room)
			continue;
		wanted->paths[i] = *wanted->path;
		take_record(&wanted->paths[i], records);
	}
	wanted->count = count;
	return 0;
}

static int resolve_all_by_manager(struct wanted *wanted, struct vx_asked *here, int timeout_ms)
{
	const struct vx_sa_table table = { take_paths, wanted };
	struct vx_mad mad;
	int rc = put_question(&mad, wanted->path, here, false, CALL_ALL);

	return rc < 0 ? rc : ask_manager(&mad, wanted->path, here, timeout_ms, &table, CALL_ALL);
}

static int resolve_all_by_address(struct wanted *wanted, struct vx_asked *here)
{
	struct vx_path path = *wanted->path;
	int rc = resolve_by_address(&path, here, CALL_ALL);

	wanted->count = 1;
	if (rc == 0 && wanted->room)
		wanted->paths[0] = path;
	return rc;
}

int vx_path_resolve_all(const struct vx_path *path, int timeout_ms, struct vx_path *paths, size_t room, size_t *count)
{
	struct wanted wanted = { .path = path, .paths = paths, .room = room };
	struct vx_asked here = { 0 };
	int rc;

	if (!count || (room && !paths))
		return vx_null_fail(CALL_ALL, count ? "paths" : "count");
	rc = ask_port(path, &here, CALL_ALL);
	if (rc == 0)
		rc = vx_port_has_lids(&here.port) ? resolve_all_by_manager(&wanted, &here, timeout_ms) : resolve_all_by_address(&wanted, &here);
	if (rc == 0)
		*count = wanted.count;
	return rc;
}
