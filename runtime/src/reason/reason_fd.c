/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A descriptor that is not what it should be. */

#define _GNU_SOURCE /* memmem */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reason.h"

#define LONGEST_TARGET 128

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
