/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Memory regions of the caller's memory, and what is refused. */

#include <errno.h>

#include "unit/device.h"
#include "reach/loader.h"

static char memory[8192] __attribute__((aligned(4096)));

TestSuite(mr, .init = open_device, .fini = close_device);

static struct vx_mr *make(struct vx_mr_init init)
{
	struct vx_mr *mr = NULL;

	made(vx_mr_create(pd, &init, &mr));
	return mr;
}

static void refuse(struct vx_mr_init init, const char *words)
{
	struct vx_mr *mr;

	cr_expect_eq(vx_mr_create(pd, &init, &mr), -EINVAL, "%s", words);
	expect_reason(words);
}

Test(mr, has_address_length_and_keys)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .addr = memory, .length = 100 });
	char name[64];

	cr_expect_eq(vx_mr_addr(mr), memory);
	cr_expect_eq(vx_mr_length(mr), 100);
	cr_expect_eq(vx_mr_lkey(mr), vx_mr_raw(mr)->lkey);
	cr_expect_eq(vx_mr_rkey(mr), vx_mr_raw(mr)->rkey);
	cr_expect_neq(vx_mr_rkey(mr), 0);
	vx_object_name(name, sizeof(name), mr);
	cr_expect_not_null(strstr(name, "mlx5_0 mr "));
	cr_expect_eq(live("mr"), 1);
}

Test(mr, with_every_access_and_an_iova)
{
	make((struct vx_mr_init){ .addr = memory, .length = sizeof(memory), .iova = 0x100000,
				  .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
					    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND |
					    IBV_ACCESS_RELAXED_ORDERING });
	make((struct vx_mr_init){ .addr = memory, .length = 1, .flags = VX_MR_READ_ONLY });
	make((struct vx_mr_init){ .addr = memory, .length = 1, .access = IBV_ACCESS_ZERO_BASED });
	cr_expect_eq(live("mr"), 3);
}

static void expect_sge(const struct vx_mr *mr, uint64_t offset, uint32_t length, uint64_t addr)
{
	struct ibv_sge sge = { 0 };

	made(vx_mr_sge(mr, offset, length, &sge));
	cr_expect_eq(sge.addr, addr);
	cr_expect_eq(sge.length, length);
	cr_expect_eq(sge.lkey, vx_mr_lkey(mr));
}

Test(mr, has_parts_by_the_addresses_of_requests)
{
	struct ibv_mr *raw = ibv_reg_mr(vx_pd_raw(pd), memory, 10, 0);
	struct vx_mr *mr;
	enum vx_mr_state state;

	expect_sge(make((struct vx_mr_init){ .addr = memory, .length = 100 }), 60, 40, (uintptr_t)memory + 60);
	expect_sge(make((struct vx_mr_init){ .addr = memory, .length = 100, .iova = 0x100000 }), 1, 2, 0x100001);
	expect_sge(make((struct vx_mr_init){ .addr = memory, .length = 100, .access = IBV_ACCESS_ZERO_BASED }), 100, 0, 100);
	made(vx_mr_adopt(pd, raw, &mr));
	expect_sge(mr, 9, 1, (uintptr_t)memory + 9);
	mr = make((struct vx_mr_init){ .addr = memory, .length = 100, .iova = 0x100000 });
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .addr = memory + 4096, .length = 50 }, &state));
	expect_sge(mr, 0, 50, (uintptr_t)memory + 4096);
}

Test(mr, has_no_parts_past_its_end)
{
	struct vx_mr *mr = make((struct vx_mr_init){ .addr = memory, .length = 100 });
	struct ibv_sge sge = { .lkey = 7 };

	cr_expect_eq(vx_mr_sge(mr, 60, 41, &sge), -EINVAL);
	expect_reason("41 bytes from byte 60 on, and it has 100");
	cr_expect_eq(vx_mr_sge(mr, 101, 0, &sge), -EINVAL);
	cr_expect_eq(vx_mr_sge(mr, UINT64_MAX, 2, &sge), -EINVAL);
	cr_expect_eq(sge.lkey, 7);
	cr_expect_eq(vx_mr_sge(mr, 0, 1, NULL), -EINVAL);
	expect_reason("out is NULL");
	cr_expect_eq(vx_mr_sge(NULL, 0, 1, &sge), -EINVAL);
	expect_reason("NULL");
}

Test(mr, adopted_is_deregistered_with_its_pd)
{
	struct ibv_mr *raw = ibv_reg_mr(vx_pd_raw(pd), memory, 10, 0);
	struct vx_mr *mr;

	made(vx_mr_adopt(pd, raw, &mr));
	cr_expect_eq(vx_mr_raw(mr), raw);
	cr_expect_eq(vx_close(pd), 0);
	cr_expect_eq(live("mr"), 0);
}

Test(mr, of_nothing_is_refused)
{
	struct vx_mr *mr;

	cr_expect_eq(vx_mr_create(pd, NULL, &mr), -EINVAL);
	expect_reason("length is 0");
	refuse((struct vx_mr_init){ .addr = memory }, "length is 0");
	refuse((struct vx_mr_init){ .addr = memory + 8 }, "ibv_reg_mr"); /* kernels may make one of its page */
	refuse((struct vx_mr_init){ .fd = 3 }, "length is 0");
	refuse((struct vx_mr_init){ .fd = -1, .length = 10 }, "fd is below 0, which is no descriptor; 0 is none");
	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .flags = 1u << 20 }, "flags has 0x100000");
	refuse((struct vx_mr_init){ .length = 10, .flags = IBV_ACCESS_REMOTE_READ },
	       "flags has 0x4, which is none of enum vx_mr_flags; those of enum ibv_access_flags go into access");
	refuse((struct vx_mr_init){ .length = 10, .access = VX_MR_HUGE },
	       "access has 0x20000 of enum vx_mr_flags, which goes into flags");
	refuse((struct vx_mr_init){ .length = 10, .offset = 1 }, "offset is given, but no fd, dm or buf");
	cr_expect_eq(vx_mr_create(NULL, &(struct vx_mr_init){ .length = 10 }, &mr), -EINVAL);
	expect_reason("the parent is NULL");
}

Test(mr, of_fields_that_exclude_each_other_is_refused)
{
	struct vx_dm *dm = (struct vx_dm *)pd;
	struct vx_dmah *dmah = (struct vx_dmah *)pd;
	struct vx_buf *buf = (struct vx_buf *)pd;

	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .fd = 3 }, "fd and addr exclude each other");
	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .dm = dm }, "dm and addr exclude");
	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .buf = buf }, "buf and addr exclude");
	refuse((struct vx_mr_init){ .fd = 3, .length = 1, .dm = dm }, "dm and fd exclude");
	refuse((struct vx_mr_init){ .length = 1, .dm = dm, .dmah = dmah }, "dm and dmah exclude");
	refuse((struct vx_mr_init){ .length = 1, .dm = dm, .iova = 1 }, "dm and iova exclude");
	refuse((struct vx_mr_init){ .length = 1, .fd = 3, .buf = buf }, "fd and buf exclude");
	refuse((struct vx_mr_init){ .flags = VX_MR_NULL, .access = IBV_ACCESS_REMOTE_READ }, "VX_MR_NULL and access");
	refuse((struct vx_mr_init){ .flags = VX_MR_NULL | VX_MR_IMPLICIT }, "VX_MR_NULL and VX_MR_IMPLICIT");
	refuse((struct vx_mr_init){ .flags = VX_MR_IMPLICIT, .length = 10 }, "VX_MR_IMPLICIT and length");
	refuse((struct vx_mr_init){ .length = SIZE_MAX, .access = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE }, "is VX_MR_IMPLICIT of flags");
	refuse((struct vx_mr_init){ .flags = VX_MR_HUGE, .addr = memory, .length = 1 }, "addr and VX_MR_HUGE");
	refuse((struct vx_mr_init){ .flags = VX_MR_HUGE | VX_MR_HUGE_IF_THERE, .length = 1 }, "VX_MR_HUGE and");
	refuse((struct vx_mr_init){ .flags = VX_MR_HUGE_IF_THERE, .length = 1, .access = IBV_ACCESS_HUGETLB },
	       "VX_MR_HUGE_IF_THERE and IBV_ACCESS_HUGETLB");
	refuse((struct vx_mr_init){ .flags = VX_MR_READ_ONLY, .length = 1, .access = IBV_ACCESS_LOCAL_WRITE },
	       "VX_MR_READ_ONLY and IBV_ACCESS_LOCAL_WRITE");
	refuse((struct vx_mr_init){ .length = 1, .dm = dm, .flags = VX_MR_IOVA }, "dm and VX_MR_IOVA exclude");
	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .flags = VX_MR_IOVA, .access = IBV_ACCESS_ZERO_BASED },
	       "VX_MR_IOVA and IBV_ACCESS_ZERO_BASED");
	refuse((struct vx_mr_init){ .addr = memory, .length = 1, .iova = 4096, .access = IBV_ACCESS_ZERO_BASED },
	       "iova and IBV_ACCESS_ZERO_BASED");
	refuse((struct vx_mr_init){ .fd = 3, .length = 1, .access = IBV_ACCESS_ON_DEMAND }, "fd and IBV_ACCESS_ON_DEMAND");
	refuse((struct vx_mr_init){ .addr = memory, .offset = 1, .length = 1 }, "addr and offset");
	cr_expect_eq(live("mr"), 0);
}

Test(mr, that_the_kernel_refuses_leaves_nothing)
{
	struct vx_mr *mr;

	cr_expect_lt(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = 1, .access = IBV_ACCESS_REMOTE_WRITE },
				  &mr), 0);
	expect_reason("ibv_reg_mr_iova2 on mlx5_0");
	cr_expect_lt(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .iova = 1, .length = 1,
							    .access = IBV_ACCESS_ON_DEMAND }, &mr), 0);
	cr_expect_eq(live("mr"), 0);
}

#if VERBSX_LOADER

static struct ibv_mr *no_null(struct ibv_pd *raw_pd)
{
	(void)raw_pd;
	errno = EOPNOTSUPP;
	return NULL;
}

Test(mr, that_is_null_and_refused_lacks_no_length)
{
	vx_loader_replace("ibv_alloc_null_mr", (vx_function)no_null);
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .flags = VX_MR_NULL }, &(struct vx_mr *){ NULL }), -EOPNOTSUPP);
	expect_reason("does not support this call");
	cr_expect_null(strstr(vx_error_text(), "length is 0"), "%s", vx_error_text());
}

#endif
