/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Match parameters of flow tables (fte_match_param): what a mask and a value ask of a frame's headers.
 * The outer headers come first, then miscellaneous, then the inner headers.
 */
#ifndef EMU_FTE_H
#define EMU_FTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packets/frame.h"

#define FTE_PART 64
#define FTE_SIZE (3 * FTE_PART)
#define FTE_LONGEST 512 /* all parts that the kernel has room for */

/* match_criteria_enable: the parts that count, in their order */
enum {
	FTE_OUTER = 1,
	FTE_MISC = 2,
	FTE_INNER = 4
};

/* Set what the device matches, in the capabilities (flow_table_fields_supported). */
void fte_put_support(uint8_t *bits);

/**
 * Take the mask of a matcher over.
 *
 * @param enable  parts that are not in it do not count
 * @return 0, or EOPNOTSUPP where it asks for what no header here has
 */
int fte_set_mask(uint8_t mask[FTE_SIZE], uint32_t enable, const uint8_t *from, size_t size);

/* Whether the headers of a frame have that value where the mask has ones. */
bool fte_matches(const uint8_t mask[FTE_SIZE], const uint8_t value[FTE_SIZE], const struct frame *f);

#endif
