/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands around values, in each style. */

#include "parts.h"

void vx_label_name(struct vx_printer *p, vx_name name, size_t width)
{
	char *to = p->style == VX_TEXT ? vx_write_label(p->out->pos, p->out->end, name, vx_indent(p), width) : NULL;

	if (!to) {
		vx_label_text(p, vx_struct_text(name), width);
		return;
	}
	p->out->pos = to;
	p->first = false;
}

void vx_label_text(struct vx_printer *p, const char *name, size_t width)
{
	struct vx_out *out = p->out;
	const size_t len = strlen(name);

	if (p->style == VX_TEXT) {
		vx_put_spaces(out, vx_indent(p));
		vx_put(out, name, len);
		vx_put_spaces(out, width > len ? width - len : 0);
		vx_put_literal(out, " : ");
	} else if (p->style == VX_COMPACT) {
		if (!p->first)
			vx_put_char(out, ' ');
		vx_put(out, name, len);
		vx_put_char(out, '=');
	} else {
		if (!p->first)
			vx_put_literal(out, ", ");
		vx_put_char(out, '"');
		vx_put(out, name, len);
		vx_put_literal(out, "\": ");
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
	vx_put_spaces(p->out, vx_indent(p));
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
