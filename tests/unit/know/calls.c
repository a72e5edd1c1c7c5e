/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/call.h>

#include "know/tables.h"

static struct vx_call_info find(const char *name)
{
	struct vx_call_info info;

	cr_assert(vx_call_find(name, &info), "%s", name);
	cr_expect_str_eq(info.name, name);
	return info;
}

Test(calls, of_a_library_have_their_symbol_version_and_release)
{
	struct vx_call_info info = find("ibv_query_port_speed");

	cr_expect_eq(info.kind, VX_CALL_EXTERN);
	cr_expect_eq(info.error, VX_CALL_ERROR_ERRNO);
	cr_expect_eq(info.since, 62u);
	cr_expect_str_eq(info.library, "libibverbs.so.1");
	cr_expect_str_eq(info.version, "IBVERBS_1.16");
}

Test(calls, have_the_newest_version_of_their_symbol)
{
	cr_expect_str_eq(find("ibv_create_qp").version, "IBVERBS_1.1");
	cr_expect_str_eq(find("mlx5dv_init_obj").version, "MLX5_1.2");
	cr_expect_str_eq(find("rdma_connect").library, "librdmacm.so.1");
}

Test(calls, that_are_inline_have_no_library)
{
	struct vx_call_info info = find("ibv_poll_cq");

	cr_expect_eq(info.kind, VX_CALL_INLINE);
	cr_expect_eq(info.error, VX_CALL_ERROR_COUNT);
	cr_expect_str_eq(info.library, "");
	cr_expect_str_eq(info.version, "");
}

Test(calls, that_only_rdma_core_may_use_are_private)
{
	struct vx_call_info info = find("ibv_wr_opcode_str");

	cr_expect_eq(info.kind, VX_CALL_PRIVATE);
	cr_expect_str_eq(info.library, "");
}

Test(calls, that_became_a_macro_keep_their_symbol)
{
	struct vx_call_info info = find("mlx5dv_create_flow");

	cr_expect_eq(info.kind, VX_CALL_MACRO);
	cr_expect_str_eq(info.library, "libmlx5.so.1");
	cr_expect_neq(strlen(info.version), 0u);
}

Test(calls, fail_as_their_type_says_unless_it_is_known_better)
{
	cr_expect_eq(find("ibv_alloc_pd").error, VX_CALL_ERROR_NULL);
	cr_expect_eq(find("ibv_modify_qp").error, VX_CALL_ERROR_ERRNO);
	cr_expect_eq(find("rdma_connect").error, VX_CALL_ERROR_MINUS_ONE);
	cr_expect_eq(find("ibv_query_gid").error, VX_CALL_ERROR_MINUS_ONE);
	cr_expect_eq(find("ibv_query_gid_table").error, VX_CALL_ERROR_NEGATIVE);
	cr_expect_eq(find("ibv_wc_status_str").error, VX_CALL_ERROR_TEXT);
	cr_expect_eq(find("ibv_free_device_list").error, VX_CALL_ERROR_NONE);
	cr_expect_eq(find("ibv_rate_to_mult").error, VX_CALL_ERROR_COUNT, "there is no code in errno");
	cr_expect_eq(find("ibv_get_device_index").error, VX_CALL_ERROR_COUNT);
	cr_expect_eq(find("ibv_rereg_mr").error, VX_CALL_ERROR_OWN);
	cr_expect_eq(find("rdma_getaddrinfo").error, VX_CALL_ERROR_OWN);
}

Test(calls, have_a_note_where_there_is_more_to_their_result)
{
	cr_expect_not_null(strstr(find("ibv_rereg_mr").note, "ibv_rereg_mr_err_code"));
	cr_expect_str_eq(find("ibv_query_pkey").note, "reads sysfs; errno may be stale");
	cr_expect_str_eq(find("ibv_alloc_pd").note, "");
}

Test(calls, are_all_found_by_their_names)
{
	struct vx_call_info info;
	size_t i;

	for (i = 0; vx_call_at(i, &info); i++)
		cr_expect_eq(vx_call_index(info.name), i, "%s", info.name);
	cr_expect_gt(i, 400u);
}

Test(calls, that_do_not_exist_are_not_found)
{
	struct vx_call_info info;

	cr_expect_not(vx_call_find("", &info));
	cr_expect_not(vx_call_find("ibv_alloc_p", &info));
	cr_expect_not(vx_call_find("ibv_alloc_pdx", &info));
	cr_expect_not(vx_call_find("zzz", &info));
	cr_expect_not(vx_call_at(vx_call_count, &info));
}
