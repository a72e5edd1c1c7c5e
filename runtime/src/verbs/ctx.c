/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/device.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "object/make.h"
#include "reach/reach.h"
#include "reason_by_hand.h"
#include "traced.h"

/*
 * Contexts, which libverbsx opens, imports and borrows itself: each is the root of a graph, has a device rather than a parent,
 * and is opened by name, index or descriptor.
 */

static int destroy_context(struct vx_node *node)
{
	int rc;

	errno = 0;
	rc = ibv_close_device(node->object.raw);
	return rc ? vx_destroy_fail(rc, "ibv_close_device", node) : 0;
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
		.kind = VX_OBJECT_CTX, .destroy = destroy_context, .call = call, .owned = owned, .raw = raw,
	};

	return vx_adopt(&it, out);
}

int vx_ctx_adopt(struct ibv_context *raw, struct vx_ctx **out)
{
	return take_context(raw, true, "vx_ctx_adopt", out);
}

int vx_ctx_borrow(struct ibv_context *raw, struct vx_ctx **out)
{
	return take_context(raw, false, "vx_ctx_borrow", out);
}

static struct vx_node *new_ctx(struct vx_ctx **out, const char *call)
{
	if (out)
		return vx_node_new(0, VX_OBJECT_CTX, destroy_context, NULL, 0, call);
	vx_null_fail(call, "out");
	return NULL;
}

/* Some other device is ENODEV for libibverbs, or fails the first command, which it does not know, and any other file EINVAL. */
void vx_explain_descriptor(struct vx_failure *failure)
{
	int code = failure->code, cmd_fd = (int)vx_argument(failure, "cmd_fd"), flaw = 0;

	if (code == -EBADF || code == -EINVAL || code == -ENODEV || code == -ENOTTY)
		flaw = vx_reason_of_fd(failure, "cmd_fd", cmd_fd, "uverbs", "RDMA device");
	if (!flaw)
		vx_reason_add(failure, "cmd_fd = %d", cmd_fd);
	if (flaw && code == -ENOTTY)
		failure->code = flaw;
}

int vx_ctx_import(int cmd_fd, struct vx_ctx **out)
{
	struct vx_node *node = new_ctx(out, "vx_ctx_import");
	struct ibv_context *raw;

	if (!node)
		return vx_error()->code;
	raw = import_raw(cmd_fd);
	if (!raw)
		return vx_create_refused(vx_code_in_errno(), NULL, SIGNATURE_ibv_import_device, node, VX_ARGS((uint64_t)cmd_fd));
	return vx_node_link(node, raw, out);
}

int vx_ctx_open_device(struct ibv_device *device, struct vx_ctx **out)
{
	struct vx_node *node = device ? new_ctx(out, "vx_ctx_open_device") : NULL;
	struct ibv_context *raw;
	int code;

	if (!device)
		return vx_null_fail("vx_ctx_open_device", "device");
	if (!node)
		return vx_error()->code;
	errno = 0;
	raw = ibv_open_device(device);
	if (raw)
		return vx_node_link(node, raw, out);
	code = vx_code_in_errno();
	vx_node_drop(node);
	return vx_open_fail(code, device);
}

/* The place in the list of the device of a name; behind its end where there is none. */
static size_t place_of(const struct vx_device_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count && strcmp(list->devices[i]->name, name); i++)
		continue;
	return i;
}

/* One of the list, by its name or, where that is NULL, its place. */
static int open_listed(const char *name, size_t index, struct vx_ctx **out)
{
	struct vx_device_list *list;
	int rc = vx_device_list_get(&list);

	if (rc < 0)
		return rc;
	if (name)
		index = place_of(list, name);
	rc = index < list->count ? vx_ctx_open_device(list->devices[index], out) : vx_no_such_device(list, name, index);
	vx_device_list_free(list);
	return rc;
}

int vx_ctx_open(const char *name, struct vx_ctx **out)
{
	return name && out ? open_listed(name, 0, out) : vx_null_fail("vx_ctx_open", name ? "out" : "name");
}

int vx_ctx_open_index(size_t index, struct vx_ctx **out)
{
	return out ? open_listed(NULL, index, out) : vx_null_fail("vx_ctx_open_index", "out");
}
