/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_EXCLUSION_H
#define VERBSX_SRC_EXCLUSION_H

/* What of an init structure cannot be used along with what: [exclude] in gen/lore/limits.toml. */

#include <stdint.h>

struct vx_part {
	char name[24];
	uint32_t excludes;	/* of the parts after it, a bit each */
};

/* Returns -EINVAL, recorded, where two of the parts that are used, a bit each, exclude each other, or 0. */
int vx_exclusion_check(const struct vx_part *parts, uint32_t used, const char *call);

/* For each structure that lore has: the same. Generated. */
struct vx_mr_init;
int vx_mr_init_exclusions(const struct vx_mr_init *init, const char *call);

#endif
