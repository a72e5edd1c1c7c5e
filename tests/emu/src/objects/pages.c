/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "objects/pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Not in every C library that we support */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static bool is_known_advice(void)
{
	static char page[2 * DEVICE_PAGE];
	void *whole = (void *)(((uintptr_t)page + DEVICE_PAGE - 1) & ~(DEVICE_PAGE - 1));

	return !madvise(whole, DEVICE_PAGE, MADV_POPULATE_WRITE);
}

bool pages_populate(uint64_t address, uint64_t len, bool write)
{
	uint64_t first = address & ~(DEVICE_PAGE - 1);

	/* Kernels before 5.14 have no such advice: EINVAL, as for memory that is not to be written */
	return !madvise((void *)(uintptr_t)first, address + len - first,
			write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) ||
	       (errno == EINVAL && !is_known_advice());
}

bool pages_can_be_pinned(uint64_t address, uint64_t len, bool write)
{
	return pages_populate(address, 1, write) && pages_populate(address + len - 1, 1, write);
}

typedef ssize_t copy_fn(pid_t pid, const struct iovec *local, unsigned long nlocal,
			const struct iovec *remote, unsigned long nremote, unsigned long flags);

static int copy(copy_fn *by_kernel, pid_t pid, uint64_t host, uint64_t len, void *buffer)
{
	struct iovec program = { (void *)(uintptr_t)host, len }, device = { buffer, len };

	return !len || by_kernel(pid, &device, 1, &program, 1, 0) == (ssize_t)len ? 0 : -1;
}

int pages_read(uint64_t host, uint64_t len, void *to)
{
	return copy(process_vm_readv, getpid(), host, len, to);
}

int pages_write(uint64_t host, uint64_t len, const void *from)
{
	return copy(process_vm_writev, getpid(), host, len, (void *)from);
}

int pages_read_of(pid_t pid, uint64_t host, uint64_t len, void *to)
{
	return copy(process_vm_readv, pid, host, len, to);
}

int pages_write_of(pid_t pid, uint64_t host, uint64_t len, const void *from)
{
	return copy(process_vm_writev, pid, host, len, (void *)from);
}
