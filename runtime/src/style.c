/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* What stands around values, in each style. */

#include "printer.h"

#define INDENT 2	/* columns a level */

static void put_padded(struct vx_out *out, const char *name, size_t width)
{
	size_t len = strlen(name);

	vx_put(out, name, len);
	if (len < width)
		vx_put_spaces(out, width - len);
}

void vx_label(struct vx_printer *p, const struct vx_struct *s, const struct vx_field *f)
{
	const char *name = vx_struct_names + f->name;
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
		vx_put_spaces(out, (size_t)p->indent * INDENT);
		put_padded(out, name, s->width);
		vx_put_literal(out, " : ");
	}
	p->first = false;
}

void vx_label_end(struct vx_printer *p)
{
	if (p->style == VX_TEXT)
		vx_put_char(p->out, '\n');
}

void vx_heading(struct vx_printer *p, const struct vx_field *f, int64_t index)
{
	vx_put_spaces(p->out, (size_t)p->indent * INDENT);
	vx_put_string(p->out, vx_struct_names + f->name);
	if (index >= 0) {
		vx_put_char(p->out, '[');
		vx_put_signed(p->out, index);
		vx_put_char(p->out, ']');
	}
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
	if (p->style == VX_COMPACT)
		vx_put_char(p->out, ',');
	else
		vx_put_literal(p->out, ", ");
}

void vx_put_more(struct vx_printer *p)
{
	vx_put_string(p->out, p->style == VX_JSON ? "\"...\"" : "...");
}
