/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory of the device that another context made. */

#include "device.h"

#define LENGTH 256
#define BYTE 0xab

static void expect_bytes(struct vx_dm *dm)
{
	unsigned char bytes[LENGTH] = "";
	size_t i;

	made(vx_dm_memcpy_from(dm, bytes, 0, LENGTH));
	for (i = 0; i < LENGTH; i++)
		cr_expect_eq(bytes[i], BYTE, "byte %zu is 0x%x", i, bytes[i]);
}

Twin(test_device, SharedDMTest, test_import_dm)
{
	unsigned char bytes[LENGTH];
	struct vx_ctx *guest;
	struct vx_dm *original, *imported;
	struct ibv_device_attr_ex ex;

	made(vx_ctx_query_device_ex(ctx, &ex));
	if (!ex.max_dm_size)
		cr_skip_test("the device lacks memory of its own");
	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = LENGTH }, &original));
	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &guest));
	made(vx_dm_import(guest, vx_dm_raw(original)->handle, &imported));

	memset(bytes, BYTE, LENGTH);
	made(vx_dm_memcpy_to(original, 0, bytes, LENGTH));
	expect_bytes(imported);
	closed(imported);
	expect_bytes(original);
	closed(guest);
}
