/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a failed completion says. */

#include <string.h>

#include <criterion/criterion.h>
#include <verbsx/verbsx.h>

static char text[1536];

static const char *said(struct ibv_wc wc)
{
	size_t length = vx_wc_error(text, sizeof(text), &wc, NULL, VX_WC_UNKNOWN);

	cr_expect_eq(length, strlen(text));
	return text;
}

static void expect_start(struct ibv_wc wc, const char *start)
{
	cr_expect_eq(strncmp(said(wc), start, strlen(start)), 0, "\"%s\" does not begin: %s", start, text);
}

Test(wc_error, names_status_qp_request_and_vendor_code)
{
	expect_start((struct ibv_wc){ .status = IBV_WC_RNR_RETRY_EXC_ERR, .qp_num = 17, .wr_id = 5, .vendor_err = 0x81 },
		     "IBV_WC_RNR_RETRY_EXC_ERR (13) on qp 17, wr_id = 0x5, vendor_err = 0x81: The peer had no receive");
}

Test(wc_error, has_no_vendor_code_where_there_is_none)
{
	expect_start((struct ibv_wc){ .status = IBV_WC_WR_FLUSH_ERR, .qp_num = 17 },
		     "IBV_WC_WR_FLUSH_ERR (5) on qp 17, wr_id = 0x0: ");
}

Test(wc_error, tells_the_usual_causes)
{
	cr_expect_not_null(strstr(said((struct ibv_wc){ .status = IBV_WC_RETRY_EXC_ERR }), " Usual causes: "));
}

/* In C++ a value beyond that of all bits of the enumerators would be undefined. */
Test(wc_error, an_opcode_that_nobody_knows_is_one_that_an_enum_can_have)
{
	cr_expect_lt((unsigned int)VX_WC_UNKNOWN, 2 * (unsigned int)IBV_WC_RECV);
	cr_expect_null(vx_ibv_wc_opcode_name(VX_WC_UNKNOWN));
}

Test(wc_error, names_the_opcode_that_the_caller_knows)
{
	const struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR, .opcode = IBV_WC_RECV, .qp_num = 17 };

	vx_wc_error(text, sizeof(text), &wc, NULL, IBV_WC_RDMA_READ);
	cr_expect_eq(strncmp(text, "IBV_WC_GENERAL_ERR (21) of IBV_WC_RDMA_READ on qp 17, ", 54), 0, "%s", text);
	vx_wc_error(text, sizeof(text), &wc, NULL, (enum ibv_wc_opcode)99);
	cr_expect_eq(strncmp(text, "IBV_WC_GENERAL_ERR (21) of ibv_wc_opcode(99) on qp 17, ", 55), 0, "%s", text);
}

Test(wc_error, says_what_each_status_means_and_where_it_comes_from)
{
	const struct vx_enum_info *e = vx_enum_find("ibv_wc_status");
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(e, i, &at); i++) {
		const char *start = strstr(said((struct ibv_wc){ .status = (enum ibv_wc_status)at.value }), "wr_id = 0x0: ");

		cr_assert_not_null(start, "%s", text);
		cr_expect_eq(!strstr(start, " Usual causes: "), at.value == IBV_WC_SUCCESS, "%s", text);
	}
	cr_expect_gt(i, (size_t)IBV_WC_TM_RNDV_INCOMPLETE);
}

Test(wc_error, of_a_status_that_nobody_knows_is_its_number)
{
	cr_expect_str_eq(said((struct ibv_wc){ .status = (enum ibv_wc_status)99, .qp_num = 1 }),
			 "ibv_wc_status(99) on qp 1, wr_id = 0x0");
}

Test(wc_error, reads_nothing_that_is_not_valid_in_a_failed_completion)
{
	struct ibv_wc zeros = { .status = IBV_WC_REM_ACCESS_ERR, .qp_num = 3, .wr_id = 1 }, ones;
	char first[sizeof(text)];

	strcpy(first, said(zeros));
	memset(&ones, 0xff, sizeof(ones));
	ones.status = zeros.status;
	ones.qp_num = zeros.qp_num;
	ones.wr_id = zeros.wr_id;
	ones.vendor_err = zeros.vendor_err;
	cr_expect_str_eq(said(ones), first);
}

Test(wc_error, fits_in_the_room_that_its_header_promises)
{
	int status;

	for (status = IBV_WC_SUCCESS; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++)
		cr_expect_lt(vx_wc_error(NULL, 0, &(struct ibv_wc){ .status = (enum ibv_wc_status)status }, NULL, IBV_WC_RECV_RDMA_WITH_IMM),
			     sizeof(text) - 256, "status %d", status);
}

Test(wc_error, is_cut_to_a_small_buffer)
{
	char small[8];
	size_t length = vx_wc_error(small, sizeof(small), &(struct ibv_wc){ .status = IBV_WC_GENERAL_ERR }, NULL, VX_WC_UNKNOWN);

	cr_expect_str_eq(small, "IBV_WC_");
	cr_expect_gt(length, sizeof(small));
}

/* Providers write it into completions that failed only. */
Test(wc_error, a_success_has_no_vendor_err)
{
	vx_wc_error(text, sizeof(text), &(struct ibv_wc){ .status = IBV_WC_SUCCESS, .vendor_err = 0x5a }, NULL, VX_WC_UNKNOWN);
	cr_expect_null(strstr(text, "vendor_err"), "%s", text);
}
