/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx gids: which GID of each port a path would begin at, and why not the others. */

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include <verbsx/gid.h>
#include <verbsx/structs.h>

#include "command.h"
#include "each_device.h"
#include "table.h"

static void add_entry(const struct ibv_gid_entry *entry, bool taken, const char *why, void *data)
{
	char gid[64], netdev[IF_NAMESIZE] = "";
	struct table *t = data;

	vx_snprint(gid, sizeof(gid), VX_STRUCT(ibv_gid), &entry->gid, VX_COMPACT);
	if (entry->ndev_ifindex)
		if_indextoname(entry->ndev_ifindex, netdev);
	table_number(t, entry->gid_index);
	table_text(t, gid);
	table_enum(t, "ibv_gid_type", entry->gid_type);
	table_text(t, netdev);
	table_flag(t, taken);
	table_text(t, why);
}

/* What there is in the table is shown also where none of it would be taken. */
static int put_gids(struct report *r, const struct vx_ctx *ctx, uint32_t port, const union ibv_gid *peer)
{
	static const struct column columns[] = {
		{ "gid_index", NUMBER }, { "gid", TEXT }, { "gid_type", NAMED }, { "netdev", TEXT }, { "taken", FLAG }, { "why", TEXT },
	};
	struct table t = TABLE(r, "gids", columns);
	int rc = vx_ctx_explain_gids(ctx, port, peer, add_entry, &t);

	table_end(&t);
	return rc < 0 ? put_failure(r) : DONE;
}

/* What read_peer() made of an address of IPv4 is a GID of RoCE; of one of IPv6 nobody can tell. */
static void put_note(struct report *r, const struct vx_ctx *ctx, uint32_t port, const union ibv_gid *peer)
{
	struct ibv_port_attr attr;

	if (peer && IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)peer->raw) && vx_ctx_query_port(ctx, port, &attr) == 0 &&
	    attr.link_layer == IBV_LINK_LAYER_INFINIBAND)
		report_text(r, "note", "an IP address is no GID of InfiniBand: librdmacm finds by IPoIB which one it leads to");
}

static int put_port(struct report *r, const struct vx_ctx *ctx, uint32_t port, const union ibv_gid *peer)
{
	char name[16];
	int status;

	snprintf(name, sizeof(name), "%u", port);
	report_item(r, "port", name);
	put_note(r, ctx, port, peer);
	status = put_gids(r, ctx, port, peer);
	report_close(r);
	return status;
}

static int put_ports(struct report *r, const struct vx_ctx *ctx, const union ibv_gid *peer)
{
	struct ibv_device_attr attr;
	int status = DONE;
	uint32_t i;

	if (vx_ctx_query_device(ctx, &attr) < 0)
		return put_failure(r);
	report_list(r, "ports");
	for (i = 1; i <= attr.phys_port_cnt; i++)
		if (put_port(r, ctx, i, peer) != DONE)
			status = ABSENT;
	report_close(r);
	return status;
}

static int put_device(struct report *r, struct ibv_device *device, const void *peer)
{
	struct vx_ctx *ctx;
	int status;

	if (vx_ctx_open_device(device, &ctx) < 0)
		return put_failure(r);
	status = put_ports(r, ctx, peer);
	vx_close(ctx);
	return status;
}

/* As a GID, which IPv6 addresses are. */
static union ibv_gid read_peer(const char *text)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, gid.raw + 12) != 1 && inet_pton(AF_INET6, text, gid.raw) != 1)
		usage("--peer \"%s\" is neither an address of IPv4 or IPv6 nor a GID", text);
	return gid;
}

static int run(const struct options *options)
{
	const char *text = options->values['p'];
	union ibv_gid peer;
	struct report r;
	int status;

	if (text)
		peer = read_peer(text);
	report_start(&r, options->json);
	status = put_each_device(&r, options->words[0], put_device, text ? &peer : NULL);
	report_finish(&r);
	return status;
}

const struct command gids_command = {
	.name = "gids",
	.summary = "which GID of each port to use, and why",
	.help = "usage: vx gids [DEVICE] [--peer ADDRESS] [--json]\n"
		"\n"
		"Shows the GIDs of a device's ports, or of all devices', and says of each why a path would begin\n"
		"at it or would not. Ports of RoCE have one for each address of their network devices and each\n"
		"version of RoCE, in an order that differs between hosts. One of the peer's family is taken; of\n"
		"those the one that the kernel would send from; else RoCE v2 before v1, and IPv4 before IPv6\n"
		"before link-local addresses.\n"
		"\n"
		"  -p, --peer ADDRESS  where the path is to lead: an address of IPv4 or IPv6, or a GID\n"
		"  -j, --json          print JSON: \"devices\" have \"ports\" have \"gids\", of which \"taken\" is one\n"
		"  -h, --help          show this\n"
		"\n"
		"Exit status: 0; 1 where there is no such device, it cannot be asked, or a port has no GID that\n"
		"would do.\n",
	.letters = "jp",
	.words = 1,
	.run = run,
};
