/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx devinfo: all that a device tells about itself. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/error.h>
#include <verbsx/structs.h>

#include "command.h"
#include "devinfo.h"
#include "each_device.h"

#define DEVICE_LABEL 16
#define PORT_LABEL 12

static const char *const device_fields[] = {
	"fw_ver", "node_guid", "sys_image_guid", "vendor_id", "vendor_part_id", "hw_ver", "phys_port_cnt", NULL,
};
static const char *const port_fields[] = {
	"state", "phys_state", "link_layer", "active_width", "active_speed", "max_mtu", "active_mtu", "lid", "sm_lid",
	NULL,
};

/* The name of the board, of which only sysfs knows. */
static void put_board(struct report *r, const struct ibv_device *device)
{
	char *path = need_text("%s/board_id", device->ibdev_path);
	FILE *file = fopen(path, "re");
	char board[128];

	free(path);
	if (!file)
		return;
	if (fgets(board, sizeof(board), file)) {
		board[strcspn(board, "\n")] = '\0';
		report_text(r, "board_id", board);
	}
	fclose(file);
}

static void put_identity(struct report *r, const struct ibv_device *device)
{
	report_text(r, "node", device->dev_name);
	put_board(r, device);
	report_enum(r, "node_type", "ibv_node_type", device->node_type);
	report_enum(r, "transport_type", "ibv_transport_type", device->transport_type);
}

static int put_port_attr(struct report *r, const struct devinfo *info, uint32_t port)
{
	struct ibv_port_attr attr;
	uint64_t mbps;

	if (vx_ctx_query_port(info->ctx, port, &attr) < 0)
		return put_failure(r);
	if (!info->verbose)
		report_fields(r, "port_attr", VX_STRUCT(ibv_port_attr), &attr, port_fields);
	else
		report_struct(r, "port_attr", VX_STRUCT(ibv_port_attr), &attr);
	if (!vx_ctx_query_port_speed(info->ctx, port, &mbps))
		report_wide(r, "speed_mbps", mbps, "Mb/s");
	return DONE;
}

static int put_port(struct report *r, const struct devinfo *info, uint32_t port)
{
	char name[8];
	int status;

	snprintf(name, sizeof(name), "%u", port);
	report_item(r, "port", name);
	report_label(r, PORT_LABEL);
	status = put_port_attr(r, info, port);
	if (status == DONE && info->verbose)
		status = put_tables(r, info->ctx, port);
	report_close(r);
	return status;
}

static int put_ports(struct report *r, const struct devinfo *info, unsigned int ports)
{
	int status = DONE;
	unsigned int i;

	report_list(r, "ports");
	for (i = 1; i <= ports; i++)
		if (put_port(r, info, i) != DONE)
			status = ABSENT;
	report_close(r);
	return status;
}

static int put_context(struct report *r, const struct devinfo *info)
{
	struct ibv_device_attr_ex attr;

	if (vx_ctx_query_device_ex(info->ctx, &attr) < 0)
		return put_failure(r);
	if (!info->verbose)
		report_fields(r, "device_attr", VX_STRUCT(ibv_device_attr), &attr.orig_attr, device_fields);
	else
		report_struct(r, "device_attr", VX_STRUCT(ibv_device_attr_ex), &attr);
	report_number(r, "num_comp_vectors", vx_ctx_raw(info->ctx)->num_comp_vectors);
	if (info->verbose)
		put_vendor(r, info->ctx);
	return put_ports(r, info, attr.orig_attr.phys_port_cnt);
}

static int put_device(struct report *r, struct ibv_device *device, const void *verbose)
{
	struct devinfo info = { .verbose = *(const bool *)verbose };
	int status;

	report_label(r, DEVICE_LABEL);
	put_identity(r, device);
	if (vx_ctx_open_device(device, &info.ctx) < 0)
		return put_failure(r);
	status = put_context(r, &info);
	vx_close(info.ctx);
	return status;
}

static int run(const struct options *options)
{
	bool verbose = options->verbose || options->json;
	struct report r;
	int status;

	report_start(&r, options->json);
	status = put_each_device(&r, options->words[0], put_device, &verbose);
	report_finish(&r);
	return status;
}

const struct command devinfo_command = {
	.name = "devinfo",
	.summary = "what devices tell about themselves, in short or in full",
	.help = "usage: vx devinfo [DEVICE] [-v] [--json]\n"
		"\n"
		"Shows the attributes of a device, or of all devices, and of their ports. mlx5_0/1, as vx ports\n"
		"calls a port, stands for its device.\n"
		"\n"
		"  -v, --verbose  show everything: extended and vendor attributes, GIDs and P_Keys\n"
		"  -j, --json     print JSON, everything always\n"
		"  -h, --help     show this\n"
		"\n"
		"Exit status: 0; 1 where there is no such device or it cannot be asked.\n",
	.letters = "jv",
	.instead = "d: write vx devinfo DEVICE",
	.words = 1,
	.run = run,
};
