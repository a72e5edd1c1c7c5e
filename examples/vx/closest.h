/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_CLOSEST_H
#define VX_CLOSEST_H

#include <stdbool.h>
#include <stddef.h>

/* What somebody may have meant, of rdma-core and of libverbsx itself; the best first. @return how many there are, up to @p max */
size_t closest_names(const char *text, const char **names, size_t max);

/* The same of enums alone. */
size_t closest_enums(const char *text, const char **names, size_t max);

/* Whether another command is for such a text: a device, an address. @param what  "a GUID" @param command  "ports" */
bool look_elsewhere(const char *text, const char **what, const char **command);

#endif
