/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Commands of DEVX: what the device answers, in words. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <verbsx/mlx5_cmd.h>
#include <verbsx/wc_error.h>

#include "unit/device.h"

TestSuite(mlx5_commands, .init = open_device, .fini = close_device);

enum { NOP = 0x80d, QUERY_CQ = 0x402, CREATE_FLOW_TABLE = 0x930, NONE = 0xfff, WORDS = 8 };

static uint32_t in[WORDS], out[WORDS];

static int send(uint32_t opcode)
{
	in[0] = htobe32(opcode << 16);
	return vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out));
}

static int answered(uint32_t status)
{
	in[0] = htobe32(NOP << 16);
	out[0] = htobe32(status << 24);
	out[1] = htobe32(0x1234);
	return vx_mlx5_cmd_check(in, sizeof(in), out, sizeof(out));
}

Test(mlx5_commands, what_a_device_refuses_is_told_with_command_status_and_syndrome)
{
	cr_expect_lt(send(QUERY_CQ), 0);
	cr_expect_str_eq(vx_error()->call, "mlx5dv_devx_general_cmd");
	expect_reason("refused QUERY_CQ (0x402) with BAD_OP (2), it does not know the command");
	expect_reason("; syndrome 0x1bad0");
}

Test(mlx5_commands, a_command_without_a_name_is_told_by_its_number)
{
	cr_expect_lt(send(NONE), 0);
	expect_reason("a command that is not known (0xfff) with BAD_OP");
}

Test(mlx5_commands, what_was_in_the_mailbox_before_is_no_answer)
{
	memset(out, 9, sizeof(out));
	cr_expect_lt(vx_mlx5_ctx_devx_general_cmd(ctx, in, 4, out, sizeof(out)), 0);
	cr_expect_null(strstr(vx_error()->reason, "BAD_RES_STATE"), "%s", vx_error()->reason);
	cr_expect_eq(out[0], 0);
	cr_expect_neq(out[2], 0);
}

Test(mlx5_commands, one_mailbox_may_be_both)
{
	in[0] = htobe32(NOP << 16);
	made(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), in, sizeof(in)));
}

Test(mlx5_commands, a_kernel_that_asked_nobody_is_told_so)
{
	in[0] = htobe32(NOP << 16);
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, in, 4, out, sizeof(out)), -EINVAL);
	expect_reason("the kernel refused NOP (0x80d) without asking the device");
}

Test(mlx5_commands, an_object_that_is_refused_is_told_alike)
{
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	struct vx_mlx5_devx_obj *obj = NULL;

	memset(out, 9, sizeof(out));
	in[0] = htobe32(CREATE_FLOW_TABLE << 16);
	cr_expect_lt(vx_mlx5_devx_obj_create(ctx, &init, &obj), 0);
	expect_reason("refused CREATE_FLOW_TABLE (0x930) with BAD_OP (2)");
	cr_expect_null(obj);
}

Test(mlx5_commands, answers_that_nobody_looked_at_can_be_asked_about)
{
	cr_expect_eq(answered(0), 0);
	cr_expect_eq(answered(9), -EREMOTEIO);
	cr_expect_str_eq(vx_error_text(), "vx_mlx5_cmd_check: Remote I/O error: the device refused NOP (0x80d) with BAD_RES_STATE (9), "
					  "the object is not in a state for it; syndrome 0x1234");
	cr_expect_eq(answered(0x7f), -EREMOTEIO);
	expect_reason("with status 127; syndrome 0x1234");
}

Test(mlx5_commands, mailboxes_of_no_bytes_say_nothing)
{
	cr_expect_eq(vx_mlx5_cmd_check(in, 0, out, 0), 0);
	cr_expect_eq(vx_mlx5_cmd_check(NULL, 0, out, 0), -EINVAL);
	cr_expect_eq(vx_mlx5_cmd_check(in, 0, NULL, 0), -EINVAL);
}

/* ---- vendor_err ---- */

static const char *failed(enum ibv_wc_status status, uint32_t vendor_err)
{
	static char text[1536];
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct ibv_wc wc = { .status = status, .vendor_err = vendor_err };

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	wc.qp_num = vx_qp_raw(qp)->qp_num;
	vx_wc_error(text, sizeof(text), &wc, qp, VX_WC_UNKNOWN);
	return text;
}

Test(mlx5_commands, a_vendor_err_that_is_known_of_another_status_is_told)
{
	const char *text = failed(IBV_WC_GENERAL_ERR, 0x81);

	cr_expect_not_null(strstr(text, "vendor_err = 0x81, which such devices give with IBV_WC_RETRY_EXC_ERR: "), "%s", text);
}

Test(mlx5_commands, one_of_the_status_itself_says_no_more)
{
	cr_expect_not_null(strstr(failed(IBV_WC_RETRY_EXC_ERR, 0x81), "vendor_err = 0x81: "));
	cr_expect_not_null(strstr(failed(IBV_WC_GENERAL_ERR, 0x7a), "vendor_err = 0x7a: "));
}
