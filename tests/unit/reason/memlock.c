/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Whom RLIMIT_MEMLOCK binds. */

#define _GNU_SOURCE /* unshare(2), syscall(2) */

#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "reason/reason.h"

#define LIMIT (1u << 16)
#define NO_NAMESPACES 77

static void set_limit(rlim_t soft)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit.rlim_cur = soft;
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void set_small_limit(void)
{
	set_limit(LIMIT);
}

/* Whether the process has the capability then. */
static bool set_capability(bool on)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	cr_assert_eq(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
	if (on)
		data[0].effective |= data[0].permitted & CAP_TO_MASK(CAP_IPC_LOCK);
	cr_assert_eq(syscall(SYS_capset, &header, data), 0);
	return data[0].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

static bool is_in_first_namespace(void)
{
	char name[64] = "";

	cr_assert_gt(readlink("/proc/self/ns/user", name, sizeof(name) - 1), 0);
	return !strcmp(name, "user:[4026531837]");
}

TestSuite(memlock, .init = set_small_limit);

Test(memlock, binds_who_lacks_the_capability)
{
	set_capability(false);
	cr_expect_eq(vx_memlock_limit(), LIMIT);
}

Test(memlock, does_not_bind_who_has_the_capability)
{
	if (!set_capability(true) || !is_in_first_namespace())
		cr_skip_test("not by root of this machine");
	cr_expect_eq(vx_memlock_limit(), VX_MEMLOCK_NONE);
}

/* A new namespace begins with all capabilities, but only a process of one thread gets there. */
Test(memlock, binds_who_has_the_capability_in_a_namespace_of_users_only)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(unshare(CLONE_NEWUSER) ? NO_NAMESPACES : vx_memlock_limit() != LIMIT);
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACES)
		cr_skip_test("no namespaces here");
	cr_expect_eq(status, 0);
}

Test(memlock, may_be_without_end)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (limit.rlim_max != RLIM_INFINITY)
		cr_skip_test("its hard limit is not");
	set_capability(false);
	set_limit(RLIM_INFINITY);
	cr_expect_eq(vx_memlock_limit(), VX_MEMLOCK_NONE);
}
