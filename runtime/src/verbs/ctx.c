/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/device.h>
#include <verbsx/objects.h>

#include "verbs/ctx.h"
#include "error/fail.h"
#include "reach/open_error.h"
#include "reason/reason.h"
#include "traced.h"

static int destroy_context(struct vx_node *node)
{
	struct vx_ctx *ctx = (struct vx_ctx *)node;

	errno = 0;
	if (ibv_close_device(vx_ctx_raw(ctx)) < 0)
		return vx_call_fail(vx_code_in_errno(), "ibv_close_device", vx_ctx_name(ctx), NULL);
	return 0;
}

static void init_context(struct vx_ctx *ctx, struct ibv_context *raw)
{
	pthread_mutexattr_t attr;

	ctx->root = (struct vx_root){
		.node = { .object = { raw, raw }, .kind = VX_OBJECT_CTX, .destroy = destroy_context },
	};
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&ctx->root.lock, &attr);
	pthread_mutexattr_destroy(&attr);
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

int vx_ctx_adopt(struct ibv_context *raw, struct vx_ctx **out)
{
	struct vx_ctx *ctx;

	if (!raw)
		return vx_null_fail("vx_ctx_adopt", "the object");
	ctx = malloc(sizeof(*ctx));
	if (!ctx)
		return vx_fail(-ENOMEM, "vx_ctx_adopt", raw->device->name, NULL);
	init_context(ctx, raw);
	*out = ctx;
	return 0;
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
	struct vx_ctx *ctx;
	struct ibv_context *raw;

	ctx = malloc(sizeof(*ctx));
	if (!ctx)
		return vx_fail(-ENOMEM, "vx_ctx_import", NULL, NULL);
	raw = import_raw(cmd_fd);
	if (!raw) {
		int code = vx_code_in_errno();

		free(ctx);
		return import_fail(code, cmd_fd);
	}
	init_context(ctx, raw);
	*out = ctx;
	return 0;
}

int vx_ctx_open_device(struct ibv_device *device, struct vx_ctx **out)
{
	struct vx_ctx *ctx;
	struct ibv_context *raw;

	if (!device)
		return vx_null_fail("vx_ctx_open_device", "device");
	ctx = malloc(sizeof(*ctx));
	if (!ctx)
		return vx_fail(-ENOMEM, "vx_ctx_open_device", device->name, NULL);

	errno = 0;
	raw = ibv_open_device(device);
	if (!raw) {
		int code = vx_code_in_errno();

		free(ctx);
		return vx_open_fail(code, device);
	}
	init_context(ctx, raw);
	*out = ctx;
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
