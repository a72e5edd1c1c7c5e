/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_RELEASE_H
#define VERBSX_SRC_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The release of rdma-core that a loaded library is from, told by the name of its file: libibverbs.so.1.14.44.0
 * is of 44. Returns 0 where the name does not tell.
 */
unsigned int vx_library_release(void *handle);

/* The same of a file's name. */
unsigned int vx_file_release(const char *path);

/* Whether a function, of the table of a context, lies in a library such as "libmlx5": for what only one provider does. */
bool vx_function_is_of(uintptr_t function, const char *library);

#endif
