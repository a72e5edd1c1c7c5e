/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Lists of structures that name objects, by rows of which member is of which type, and where it goes. */

#include <errno.h>
#include <string.h>

#include "error/fail.h"
#include "make.h"

/* What an element lies in while it is looked at: all that this libverbsx knows of it. */
#define LONGEST 64

struct reading {
	struct vx_gathered *gathered;
	const struct vx_elements *of;
	const struct vx_element_row *rows;
	const char *call;
	size_t index;
	union {
		uint32_t type;
		unsigned char bytes[LONGEST];
	} own;
};

static int fail(const struct reading *r, const struct vx_element_row *row, const char *why)
{
	return vx_fail(-EINVAL, r->call, NULL, "%s[%zu].%s %s", r->of->name, r->index, row->name, why);
}

static bool has_row(const struct reading *r, const struct vx_element_row *like)
{
	size_t i;

	for (i = 0; i < r->of->rows; i++)
		if (r->rows[i].size && r->rows[i].type == r->own.type && r->rows[i].from == like->from)
			return true;
	return false;
}

static int take_handle(struct reading *r, const struct vx_element_row *row, char *into)
{
	struct vx_object *object;

	memcpy(&object, r->own.bytes + row->from, sizeof(object));
	if (!object)
		return fail(r, row, "is NULL, and its type is of one");
	if (vx_wrong(object, row->kind, r->call, row->name))
		return -EINVAL;
	r->gathered->uses[r->gathered->used++] = object;
	memcpy(into, &object->raw, sizeof(object->raw));
	return 0;
}

static int take_member(struct reading *r, const struct vx_element_row *row, char *raw)
{
	void *behind = raw + r->of->raw;

	if (row->type != r->own.type || row->type == UINT16_MAX)
		return row->size && vx_is_set(r->own.bytes + row->from, row->size) && !has_row(r, row) ?
			       fail(r, row, "is set, which is not of its type") : 0;
	if (row->kind)
		return take_handle(r, row, raw + row->into);
	memcpy(raw + row->into, row->size ? (void *)(r->own.bytes + row->from) : &behind, row->size ? row->size : sizeof(behind));
	return 0;
}

static int take_element(struct reading *r, char *raw)
{
	size_t i;
	int rc = 0;

	memcpy(raw, &r->own.type, sizeof(r->own.type));
	for (i = 0; i < r->of->rows && rc == 0; i++)
		rc = take_member(r, &r->rows[i], raw);
	return rc;
}

static int take_elements(struct reading *r, const char *list, size_t count, size_t stride)
{
	const size_t each = (size_t)r->of->raw + r->of->behind;
	char **pointers = r->gathered->raw, *raw = r->of->by_pointer ? (char *)(pointers + count) : r->gathered->raw;
	int rc = 0;

	for (r->index = 0; r->index < count && rc == 0; r->index++, raw += each) {
		if (r->of->by_pointer)
			pointers[r->index] = raw;
		rc = vx_take_in(&r->own, r->of->own, list + r->index * stride, stride, r->call, r->of->name, "type");
		if (rc == 0)
			rc = take_element(r, raw);
	}
	return rc;
}

int vx_gather_elements(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, size_t stride,
		       const struct vx_elements *of, const struct vx_element_row *rows, const char *call)
{
	struct reading r = { .gathered = gathered, .of = of, .rows = rows, .call = call };
	const size_t each = sizeof(void *) + of->raw + of->behind;
	int rc = count && !list ? vx_null_fail(call, of->name) :
				  vx_gather_begin(gathered, uses, used, 2 * count, (count + 1) * each, call); /* two handles at most in each */

	return rc < 0 ? rc : take_elements(&r, list, count, stride);
}
