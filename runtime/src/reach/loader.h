/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_LOADER_H
#define VERBSX_SRC_LOADER_H

/*
 * How the library reaches rdma-core in loader mode. Each function of rdma-core has a slot, empty at first. The function
 * that generated/src/loader.c defines in its stead looks into the slot, and has it filled when it is empty: the library
 * is opened, the symbol looked up at the version that the headers had. What fails is tried anew by the next call.
 *
 * Thread-safe without a lock: threads that fill a slot at the same time store the same address, and dlopen(3) gives
 * all of them the same handle.
 */

#include <verbsx/config.h>

#if VERBSX_LOADER

#include <stdatomic.h>
#include <stddef.h>

/* Any function of rdma-core; cast to its type before it is called. */
typedef void (*vx_function)(void);

/* In generated/src/loader.c, a slot for each of vx_calls and a handle for each of vx_libraries. */
extern _Atomic(vx_function) vx_slots[];
extern _Atomic(void *) vx_handles[];

/*
 * Fill a slot. Returns NULL with the error recorded and errno set: ENOSYS where the library is missing, EOPNOTSUPP
 * where it lacks the function.
 */
vx_function vx_loader_resolve(size_t call);

/* In line also where code is to be small: all that a call takes is to look into its slot. */
static inline __attribute__((always_inline)) vx_function vx_loader_get(size_t call)
{
	vx_function function = atomic_load_explicit(&vx_slots[call], memory_order_acquire);

	return function ? function : vx_loader_resolve(call);
}

/*
 * Put another function in the place of one of rdma-core, for tests: every call that the library makes from then on goes
 * there. NULL empties the slot, so that the next call finds the true one. Returns -ENOENT for a name that has no slot.
 */
int vx_loader_replace(const char *call, vx_function function);

/* Open a library by its soname; NULL where that fails, or where it is none of vx_libraries. Records no error. */
void *vx_loader_open(const char *soname);

/*
 * Whether a call, or what an inline one stands on, can be reached. Returns 0 or, with the error recorded, the code of
 * vx_loader_resolve(): asked after a failure, it tells a missing function from one that said no.
 */
int vx_loader_check(const char *call);

#endif

#endif
