/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that come, go and fail: what all kinds have in common. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>
#include <verbsx/objects.h>

#include "error/fail.h"
#include "kinds.h"
#include "make.h"
#include "traced.h"

struct ibv_context *vx_context_of(const void *object)
{
	const struct vx_node *ctx = vx_node_ctx(object);

	return ctx ? ctx->object.raw : NULL;
}

/* The number that rdma-core has for an object; -1: it has none. */
static int64_t raw_number(const struct vx_node *node, const void *raw)
{
	const struct vx_kind_row *row = vx_kind_of(node->kind);
	const struct vx_field *f = row->number.count && raw ? vx_shown_field(row->number.first) : NULL;
	int64_t number = f && f->kind != VX_KIND_ABSENT ? (int64_t)vx_read_field(f, (const unsigned char *)raw + f->offset) : -1;

	/* QPs that only spread packets are all 0, and so are null MRs. */
	return number || (node->type != VX_OBJECT_QP && node->type != VX_OBJECT_MR) ? number : -1;
}

/* What it was made for, which others may have been as well. */
static void put_kept_name(struct vx_out *out, const struct vx_node *node)
{
	const struct vx_shown_run *names = &vx_kind_of(node->kind)->names;
	const struct vx_place place = vx_kept_place(node, names->first);

	if (names->count)
		vx_put_place(out, &place);
}

/* A context's is all of it, and that of what is of none begins with its kind. */
static void find_name(struct vx_name *name, const struct vx_node *node, const void *raw)
{
	const struct vx_node *ctx = vx_node_ctx(node);
	const struct ibv_context *context = node == ctx ? raw : ctx ? ctx->object.raw : NULL;

	name->device[0] = '\0';
	if (context) {
		_Static_assert(sizeof(name->device) == sizeof(context->device->name), "it has room for any");
		strcpy(name->device, context->device->name);
		name->device_serial = ctx->object.raw && ctx->serial > 1 ? ctx->serial : 0;
	}
	name->kind = node->kind;
	if (node == ctx)
		return;
	name->number = raw_number(node, raw);
	name->serial = node->serial;
	name->has_serial = name->number < 0 || node->counted || node->kind != node->type;
}

void vx_put_name(struct vx_out *out, const struct vx_name *name, const struct vx_node *node)
{
	if (name->device[0]) {
		vx_put_plain(out, name->device, strlen(name->device));
		if (name->device_serial)
			vx_put_format(out, "#%u", name->device_serial);
		if (name->kind != VX_OBJECT_CTX)
			vx_put_char(out, ' ');
	}
	if (name->kind == VX_OBJECT_CTX)
		return;
	vx_put_string(out, vx_kind_name(name->kind));
	vx_put_char(out, ' ');
	if (name->number >= 0)
		vx_put_signed(out, name->number);
	else if (node)
		put_kept_name(out, node);
	if (name->has_serial)
		vx_put_format(out, "#%u", name->serial);
}

static void put_node_name(struct vx_out *out, const struct vx_node *node, const void *raw)
{
	struct vx_name name;

	find_name(&name, node, raw);
	vx_put_name(out, &name, node);
}

bool vx_name_find(struct vx_name *name, const void *object)
{
	const struct vx_node *node = object;

	find_name(name, node, vx_node_has_raw(node) ? node->object.raw : NULL);
	return node->kind != VX_OBJECT_CTX && name->number >= 0;
}

uint32_t vx_object_kind_of(const void *object)
{
	return vx_wrong(object, 0, "vx_object_kind_of", "the object") ? 0 : ((const struct vx_node *)object)->kind;
}

size_t vx_object_name(char *buf, size_t len, const void *object)
{
	const struct vx_node *node = object;
	struct vx_out out = vx_out_in(buf, len);

	if (!vx_wrong(object, 0, "vx_object_name", NULL))
		put_node_name(&out, node, vx_node_has_raw(node) ? node->object.raw : NULL);
	return vx_out_finish(&out);
}

int vx_take_init(void *own, size_t own_size, const void *init, size_t size, const char *last, const char *call, const void *parent,
		 uint32_t kind, const void *out)
{
	const uint32_t *comp_mask = own;
	int rc = vx_take_in(own, own_size, init, size, call, "init", last);

	if (rc < 0)
		return rc;
	if (vx_refuses(parent, kind, out, call))
		return -EINVAL;
	return *comp_mask ? vx_unknown_bits(call, "comp_mask", *comp_mask, 0) : 0;
}

int vx_make_using(const struct vx_own_making *m, void *const *uses, size_t count, void *out)
{
	struct vx_node *node = vx_node_new(m->extra, m->kind, m->end, uses, count, m->call);
	int rc;

	if (!node)
		return vx_error()->code;
	rc = m->begin(node, uses[0], m->init);
	if (rc == 0)
		return vx_node_link(node, m->parent_kind ? ((const struct vx_node *)uses[0])->object.raw : vx_node_extra(node), out);
	vx_node_drop(node);
	return rc;
}

int vx_make_own(const struct vx_own_making *m, void *parent, const void *init, size_t size, void *out)
{
	int rc = vx_take_init(m->init, m->init_size, init, size, m->last, m->call, parent, m->parent_kind, out);

	return rc < 0 ? rc : vx_make_using(m, &parent, 1, out);
}

/* Of a route, which programs have no handle of, that of its dispatcher. */
const char *vx_name_in(char *buf, const void *object)
{
	const struct vx_node *node = object;

	vx_object_name(buf, VX_LONGEST_NAME, node && node->kind == VX_OBJECT_ROUTE ? vx_node_used(node, 0) : object);
	return buf;
}

static bool is_used_as(const struct vx_node *node, const char *type)
{
	return !strcmp(vx_kind_name(node->type), type);
}

/* By the word for its kind (NULL: of any), or else what this thread is MAKING: that may have just got it. Under the lock. */
static const struct vx_node *find_or_made(const void *raw, const char *type)
{
	const struct vx_node *node = vx_node_of(raw, 0);

	if (node || !type)
		return !type || is_used_as(node, type) ? node : NULL;
	for (node = vx_graph.makings; node; node = node->next)
		if (is_used_as(node, type) && pthread_equal(node->busy, pthread_self()))
			return node;
	return NULL;
}

bool vx_put_name_of(struct vx_out *out, const void *raw, const char *kind)
{
	const struct vx_node *node;

	vx_graph_lock();
	node = find_or_made(raw, kind);
	if (node)
		put_node_name(out, node, kind || vx_node_has_raw(node) ? raw : NULL);
	vx_graph_unlock();
	return node;
}

bool vx_put_name_of_handle(struct vx_out *out, const void *handle)
{
	const struct vx_node *node = handle;
	bool known;

	vx_graph_lock();
	known = vx_registry_has(handle);
	if (known)
		put_node_name(out, node, vx_node_has_raw(node) ? node->object.raw : NULL);
	vx_graph_unlock();
	return known;
}

/* Kernels differ in the code for what is still in use. */
static const char *why_not_destroyed(int code, uint32_t kind)
{
	const char *busy = vx_kind_busy(kind);

	if (busy && (code == -EBUSY || code == -EINVAL))
		return busy;
	if (code == -EBUSY)
		return "something depends on it that libverbsx did not make, or adopted before it";
	return code == -EIO ? "if the device was removed or reset, RDMAV_ALLOW_DISASSOC_DESTROY=1 in the environment lets its objects go" : NULL;
}

int vx_destroy_fail(int rc, const char *call, const struct vx_node *node)
{
	int code = vx_code_returned(rc);
	const char *why = why_not_destroyed(code, node->kind);

	return vx_call_fail(code, call, VX_NAME(node), why ? "%s" : NULL, why);
}

int vx_none_fail(const char *call, const char *field)
{
	return vx_fail(-EINVAL, call, NULL, "%s is VX_NONE (%#x), which has no meaning there", field, VX_NONE);
}

int vx_later_fail(const char *call, const char *field)
{
	return vx_fail(-E2BIG, call, NULL, "%s is set, and means nothing to this version of libverbsx", field);
}

int vx_needs_release(const char *call, unsigned int since, unsigned int until)
{
	return vx_fail(-EOPNOTSUPP, call, NULL, VX_RDMA_CORE < since ?
		       "needs rdma-core %u, this was built with the headers of %d" :
		       "is what libverbsx knows up to rdma-core %u only, this was built with the headers of %d",
		       VX_RDMA_CORE < since ? since : until, VX_RDMA_CORE);
}

void *vx_no_object(int rc)
{
	errno = -vx_code_returned(rc);
	return NULL;
}

/* ---- lists of objects ---- */

int vx_gather_begin(struct vx_gathered *gathered, void *const *uses, size_t used, size_t more, size_t bytes, const char *call)
{
	gathered->uses = calloc(used + more, sizeof(void *));
	gathered->raw = calloc(1, bytes);
	if (!gathered->uses || !gathered->raw)
		return vx_fail(-ENOMEM, call, NULL, NULL);
	memcpy(gathered->uses, uses, used * sizeof(void *));
	gathered->used = used;
	return 0;
}

int vx_gather(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, uint32_t kind,
	      const char *call, const char *what)
{
	int rc = count && !list ? vx_null_fail(call, what) : vx_gather_begin(gathered, uses, used, count, (count + 1) * sizeof(void *), call);
	const struct vx_object *const *objects = list;
	void **raw = gathered->raw;
	size_t i;

	for (i = 0; i < count && rc == 0; i++) {
		if (!objects[i])
			return vx_fail(-EINVAL, call, NULL, "%s[%zu] is NULL", what, i);
		if (vx_wrong(objects[i], kind, call, what))
			return -EINVAL;
		gathered->uses[gathered->used++] = (void *)(uintptr_t)objects[i];
		raw[i] = objects[i]->raw;
	}
	return rc;
}

void vx_gathered_free(const struct vx_gathered *gathered)
{
	free(gathered->uses);
	free(gathered->raw);
}
