/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx devices: a line each. */

#include <verbsx/ctx.h>
#include <verbsx/device.h>
#include <verbsx/structs.h>

#include "command.h"
#include "each_device.h"
#include "table.h"

static void add_guid(struct table *t, struct ibv_device *device)
{
	char text[64] = "";
	__be64 guid;

	if (!vx_device_guid(device, &guid)) {
		const unsigned char *b = (const unsigned char *)&guid;

		snprintf(text, sizeof(text), "%02x%02x:%02x%02x:%02x%02x:%02x%02x", b[0], b[1], b[2], b[3], b[4],
			 b[5], b[6], b[7]);
	}
	table_text(t, text);
}

static void add_device(struct table *t, struct ibv_device *device)
{
	table_text(t, device->name);
	table_text(t, device->dev_name);
	table_enum(t, "ibv_node_type", device->node_type);
	table_enum(t, "ibv_transport_type", device->transport_type);
	add_guid(t, device);
}

static void put_devices(struct report *r, const struct vx_device_list *list)
{
	static const struct column columns[] = {
		{ "name", TEXT }, { "node", TEXT }, { "node_type", NAMED }, { "transport_type", NAMED },
		{ "node_guid", TEXT },
	};
	struct table t = TABLE(r, "devices", columns);
	size_t i;

	for (i = 0; i < list->count; i++)
		add_device(&t, list->devices[i]);
	table_end(&t);
}

/* Opening the first device tells why there is none. */
static int explain_none(struct report *r)
{
	struct vx_ctx *ctx;

	if (vx_ctx_open_index(0, &ctx) == 0)
		return vx_close(ctx);
	return put_not_there(r);
}

static int list_devices(struct report *r)
{
	struct vx_device_list *list;
	int status = DONE;

	if (vx_device_list_get(&list) < 0)
		return put_not_there(r);
	put_devices(r, list);
	if (!list->count)
		status = explain_none(r);
	vx_device_list_free(list);
	return status;
}

static int run(const struct options *options)
{
	struct report r;
	int status;

	report_start(&r, options->json);
	status = list_devices(&r);
	report_finish(&r);
	return status;
}

const struct command devices_command = {
	.name = "devices",
	.summary = "list the RDMA devices of this machine, a line each",
	.help = "usage: vx devices [--json]\n"
		"\n"
		"Lists the RDMA devices of this machine, a line each, without opening them.\n"
		"\n"
		"  -j, --json  print JSON: an object whose \"devices\" is a list\n"
		"  -h, --help  show this\n"
		"\n"
		"Exit status: 0; 1 where there is no device, with the reason on standard error.\n",
	.letters = "j",
	.run = run,
};
