/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that come, go and fail: what all kinds have in common. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>
#include <verbsx/mcast.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "make.h"
#include "traced.h"

#define LONGEST_NAME 128

bool vx_is_set(const void *part, size_t size)
{
	static const unsigned char zero[64];
	const unsigned char *byte = part;

	for (; size > sizeof(zero); byte += sizeof(zero), size -= sizeof(zero))
		if (memcmp(byte, zero, sizeof(zero)))
			return true;
	return memcmp(byte, zero, size) != 0;
}

struct ibv_context *vx_context_of(const void *object)
{
	const struct vx_node *ctx = vx_node_ctx(object);

	return ctx ? ctx->object.raw : NULL;
}

/* "" where it has no context yet. */
static const char *device_name(const struct vx_node *node)
{
	const struct ibv_context *context = vx_context_of(node);

	return context ? context->device->name : "";
}

/* What tells one from others of its kind, after a space; "" where nothing does. */
static void name_among_others(const struct vx_node *node, char *buf, size_t len)
{
	int64_t number = vx_node_has_raw(node) ? vx_object_number(node) : -1;

	buf[0] = '\0';
	if (node->kind == VX_OBJECT_MCAST) {
		buf[0] = ' ';
		inet_ntop(AF_INET6, &((const struct vx_mcast_init *)vx_node_extra(node))->gid, buf + 1, (socklen_t)len - 1);
	} else if (number >= 0) {
		snprintf(buf, len, " %lld", (long long)number);
	}
}

uint32_t vx_object_kind_of(const void *object)
{
	return vx_wrong(object, 0, "vx_object_kind_of", "the object") ? 0 : ((const struct vx_node *)object)->kind;
}

size_t vx_object_name(char *buf, size_t len, const void *object)
{
	char which[1 + INET6_ADDRSTRLEN];
	const struct vx_node *node = object;
	const char *device;
	int n;

	if (vx_wrong(object, 0, "vx_object_name", "the object"))
		return 0;
	device = device_name(node);
	if (node->kind == VX_OBJECT_CTX) {
		n = snprintf(buf, len, "%s", device);
	} else {
		name_among_others(node, which, sizeof(which));
		n = snprintf(buf, len, "%s%s%s%s", device, *device ? " " : "", vx_kind_name(node->kind), which);
	}
	return n > 0 ? (size_t)n : 0;
}

bool vx_refuses(const void *parent, uint32_t kind, const void *out, const char *call)
{
	if (vx_wrong(parent, kind, call, "the parent"))
		return true;
	if (!out)
		vx_null_fail(call, "out");
	return !out;
}

/* Kernels differ in the code for what is still in use. */
static const char *why_not_destroyed(int code, uint32_t kind)
{
	const char *busy = vx_kind_busy(kind);

	if (busy && (code == -EBUSY || code == -EINVAL))
		return busy;
	switch (code) {
	case -EBUSY:
		return "something that libverbsx did not make depends on it";
	case -EIO:
		return "if the device was removed or reset, RDMAV_ALLOW_DISASSOC_DESTROY=1 in the environment lets its objects go";
	default:
		return NULL;
	}
}

int vx_destroy_fail(int code, const char *call, const struct vx_node *node)
{
	const char *why = why_not_destroyed(code, node->kind);
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), node);
	return vx_call_fail(code, call, name, why ? "%s" : NULL, why);
}

int vx_method_fail(int code, const char *call, const void *object)
{
	bool lost = code == -EIO || code == -ENODEV;
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), object);
	return vx_call_fail(code, call, name, lost ? "%s" : NULL, VX_DEVICE_LOST);
}

int vx_refused(const char *call, const void *object, const char *why)
{
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), object);
	return vx_fail(-EINVAL, call, name, "%s", why);
}

int vx_lacks(const char *call, const char *field, const char *bit)
{
	return vx_fail(-EINVAL, call, NULL, "%s is NULL, though comp_mask has %s", field, bit);
}

int vx_no_bits(const char *call, uint64_t mask)
{
	return vx_fail(-EINVAL, call, NULL, "comp_mask = %#llx, but there are no bits for it", (unsigned long long)mask);
}

int vx_none_fail(const char *call, const char *field)
{
	return vx_fail(-EINVAL, call, NULL, "%s is VX_NONE, which has no meaning there", field);
}

int vx_stride_fail(const char *call, const char *array, size_t theirs, size_t own)
{
	return vx_fail(-E2BIG, call, NULL, "elements of %s have %zu bytes, and those that libverbsx knows %zu", array, theirs, own);
}

int vx_needs_release(const char *call, unsigned int release)
{
	return vx_fail(-EOPNOTSUPP, call, NULL, "needs rdma-core %u, this was built with the headers of %d", release,
		       VX_RDMA_CORE);
}

void *vx_no_object(int rc)
{
	errno = -vx_code_returned(rc);
	return NULL;
}

/* ---- lists of objects ---- */

static int take_list(struct vx_gathered *gathered, const void *list, size_t count, uint32_t kind, const char *call,
		     const char *what)
{
	const struct vx_object *const *objects = list;
	void **raw = gathered->raw;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!objects[i])
			return vx_fail(-EINVAL, call, NULL, "%s[%zu] is NULL", what, i);
		if (vx_wrong(objects[i], kind, call, what))
			return -EINVAL;
		gathered->uses[gathered->used++] = (void *)(uintptr_t)objects[i];
		raw[i] = objects[i]->raw;
	}
	return 0;
}

int vx_gather(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, uint32_t kind,
	      const char *call, const char *what)
{
	if (count && !list)
		return vx_null_fail(call, what);
	gathered->uses = calloc(used + count, sizeof(void *));
	gathered->raw = calloc(count + 1, sizeof(void *));
	if (!gathered->uses || !gathered->raw)
		return vx_fail(-ENOMEM, call, NULL, NULL);
	memcpy(gathered->uses, uses, used * sizeof(void *));
	gathered->used = used;
	return take_list(gathered, list, count, kind, call, what);
}

void vx_gathered_free(const struct vx_gathered *gathered)
{
	free(gathered->uses);
	free(gathered->raw);
}
