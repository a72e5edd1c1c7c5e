/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A handle as text: its name, what it depends on, and what rdma-core tells about it. */

#include <verbsx/own.h>

#include "kinds.h"
#include "text/form.h"
#include "kind.h"

#define WIDTH 7 /* of the labels in VX_TEXT, but where a field has a longer name: "channel" */

/* The one description of all handles; nothing in it but what print.c needs to come here. */
static const struct vx_struct handle = { .flags = VX_STRUCT_HIDDEN | VX_STRUCT_HANDLE };

const struct vx_struct *vx_object_struct(void)
{
	return &handle;
}

static void put_name(struct vx_printer *p, const char *name)
{
	vx_put_string_value(p, name, strlen(name));
}

/* What it was made of, and then what methods had it depend on. */
static const struct vx_node *nth_used(const struct vx_node *node, uint32_t index)
{
	return index < node->uses ? vx_node_used(node, index) : vx_node_used_later(node, index - node->uses);
}

static void put_uses(struct vx_printer *p, const struct vx_node *node)
{
	bool list = p->style != VX_TEXT;
	const struct vx_node *used = nth_used(node, 0);
	uint32_t i;

	if (!used)
		return;
	vx_label_text(p, "uses", p->width);
	vx_put_string(p->out, list ? "[" : "");
	for (i = 0; used; used = nth_used(node, ++i)) {
		if (i)
			vx_comma(p);
		put_name(p, VX_NAME(used));
	}
	vx_put_string(p->out, list ? "]" : "");
	vx_label_end(p);
}

static void put_field(struct vx_printer *p, const struct vx_shown *shown, struct vx_place place)
{
	if (place.field->kind == VX_KIND_ABSENT)
		return;
	vx_label_text(p, vx_struct_text(shown->label ? shown->label : place.field->name), p->width);
	vx_put_field_value(p, place.field, place.at, 1);
	vx_label_end(p);
}

/* Of the raw object, and then of what the handle keeps, where it was not adopted. */
static void put_fields(struct vx_printer *p, const struct vx_node *node, const struct vx_kind_row *row)
{
	const unsigned char *raw = node->object.raw;
	const struct vx_kept *kept = row->kept.count ? vx_node_extra(node) : NULL;
	uint32_t i;

	for (i = row->shown.first; i < row->shown.first + row->shown.count; i++)
		put_field(p, &vx_shown_fields[i], (struct vx_place){ vx_shown_field(i), raw + vx_shown_field(i)->offset });
	for (i = row->kept.first; kept && kept->known && i < row->kept.first + row->kept.count; i++)
		put_field(p, &vx_shown_fields[i], vx_kept_place(node, i));
}

/* In the place of an answer: what vx_error() would have of it, less what that knows beside. */
static void put_refusal(struct vx_printer *p, const char *call, int code)
{
	const struct vx_error_info error = { .code = code, .call = call };

	vx_put_answer(p, "error", NULL, 0, vx_type_of(VX_STRUCT(vx_error_info).desc, offsetof(struct vx_error_info, object)), &error);
}

void vx_put_answer(struct vx_printer *p, const char *label, const char *call, int code, struct vx_type type,
		   const void *answer)
{
	struct vx_view view = vx_view_of(type, answer);

	if (p->style == VX_TEXT)
		vx_heading(p, label, -1);
	else
		vx_label_text(p, label, p->width);
	vx_label_end(p);
	vx_block_open(p);
	if (code < 0)
		put_refusal(p, call, code);
	else
		vx_walk(p, &view, NULL);
	if (p->tail)
		vx_put_tail(p, &view);
	vx_block_close(p);
}

void vx_put_object(struct vx_printer *p, const void *object)
{
	char text[VX_LONGEST_NAME + 128];
	const char *wrong = vx_put_wrong(text, sizeof(text), object, 0, "it");
	const struct vx_kind_row *row = vx_kind_of(wrong ? VX_OBJECT_CTX : ((const struct vx_node *)object)->kind);

	if (VERBSX_CHECKS)
		vx_object_check(object, 0, "vx_print");
	p->width = row->width > WIDTH ? row->width : WIDTH;
	if (p->style != VX_TEXT)
		vx_block_open(p);
	vx_label_text(p, "object", p->width);
	put_name(p, wrong ? wrong : VX_NAME(object));
	vx_label_end(p);
	if (!wrong) {
		put_uses(p, object);
		put_fields(p, object, row);
		vx_put_queried(p, object);
	}
	if (p->style != VX_TEXT)
		vx_block_close(p);
}
