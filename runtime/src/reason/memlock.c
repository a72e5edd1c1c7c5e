/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#define _GNU_SOURCE /* syscall(2) */

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memlock.h"

/* The inode of the user namespace that the machine began with, the same on all: PROC_USER_INIT_INO of the kernel. */
#define FIRST_USER_NAMESPACE 0xeffffffdu

static bool has_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

/* Kernels ask for the capability there: that of a namespace, as containers of users have it, does not count. */
static bool is_in_first_namespace(void)
{
	struct stat namespace;

	return stat("/proc/self/ns/user", &namespace) || namespace.st_ino == FIRST_USER_NAMESPACE;
}

uint64_t vx_memlock_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return VX_MEMLOCK_NONE;
	return has_capability() && is_in_first_namespace() ? VX_MEMLOCK_NONE : limit.rlim_cur;
}
