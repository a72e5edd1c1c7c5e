/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Lists of structures that name objects, by rows of which member is of which type, and where it goes. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error/fail.h"
#include "make.h"

int vx_element_fail(const struct vx_reading *r, const struct vx_element_row *row, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return vx_fail(-EINVAL, r->call, NULL, "%s[%zu].%s%s %s", r->of->name, r->index, r->part, row ? row->name : "type", what);
}

static bool is_of_type(const struct vx_reading *r, const struct vx_element_row *row)
{
	return row->type == r->type && row->type != UINT16_MAX;
}

static bool has_row(const struct vx_reading *r, const struct vx_element_row *like)
{
	size_t i;

	for (i = 0; i < r->of->rows; i++)
		if (r->rows[i].size && is_of_type(r, &r->rows[i]) && r->rows[i].from == like->from)
			return true;
	return false;
}

/* Of what has a mask it may be that alone. */
static bool is_set(struct vx_reading *r, const struct vx_element_row *row)
{
	if (vx_is_set(r->own.bytes + row->from, row->size))
		return true;
	r->part = "mask.";
	return row->mask_from && vx_is_set(r->own.bytes + row->mask_from, row->size);
}

/* A program that has the wrong type in mind must not get what it did not mean. */
static int check_rest(struct vx_reading *r, const struct vx_element_row *row)
{
	r->part = row->mask_from ? "val." : "";
	if (is_of_type(r, row) || !row->size || !is_set(r, row) || has_row(r, row))
		return 0;
	if (!r->types)
		return vx_element_fail(r, row, "is set, which is not of its type");
	if (row->type == UINT16_MAX)
		return vx_element_fail(r, row, "is set, which no type has");
	return vx_element_fail(r, row, "is set, which %s has, but the type is %s", vx_enum_name(r->types, row->type), vx_enum_name(r->types, r->type));
}

static int take_handle(struct vx_reading *r, const struct vx_element_row *row, char *into)
{
	struct vx_object *object;

	memcpy(&object, r->own.bytes + row->from, sizeof(object));
	if (!object)
		return vx_element_fail(r, row, "is NULL, and its type is of one");
	if (vx_wrong(object, row->kind, r->call, row->name))
		return vx_element_fail(r, row, "is wrong: %s", vx_error()->reason);
	r->gathered->uses[r->gathered->used++] = object;
	memcpy(into, &object->raw, sizeof(object->raw));
	return 0;
}

static int take_member(struct vx_reading *r, const struct vx_element_row *row, char *raw)
{
	void *behind = raw + r->of->raw;
	int rc = 0;

	if (!is_of_type(r, row))
		return 0;
	r->part = row->mask_from ? "val." : "";
	if (row->kind)
		rc = take_handle(r, row, raw + row->into);
	else if (!row->form)
		memcpy(raw + row->into, row->size ? (void *)(r->own.bytes + row->from) : &behind, row->size ? row->size : sizeof(behind));
	return rc == 0 && row->form ? r->fill(r, row, (unsigned char *)raw) : rc;
}

/* Returns how many bytes it takes. */
static int take_element(struct vx_reading *r, char *raw)
{
	int size = r->of->raw + r->of->behind, rc = 0;
	size_t i;

	r->type = r->own.type;
	r->part = "";
	memcpy(raw, &r->own.type, sizeof(r->own.type));
	if (r->begin)
		size = r->begin(r, (unsigned char *)raw);
	if (size < 0)
		return size;
	for (i = 0; i < r->of->rows && rc == 0; i++)
		rc = check_rest(r, &r->rows[i]);
	for (i = 0; i < r->of->rows && rc == 0; i++)
		rc = take_member(r, &r->rows[i], raw);
	return rc < 0 ? rc : size;
}

int vx_take_elements(struct vx_reading *r, char *raw, const void *list, size_t count, size_t stride)
{
	char **pointers = r->gathered->raw;
	int rc = 0;

	for (r->index = 0; r->index < count && rc >= 0; r->index++, raw += rc) {
		if (r->of->by_pointer)
			pointers[r->index] = raw;
		rc = vx_take_in(&r->own, r->of->own, (const char *)list + r->index * stride, stride, r->call, r->of->name, r->of->last);
		if (rc == 0)
			rc = take_element(r, raw);
		if (rc < 0)
			return rc;
		r->gathered->size += (size_t)rc;
	}
	return 0;
}

int vx_gather_elements(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, size_t stride,
		       const struct vx_elements *of, const struct vx_element_row *rows, const char *call)
{
	struct vx_reading r = { .gathered = gathered, .of = of, .rows = rows, .call = call };
	const size_t each = sizeof(void *) + of->raw + of->behind;
	int rc = count && !list ? vx_null_fail(call, of->name) :
				  vx_gather_begin(gathered, uses, used, 2 * count, (count + 1) * each, call); /* two handles at most in each */
	char *raw = gathered->raw;

	return rc < 0 ? rc : vx_take_elements(&r, of->by_pointer ? raw + count * sizeof(void *) : raw, list, count, stride);
}
