/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The way to the second part of the tables of structures, for programs that print what is in it. */

#include "text/printer.h"

const struct vx_struct *vx_struct_by_any_id(uint32_t id)
{
	/* Not by vx_struct_by_id(), which does without that part: this is what has it linked. */
	uint16_t place = id < vx_struct_id_count ? vx_struct_ids[id] : 0;

	return place ? vx_struct_row(place - 1u) : NULL;
}
