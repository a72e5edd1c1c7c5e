/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands around values, in each style. */

#include "parts.h"

#define INDENT 2 /* columns a level */

/*
 * Most labels fit in this; a store of a fixed size costs a few cycles, where one of a varying size costs a
 * call.
 */
#define SHORT_LABEL 64

/* @return behind a label that is short and has room before it and, of so many bytes, behind; else NULL, and nothing was written that counts */
static inline char *put_short_label(const struct vx_printer *p, vx_name name, size_t width, ptrdiff_t behind)
{
	const size_t indent = (size_t)p->indent * INDENT;
	char *to = p->out->pos, *end;

	if (indent + width > SHORT_LABEL - strlen(" : ") || p->out->end - to < 2 * SHORT_LABEL + behind)
		return NULL;
	memset(to, ' ', SHORT_LABEL);
	to += indent;
	end = vx_write_name(to, p->out->end - SHORT_LABEL - behind, vx_struct_text(name));
	if (!end)
		return NULL;
	memset(end, ' ', SHORT_LABEL);
	to = (end > to + width ? end : to + width) + strlen(" : ");
	to[-2] = ':';
	return to;
}

bool vx_line_of_number(struct vx_printer *p, vx_name name, size_t width, uint64_t value)
{
	char *to = put_short_label(p, name, width, VX_MOST_DIGITS + 1);

	if (!to)
		return false;
	to += vx_write_unsigned(to, value);
	*to++ = '\n';
	p->out->pos = to;
	p->first = false;
	return true;
}

void vx_label_name(struct vx_printer *p, vx_name name, size_t width)
{
	char *to = p->style == VX_TEXT ? put_short_label(p, name, width, 0) : NULL;

	if (!to) {
		vx_label_text(p, vx_struct_text(name), width);
		return;
	}
	p->out->pos = to;
	p->first = false;
}

static void put_text_label(struct vx_out *out, const char *name, size_t indent, size_t width)
{
	const size_t len = strlen(name);

	vx_put_spaces(out, indent);
	vx_put(out, name, len);
	vx_put_spaces(out, width > len ? width - len : 0);
	vx_put_literal(out, " : ");
}

void vx_label_text(struct vx_printer *p, const char *name, size_t width)
{
	struct vx_out *out = p->out;

	switch (p->style) {
	case VX_COMPACT:
		if (!p->first)
			vx_put_char(out, ' ');
		vx_put_string(out, name);
		vx_put_char(out, '=');
		break;
	case VX_JSON:
		if (!p->first)
			vx_put_literal(out, ", ");
		vx_put_char(out, '"');
		vx_put_string(out, name);
		vx_put_literal(out, "\": ");
		break;
	default:
		put_text_label(out, name, (size_t)p->indent * INDENT, width);
	}
	p->first = false;
}

void vx_label_end(struct vx_printer *p)
{
	if (p->style == VX_TEXT)
		vx_put_char(p->out, '\n');
}

void vx_heading(struct vx_printer *p, const char *name, int64_t index)
{
	vx_put_spaces(p->out, (size_t)p->indent * INDENT);
	vx_put_string(p->out, name);
	if (index >= 0)
		vx_put_format(p->out, "[%lld]", (long long)index);
	vx_put_char(p->out, ':');
}

void vx_block_open(struct vx_printer *p)
{
	if (p->style == VX_TEXT)
		p->indent++;
	else
		vx_put_char(p->out, '{');
	p->first = true;
}

void vx_block_close(struct vx_printer *p)
{
	if (p->style == VX_TEXT)
		p->indent--;
	else
		vx_put_char(p->out, '}');
	p->first = false;
}

void vx_comma(struct vx_printer *p)
{
	if (p->style == VX_COMPACT && p->depth)
		vx_put_char(p->out, ',');
	else
		vx_put_literal(p->out, ", ");
}
