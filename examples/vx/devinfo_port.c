/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* The GID and P_Key tables of a port. */

#include <net/if.h>
#include <stdlib.h>

#include <verbsx/enums.h>
#include <verbsx/structs.h>

#include "command.h"
#include "devinfo.h"
#include "table.h"

static int fail(struct report *r)
{
	report_error(r);
	return ABSENT;
}

/* Room for the entries of all ports. */
static size_t gid_room(const struct vx_context *ctx)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	size_t sum = 0;
	unsigned int i;

	if (vx_context_query_device(ctx, &device) < 0)
		return 0;
	for (i = 1; i <= device.phys_port_cnt; i++)
		if (vx_context_query_port(ctx, (uint8_t)i, &port) == 0)
			sum += (size_t)port.gid_tbl_len;
	return sum;
}

static void add_gid(struct table *t, const struct ibv_gid_entry *entry)
{
	char gid[64], type[64], netdev[IF_NAMESIZE] = "";

	vx_snprint(gid, sizeof(gid), VX_TYPE(ibv_gid), &entry->gid, VX_COMPACT);
	vx_ibv_gid_type_snprint(type, sizeof(type), entry->gid_type);
	if (entry->ndev_ifindex)
		if_indextoname(entry->ndev_ifindex, netdev);
	table_number(t, entry->gid_index);
	table_text(t, gid);
	table_text(t, type);
	table_number(t, entry->gid_type);
	table_text(t, netdev);
}

static void put_gids(struct report *r, const struct ibv_gid_entry *entries, size_t count, uint8_t port)
{
	static const struct column columns[] = {
		{ "gid_index", NUMBER }, { "gid", TEXT }, { "gid_type", TEXT }, { "gid_type_value", NUMBER },
		{ "netdev", TEXT },
	};
	struct table t = TABLE(r, "gids", columns);
	size_t i;

	for (i = 0; i < count; i++)
		if (entries[i].port_num == port)
			add_gid(&t, &entries[i]);
	table_end(&t);
}

static int put_gid_table(struct report *r, const struct vx_context *ctx, uint8_t port)
{
	size_t count, max = gid_room(ctx);
	struct ibv_gid_entry *entries = need_memory(NULL, max * sizeof(*entries));
	int status = DONE;

	if (vx_context_query_gid_table(ctx, entries, max, &count) < 0)
		status = fail(r);
	else
		put_gids(r, entries, count, port);
	free(entries);
	return status;
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

static int put_pkey_table(struct report *r, const struct vx_context *ctx, uint8_t port)
{
	uint16_t *pkeys = need_memory(NULL, UINT16_MAX * sizeof(*pkeys));
	int status = DONE;
	size_t count;

	if (vx_context_query_pkey_table(ctx, port, pkeys, UINT16_MAX, &count) < 0)
		status = fail(r);
	else
		put_pkeys(r, pkeys, count);
	free(pkeys);
	return status;
}

int put_tables(struct report *r, const struct vx_context *ctx, uint8_t port)
{
	int status = put_gid_table(r, ctx, port);

	return status == DONE ? put_pkey_table(r, ctx, port) : status;
}
