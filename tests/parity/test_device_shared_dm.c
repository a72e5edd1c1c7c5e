/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/*
 * Memory of the device that another context made. No device here imports it, so the call of rdma-core is recorded; what
 * it gives back reads the memory that was asked for.
 */

#include "record.h"

#define LENGTH 256
#define BYTE 0xab

static struct vx_dm *original;
static struct ibv_dm raw;
static struct ibv_context *into;
static uint32_t handle;
static int forgotten;

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	cr_expect_eq(dm, &raw);
	return ibv_memcpy_from_dm(to, vx_dm_raw(original), offset, length);
}

static struct ibv_dm *import(struct ibv_context *context, uint32_t dm_handle)
{
	into = context;
	handle = dm_handle;
	raw = (struct ibv_dm){ .context = context, .memcpy_from_dm = copy_from, .handle = dm_handle };
	return &raw;
}

static void unimport(struct ibv_dm *dm)
{
	cr_expect_eq(dm, &raw);
	forgotten++;
}

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
	struct vx_context *guest;
	struct vx_dm *imported;

	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = LENGTH }, &original));
	replace("ibv_import_dm", import);
	replace("ibv_unimport_dm", unimport);
	made(vx_context_import(vx_context_raw(ctx)->cmd_fd, &guest));
	made(vx_dm_import(guest, vx_dm_raw(original)->handle, &imported));
	cr_expect_eq(into, vx_context_raw(guest));
	cr_expect_eq(handle, vx_dm_raw(original)->handle);

	memset(bytes, BYTE, LENGTH);
	made(vx_dm_memcpy_to(original, 0, bytes, LENGTH));
	expect_bytes(imported);
	closed(imported);
	cr_expect_eq(forgotten, 1, "forgotten %d times, not freed", forgotten);
	expect_bytes(original);
	closed(guest);
}
