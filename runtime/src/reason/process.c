/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the system says of the process: how much memory it may have locked for devices, and what a descriptor of it is. */

#define _GNU_SOURCE /* memmem, syscall(2) */

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "reason.h"

#define LONGEST_TARGET 128

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

int vx_reason_of_fd(struct vx_failure *failure, const char *field, int fd, const char *part, const char *wanted)
{
	char path[32], target[LONGEST_TARGET];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target));
	if (length < 0) {
		vx_reason_add(failure, "%s = %d is no open file", field, fd);
		return -EBADF;
	}
	if (memmem(target, (size_t)length, part, strlen(part)))
		return 0;
	vx_reason_add(failure, "%s = %d is %.*s, no %s", field, fd, (int)length, target, wanted);
	return -EINVAL;
}
