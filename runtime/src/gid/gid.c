/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The GID that a path begins at: the tables of ports, and what the kernel says of what is in them. */

#include <net/if.h>
#include <pthread.h>
#include <stdlib.h>

#include <verbsx/calls.h>
#include <verbsx/gid.h>

#include "gid.h"
#include "gid_choice.h"
#include "object/make.h"
#include "text/form.h"

#define LONGEST_WHY 512

/* A port's table, and what it was asked for. */
struct port_gids {
	struct vx_gid_table table;
	struct vx_gid_row *rows;
	struct vx_gid_route routes[VX_MOST_ROUTES];
	uint32_t port_num;
	size_t chosen;
};

/* ---- reading the table ---- */

/* How many entries there can be, of all ports together: rdma-core gives no others. */
static int room_for_gids(const struct vx_ctx *ctx, size_t *room)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	uint32_t i;
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

/* rdma-core promises no order. */
static int by_index(const void *a, const void *b)
{
	uint32_t one = ((const struct vx_gid_row *)a)->entry.gid_index, other = ((const struct vx_gid_row *)b)->entry.gid_index;

	return (one > other) - (one < other);
}

static int read_table(struct port_gids *gids, const struct vx_ctx *ctx, const char *call)
{
	struct ibv_gid_entry *entries;
	size_t room, count, i;
	int rc = room_for_gids(ctx, &room);

	if (rc < 0)
		return rc;
	entries = calloc(room + 1, sizeof(*entries));
	gids->table.rows = gids->rows = calloc(room + 1, sizeof(*gids->rows));
	rc = entries && gids->rows ? vx_ctx_query_gid_table(ctx, entries, room, &count) :
				     vx_fail(-ENOMEM, call, VX_NAME(ctx), "for %zu GIDs", room);
	for (i = 0; rc == 0 && i < count; i++)
		if (entries[i].port_num == gids->port_num)
			gids->rows[gids->table.count++].entry = entries[i];
	free(entries);
	if (rc == 0)
		qsort(gids->rows, gids->table.count, sizeof(*gids->rows), by_index);
	return rc;
}

/* ---- choosing ---- */

/* What only the kernel knows. */
static void ask_kernel(struct port_gids *gids)
{
	size_t i;

	for (i = 0; i < gids->table.count; i++)
		gids->rows[i].foreign = vx_gid_is_foreign(&gids->rows[i].entry);
	vx_gid_judge_links(gids->rows, gids->table.count);
	gids->table.routes = gids->routes;
	if (gids->table.peer)
		gids->table.route_count = vx_gid_ask_routes(&gids->table, gids->routes);
}

static int choose_now(struct port_gids *gids, const struct vx_ctx *ctx, const char *call)
{
	struct ibv_port_attr port;
	int rc = vx_ctx_query_port(ctx, gids->port_num, &port);

	if (rc == 0)
		rc = read_table(gids, ctx, call);
	if (rc < 0)
		return rc;
	gids->table.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (gids->table.ethernet)
		ask_kernel(gids);
	gids->chosen = vx_gid_choose(&gids->table);
	return 0;
}

/* Ends with gids->rows to be freed, whatever it returns. A thread that is cancelled goes through with it: files and sockets are open meanwhile. */
static int choose(struct port_gids *gids, const struct vx_ctx *ctx, const char *call)
{
	int rc;

	VX_NOT_CANCELLED(rc = choose_now(gids, ctx, call));
	return rc;
}

static struct port_gids gids_of(uint32_t port_num, const union ibv_gid *peer)
{
	return (struct port_gids){ .port_num = port_num ? port_num : 1, .table.peer = peer };
}

static int no_fit_gid(const struct port_gids *gids, const struct vx_ctx *ctx, const char *call)
{
	char lack[LONGEST_WHY];
	struct vx_out out = vx_out_in(lack, sizeof(lack));

	vx_gid_put_lack(&out, &gids->table);
	vx_out_finish(&out);
	return vx_fail(-EADDRNOTAVAIL, call, VX_NAME(ctx), "port %u %s", gids->port_num, lack);
}

/* ---- telling ---- */

/* "GID 3 ::ffff:10.0.0.1 (RoCE v2, eth0): " */
static void put_entry(struct vx_out *out, const struct ibv_gid_entry *entry, bool ethernet)
{
	char netdev[IF_NAMESIZE] = "";

	vx_put_format(out, "GID %u %s", entry->gid_index, VX_GID_TEXT(&entry->gid));
	if (ethernet) {
		vx_put_format(out, " (%s", vx_gid_type_text(entry->gid_type));
		if (entry->ndev_ifindex && if_indextoname(entry->ndev_ifindex, netdev))
			vx_put_format(out, ", %s", netdev);
		vx_put_char(out, ')');
	}
	vx_put_literal(out, ": ");
}

static void tell_choice(const struct port_gids *gids, char *why, size_t len)
{
	struct vx_out out = vx_out_in(why, len);

	put_entry(&out, &gids->rows[gids->chosen].entry, gids->table.ethernet);
	vx_gid_put_why(&out, &gids->table, gids->chosen, gids->chosen);
	vx_out_finish(&out);
}

/* What the path says, where it is of this side: a message that came by a group has that for its GID here. */
static const union ibv_gid *own_gid(const struct vx_path *path)
{
	return vx_gid_is_zero(&path->sgid) || vx_gid_is_group(&path->sgid) ? NULL : &path->sgid;
}

/* Structures of verbs have 8 bits for it. */
static VX_COLD int too_far(const struct vx_path *path, const char *call, uint32_t index)
{
	return vx_fail(-ERANGE, call, VX_NAME(path->ctx), "GID %u of port %u cannot be used: QPs and AHs take those up to %u", index,
		       vx_path_port(path), UINT8_MAX);
}

int vx_path_choose_gid(const struct vx_path *path, const char *call, struct ibv_gid_entry *out)
{
	bool is_peer_known = !vx_gid_is_zero(&path->dgid);
	struct port_gids gids = gids_of(vx_path_port(path), is_peer_known ? &path->dgid : NULL);
	int rc;

	gids.table.own = own_gid(path);
	gids.table.type = path->gid_type;
	rc = choose(&gids, path->ctx, call);
	if (rc == 0 && gids.chosen == VX_NO_GID)
		rc = no_fit_gid(&gids, path->ctx, call);
	if (rc == 0)
		*out = gids.rows[gids.chosen].entry;
	free(gids.rows);
	return rc == 0 && out->gid_index > UINT8_MAX ? too_far(path, call, out->gid_index) : rc;
}

int vx_ctx_choose_gid_sized(const struct vx_ctx *ctx, uint32_t port_num, const union ibv_gid *peer, struct ibv_gid_entry *out,
			    size_t size, char *why, size_t len)
{
	struct port_gids gids = gids_of(port_num, peer);
	int rc;

	if (vx_wrong(ctx, VX_OBJECT_CTX, "vx_ctx_choose_gid", "ctx") || vx_no_place(out, size, "vx_ctx_choose_gid", "out"))
		return -EINVAL;
	rc = choose(&gids, ctx, "vx_ctx_choose_gid");
	if (rc == 0 && gids.chosen == VX_NO_GID)
		rc = no_fit_gid(&gids, ctx, "vx_ctx_choose_gid");
	if (rc == 0) {
		vx_give_out(out, size, &gids.rows[gids.chosen].entry, sizeof(*out));
		tell_choice(&gids, why, len);
	}
	free(gids.rows);
	return rc;
}

/* A program with newer headers may look behind what is known here. */
struct shown {
	struct ibv_gid_entry entry;
	char room[VX_ROOM_TO_GROW];
};

static void show_each(const struct port_gids *gids, vx_gid_function show, void *data)
{
	char why[LONGEST_WHY];
	struct vx_out out;
	size_t i;

	for (i = 0; i < gids->table.count; i++) {
		struct shown shown = { .entry = gids->rows[i].entry };

		out = vx_out_in(why, sizeof(why));
		vx_gid_put_why(&out, &gids->table, i, gids->chosen);
		vx_out_finish(&out);
		show(&shown.entry, i == gids->chosen, why, data);
	}
}

int vx_ctx_explain_gids(const struct vx_ctx *ctx, uint32_t port_num, const union ibv_gid *peer, vx_gid_function show, void *data)
{
	struct port_gids gids = gids_of(port_num, peer);
	int rc;

	if (vx_wrong(ctx, VX_OBJECT_CTX, "vx_ctx_explain_gids", "ctx"))
		return -EINVAL;
	if (!show)
		return vx_null_fail("vx_ctx_explain_gids", "show");
	rc = choose(&gids, ctx, "vx_ctx_explain_gids");
	if (rc == 0) {
		pthread_cleanup_push(free, gids.rows); /* the program may be cancelled in what it shows them by */
		show_each(&gids, show, data);
		pthread_cleanup_pop(0);
		if (gids.chosen == VX_NO_GID)
			rc = no_fit_gid(&gids, ctx, "vx_ctx_explain_gids");
	}
	free(gids.rows);
	return rc;
}
