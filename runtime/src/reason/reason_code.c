/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the code of a failure tells, where nothing in the request does; and what the system says of the process: locked memory, descriptors. */

#define _GNU_SOURCE /* memmem, syscall(2) */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <verbsx/objects.h>

#include "object/make.h"
#include "reach/reach.h"
#include "reason.h"
#include "text/form.h"

#define LONGEST_TARGET 128

/* The inode of the user namespace that the machine began with, the same on all: PROC_USER_INIT_INO of the kernel. */
#define FIRST_USER_NAMESPACE 0xeffffffdu

/* ---- the process ---- */

/* Kernels ask for the capability in the first namespace: that of another, as containers of users have it, does not count. */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	struct stat namespace;

	return !syscall(SYS_capget, &header, data) && data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK) &&
	       (stat("/proc/self/ns/user", &namespace) || namespace.st_ino == FIRST_USER_NAMESPACE);
}

uint64_t vx_memlock_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return VX_MEMLOCK_NONE;
	return may_lock_all() ? VX_MEMLOCK_NONE : limit.rlim_cur;
}

int vx_reason_of_fd(struct vx_failure *failure, const char *field, int fd, const char *part, const char *wanted)
{
	char path[32], target[LONGEST_TARGET];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target));
	if (length < 0 && fcntl(fd, F_GETFD) >= 0) /* and no /proc */
		return 0;
	if (length < 0) {
		vx_reason_add(failure, "%s = %d is no open file", field, fd);
		return -EBADF;
	}
	if (memmem(target, (size_t)length, part, strlen(part)))
		return 0;
	vx_reason_add(failure, "%s = %d is %.*s, no %s", field, fd, (int)length, target, wanted);
	return -EINVAL;
}

/* ---- suspects ---- */

bool vx_is_provided_by(const void *object, const char *library)
{
	return object && vx_context_is_of(vx_context_of(object), library);
}

static void put_suspect(struct vx_out *out, const struct vx_suspect *suspect, const struct vx_place *place)
{
	const bool is_set = place->field->kind == VX_KIND_FLAGS; /* of 4 or 8 bytes */
	const uint64_t unusual = vx_place_value(place) & ~(uint64_t)suspect->usual;
	const unsigned char *low = (const unsigned char *)&unusual + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(unusual) - place->field->size : 0);

	vx_put_string(out, vx_limit_texts + suspect->field);
	vx_put_literal(out, " = ");
	vx_put_place(out, is_set ? &(struct vx_place){ place->field, low } : place);
}

/*
 * An enumerator that all devices have is none where a value was found to be wrong, but one that is refused as such may be on
 * a device like no other.
 */
static bool is_suspect(const struct vx_suspect *suspect, const struct vx_place *place, int code)
{
	uint64_t value = vx_place_value(place);

	if (place->field->kind != VX_KIND_ENUM)
		return value & ~(uint64_t)suspect->usual;
	return value && !(code == -EINVAL && value < 32 && suspect->usual & UINT32_C(1) << value);
}

static void check_suspects(struct vx_failure *failure, const struct vx_subject *subject, bool *first)
{
	struct vx_place place;
	size_t i;

	for (i = 0; i < vx_suspect_count; i++) {
		const struct vx_suspect *suspect = &vx_suspects[i];

		if (suspect->owner != subject->owner ||
		    !vx_subject_find(failure, subject, vx_limit_texts + suspect->field, &place) ||
		    !is_suspect(suspect, &place, failure->code))
			continue;
		if (*first)
			vx_reason_add(failure, "the device or its provider may not support ");
		else
			vx_put_literal(&failure->out, ", ");
		*first = false;
		put_suspect(&failure->out, suspect, &place);
	}
}

void vx_reason_of_suspects(struct vx_failure *failure)
{
	struct vx_subject subject;
	bool first = true;
	unsigned int i;

	for (i = 0; vx_subject_at(failure, i, &subject); i++)
		check_suspects(failure, &subject, &first);
}

/* ---- by code ---- */

static void add_memlock(struct vx_failure *failure)
{
	uint64_t limit = vx_memlock_limit();

	if (failure->call->locks && limit != VX_MEMLOCK_NONE)
		vx_reason_add(failure, "RLIMIT_MEMLOCK is %s (ulimit -l)", VX_BYTES(limit));
}

/* What an object's memory is taken from, with what the program gave it to do so, is not told by rdma-core. */
static void add_allocator(struct vx_failure *failure)
{
	uint32_t i;

	for (i = 0; failure->call->locks && failure->node && i < failure->node->uses; i++) {
		const struct vx_node *used = vx_node_used(failure->node, i);

		if (used->kind == VX_OBJECT_PARENT_DOMAIN)
			vx_reason_add(failure, "alloc of %s, if it has one, may have given no memory",
				      VX_NAME(used));
	}
}

/* A program that closes one descriptor too many closes the context's, or finds it later where another file has its number. */
static void add_descriptor(struct vx_failure *failure)
{
	const struct ibv_context *context = failure->bounds.context;

	if (context && context->cmd_fd >= 0)
		vx_reason_of_fd(failure, "cmd_fd of the context", context->cmd_fd, "uverbs", "RDMA device");
}

void vx_reason_of_code(struct vx_failure *failure)
{
	struct rlimit limit;

	if (vx_reason_is_found(failure))
		return;
	switch (-failure->code) {
	case EINVAL:
		vx_reason_of_suspects(failure);
		vx_reason_of_rows(failure, VX_PHASE_PRODUCT);
		add_allocator(failure);
		break;
	case EOPNOTSUPP:
	case ENOSYS:
		vx_reason_of_suspects(failure);
		if (!vx_reason_is_found(failure))
			vx_reason_add(failure, "the device or its provider does not support this call");
		break;
	case ENOMEM:
		vx_reason_of_rows(failure, VX_PHASE_COUNT);
		add_memlock(failure);
		add_allocator(failure);
		if (!vx_reason_is_found(failure))
			vx_reason_of_suspects(failure);
		break;
	case ENOSPC:
		vx_reason_of_rows(failure, VX_PHASE_COUNT);
		break;
	case EBADF:
	case ENOTTY:
		add_descriptor(failure);
		break;
	case EMFILE:
		if (!getrlimit(RLIMIT_NOFILE, &limit))
			vx_reason_add(failure, "RLIMIT_NOFILE is %llu (ulimit -n)", (unsigned long long)limit.rlim_cur);
		break;
	case EIO:
	case ENODEV:
		vx_reason_add(failure, VX_DEVICE_LOST);
		break;
	}
}
