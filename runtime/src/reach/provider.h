/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PROVIDER_H
#define VERBSX_SRC_PROVIDER_H

/* Whose code is behind a context, for what only one provider does. */

#include <stdbool.h>
#include <stdint.h>

/** Whether a function, of the table of a context, lies in a library such as "libmlx5". */
bool vx_function_is_of(uintptr_t function, const char *library);

#endif
