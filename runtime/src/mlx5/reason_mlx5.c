/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What mlx5 devices answer to the commands of DEVX, and what their QPs were asked to have. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/mlx5_cmd.h>

#include "error/fail.h"
#include "know/mlx5_prm.h"
#include "mlx5.h"
#include "text/form.h"
#include "verbs/reason_by_hand.h"

#define VX_TRACE_ASIDE
#include "traced.h"

/* What rows name of a device: libmlx5 tells what it is asked for, and all else is 0. */
#define ALWAYS_LOOKED_AT (MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS | MLX5DV_CONTEXT_MASK_STRIDING_RQ | MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS | \
			  MLX5DV_CONTEXT_MASK_CQE_COMPRESION)
#if VX_RDMA_CORE >= 37
#define LOOKED_AT (ALWAYS_LOOKED_AT | MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD | MLX5DV_CONTEXT_MASK_DCI_STREAMS | MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD)
#else
#define LOOKED_AT ALWAYS_LOOKED_AT
#endif

enum { BEGIN_OF_COMMAND = 4, BEGIN_OF_ANSWER = 8 };

/* What both mailboxes begin with. */
struct command {
	uint32_t opcode;
	uint8_t status;
	uint32_t syndrome;
};

static struct command read_command(const void *in, size_t inlen, const void *out, size_t outlen)
{
	return (struct command){
		.opcode = vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OPCODE),
		.status = (uint8_t)vx_mlx5_common(out, outlen, VX_MLX5_CMD_OUT_STATUS),
		.syndrome = vx_mlx5_common(out, outlen, VX_MLX5_CMD_OUT_SYNDROME),
	};
}

const char *vx_mlx5_command_in(char *buf, uint32_t opcode)
{
	const char *name = vx_code_word(vx_mlx5_command_code, opcode);

	snprintf(buf, VX_LONGEST_COMMAND, "%s (0x%x)", name ? name : "a command that is not known", opcode);
	return buf;
}

/* "BAD_OP: it does not know..." becomes "BAD_OP (2), it does not know...". */
static void put_answer(struct vx_out *out, const struct command *command)
{
	const char *text = vx_code_word(vx_mlx5_status_code, command->status);
	const char *means = text ? strstr(text, ": ") : NULL;

	vx_put_format(out, "the device refused %s", VX_MLX5_COMMAND(command->opcode));
	if (means)
		vx_put_format(out, " with %.*s (%u), %s", (int)(means - text), text, command->status, means + 2);
	else
		vx_put_format(out, " with status %u", command->status);
	vx_put_format(out, "; syndrome 0x%x", command->syndrome);
}

static void put_unasked(struct vx_out *out, const struct command *command, size_t inlen, bool is_long)
{
	vx_put_format(out, "the kernel refused %s without asking the device: %s",
		      inlen < sizeof(uint16_t) ? "a mailbox without an opcode" : VX_MLX5_COMMAND(command->opcode),
		      is_long ? "a mailbox has 65535 bytes at most" : "it is no command of this call or of this object, or its mailbox is too short");
}

static const void *argument_of(const struct vx_failure *failure, const char *name)
{
	return (const void *)(uintptr_t)vx_argument(failure, name);
}

int vx_ask_mlx5_device(struct ibv_context *context, struct mlx5dv_context *out)
{
	*out = (struct mlx5dv_context){ .comp_mask = LOOKED_AT };
	return mlx5dv_query_device(context, out);
}

void vx_explain_mlx5_command(struct vx_failure *failure)
{
	const void *in = argument_of(failure, "in"), *out = argument_of(failure, "out"); /* NULL: it would have come later */
	const size_t inlen = vx_argument(failure, "inlen"), outlen = vx_argument(failure, "outlen");
	const struct command command = read_command(in, inlen, out, out ? outlen : 0);

	if (in == out)
		return; /* who wrote there last is not known */
	if (command.status)
		put_answer(vx_reason_part(failure), &command);
	else if (failure->code == -EINVAL || failure->code == -EOPNOTSUPP)
		put_unasked(vx_reason_part(failure), &command, inlen, (inlen | outlen) > UINT16_MAX);
}

int vx_mlx5_cmd_check(const void *in, size_t inlen, const void *out, size_t outlen)
{
	struct command command;
	char text[VX_LONGEST_REASON];
	struct vx_out reason;

	if (!in || !out)
		return vx_null_fail("vx_mlx5_cmd_check", in ? "out" : "in");
	if (inlen < BEGIN_OF_COMMAND || outlen < BEGIN_OF_ANSWER)
		return vx_fail(-EINVAL, "vx_mlx5_cmd_check", NULL, "%s is %zu, and %s begins with %d bytes", inlen < BEGIN_OF_COMMAND ? "inlen" : "outlen",
			       inlen < BEGIN_OF_COMMAND ? inlen : outlen, inlen < BEGIN_OF_COMMAND ? "a command" : "an answer",
			       inlen < BEGIN_OF_COMMAND ? BEGIN_OF_COMMAND : BEGIN_OF_ANSWER);
	command = read_command(in, inlen, out, outlen);
	if (!command.status)
		return 0;
	reason = vx_out_in(text, sizeof(text));
	put_answer(&reason, &command);
	vx_out_finish(&reason);
	return vx_fail_text(-EREMOTEIO, "vx_mlx5_cmd_check", NULL, text);
}

bool vx_mlx5_ignores(const struct mlx5dv_qp_init_attr *attr, enum mlx5dv_qp_init_attr_mask field)
{
	if (!attr || attr->comp_mask & field)
		return false;
	if (field == MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
		return attr->create_flags;
	if (field == MLX5DV_QP_INIT_ATTR_MASK_DC)
		return attr->dc_init_attr.dc_type;
	return attr->send_ops_flags;
}

bool vx_mlx5_has_streams(const struct mlx5dv_qp_init_attr *attr)
{
#if VX_RDMA_CORE >= 37
	return attr && attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
#else
	(void)attr;
	return false;
#endif
}

uint32_t vx_mlx5_streams(const struct mlx5dv_qp_init_attr *attr)
{
#if VX_RDMA_CORE >= 37
	const uint8_t most = 16; /* bits of a stream's number */

	if (vx_mlx5_has_streams(attr))
		return 1u << (attr->dc_init_attr.dci_streams.log_num_concurent < most ? attr->dc_init_attr.dci_streams.log_num_concurent : most);
#else
	(void)attr;
#endif
	return 1;
}
