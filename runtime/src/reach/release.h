/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_RELEASE_H
#define VERBSX_SRC_RELEASE_H

/*
 * The release of rdma-core that a loaded library is from, told by the name of its file: libibverbs.so.1.14.44.0
 * is of 44. Returns 0 where the name does not tell.
 */
unsigned int vx_library_release(void *handle);

/* The same of a file's name. */
unsigned int vx_file_release(const char *path);

#endif
