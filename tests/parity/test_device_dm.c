/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory of the device, also registered, of which upstream's tests are in test_mr. */

#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

#define LENGTH 256
#define OFFSET 64
#define PART 16
#define PROCESSES 5

#define DMTest(name) Twin(test_device, DMTest, name)
#define DeviceMemoryAPITest(name) Twin(test_mr, DeviceMemoryAPITest, name)

static struct vx_dm *new_dm(void)
{
	struct vx_dm *dm;

	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = LENGTH }, &dm));
	return dm;
}

static size_t size_of_device(void)
{
	struct ibv_device_attr_ex ex;

	made(vx_ctx_query_device_ex(ctx, &ex));
	if (!ex.max_dm_size)
		cr_skip_test("the device lacks memory of its own");
	return ex.max_dm_size;
}

DMTest(test_create_dm)
{
	struct vx_dm *dm;

	size_of_device();
	dm = new_dm();
	cr_expect_eq(vx_dm_raw(dm)->context, vx_ctx_raw(ctx));
}

DMTest(test_destroy_dm)
{
	size_of_device();
	closed(new_dm());
}

DMTest(test_create_dm_bad_flow)
{
	size_t size = size_of_device();
	struct vx_dm *dm;

	refused(vx_dm_create(ctx, &(struct vx_dm_init){ .length = size + 1 }, &dm));
	cr_expect_not_null(strstr(vx_error_text(), "length"), "%s", vx_error_text());
}

/* As with PDs: closed once, and NULL after that. */
DMTest(test_destroy_dm_bad_flow)
{
	struct vx_dm *dm;

	size_of_device();
	dm = new_dm();
	closed(dm);
	dm = NULL;
	closed(dm);
}

DMTest(test_dm_write)
{
	static const char data[PART] = "fifteen letters";
	struct vx_dm *dm;

	size_of_device();
	dm = new_dm();
	made(vx_dm_memcpy_to(dm, OFFSET, data, PART));
	made(vx_dm_memcpy_to(dm, LENGTH - PART, data, PART));
}

DMTest(test_dm_write_bad_flow)
{
	static const char data[PART] = "fifteen letters";
	struct vx_dm *dm;

	size_of_device();
	dm = new_dm();
	refused(vx_dm_memcpy_to(dm, OFFSET + 1, data, PART));
	refused(vx_dm_memcpy_to(dm, LENGTH - PART + 4, data, PART));
	refused(vx_dm_memcpy_to(dm, LENGTH, data, PART));
}

DMTest(test_dm_read)
{
	static const char data[PART] = "fifteen letters";
	char back[PART] = "";
	struct vx_dm *dm;

	size_of_device();
	dm = new_dm();
	made(vx_dm_memcpy_to(dm, OFFSET, data, PART));
	made(vx_dm_memcpy_from(dm, back, OFFSET, PART));
	cr_expect_str_eq(back, data);
}

/* Register the beginning of device memory. */
static void expect_dm_mr(struct vx_dm *dm, size_t length)
{
	struct vx_mr_init init = { .dm = dm, .length = length, .access = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE };
	struct vx_mr *mr;

	made(vx_mr_create(pd, &init, &mr));
	cr_expect_eq(vx_mr_raw(mr)->pd, vx_pd_raw(pd));
	cr_expect_eq(vx_mr_length(mr), length);
	cr_expect_neq(vx_mr_lkey(mr), 0);
	closed(mr);
}

/* All of little, of more and of much memory, and parts of it, in words. */
DeviceMemoryAPITest(test_create_dm_mr)
{
	size_t size = size_of_device(), sizes[] = { 4, size / 4 & ~3ul, size / 2 & ~3ul }, i;
	struct vx_dm *dm;

	for (i = 0; i < 3; i++) {
		made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = sizes[i] }, &dm));
		expect_dm_mr(dm, sizes[i]);
		if (sizes[i] > 4)
			expect_dm_mr(dm, sizes[i] / 2 & ~3ul);
		closed(dm);
	}
}

DeviceMemoryAPITest(test_dm_bad_access)
{
	static const struct {
		uint64_t offset;
		size_t length;
	} cases[] = { { 3, 4 }, { 4, 3 }, { LENGTH + 4, 4 }, { 0, LENGTH + 4 } };
	char bytes[LENGTH + 4] = "";
	struct vx_dm *dm;
	size_t i;

	size_of_device();
	dm = new_dm();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refused(vx_dm_memcpy_from(dm, bytes, cases[i].offset, cases[i].length));
		refused(vx_dm_memcpy_to(dm, cases[i].offset, bytes, cases[i].length));
	}
}

DeviceMemoryAPITest(test_dm_bad_registration)
{
	struct vx_mr_init init = { .length = LENGTH + 4, .access = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE };
	struct vx_mr *mr;

	size_of_device();
	init.dm = new_dm();
	refused(vx_mr_create(pd, &init, &mr));
}

/* Makes some in a context of its own, as each process does. */
static int alloc_in_child(size_t length)
{
	struct vx_ctx *own;
	struct vx_dm *dm;

	if (vx_ctx_open_index(0, &own) < 0 || vx_dm_create(own, &(struct vx_dm_init){ .length = length }, &dm) < 0)
		return 1;
	return vx_close(own) != 0;
}

DMTest(test_multi_process_alloc_dm)
{
	size_t length = size_of_device() / 2 / PROCESSES / 4 * 4;
	pid_t children[PROCESSES];
	int i, status;

	for (i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		cr_assert_neq(children[i], -1);
		if (children[i] == 0)
			_exit(alloc_in_child(length));
	}
	for (i = 0; i < PROCESSES; i++) {
		cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d", i);
	}
}
