/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Device memory. */
#ifndef EMU_DM_H
#define EMU_DM_H

#include <stddef.h>
#include <stdint.h>

#include "objects/object.h"

struct dm {
	struct object o;
	uint16_t page_index; /* by which it is mapped */
	uint8_t *memory; /* whole pages */
	uint64_t len;
};

void dm_release(struct object *o);

#endif
