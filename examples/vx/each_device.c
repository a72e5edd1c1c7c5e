/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "each_device.h"
#include "pattern.h"

int put_failure(struct report *r)
{
	report_error(r);
	return ABSENT;
}

/* Whether the machine has no device at all, rather than none of a name. */
static bool has_none(void)
{
	struct vx_device_list *list;
	bool none;

	if (vx_device_list_get(&list) < 0)
		return true;
	none = !list->count;
	vx_device_list_free(list);
	return none;
}

int put_not_there(struct report *r)
{
	report_error(r);
	if (has_none())
		fprintf(stderr, "%s: \"%s emu -- COMMAND\" runs a command that finds an emulated device\n", program(), program());
	return ABSENT;
}

static int put_item(struct report *r, struct ibv_device *device, device_function put, const void *data)
{
	int status;

	report_item(r, "device", device->name);
	status = put(r, device, data);
	report_close(r);
	return status;
}

static int put_all(struct report *r, device_function put, const void *data)
{
	struct vx_device_list *list;
	struct vx_ctx *ctx;
	int status = DONE;
	size_t i;

	if (vx_device_list_get(&list) < 0)
		return put_not_there(r);
	if (!list->count && vx_ctx_open_index(0, &ctx) < 0)
		status = put_not_there(r);
	report_list(r, "devices");
	for (i = 0; i < list->count; i++)
		if (put_item(r, list->devices[i], put, data) != DONE)
			status = ABSENT;
	report_close(r);
	vx_device_list_free(list);
	return status;
}

/* Behind its device: "mlx5_0/1". NULL: the name is of no port. */
static const char *port_in(const char *name, int64_t *port)
{
	const char *slash = strchr(name, '/'), *end = slash ? read_number(slash + 1, port) : NULL;

	return end && !*end && *port > 0 && *port <= UINT8_MAX ? slash : NULL;
}

/* Opened by its name, so that a wrong one is explained; that of a port is the device's, and of a port that it has. */
static int open_named(const char *name, struct vx_ctx **ctx)
{
	struct ibv_port_attr attr;
	int64_t port;
	const char *slash = port_in(name, &port);
	char *device = need_text("%.*s", slash ? (int)(slash - name) : (int)strlen(name), name);
	int rc = vx_ctx_open(device, ctx);

	free(device);
	if (rc < 0 || !slash)
		return rc;
	rc = vx_ctx_query_port(*ctx, (uint8_t)port, &attr);
	if (rc < 0)
		vx_close(*ctx);
	return rc;
}

static int put_named(struct report *r, const char *name, device_function put, const void *data)
{
	struct vx_ctx *ctx;
	int status;

	if (open_named(name, &ctx) < 0)
		return put_not_there(r);
	report_list(r, "devices");
	status = put_item(r, vx_ctx_raw(ctx)->device, put, data);
	report_close(r);
	vx_close(ctx);
	return status;
}

int put_each_device(struct report *r, const char *name, device_function put, const void *data)
{
	return name ? put_named(r, name, put, data) : put_all(r, put, data);
}
