/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Device memory. */
#include <unistd.h>

#include "bed.h"

static void open_with_dm(void)
{
	struct ibv_device_attr_ex d;

	open_bed();
	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &d));
	if (!d.max_dm_size)
		skip("there is no device memory");
}

TestSuite(dm, .init = open_with_dm, .fini = close_bed);

static struct ibv_dm *alloc(size_t length)
{
	struct ibv_alloc_dm_attr a = { .length = length };

	return ibv_alloc_dm(bed.ctx, &a);
}

Test(dm, device_memory_is_written_and_read_by_both_sides)
{
	struct ibv_dm *dm = alloc(4100);
	struct ibv_mr *mr;
	char back[8] = "";

	CHECK(dm);
	mr = ibv_reg_dm_mr(bed.pd, dm, 4, 4096, ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
	CHECK(mr);
	CHECK(!ibv_memcpy_to_dm(dm, 4, "to dm..", 8));
	post_write(bed.a, 1, mr->rkey, 0, "by"); /* at 4 */
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!ibv_memcpy_from_dm(back, dm, 4, 8));
	CHECK(!strcmp(back, "by dm.."));
	CHECK(ibv_free_dm(dm) == EBUSY);
	CHECK(!ibv_dereg_mr(mr) && !ibv_free_dm(dm));
}

Test(dm, a_region_ends_with_the_device_memory)
{
	struct ibv_dm *dm = alloc(64);

	CHECK(dm);
	CHECK(!ibv_reg_dm_mr(bed.pd, dm, 4, 64, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED));
	CHECK(!ibv_free_dm(dm));
}

Test(dm, there_is_only_so_much)
{
	struct ibv_device_attr_ex d;
	struct ibv_dm *dm;

	CHECK(!ibv_query_device_ex(bed.ctx, NULL, &d) && d.max_dm_size);
	dm = alloc(d.max_dm_size);
	CHECK(dm && !alloc(4) && errno == ENOMEM);
	CHECK(!alloc(d.max_dm_size + 4) && errno == EINVAL);
	CHECK(!ibv_free_dm(dm));
}

/* Another context of the same process, which stands for another process */
static struct ibv_context *import_device(void)
{
	struct ibv_context *guest = ibv_import_device(dup(bed.ctx->cmd_fd));

	CHECK(guest);
	return guest;
}

static void free_or_fail(struct ibv_dm *dm, struct ibv_context *guest)
{
	CHECK(!ibv_free_dm(dm) && !ibv_close_device(guest));
}

Test(dm, memory_that_is_imported_is_the_same_memory)
{
	struct ibv_dm *dm = alloc(4100), *imported;
	struct ibv_context *guest = import_device();
	char back[8] = "";

	CHECK(dm);
	imported = ibv_import_dm(guest, dm->handle);
	CHECK(imported);
	CHECK(!ibv_memcpy_to_dm(dm, 4096, "own", 4) && !ibv_memcpy_from_dm(back, imported, 4096, 4));
	CHECK(!strcmp(back, "own"));
	CHECK(!ibv_memcpy_to_dm(imported, 8, "guests.", 8) && !ibv_memcpy_from_dm(back, dm, 8, 8));
	CHECK(!strcmp(back, "guests."));
	ibv_unimport_dm(imported);
	free_or_fail(dm, guest);
}

Test(dm, what_was_freed_cannot_be_imported)
{
	struct ibv_dm *dm = alloc(64);
	struct ibv_context *guest = import_device();
	uint32_t handle;

	CHECK(dm);
	handle = dm->handle;
	CHECK(!ibv_import_dm(guest, handle + 1) && errno == ENOENT);
	free_or_fail(dm, guest);
	CHECK(!ibv_import_dm(bed.ctx, handle) && errno == ENOENT);
}
