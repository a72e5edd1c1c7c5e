/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Commands of DEVX: what the device answers, in words. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>
#include <verbsx/wc_error.h>

#include "unit/device.h"
#include "unit/trace/last_line.h"

TestSuite(mlx5_commands, .init = open_device, .fini = close_device);

enum { NOP = 0x80d, QUERY_CQ = 0x402, CREATE_FLOW_TABLE = 0x930, NONE = 0xfff, WORDS = 8 };

static uint32_t in[WORDS], out[WORDS];

static int send_command(uint32_t opcode)
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
	cr_expect_lt(send_command(QUERY_CQ), 0);
	cr_expect_str_eq(vx_error()->call, "mlx5dv_devx_general_cmd");
	expect_reason("refused QUERY_CQ (0x402) with BAD_OP (2), it does not know the command");
	expect_reason("; syndrome 0x1bad0");
}

Test(mlx5_commands, a_command_without_a_name_is_told_by_its_number)
{
	cr_expect_lt(send_command(NONE), 0);
	expect_reason("a command that is not known (0xfff) with BAD_OP");
}

/* As the trace of the call does: an opcode is the first two bytes. */
Test(mlx5_commands, of_a_mailbox_that_is_cut_what_is_there_is_told)
{
	in[0] = htobe32(NONE << 16);
	cr_expect_lt(vx_mlx5_ctx_devx_general_cmd(ctx, in, 3, out, sizeof(out)), 0);
	expect_reason("the kernel refused a command that is not known (0xfff) without asking the device: ");
	in[0] = htobe32(NOP << 16);
	cr_expect_lt(vx_mlx5_ctx_devx_general_cmd(ctx, in, 2, out, sizeof(out)), 0);
	expect_reason("the kernel refused NOP (0x80d) without asking the device: ");
	cr_expect_lt(vx_mlx5_ctx_devx_general_cmd(ctx, in, 1, out, sizeof(out)), 0);
	expect_reason("the kernel refused a mailbox without an opcode without asking the device: ");
}

Test(mlx5_commands, what_was_in_the_mailbox_before_is_no_answer)
{
	memset(out, 9, sizeof(out));
	cr_expect_lt(vx_mlx5_ctx_devx_general_cmd(ctx, in, 4, out, sizeof(out)), 0);
	cr_expect_null(strstr(vx_error()->reason, "BAD_RES_STATE"), "%s", vx_error()->reason);
	cr_expect_eq(out[0], 0);
	cr_expect_neq(out[2], 0);
}

Test(mlx5_commands, of_one_mailbox_that_is_both_the_command_is_sent_and_nothing_is_taken_for_an_answer)
{
	in[0] = htobe32(NOP << 16);
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, in, 4, in, sizeof(in)), -EINVAL);
	cr_expect_eq(be32toh(in[0]), NOP << 16);
	cr_expect_null(strstr(vx_error()->reason, "LIM"), "%s", vx_error()->reason);
}

Test(mlx5_commands, a_kernel_that_asked_nobody_is_told_so)
{
	in[0] = htobe32(NOP << 16);
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, in, 4, out, sizeof(out)), -EINVAL);
	expect_reason("the kernel refused NOP (0x80d) without asking the device: it is no command of this call");
}

Test(mlx5_commands, a_mailbox_that_no_call_has_room_for_is_told_so)
{
	static uint32_t large[70000 / 4] = { 0 };

	large[0] = htobe32(NOP << 16);
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, large, sizeof(large), out, sizeof(out)), -EINVAL);
	expect_reason("a mailbox has 65535 bytes at most");
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

Test(mlx5_commands, mailboxes_that_are_too_short_for_a_status_are_refused)
{
	cr_expect_eq(vx_mlx5_cmd_check(in, 2, out, sizeof(out)), -EINVAL);
	expect_reason("inlen is 2, and a command begins with 4 bytes");
	cr_expect_eq(vx_mlx5_cmd_check(in, sizeof(in), out, 2), -EINVAL);
	expect_reason("outlen is 2, and an answer begins with 8 bytes");
	cr_expect_eq(vx_mlx5_cmd_check(NULL, 0, out, 0), -EINVAL);
	cr_expect_eq(vx_mlx5_cmd_check(in, 0, NULL, 0), -EINVAL);
}

/* ---- room for an answer ---- */

/* Kernels and the emulated device cut some, and refuse others with nothing that tells which mailbox it is about. */
Test(mlx5_commands, a_mailbox_that_is_shorter_than_the_answer_is_refused_before_the_call)
{
	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_HCA_CAP));
	memset(out, 9, sizeof(out));
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), -EINVAL);
	cr_expect_str_eq(vx_error_text(), "vx_mlx5_ctx_devx_general_cmd: Invalid argument: outlen is 32, and the answer to QUERY_HCA_CAP (0x100) has 4112 bytes");
	cr_expect_eq(out[0], 0);
}

Test(mlx5_commands, one_that_makes_an_object_is_refused_alike_and_makes_none)
{
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = 15 };
	struct vx_mlx5_devx_obj *obj = NULL;

	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	cr_expect_eq(vx_mlx5_devx_obj_create(ctx, &init, &obj), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "vx_mlx5_devx_obj_create");
	expect_reason("outlen is 15, and the answer to ALLOC_PD (0x800) has 16 bytes");
	cr_expect_null(obj);
	init.outlen = 16;
	made(vx_mlx5_devx_obj_create(ctx, &init, &obj));
	made(vx_close(obj));
}

Test(mlx5_commands, of_an_answer_that_is_not_known_no_length_is_asked_for)
{
	made(vx_mlx5_cmd_begin(in, sizeof(in), NOP));
	made(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, 16));
}

/* ---- mailboxes ---- */

static uint32_t mailbox[68];

static void begin_create_cq(void)
{
	made(vx_mlx5_cmd_begin(mailbox, sizeof(mailbox), VX_MLX5_CMD_CREATE_CQ));
}

static uint64_t got(const void *box, size_t len, uint32_t field)
{
	uint64_t value = UINT64_MAX;

	made(vx_mlx5_cmd_get(box, len, field, &value));
	return value;
}

Test(mlx5_commands, fields_are_written_and_read_by_their_names)
{
	begin_create_cq();
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, 7));
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_UAR_PAGE, 0xabcdef));
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_DBR_ADDR, 0x123456789abcdef0));
	cr_expect_eq(be32toh(mailbox[0]), 0x4000000);
	cr_expect_eq(be32toh(mailbox[7]), 0x7abcdef);
	cr_expect_eq(be32toh(mailbox[18]), 0x12345678);
	cr_expect_eq(be32toh(mailbox[19]), 0x9abcdef0);
	cr_expect_eq(got(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE), 7);
	cr_expect_eq(got(mailbox + 4, 64, VX_MLX5_CQC_DBR_ADDR), 0x123456789abcdef0);
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, 0));
	cr_expect_eq(be32toh(mailbox[7]), 0xabcdef);
}

Test(mlx5_commands, a_field_of_another_command_is_refused)
{
	begin_create_cq();
	cr_expect_eq(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_QP_PRIMARY_RLID, 7), -EINVAL);
	expect_reason("qpc.primary.rlid is of CREATE_QP (0x500), and the mailbox that of CREATE_CQ (0x400)");
}

Test(mlx5_commands, what_the_device_writes_is_not_written)
{
	begin_create_cq();
	cr_expect_eq(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_OUT_CQN, 7), -EINVAL);
	expect_reason("the field at bit 72 is of an answer, which the device writes");
	cr_expect_eq(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CMD_OUT_STATUS, 7), -EINVAL);
	cr_expect_eq(got(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_OUT_CQN), 0);
}

Test(mlx5_commands, a_value_that_does_not_fit_is_refused_and_changes_nothing)
{
	begin_create_cq();
	cr_expect_eq(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, 32), -EINVAL);
	expect_reason("cqc.log_cq_size = 0x20 has more bits than the field");
	cr_expect_eq(got(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE), 0);
}

Test(mlx5_commands, what_lies_behind_a_mailbox_is_neither_written_nor_read)
{
	uint64_t value = 1;

	begin_create_cq();
	cr_expect_eq(vx_mlx5_cmd_set(mailbox, 16, VX_MLX5_CREATE_CQ_CQ_UMEM_ID, 1), -EINVAL);
	expect_reason("cq_umem_id lies behind the mailbox, which has 16 bytes");
	cr_expect_eq(vx_mlx5_cmd_get(mailbox, 16, VX_MLX5_CREATE_CQ_CQ_UMEM_ID, &value), -EINVAL);
	cr_expect_eq(value, 1);
	cr_expect_eq(vx_mlx5_cmd_begin(mailbox, 64, VX_MLX5_CMD_CREATE_CQ), -EINVAL);
	expect_reason("inlen is 64, and CREATE_CQ (0x400) has 272 bytes");
	cr_expect_eq(vx_mlx5_cmd_set(NULL, 16, VX_MLX5_CMD_IN_UID, 1), -EINVAL);
	cr_expect_eq(vx_mlx5_cmd_get(mailbox, 16, VX_MLX5_CMD_IN_UID, NULL), -EINVAL);
}

Test(mlx5_commands, of_a_command_that_is_not_known_each_header_has_its_bytes_and_an_opcode_16_bits)
{
	cr_expect_eq(vx_mlx5_cmd_begin(mailbox, 15, NONE), -EINVAL);
	expect_reason("inlen is 15, and a command that is not known (0xfff) has 16 bytes at least, as each has");
	made(vx_mlx5_cmd_begin(mailbox, 16, NONE));
	cr_expect_eq(be32toh(mailbox[0]), NONE << 16);
	cr_expect_eq(vx_mlx5_cmd_begin(mailbox, 16, 0x17777), -EINVAL);
	expect_reason("opcode = 0x17777, and those of commands have 16 bits");
	cr_expect_eq(be32toh(mailbox[0]), NONE << 16);
}

Test(mlx5_commands, sizes_of_mailboxes_are_known)
{
	size_t inlen, outlen;

	made(vx_mlx5_cmd_sizes(VX_MLX5_CMD_QUERY_HCA_CAP, &inlen, &outlen));
	cr_expect_eq(inlen, 16);
	cr_expect_eq(outlen, 4112);
	made(vx_mlx5_cmd_sizes(VX_MLX5_CMD_CREATE_DCT, &inlen, &outlen));
	cr_expect_eq(inlen, 128);
	cr_expect_eq(vx_mlx5_cmd_sizes(NONE, &inlen, &outlen), -ENOENT);
	cr_expect_eq(vx_mlx5_cmd_sizes(0, &inlen, &outlen), -ENOENT);
}

/* Older programs know of no extended context. */
Test(mlx5_commands, a_mailbox_may_end_before_what_came_later)
{
	static uint32_t longer[464 / 4];

	made(vx_mlx5_cmd_begin(longer, 272, VX_MLX5_CMD_RTS2RTS_QP));
	cr_expect_eq(vx_mlx5_cmd_set(longer, 272, VX_MLX5_RTS2RTS_QP_EXT_MMO, 1), -EINVAL);
	made(vx_mlx5_cmd_begin(longer, sizeof(longer), VX_MLX5_CMD_RTS2RTS_QP));
	made(vx_mlx5_cmd_set(longer, sizeof(longer), VX_MLX5_RTS2RTS_QP_EXT_MMO, 1));
	cr_expect_eq(vx_mlx5_cmd_begin(longer, 200, VX_MLX5_CMD_RTS2RTS_QP), -EINVAL);
}

/* As drivers have them, and the reserved bytes between. */
Test(mlx5_commands, contexts_behind_reserved_bytes_lie_where_drivers_have_them)
{
	cr_expect_eq(VX_MLX5_FIELD_OFFSET(VX_MLX5_CREATE_XRQ_PD), 128 + 1024 + 72);
	cr_expect_eq(VX_MLX5_FIELD_OFFSET(VX_MLX5_CREATE_TIS_UNDERLAY_QPN), 256 + 328);
}

static const char *printed(const void *command, size_t len, const void *answer, size_t answer_len)
{
	static char text[8192];

	cr_expect_eq(vx_mlx5_cmd_snprint(text, sizeof(text), command, len, answer, answer_len), strlen(text));
	return text;
}

Test(mlx5_commands, a_command_is_made_sent_and_printed)
{
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	char expected[64];
	struct vx_mlx5_devx_obj *obj;

	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	made(vx_mlx5_devx_obj_create(ctx, &init, &obj));
	cr_expect_neq(got(out, sizeof(out), VX_MLX5_ALLOC_PD_OUT_PD), 0);
	snprintf(expected, sizeof(expected), "ALLOC_PD (0x800) -> pd = 0x%x", (unsigned int)got(out, sizeof(out), VX_MLX5_ALLOC_PD_OUT_PD));
	cr_expect_str_eq(printed(in, sizeof(in), out, sizeof(out)), expected);
	made(vx_close(obj));
}

static struct last_line line;

Test(mlx5_commands, a_trace_shows_both_mailboxes)
{
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	struct vx_mlx5_devx_obj *obj;
	char expected[64];

	line.call = "mlx5dv_devx_obj_create";
	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	made(vx_trace_callback(keep_line, &line));
	made(vx_mlx5_devx_obj_create(ctx, &init, &obj));
	made(vx_trace_callback(NULL, NULL));
	expect_line_part(&line, "in={ALLOC_PD (0x800)}, inlen=");
	snprintf(expected, sizeof(expected), "out={pd = 0x%x}, outlen=", (unsigned int)got(out, sizeof(out), VX_MLX5_ALLOC_PD_OUT_PD));
	expect_line_part(&line, expected);
	made(vx_close(obj));
}

Test(mlx5_commands, a_trace_shows_the_status_that_a_command_failed_with)
{
	line.call = "mlx5dv_devx_general_cmd";
	memset(out, 9, sizeof(out));
	made(vx_trace_callback(keep_line, &line));
	cr_expect_lt(send_command(QUERY_CQ), 0);
	made(vx_trace_callback(NULL, NULL));
	expect_line_part(&line, "in={QUERY_CQ (0x402)}");
	expect_line_part(&line, "out={status = 2, syndrome = 0x1bad0}");
}

Test(mlx5_commands, fields_that_are_not_0_are_printed)
{
	begin_create_cq();
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CMD_IN_UID, 3));
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_C_EQN, 5));
	made(vx_mlx5_cmd_set(mailbox, sizeof(mailbox), VX_MLX5_CREATE_CQ_CQ_UMEM_ID, 17));
	cr_expect_str_eq(printed(mailbox, sizeof(mailbox), NULL, 0), "CREATE_CQ (0x400): uid = 3, cqc.c_eqn = 5, cq_umem_id = 0x11");
	cr_expect_str_eq(printed(mailbox, 6, NULL, 0), "CREATE_CQ (0x400): uid = 3");
	cr_expect_str_eq(printed(NULL, 6, NULL, 0), "in is NULL");
}

Test(mlx5_commands, capabilities_are_fields_of_an_answer)
{
	static uint32_t caps[4112 / 4];

	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_HCA_CAP));
	made(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CMD_IN_OP_MOD, 1));
	made(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), caps, sizeof(caps)));
	cr_expect_eq(got(caps, sizeof(caps), VX_MLX5_QUERY_HCA_CAP_OUT_CAP_RC), 1);
	cr_expect_not_null(strstr(printed(in, sizeof(in), caps, sizeof(caps)), "op_mod = 1 -> cap."));
}

static const char *printed_group(uint32_t op_mod, const void *caps, size_t len)
{
	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_HCA_CAP));
	made(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CMD_IN_OP_MOD, op_mod));
	return printed(in, sizeof(in), caps, len);
}

Test(mlx5_commands, capabilities_of_a_group_that_is_not_known_have_no_names_of_the_general_one)
{
	static uint32_t caps[4112 / 4];

	caps[8] = UINT32_MAX;
	cr_expect_str_eq(printed_group(0x3e, caps, sizeof(caps)), "QUERY_HCA_CAP (0x100): op_mod = 62");
}

Test(mlx5_commands, each_group_of_capabilities_has_its_own_names)
{
	static uint32_t caps[4112 / 4];

	caps[9] = htobe32(0xff);
	cr_expect_str_eq(printed_group(6, caps, sizeof(caps)), "QUERY_HCA_CAP (0x100): op_mod = 6 -> cap.atomic_size_qp = 255");
	cr_expect_str_eq(printed_group(7, caps, sizeof(caps)), "QUERY_HCA_CAP (0x100): op_mod = 7 -> cap.atomic_size_qp = 255");
	cr_expect_str_eq(printed_group(24, caps, sizeof(caps)), "QUERY_HCA_CAP (0x100): op_mod = 24");
}

/* Those of a direct rule's steering. */
Test(mlx5_commands, what_lies_behind_1024_bytes_has_a_place_in_answers_and_contexts)
{
	static uint32_t caps[4112 / 4];
	const uint32_t field = VX_MLX5_QUERY_HCA_CAP_FLOW_TABLE_NIC_OUT_CAP_SW_STEERING_NIC_TX_ACTION_ALLOW_ICM_ADDRESS;
	uint64_t value;

	caps[(16 + 1024 + 16) / 4] = htobe32(0x1234);
	cr_expect_eq(VX_MLX5_FIELD_OFFSET(field), 128 + 8192 + 128);
	cr_expect_eq(VX_MLX5_FIELD_WIDTH(field), 64);
	cr_expect_eq(VX_MLX5_FIELD_OPCODE(field), VX_MLX5_OF_ANSWER);
	cr_expect_eq(got(caps, sizeof(caps), field), 0x123400000000);
	cr_expect_eq(got(caps + 4, sizeof(caps) - 16, VX_MLX5_FLOW_TABLE_NIC_CAP_SW_STEERING_NIC_TX_ACTION_ALLOW_ICM_ADDRESS), 0x123400000000);
	cr_expect_str_eq(printed_group(14, caps, sizeof(caps)),
			 "QUERY_HCA_CAP (0x100): op_mod = 14 -> cap.sw_steering_nic_tx_action_allow_icm_address = 0x123400000000");
	cr_expect_eq(vx_mlx5_cmd_get(caps, 1024, field, &value), -EINVAL);
	expect_reason("the field at bit 8448 lies behind the mailbox, which has 1024 bytes");
	cr_expect_eq(vx_mlx5_cmd_set(caps, sizeof(caps), field, 1), -EINVAL);
	expect_reason("the field at bit 8448 is of an answer");
}

Test(mlx5_commands, a_place_without_a_name_can_be_the_last_of_8192_bytes)
{
	static uint8_t long_mailbox[8192];

	made(vx_mlx5_cmd_set(long_mailbox, sizeof(long_mailbox), VX_MLX5_FIELD(65528, 8, 0), 0xab));
	cr_expect_eq(long_mailbox[8191], 0xab);
	cr_expect_eq(VX_MLX5_FIELD_OFFSET(VX_MLX5_FIELD(65535, 1, VX_MLX5_OF_ANSWER)), 65535);
	cr_expect_eq(VX_MLX5_FIELD_OPCODE(VX_MLX5_FIELD(8191, 64, 0xb16)), 0xb16);
	cr_expect_eq(VX_MLX5_FIELD_OFFSET(VX_MLX5_FIELD(8191, 64, 0xb16)), 8191);
}

Test(mlx5_commands, an_answer_of_16_bytes_has_room_for_what_a_query_of_lag_tells)
{
	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_QUERY_LAG));
	made(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, 16));
	cr_expect_str_eq(printed(in, sizeof(in), out, 16), "QUERY_LAG (0x842)");
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
