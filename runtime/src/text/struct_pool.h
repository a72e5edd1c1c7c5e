/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_STRUCT_POOL_H
#define VERBSX_SRC_STRUCT_POOL_H

/* What vx_struct_text() is given for each name: N(name). For the generated tables alone. */

#include <stddef.h>
#include <stdint.h>

#include "forms.h"

struct vx_struct_pool {
	char none;
#define NAME(name) char n_##name[sizeof(#name)];
#define TEXT(name, text) char n_##name[sizeof(text)];
#define MORE(name)
#define END(name, of)
#include "struct_names.inc"
#undef NAME
#undef TEXT
#undef MORE
};

/* Of the second part of the tables. */
struct vx_more_pool {
#define NAME(name)
#define TEXT(name, text)
#define MORE(name) char n_##name[sizeof(#name)];
#include "struct_names.inc"
#undef NAME
#undef TEXT
#undef MORE
#undef END
};

enum vx_struct_name {
#define NAME(name) N_##name = offsetof(struct vx_struct_pool, n_##name),
#define TEXT(name, text) N_##name = offsetof(struct vx_struct_pool, n_##name),
#define MORE(name) N_##name = sizeof(struct vx_struct_pool) + offsetof(struct vx_more_pool, n_##name),
#define END(name, of) N_##name = N_##of + sizeof(#of) - sizeof(#name),
#include "struct_names.inc"
#undef NAME
#undef TEXT
#undef MORE
#undef END
};

_Static_assert(sizeof(struct vx_struct_pool) + sizeof(struct vx_more_pool) <= VX_NAME_MAX, "vx_name reaches all names");

#define N(name) N_##name

#endif
