/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Values that the rdma-core that runs is too old for, and those that nobody knows. */

#include <errno.h>

#include <criterion/criterion.h>
#include <verbsx/verbsx.h>

#include "reason/reason.h"

#define FLUSH_GLOBAL (1 << 8) /* IBV_ACCESS_FLUSH_GLOBAL, which no older release has */

static char text[VX_LONGEST_REASON];

static const char *said_of(struct vx_type type, const void *attr, uint64_t mask, unsigned int running, int code)
{
	const struct vx_subject subject = { .owner = vx_struct_index(type.desc), .mask = mask, .view = vx_view_of(type, attr) };
	struct vx_failure failure = { .code = code };

	failure.out = vx_out_in(text, sizeof(text));
	vx_reason_of_values(&failure, &subject, running);
	vx_out_finish(&failure.out);
	return text;
}

static const char *said(const struct ibv_qp_attr *attr, uint64_t mask, unsigned int running)
{
	return said_of(VX_STRUCT(ibv_qp_attr), attr, mask, running, 0);
}

static unsigned int release_of_flush(void)
{
	const struct vx_enum_info *e = vx_enum_find("ibv_access_flags");
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(e, i, &at); i++)
		if (at.value == FLUSH_GLOBAL)
			return at.since;
	cr_assert_fail("nothing has this value");
	return 0;
}

Test(reason_value, names_the_flag_its_field_and_both_releases)
{
	const struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_LOCAL_WRITE | FLUSH_GLOBAL };
	char expected[VX_LONGEST_REASON];

	snprintf(expected, sizeof(expected), "IBV_ACCESS_FLUSH_GLOBAL of qp_access_flags needs rdma-core %u, and 33 is running",
		 release_of_flush());
	cr_expect_str_eq(said(&attr, VX_MASK_ALL, 33), expected);
}

Test(reason_value, says_nothing_where_what_runs_is_new_enough_or_not_known)
{
	const struct ibv_qp_attr attr = { .qp_access_flags = FLUSH_GLOBAL };

	cr_expect_str_eq(said(&attr, VX_MASK_ALL, release_of_flush()), "");
	cr_expect_str_eq(said(&attr, VX_MASK_ALL, 0), "");
}

Test(reason_value, looks_only_at_what_the_mask_selects)
{
	const struct ibv_qp_attr attr = { .qp_access_flags = FLUSH_GLOBAL };

	cr_expect_str_eq(said(&attr, IBV_QP_STATE, 33), "");
}

Test(reason_value, that_providers_may_ignore_is_no_reason)
{
	const struct ibv_qp_attr attr = { .qp_access_flags = 1 << 29 | 1 << 12 };

	cr_expect_str_eq(said_of(VX_STRUCT(ibv_qp_attr), &attr, VX_MASK_ALL, 0, -EINVAL), "qp_access_flags has 0x1000, which is none of enum ibv_access_flags");
}

static const char *said_of_new_cq(const struct ibv_cq_init_attr_ex *attr, int code)
{
	return said_of(VX_STRUCT(ibv_cq_init_attr_ex), attr, VX_MASK_ALL, 0, code);
}

Test(reason_value, that_nobody_knows_is_named_as_far_as_it_is_not_known)
{
	struct ibv_cq_init_attr_ex attr = { .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS | 0x100 };

	cr_expect_str_eq(said_of_new_cq(&attr, -EINVAL), "comp_mask has 0x100, which is none of enum ibv_cq_init_attr_mask");
}

Test(reason_value, that_nobody_knows_is_no_reason_for_other_failures)
{
	struct ibv_cq_init_attr_ex attr = { .comp_mask = 0x100 };

	cr_expect_str_eq(said_of_new_cq(&attr, -ENOMEM), "");
}

Test(reason_value, of_an_enum_that_nobody_knows_is_a_number)
{
	const struct ibv_srq_init_attr_ex attr = { .comp_mask = IBV_SRQ_INIT_ATTR_TYPE, .srq_type = (enum ibv_srq_type)77 };

	cr_expect_str_eq(said_of(VX_STRUCT(ibv_srq_init_attr_ex), &attr, VX_MASK_ALL, 0, -EINVAL),
			 "srq_type = 77 is none of enum ibv_srq_type");
}
