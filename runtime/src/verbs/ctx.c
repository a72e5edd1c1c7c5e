/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/calls.h>
#include <verbsx/device.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "object/make.h"
#include "reach/reach.h"
#include "reason_by_hand.h"
#include "steps.h"
#include "traced.h"

/*
 * How contexts are opened and imported: each is the root of a graph, has a device rather than a parent, and is opened by name,
 * index or descriptor. The tables of its ports are asked for as a whole.
 */

static bool is_same_file(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The descriptor is the context's, which closing it closes; so does importing it in vain, but not always. */
static struct ibv_context *import_raw(int own, int cmd_fd)
{
	struct ibv_context *raw;
	int code;

	errno = 0;
	raw = ibv_import_device(own);
	code = errno;
	if (!raw && is_same_file(own, cmd_fd))
		close(own);
	errno = code;
	return raw;
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
	struct vx_node *node = vx_new_ctx(out, "vx_ctx_import");
	struct ibv_context *raw;
	int own;

	if (!node)
		return vx_error()->code;
	own = fcntl(cmd_fd, F_DUPFD_CLOEXEC, 0);
	raw = own < 0 ? NULL : import_raw(own, cmd_fd);
	if (!raw)
		return vx_create_refused(vx_code_in_errno(), own < 0 ? "vx_ctx_import" : NULL, SIGNATURE_ibv_import_device, node,
					 VX_ARGS((uint64_t)cmd_fd));
	node->found = true;
	return vx_node_link(node, raw, out);
}

int vx_ctx_open_by(struct ibv_device *device, const char *name, vx_open_failed *fail, const char *call, struct vx_ctx **out)
{
	struct vx_node *node = vx_new_ctx(out, call);
	struct ibv_context *raw;
	int code;

	if (!node)
		return vx_error()->code;
	errno = 0;
	raw = ibv_open_device(device);
	if (raw)
		return vx_node_link(node, raw, out);
	code = vx_code_in_errno();
	vx_node_drop(node);
	return fail(code, "ibv_open_device", device, name);
}

int vx_ctx_open_device(struct ibv_device *device, struct vx_ctx **out)
{
	return device ? vx_ctx_open_by(device, NULL, vx_open_fail, "vx_ctx_open_device", out) : vx_null_fail("vx_ctx_open_device", "device");
}

/* The first of the list, from a place on, of a name; NULL: of any. */
static int open_listed(const char *name, size_t index, struct vx_ctx **out)
{
	struct vx_device_list *list;
	int rc, cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling); /* else the list stays with nobody */
	rc = vx_device_list_get(&list);
	if (rc == 0) {
		while (name && index < list->count && strcmp(list->devices[index]->name, name))
			index++;
		rc = index < list->count ? vx_ctx_open_device(list->devices[index], out) : vx_no_such_device(list, name, index);
		vx_device_list_free(list);
	}
	pthread_setcancelstate(cancelling, NULL);
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

/* ---- tables of ports ---- */

/* Whether there is no place for so many entries, or for their number: recorded. */
static bool is_refused(const struct vx_ctx *ctx, const void *entries, size_t max, size_t size, const size_t *count,
		       const char *call, const char *what)
{
	const char *lacking = !count ? "count" : max && !entries ? what : NULL;

	return vx_wrong(ctx, VX_OBJECT_CTX, call, "ctx") || (lacking && vx_null_fail(call, lacking)) ||
	       (entries && vx_no_place(entries, size, call, what));
}

/* rdma-core has the size of an entry as an argument, but takes none that is smaller or larger than what it knows. */
int vx_ctx_query_gid_table_sized(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t size, size_t max_entries,
				 size_t *count)
{
	struct ibv_gid_entry *own;
	ssize_t i, rc;

	if (is_refused(ctx, entries, max_entries, size, count, "vx_ctx_query_gid_table", "entries"))
		return -EINVAL;
	if (max_entries > UINT16_MAX / sizeof(*own)) /* libibverbs refuses to ask the kernel for more at once */
		max_entries = UINT16_MAX / sizeof(*own);
	own = calloc(max_entries, sizeof(*own));
	if (!own && max_entries)
		return vx_fail(-ENOMEM, "vx_ctx_query_gid_table", VX_NAME(ctx), "for %zu entries", max_entries);
	errno = 0;
	rc = ibv_query_gid_table(vx_ctx_raw(ctx), own, max_entries, 0);
	for (i = 0; i < rc; i++)
		vx_give_out((char *)entries + (size_t)i * size, size, &own[i], sizeof(*own));
	free(own);
	if (rc < 0)
		return vx_call_refused((int)rc, NULL, SIGNATURE_ibv_query_gid_table, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), VX_ARG(entries), max_entries, 0));
	*count = (size_t)rc;
	return 0;
}

int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint32_t port_num, uint16_t *pkeys, size_t max_entries, size_t *count)
{
	struct ibv_port_attr attr;
	int i, rc;

	if (is_refused(ctx, pkeys, max_entries, sizeof(*pkeys), count, "vx_ctx_query_pkey_table", "pkeys"))
		return -EINVAL;
	if (port_num > UINT8_MAX)
		return vx_call_refused(-EINVAL, "vx_ctx_query_pkey_table", SIGNATURE_ibv_query_port, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), port_num, 0));
	rc = vx_ctx_query_port(ctx, port_num, &attr);
	if (rc == 0 && max_entries < attr.pkey_tbl_len)
		rc = vx_fail(-EINVAL, "vx_ctx_query_pkey_table", VX_NAME(ctx),
			     "max_entries = %zu is too small: the port has pkey_tbl_len = %u", max_entries, attr.pkey_tbl_len);
	for (i = 0; rc == 0 && i < attr.pkey_tbl_len; i++)
		rc = vx_ctx_query_pkey(ctx, port_num, i, &pkeys[i]);
	if (rc == 0)
		*count = (size_t)i;
	return rc;
}
