/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Fields by their path. */

#include <criterion/criterion.h>
#include <verbsx/verbsx.h>

#include "text/printer.h"

static struct ibv_qp_attr attr;

static bool find(const char *path, uint64_t mask, struct vx_place *out)
{
	struct vx_view view = vx_view_of(VX_STRUCT(ibv_qp_attr), &attr);

	return vx_place_find(&view, path, mask, out);
}

static void expect_text(const char *path, const char *text)
{
	struct vx_place place;
	struct vx_out out;
	char buf[64];

	cr_assert(find(path, VX_MASK_ALL, &place));
	out = vx_out_in(buf, sizeof(buf));
	vx_put_place(&out, &place);
	vx_out_finish(&out);
	cr_expect_str_eq(buf, text);
}

Test(place, is_found_in_a_structure_within_a_structure)
{
	struct vx_place place;

	attr.ah_attr.is_global = 1;
	attr.ah_attr.grh.sgid_index = 3;
	cr_assert(find("ah_attr.grh.sgid_index", VX_MASK_ALL, &place));
	cr_expect_eq(vx_place_value(&place), 3u);
}

Test(place, that_the_mask_does_not_select_is_not_found)
{
	struct vx_place place;

	cr_expect(find("timeout", IBV_QP_TIMEOUT, &place));
	cr_expect_not(find("timeout", IBV_QP_RETRY_CNT, &place));
	cr_expect_not(find("ah_attr.port_num", IBV_QP_PORT, &place));
}

Test(place, behind_a_selector_that_says_no_is_not_found)
{
	struct vx_place place;

	attr.ah_attr.is_global = 0;
	cr_expect_not(find("ah_attr.grh.sgid_index", VX_MASK_ALL, &place));
}

Test(place, that_does_not_exist_is_not_found)
{
	struct vx_place place;

	cr_expect_not(find("timeuot", VX_MASK_ALL, &place));
	cr_expect_not(find("timeout.x", VX_MASK_ALL, &place));
	cr_expect_not(find("ah_attr.x", VX_MASK_ALL, &place));
	cr_expect_not(find("", VX_MASK_ALL, &place));
}

Test(place, past_the_end_of_a_smaller_structure_is_not_found)
{
	struct vx_view view = vx_view_of(vx_type_of(vx_struct_find("ibv_qp_attr"), 8), &attr);
	struct vx_place place;

	cr_expect(vx_place_find(&view, "cur_qp_state", VX_MASK_ALL, &place));
	cr_expect_not(vx_place_find(&view, "timeout", VX_MASK_ALL, &place));
}

Test(place, reads_as_it_prints)
{
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = 17;
	expect_text("path_mtu", "1024 bytes (3)");
	expect_text("dest_qp_num", "17");
}
