/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/device.h>
#include <verbsx/objects.h>

#include "object/adopt.h"
#include "object/make.h"
#include "error/fail.h"
#include "reach/open_error.h"
#include "reason/reason.h"
#include "traced.h"

static int destroy_context(struct vx_node *node)
{
	errno = 0;
	return ibv_close_device(node->object.raw) < 0 ? vx_destroy_fail(vx_code_in_errno(), "ibv_close_device", node) : 0;
}

static bool is_same_file(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The context gets a descriptor of its own, which closing it closes; so does importing it in vain, but not always. */
static struct ibv_context *import_raw(int cmd_fd)
{
	int code, own = fcntl(cmd_fd, F_DUPFD_CLOEXEC, 0);
	struct ibv_context *raw;

	if (own < 0)
		return NULL;
	errno = 0;
	raw = ibv_import_device(own);
	code = errno;
	if (!raw && is_same_file(own, cmd_fd))
		close(own);
	errno = code;
	return raw;
}

static int take_context(struct ibv_context *raw, bool owned, const char *call, struct vx_ctx **out)
{
	const struct vx_adopting it = {
		.kind = VX_OBJECT_CTX, .destroy = destroy_context, .call = call, .owned = owned, .is_root = true, .raw = raw,
	};
	struct vx_node *node;

	if (!out)
		return vx_null_fail(it.call, "out");
	node = vx_adopt(&it);
	if (!node)
		return vx_error()->code;
	*out = (struct vx_ctx *)node;
	return 0;
}

int vx_ctx_adopt(struct ibv_context *raw, struct vx_ctx **out)
{
	return take_context(raw, true, "vx_ctx_adopt", out);
}

int vx_ctx_borrow(struct ibv_context *raw, struct vx_ctx **out)
{
	return take_context(raw, false, "vx_ctx_borrow", out);
}

static struct vx_node *new_ctx(const char *call)
{
	return vx_node_new(VX_OBJECT_CTX, destroy_context, NULL, 0, call);
}

/* Some other device is ENODEV for libibverbs, or fails the first command, which it does not know, and any other file EINVAL. */
static int import_fail(int code, int cmd_fd)
{
	struct vx_failure failure = { .code = code };
	char text[VX_LONGEST_REASON];
	int flaw = 0;

	vx_out_buffer(&failure.out, text, sizeof(text));
	if (code == -EBADF || code == -EINVAL || code == -ENODEV || code == -ENOTTY)
		flaw = vx_reason_of_fd(&failure, "cmd_fd", cmd_fd, "uverbs", "RDMA device");
	if (!flaw)
		vx_reason_add(&failure, "cmd_fd = %d", cmd_fd);
	vx_out_finish(&failure.out);
	return vx_call_fail(flaw && code == -ENOTTY ? flaw : code, "ibv_import_device", NULL, "%s", text);
}

int vx_ctx_import(int cmd_fd, struct vx_ctx **out)
{
	struct ibv_context *raw;
	struct vx_node *node;
	int code;

	if (!out)
		return vx_null_fail("vx_ctx_import", "out");
	node = new_ctx("vx_ctx_import");
	if (!node)
		return vx_error()->code;
	raw = import_raw(cmd_fd);
	if (!raw) {
		code = vx_code_in_errno();
		vx_node_drop(node);
		return import_fail(code, cmd_fd);
	}
	vx_node_link(node, raw);
	*out = (struct vx_ctx *)node;
	return 0;
}

int vx_ctx_open_device(struct ibv_device *device, struct vx_ctx **out)
{
	struct ibv_context *raw;
	struct vx_node *node;
	int code;

	if (!device || !out)
		return vx_null_fail("vx_ctx_open_device", device ? "out" : "device");
	node = new_ctx("vx_ctx_open_device");
	if (!node)
		return vx_error()->code;
	errno = 0;
	raw = ibv_open_device(device);
	if (!raw) {
		code = vx_code_in_errno();
		vx_node_drop(node);
		return vx_open_fail(code, device);
	}
	vx_node_link(node, raw);
	*out = (struct vx_ctx *)node;
	return 0;
}

static int open_named(const struct vx_device_list *list, const char *name, struct vx_ctx **out)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->devices[i]->name, name))
			return vx_ctx_open_device(list->devices[i], out);
	return vx_no_such_device(list, name, 0);
}

int vx_ctx_open(const char *name, struct vx_ctx **out)
{
	struct vx_device_list *list;
	int rc;

	if (!name)
		return vx_null_fail("vx_ctx_open", "name");
	rc = vx_device_list_get(&list);
	if (rc < 0)
		return rc;
	rc = open_named(list, name, out);
	vx_device_list_free(list);
	return rc;
}

int vx_ctx_open_index(size_t index, struct vx_ctx **out)
{
	struct vx_device_list *list;
	int rc;

	rc = vx_device_list_get(&list);
	if (rc < 0)
		return rc;
	if (index < list->count)
		rc = vx_ctx_open_device(list->devices[index], out);
	else
		rc = vx_no_such_device(list, NULL, index);
	vx_device_list_free(list);
	return rc;
}
