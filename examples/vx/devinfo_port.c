/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GID and P_Key tables of a port. */

#include <net/if.h>
#include <stdlib.h>

#include <verbsx/structs.h>

#include "command.h"
#include "devinfo.h"
#include "each_device.h"
#include "table.h"

/* Room for the entries of all ports. @return 0 or a negative errno */
static int gid_room(const struct vx_ctx *ctx, size_t *room)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	unsigned int i;
	int rc;

	*room = 0;
	rc = vx_ctx_query_device(ctx, &device);
	for (i = 1; rc == 0 && i <= device.phys_port_cnt; i++) {
		rc = vx_ctx_query_port(ctx, i, &port);
		if (rc == 0)
			*room += (size_t)port.gid_tbl_len;
	}
	return rc;
}

static void add_gid(struct table *t, const struct ibv_gid_entry *entry)
{
	char gid[64], netdev[IF_NAMESIZE] = "";

	vx_snprint(gid, sizeof(gid), VX_STRUCT(ibv_gid), &entry->gid, VX_COMPACT);
	if (entry->ndev_ifindex)
		if_indextoname(entry->ndev_ifindex, netdev);
	table_number(t, entry->gid_index);
	table_text(t, gid);
	table_enum(t, "ibv_gid_type", entry->gid_type);
	table_text(t, netdev);
}

static void put_gids(struct report *r, const struct ibv_gid_entry *entries, size_t count, uint32_t port)
{
	static const struct column columns[] = {
		{ "gid_index", NUMBER }, { "gid", TEXT }, { "gid_type", NAMED }, { "netdev", TEXT },
	};
	struct table t = TABLE(r, "gids", columns);
	size_t i;

	for (i = 0; i < count; i++)
		if (entries[i].port_num == port)
			add_gid(&t, &entries[i]);
	table_end(&t);
}

static int put_gid_table(struct report *r, const struct vx_ctx *ctx, uint32_t port)
{
	struct ibv_gid_entry *entries;
	size_t count, room;
	int rc;

	if (gid_room(ctx, &room) < 0)
		return put_failure(r);
	entries = need_memory(NULL, room * sizeof(*entries));
	rc = vx_ctx_query_gid_table(ctx, entries, room, &count);
	if (rc == 0)
		put_gids(r, entries, count, port);
	free(entries);
	return rc < 0 ? put_failure(r) : DONE;
}

static void put_pkeys(struct report *r, const uint16_t *pkeys, size_t count)
{
	static const struct column columns[] = {
		{ "pkey_index", NUMBER }, { "pkey", HEX },
	};
	struct table t = TABLE(r, "pkeys", columns);
	size_t i;

	for (i = 0; i < count; i++) {
		if (!pkeys[i])
			continue;
		table_number(&t, (int64_t)i);
		table_number(&t, pkeys[i]);
	}
	table_end(&t);
}

static int put_pkey_table(struct report *r, const struct vx_ctx *ctx, uint32_t port)
{
	uint16_t *pkeys = need_memory(NULL, UINT16_MAX * sizeof(*pkeys));
	size_t count;
	int rc;

	rc = vx_ctx_query_pkey_table(ctx, port, pkeys, UINT16_MAX, &count);
	if (rc == 0)
		put_pkeys(r, pkeys, count);
	free(pkeys);
	return rc < 0 ? put_failure(r) : DONE;
}

int put_tables(struct report *r, const struct vx_ctx *ctx, uint32_t port)
{
	int status = put_gid_table(r, ctx, port);

	return status == DONE ? put_pkey_table(r, ctx, port) : status;
}
