/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_ENUM_TEXT_H
#define VERBSX_SRC_ENUM_TEXT_H

/* Values of enums, written into a sink. */

#include "out.h"
#include "table.h"

/** What vx_enum_snprint() prints. @return whether every part of the value has a name */
bool vx_enum_put(struct vx_out *out, const struct vx_enum_info *e, int64_t value);

/**
 * The names of a set, unknown bits as one "0x..." at the end.
 *
 * @param bitmap  bit n stands for the value n, rather than for the flag 1 << n
 * @return the bits that have no name
 */
uint64_t vx_enum_join(struct vx_join *join, const struct vx_enum_info *e, uint64_t set, bool bitmap);

/** The enumerator with a number among the words of its name, as IBV_MTU_1024 has one that is not its value; NULL: none. */
const struct vx_enum_row *vx_enum_row_naming(const struct vx_enum_info *e, uint64_t number);

#endif
