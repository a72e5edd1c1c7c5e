/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERBSX_SRC_ENUM_TEXT_H
#define VERBSX_SRC_ENUM_TEXT_H

/* Values of enums, written into a sink. */

#include "out.h"
#include "table.h"

/** What vx_enum_snprint() prints. @return whether every part of the value has a name */
bool vx_enum_put(struct vx_out *out, const struct vx_enum *e, int64_t value);

/** The flags of a set, unknown bits as one "0x..." at the end. @return how many names there are */
size_t vx_enum_join_flags(struct vx_join *join, const struct vx_enum *e, uint64_t set);

/** As vx_enum_join_flags(), of a set where bit n stands for the value n. */
size_t vx_enum_join_bitmap(struct vx_join *join, const struct vx_enum *e, uint64_t set);

#endif
