/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * How a device that cannot be found or opened is explained: on machines that are made up, by putting other functions in
 * the place of rdma-core's and of the C library's open(2) and stat(2).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include <verbsx/ctx.h>
#include <verbsx/device.h>
#include <verbsx/error.h>

#include "reach/loader.h"

#define NODE "/dev/infiniband/uverbs7"
#define CLASS "/nonexistent/class/infiniband_verbs"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);

static int code_of_list, code_of_class, code_of_node, code_of_open;
static struct ibv_device devices[20];
static size_t device_count;

int __wrap_open(const char *path, int flags, ...)
{
	const int code = !strcmp(path, CLASS) ? code_of_class : !strcmp(path, NODE) ? code_of_node : 0;

	if (!code)
		return __real_open(strcmp(path, NODE) ? path : "/dev/null", flags);
	errno = code;
	return -1;
}

int __wrap_stat(const char *path, struct stat *about)
{
	if (strcmp(path, NODE))
		return __real_stat(path, about);
	*about = (struct stat){ .st_mode = S_IFCHR | 0600, .st_uid = 0, .st_gid = 42 };
	return 0;
}

static struct ibv_device **get_device_list(int *count)
{
	struct ibv_device **list;
	size_t i;

	errno = code_of_list;
	if (code_of_list)
		return NULL;
	list = calloc(device_count + 1, sizeof(*list));
	for (i = 0; i < device_count; i++)
		list[i] = &devices[i];
	*count = (int)device_count;
	return list;
}

static void free_device_list(struct ibv_device **list)
{
	free(list);
}

static struct ibv_context *open_device(struct ibv_device *device)
{
	(void)device;
	errno = code_of_open;
	return NULL;
}

static void replace(void)
{
	vx_loader_replace("ibv_get_device_list", (vx_function)get_device_list);
	vx_loader_replace("ibv_free_device_list", (vx_function)free_device_list);
	vx_loader_replace("ibv_open_device", (vx_function)open_device);
	setenv("SYSFS_PATH", "/nonexistent", 1);
}

static void add_device(const char *name)
{
	struct ibv_device *device = &devices[device_count++];

	snprintf(device->name, sizeof(device->name), "%s", name);
	snprintf(device->dev_name, sizeof(device->dev_name), "uverbs7");
}

/* Opens a device, which fails with this code and text. */
static void expect_open(const char *name, int code, const char *text)
{
	struct vx_ctx *ctx = NULL;

	cr_expect_eq(vx_ctx_open(name, &ctx), code);
	cr_expect_null(ctx);
	cr_expect_str_eq(vx_error_text(), text);
}

TestSuite(open_error, .init = replace);

Test(open_error, of_modules_that_are_not_loaded_says_which)
{
	code_of_list = ENOSYS;
	expect_open(
		"mlx5_0", -ENOSYS,
		"ibv_get_device_list: Function not implemented: /nonexistent/class/infiniband_verbs is missing: the "
		"kernel modules are not loaded (modprobe ib_uverbs and the driver of the device)");
}

/* libibverbs says ENOSYS of a folder that it cannot read, whatever the reason. */
Test(open_error, of_a_list_that_may_not_be_read_is_the_errno_of_the_folder)
{
	code_of_list = ENOSYS;
	code_of_class = EACCES;
	expect_open("mlx5_0", -EACCES, "ibv_get_device_list: Permission denied: " CLASS " cannot be read");
}

Test(open_error, of_a_process_that_has_no_descriptors_left_tells_how_many_it_may_have)
{
	struct rlimit limit, none;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	code_of_list = ENOSYS;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	expect_open("mlx5_0", -EMFILE, "ibv_get_device_list: Too many open files: RLIMIT_NOFILE is 0 (ulimit -n)");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(open_error, of_a_list_that_failed_otherwise_is_its_errno)
{
	code_of_list = ENOMEM;
	expect_open("mlx5_0", -ENOMEM, "ibv_get_device_list: Cannot allocate memory");
}

Test(open_error, of_a_list_that_failed_without_an_errno_tells_of_static_programs)
{
	code_of_list = EIO; /* as is made of 0 */
	expect_open("mlx5_0", -EIO,
		    "ibv_get_device_list: Input/output error: it set no errno, or another C library's: programs are not to be linked with -static");
}

Test(open_error, of_a_machine_without_devices_says_so)
{
	expect_open(
		"mlx5_0", -ENODEV,
		"ibv_get_device_list on mlx5_0: No such device: this machine has no RDMA device, or its driver is "
		"not loaded (a soft one is made by: rdma link add rxe0 type rxe netdev eth0)");
}

Test(open_error, of_a_device_without_provider_names_it_and_the_package)
{
	char folder[] = "/tmp/verbsx-sysfs-XXXXXX", path[100];

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "mkdir -p %s/class/infiniband/mlx9_0", folder);
	cr_assert_eq(system(path), 0);
	setenv("SYSFS_PATH", folder, 1);
	expect_open(
		"mlx9_0", -ENODEV,
		"ibv_get_device_list on mlx9_0: No such device: the kernel has mlx9_0, but libibverbs has no driver "
		"for it (Debian: package ibverbs-providers)");
	snprintf(path, sizeof(path), "rm -r %s", folder);
	cr_expect_eq(system(path), 0);
}

Test(open_error, of_a_device_without_a_node_is_not_that_of_a_provider)
{
	char folder[] = "/tmp/verbsx-sysfs-XXXXXX", command[200];

	cr_assert_not_null(mkdtemp(folder));
	snprintf(command, sizeof(command), "cd %s/ && mkdir -p class/infiniband/mlx9_0 class/infiniband_verbs/uverbs_no && "
		 "echo mlx9_0 >class/infiniband_verbs/uverbs_no/ibdev", folder);
	cr_assert_eq(system(command), 0);
	setenv("SYSFS_PATH", folder, 1);
	add_device("mlx5_0");
	expect_open("mlx9_0", -ENODEV,
		    "ibv_get_device_list on mlx9_0: No such device: the kernel has mlx9_0, but /dev/infiniband/uverbs_no does not "
		    "exist (a container needs --device=/dev/infiniband; a machine, udev)");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_expect_eq(system(command), 0);
}

Test(open_error, of_an_unknown_name_lists_all_devices_and_the_nearest)
{
	add_device("mlx5_0");
	add_device("mlx5_bond_0");
	add_device("rxe0");
	expect_open(
		"mlx5_bond0", -ENODEV,
		"vx_ctx_open on mlx5_bond0: No such device: did you mean mlx5_bond_0? The devices are: mlx5_0, "
		"mlx5_bond_0, rxe0");
	expect_open("hfi1", -ENODEV,
		    "vx_ctx_open on hfi1: No such device: the devices are: mlx5_0, mlx5_bond_0, rxe0");
}

Test(open_error, of_a_missing_device_node_names_it)
{
	add_device("mlx5_0");
	code_of_node = ENOENT;
	expect_open("mlx5_0", -ENOENT,
		    "ibv_open_device on mlx5_0: No such file or directory: " NODE
		    " does not exist (a container needs "
		    "--device=/dev/infiniband; a machine, udev)");
}

Test(open_error, of_a_closed_device_node_tells_its_mode_and_owner)
{
	add_device("mlx5_0");
	code_of_node = EACCES;
	expect_open("mlx5_0", -EACCES,
		    "ibv_open_device on mlx5_0: Permission denied: no permission for " NODE
		    " (mode 0600, user 0, group "
		    "42)");
}

Test(open_error, of_another_kind_is_that_of_the_device_node)
{
	add_device("mlx5_0");
	code_of_node = ENXIO;
	expect_open("mlx5_0", -ENXIO,
		    "ibv_open_device on mlx5_0: No such device or address: " NODE " cannot be opened");
}

Test(open_error, of_a_node_that_opens_is_the_errno_of_rdma_core)
{
	add_device("mlx5_0");
	code_of_open = ENOSPC;
	expect_open("mlx5_0", -ENOSPC, "ibv_open_device on mlx5_0: No space left on device");
}

Test(open_error, that_rdma_core_left_without_errno_is_eio)
{
	add_device("mlx5_0");
	expect_open("mlx5_0", -EIO, "ibv_open_device on mlx5_0: Input/output error");
}

Test(open_error, lists_no_more_devices_than_fit)
{
	struct vx_ctx *ctx;
	char name[32];
	size_t i;

	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "a_device_with_a_long_name_%zu", i);
		add_device(name);
	}
	cr_expect_eq(vx_ctx_open_index(99, &ctx), -ENODEV);
	cr_expect_str_eq(
		vx_error()->reason,
		"index = 99, but the devices are: a_device_with_a_long_name_0, a_device_with_a_long_name_1, "
		"a_device_with_a_long_name_2, a_device_with_a_long_name_3, a_device_with_a_long_name_4, "
		"a_device_with_a_long_name_5, a_device_with_a_long_name_6, a_device_with_a_long_name_7, ...");
}
