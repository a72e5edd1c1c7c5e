/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx ports: the ports of all devices, or those that something names. */

#include <verbsx/end_port.h>
#include <verbsx/structs.h>

#include "command.h"
#include "each_device.h"
#include "table.h"

static void add_port_guid(struct table *t, const __be64 *guid)
{
	const unsigned char *b = (const unsigned char *)guid;
	char text[24];

	snprintf(text, sizeof(text), "%02x%02x:%02x%02x:%02x%02x:%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
	table_text(t, text);
}

static void add_number(struct table *t, unsigned int number)
{
	if (number)
		table_number(t, number);
	else
		table_text(t, "");
}

static void add_port(struct table *t, const struct vx_end_port *port)
{
	char gid[64] = "";

	table_text(t, port->device);
	table_number(t, port->port_num);
	table_enum(t, "ibv_link_layer", port->link_layer);
	table_enum(t, "ibv_port_state", port->state);
	add_number(t, port->lid);
	add_number(t, port->lmc);
	add_number(t, port->sm_lid);
	add_port_guid(t, &port->node_guid);
	add_port_guid(t, &port->port_guid);
	if (port->gid_count)
		vx_snprint(gid, sizeof(gid), VX_STRUCT(ibv_gid), &port->gids[0], VX_COMPACT);
	table_text(t, gid);
	table_number(t, (int64_t)port->gid_count);
	table_text(t, port->netdev);
}

static int put_ports(struct report *r, const char *spec)
{
	static const struct column columns[] = {
		{ "device", TEXT }, { "port", NUMBER }, { "link_layer", NAMED }, { "state", NAMED }, { "lid", NUMBER }, { "lmc", NUMBER },
		{ "sm_lid", NUMBER }, { "node_guid", TEXT }, { "port_guid", TEXT }, { "gid", TEXT }, { "gids", NUMBER }, { "netdev", TEXT },
	};
	struct table t = TABLE(r, "ports", columns);
	struct vx_end_ports *ports;
	size_t i;

	if (vx_end_ports_get(spec, &ports) < 0)
		return put_not_there(r);
	for (i = 0; i < ports->count; i++)
		add_port(&t, ports->ports[i]);
	table_end(&t);
	vx_end_ports_free(ports);
	return DONE;
}

static int run(const struct options *options)
{
	struct report r;
	int status;

	report_start(&r, options->json);
	status = put_ports(&r, options->words[0]);
	report_finish(&r);
	return status;
}

const struct command ports_command = {
	.name = "ports",
	.summary = "find a port by its name, GUID, LID, GID or address",
	.help = "usage: vx ports [SPEC] [--json]\n"
		"\n"
		"Lists the ports of all RDMA devices of this machine, a line each, or those that SPEC means: a\n"
		"device (mlx5_0) or one of its ports (mlx5_0/1), the GUID of a device or a port, a GID, a LID,\n"
		"a network device, or an address of IPv4 or IPv6. No device is opened.\n"
		"\n"
		"  -j, --json  print JSON: an object whose \"ports\" is a list\n"
		"  -h, --help  show this\n"
		"\n"
		"Exit status: 0; 1 where there is no such port, with those that there are on standard error.\n",
	.letters = "j",
	.words = 1,
	.run = run,
};
