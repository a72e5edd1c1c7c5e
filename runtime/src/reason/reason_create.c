/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An object could not be made: why, and the end of its handle. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/version.h>

#include "error/fail.h"
#include "ids.h"
#include "object/make.h"
#include "verbs/reason_path.h"

static struct ibv_context *context_of(const struct vx_node *node)
{
	return vx_node_root(node)->node.object.raw;
}

static bool is_path(const struct vx_request *request)
{
	return request->type.desc == &vx_structs[STRUCT_ibv_ah_attr];
}

static void add_path(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds)
{
	vx_reason_of_gid(reason, bounds->context, bounds->port, "", request->attr);
	vx_reason_of_port(reason, bounds);
}

bool vx_find_reason(const struct vx_request *request, struct ibv_context *context, char *buf, size_t len)
{
	struct vx_reason reason;
	struct vx_bounds bounds;

	vx_reason_start(&reason, buf, len);
	vx_bounds_ask(&bounds, context, vx_request_port(request));
	vx_reason_of_values(&reason, request, vx_release_running());
	if (request->type.desc)
		vx_reason_of_request(&reason, request, &bounds);
	if (is_path(request))
		add_path(&reason, request, &bounds);
	vx_reason_of_code(&reason, request, &bounds);
	return vx_reason_finish(&reason);
}

int vx_create_attr_fail(const char *call, struct vx_node *node, struct vx_type type, const void *attr)
{
	struct vx_request request = {
		.code = vx_code_of_refusal(), .kind = node->kind, .node = node, .locks = vx_kind_of(node->kind)->locks,
		.type = type, .attr = attr, .mask = VX_MASK_ALL,
	};
	struct ibv_context *context = context_of(node);
	char reason[VX_LONGEST_REASON];
	bool found = vx_find_reason(&request, context, reason, sizeof(reason));

	free(node);
	return vx_call_fail(request.code, call, context->device->name, found ? "%s" : NULL, reason);
}

int vx_create_fail(const char *call, struct vx_node *node)
{
	return vx_create_attr_fail(call, node, (struct vx_type){ 0 }, NULL);
}

int vx_import_fail(const char *call, struct vx_node *node, uint32_t handle, const char *title)
{
	const char *device = context_of(node)->device->name;
	int code = vx_code_of_refusal();

	if (code != -ENOENT)
		return vx_create_fail(call, node);
	free(node);
	return vx_call_fail(code, call, device, "handle = %u is no %s of the process that opened the device", handle, title);
}

int vx_refuse(const char *call, struct vx_node *node, struct vx_type type, const void *attr)
{
	const struct vx_request request = { .code = -EINVAL, .type = type, .attr = attr, .mask = VX_MASK_ALL };
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	vx_reason_to_refuse(&reason, &request);
	if (!vx_reason_finish(&reason))
		return 0;
	free(node);
	return vx_fail(-EINVAL, call, NULL, "%s", text);
}
