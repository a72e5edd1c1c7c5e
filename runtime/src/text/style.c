/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands around values, in each style. */

#include "printer.h"

#define INDENT 2 /* columns a level */

/*
 * Most labels fit in this; a store of a fixed size costs a few cycles, where one of a varying size costs a
 * call.
 */
#define SHORT_LABEL 64

static void put_text_label(struct vx_out *out, const char *name, size_t indent, size_t width)
{
	size_t len = strlen(name), all;

	width = len > width ? len : width;
	all = indent + width + strlen(" : ");
	if (all > SHORT_LABEL || out->end - out->pos < SHORT_LABEL) {
		vx_put_spaces(out, indent);
		vx_put(out, name, len);
		vx_put_spaces(out, width - len);
		vx_put_literal(out, " : ");
		return;
	}
	memset(out->pos, ' ', SHORT_LABEL);
	memcpy(out->pos + indent, name, len);
	out->pos[indent + width + 1] = ':';
	out->pos += all;
}

bool vx_line_of_number(struct vx_printer *p, const char *name, size_t width, uint64_t value)
{
	const size_t len = strlen(name), indent = (size_t)p->indent * INDENT;
	struct vx_out *out = p->out;
	char *to = out->pos;

	width = len > width ? len : width;
	if (indent + width > SHORT_LABEL - strlen(" : ") || out->end - to < SHORT_LABEL + VX_MOST_DIGITS + 1)
		return false;
	memset(to, ' ', SHORT_LABEL);
	memcpy(to + indent, name, len);
	to += indent + width + strlen(" : ");
	to[-2] = ':';
	to += vx_write_unsigned(to, value);
	*to++ = '\n';
	out->pos = to;
	p->first = false;
	return true;
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
