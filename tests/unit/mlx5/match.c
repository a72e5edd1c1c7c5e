/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What rules match, as it is printed and traced: as many bytes as it says. */

#include <endian.h>
#include <stdio.h>

#include <verbsx/mlx5.h>

#include "unit/mlx5/ended.h"
#include "unit/trace/last_line.h"

TestSuite(mlx5_match, .init = open_device, .fini = close_device);

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[8];
} match = { .parameters = { .match_sz = 64 } };

static void expect_text(const struct mlx5dv_flow_matcher_attr *attr, int style, const char *part)
{
	char text[4096];

	vx_snprint(text, sizeof(text), VX_STRUCT(mlx5dv_flow_matcher_attr), attr, style);
	cr_expect_not_null(strstr(text, part), "no %s in %s", part, text);
}

Test(mlx5_match, as_many_bits_are_printed_as_there_are)
{
	const struct mlx5dv_flow_matcher_attr attr = { .match_mask = &match.parameters };

	match.bits[0] = htobe64(0x020000000001ull << 16);
	match.bits[7] = htobe64(0xff);
	match.parameters.match_sz = 64;
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_mask={match_sz=64 match_buf=[0x200000000010000,0x0,0x0,0x0,0x0,0x0,0x0,0xff]}");
	match.parameters.match_sz = 8;
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_mask={match_sz=8 match_buf=[0x200000000010000]}");
	match.parameters.match_sz = 12; /* what is behind the last whole element may be nobody's */
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_mask={match_sz=12 match_buf=[0x200000000010000]}");
	match.parameters.match_sz = 0;
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_mask={match_sz=0}");
}

Test(mlx5_match, of_a_size_that_nobody_takes_nothing_is_read)
{
	const struct mlx5dv_flow_matcher_attr attr = { .match_mask = &match.parameters };

	match.parameters.match_sz = 65536;
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_mask={match_sz=65536 match_buf=[...]}");
	match.parameters.match_sz = SIZE_MAX;
	expect_text(&attr, VX_COMPACT | VX_FOLLOW, "match_buf=[...]}");
}

Test(mlx5_match, bits_alone_are_printed_where_pointers_are_followed)
{
	char text[512];

	match.bits[0] = htobe64(7);
	match.parameters.match_sz = 8;
	vx_snprint(text, sizeof(text), VX_STRUCT(mlx5dv_flow_match_parameters), &match.parameters, VX_COMPACT | VX_FOLLOW);
	cr_expect_str_eq(text, "{match_sz=8 match_buf=[0x7]}");
	vx_snprint(text, sizeof(text), VX_STRUCT(mlx5dv_flow_match_parameters), &match.parameters, VX_COMPACT);
	cr_expect_str_eq(text, "{match_sz=8}");
}

static struct mlx5dv_flow_matcher *no_matcher(struct ibv_context *context, struct mlx5dv_flow_matcher_attr *attr)
{
	(void)context, (void)attr;
	errno = EINVAL;
	return NULL;
}

static struct last_line line = { .call = "mlx5dv_create_flow_matcher" };

Test(mlx5_match, a_trace_shows_the_mask_of_a_matcher)
{
	const struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = 1, .match_mask = &match.parameters };
	struct vx_mlx5_flow_matcher *matcher;

	match.bits[0] = 0;
	match.bits[1] = htobe64(0xffff);
	match.parameters.match_sz = 16;
	replace("mlx5dv_create_flow_matcher", no_matcher);
	made(vx_trace_callback(keep_line, &line));
	cr_expect_eq(vx_mlx5_flow_matcher_create(ctx, &init, &matcher), -EINVAL);
	made(vx_trace_callback(NULL, NULL));
	expect_line_part(&line, "match_mask={match_sz=16 match_buf=[0x0,0xffff]}");
}

static void expect_no_matcher(size_t match_sz, const char *why)
{
	const struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = 1, .match_mask = &match.parameters };
	struct vx_mlx5_flow_matcher *matcher;

	match.parameters.match_sz = match_sz;
	cr_expect_eq(vx_mlx5_flow_matcher_create(ctx, &init, &matcher), -EINVAL);
	expect_reason(why);
}

Test(mlx5_match, a_matcher_tells_which_sizes_there_are)
{
	replace("mlx5dv_create_flow_matcher", no_matcher);
	expect_no_matcher(0, "match_mask.match_sz = 0, and the kernel takes 1 to 512 bytes");
	expect_no_matcher(520, "match_mask.match_sz = 520, and the kernel takes 1 to 512 bytes");
	expect_no_matcher(3, "Invalid argument");
	cr_expect_null(strstr(vx_error_text(), "match_sz"));
}

/* Its bits would be those of whatever lies behind. */
Test(mlx5_match, of_a_size_that_nobody_takes_no_bit_is_a_reason)
{
	match.bits[2] = htobe64(4ull << 41); /* ip_version */
	match.bits[4] = UINT64_MAX; /* an address */
	replace("mlx5dv_create_flow_matcher", no_matcher);
	expect_no_matcher(64, "ip_version");
	expect_no_matcher(SIZE_MAX, "Invalid argument");
	cr_expect_null(strstr(vx_error_text(), "ip_version"));
}
