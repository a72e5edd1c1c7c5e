/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands right behind a structure, such as the specifications of a flow. */

#include "trace_tables.h"

#if VERBSX_TRACING

/* How long the one at an address says it is; 0 where it does not even reach over that. */
static size_t size_of(const struct vx_tail *tail, const unsigned char *at)
{
	size_t size = vx_read_unsigned(at + tail->size_at, tail->size_size);

	return size < (size_t)tail->size_at + tail->size_size ? 0 : size;
}

static void put_one(struct vx_printer *p, const struct vx_tail *tail, const unsigned char *at, size_t size)
{
	struct vx_view view = { .s = &vx_structs[tail->desc], .bytes = at, .size = size, .sure = true };

	p->around[p->depth++] = (uintptr_t)at;
	vx_block_open(p);
	vx_walk(p, &view, NULL);
	vx_block_close(p);
	p->depth--;
}

void vx_put_tail(struct vx_printer *p, const struct vx_tail *tail, const struct vx_view *view)
{
	uint64_t count = vx_read_unsigned(view->bytes + tail->count_at, tail->count_size), i;
	const unsigned char *at = view->bytes + view->size;
	size_t size;

	vx_label_text(p, vx_struct_names + tail->name, 0);
	vx_put_char(p->out, '[');
	for (i = 0; i < count; i++, at += size) {
		if (i)
			vx_comma(p);
		size = size_of(tail, at);
		if (!size) {
			vx_put_more(p);
			break;
		}
		put_one(p, tail, at, size);
	}
	vx_put_char(p->out, ']');
	vx_label_end(p);
}

#endif
