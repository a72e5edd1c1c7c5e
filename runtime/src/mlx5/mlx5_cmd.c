/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Mailboxes of mlx5 devices: fields by their names, and texts of them. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/mlx5_cmd.h>

#include "error/fail.h"
#include "know/mlx5_prm.h"
#include "text/printer.h"
#include "verbs/reason_by_hand.h"
#include "verbs/steps.h"

#define LEAST 16u		/* bytes of a command */
#define READ_LATER 8u		/* bytes of an answer: status and syndrome */
#define WIDE 20			/* bits, from which on a number is more than a count */

/* ---- layouts ---- */

static const struct vx_prm_layout *layout_of(uint32_t opcode, uint32_t op_mod, bool answer)
{
	const struct vx_prm_layout *layout = vx_prm_layouts, *end = vx_prm_layouts + vx_prm_layout_count;

	for (; opcode && layout < end; layout++)
		if (layout->opcode == opcode && layout->answer == answer && (!layout->op_mods || op_mod - layout->op_mod < layout->op_mods))
			return layout;
	return NULL;
}

/* ---- names ---- */

struct wanted {
	unsigned int offset, width;
	char name[VX_PRM_PATH];
};

static bool is_not_wanted(void *data, const char *path, unsigned int offset, unsigned int width)
{
	struct wanted *wanted = data;

	if (wanted->offset != offset || wanted->width != width)
		return true;
	memcpy(wanted->name, path, strlen(path) + 1);
	return false;
}

/* What a field is called; those of several commands, and without a name, by their place. */
static const char *name_of(uint32_t field, struct wanted *wanted)
{
	const struct vx_prm_layout *layout = layout_of(VX_MLX5_FIELD_OPCODE(field), 0, false);
	struct vx_out out;

	*wanted = (struct wanted){ .offset = VX_MLX5_FIELD_OFFSET(field), .width = VX_MLX5_FIELD_WIDTH(field) };
	if (layout && !vx_prm_walk(layout, is_not_wanted, wanted))
		return wanted->name;
	out = vx_out_in(wanted->name, sizeof(wanted->name));
	vx_put_format(&out, "the field at bit %u", wanted->offset);
	vx_out_finish(&out);
	return wanted->name;
}

/* ---- building ---- */

static bool is_behind(uint32_t field, size_t len)
{
	return (VX_MLX5_FIELD_OFFSET(field) + VX_MLX5_FIELD_WIDTH(field) + 7) / 8 > len;
}

uint32_t vx_mlx5_common(const void *mailbox, size_t len, uint32_t field)
{
	return is_behind(field, len) ? 0 : (uint32_t)vx_bits_get(mailbox, VX_MLX5_FIELD_OFFSET(field), VX_MLX5_FIELD_WIDTH(field));
}

/* Of both: the mailbox of which field ends before it. */
static int refuse_behind(const char *call, uint32_t field, size_t len)
{
	struct wanted wanted;

	return vx_fail(-EINVAL, call, NULL, "%s lies behind the mailbox, which has %zu bytes", name_of(field, &wanted), len);
}

static int refuse_length(const char *call, const char *is, size_t len, uint32_t opcode, const struct vx_prm_layout *layout)
{
	char what[40];

	snprintf(what, sizeof(what), is, len);
	return vx_fail(-EINVAL, call, NULL, layout ? "%s%s has %u bytes" : "%s%s has %u bytes at least, as each has", what, VX_MLX5_COMMAND(opcode),
		       layout ? layout->least : LEAST);
}

int vx_mlx5_room(const char *call, const void *in, size_t inlen, void *out, size_t outlen)
{
	const struct vx_prm_layout *answer;
	uint32_t opcode;

	if (!in || !out)
		return vx_null_fail(call, in ? "out" : "in");
	opcode = vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OPCODE);
	answer = layout_of(opcode, vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OP_MOD), true);
	if (out != in)
		memset(out, 0, outlen < READ_LATER ? outlen : READ_LATER);
	return answer && outlen < answer->least ? refuse_length(call, "outlen is %zu, and the answer to ", outlen, opcode, answer) : 0;
}

int vx_mlx5_later_room(const char *call, const void *in, size_t inlen, const void *same, size_t outlen)
{
	return vx_mlx5_room(call, in, inlen, (void *)(uintptr_t)same, outlen);
}

int vx_mlx5_cmd_begin(void *in, size_t inlen, uint32_t opcode)
{
	const struct vx_prm_layout *layout = layout_of(opcode, 0, false);

	if (!in)
		return vx_null_fail("vx_mlx5_cmd_begin", "in");
	if (opcode > UINT16_MAX)
		return vx_fail(-EINVAL, "vx_mlx5_cmd_begin", NULL, "opcode = 0x%x, and those of commands have 16 bits", opcode);
	if (inlen < (layout ? layout->least : LEAST))
		return refuse_length("vx_mlx5_cmd_begin", "inlen is %zu, and ", inlen, opcode, layout);
	memset(in, 0, inlen);
	return vx_mlx5_cmd_set(in, inlen, VX_MLX5_CMD_IN_OPCODE, opcode);
}

int vx_mlx5_cmd_sizes(uint32_t opcode, size_t *inlen, size_t *outlen)
{
	const struct vx_prm_layout *in = layout_of(opcode, 0, false), *out = layout_of(opcode, 0, true);

	if (!inlen || !outlen)
		return vx_null_fail("vx_mlx5_cmd_sizes", inlen ? "outlen" : "inlen");
	if (!in || !out)
		return vx_fail(-ENOENT, "vx_mlx5_cmd_sizes", NULL, "the mailboxes of command 0x%x are not known", opcode);
	*inlen = in->size;
	*outlen = out->size;
	return 0;
}

int vx_mlx5_cmd_set(void *mailbox, size_t len, uint32_t field, uint64_t value)
{
	const unsigned int width = VX_MLX5_FIELD_WIDTH(field), of = VX_MLX5_FIELD_OPCODE(field);
	struct wanted wanted;

	if (!mailbox)
		return vx_null_fail("vx_mlx5_cmd_set", "mailbox");
	if (of == VX_MLX5_OF_ANSWER)
		return vx_fail(-EINVAL, "vx_mlx5_cmd_set", NULL, "the field at bit %u is of an answer, which the device writes", VX_MLX5_FIELD_OFFSET(field));
	if (is_behind(field, len))
		return refuse_behind("vx_mlx5_cmd_set", field, len);
	if (of && of != vx_mlx5_common(mailbox, len, VX_MLX5_CMD_IN_OPCODE))
		return vx_fail(-EINVAL, "vx_mlx5_cmd_set", NULL, "%s is of %s, and the mailbox that of %s", name_of(field, &wanted), VX_MLX5_COMMAND(of),
			       VX_MLX5_COMMAND(vx_mlx5_common(mailbox, len, VX_MLX5_CMD_IN_OPCODE)));
	if (width < 64 && value >> width)
		return vx_fail(-EINVAL, "vx_mlx5_cmd_set", NULL, "%s = 0x%" PRIx64 " has more bits than the field", name_of(field, &wanted), value);
	vx_bits_put(mailbox, VX_MLX5_FIELD_OFFSET(field), width, value);
	return 0;
}

int vx_mlx5_cmd_get(const void *mailbox, size_t len, uint32_t field, uint64_t *value)
{
	if (!mailbox || !value)
		return vx_null_fail("vx_mlx5_cmd_get", mailbox ? "value" : "mailbox");
	if (is_behind(field, len))
		return refuse_behind("vx_mlx5_cmd_get", field, len);
	*value = vx_bits_get(mailbox, VX_MLX5_FIELD_OFFSET(field), VX_MLX5_FIELD_WIDTH(field));
	return 0;
}

/* ---- texts ---- */

struct shown {
	struct vx_out *out;
	const void *mailbox;
	size_t len;
	const char *between;
};

static bool show_field(void *data, const char *path, unsigned int offset, unsigned int width)
{
	struct shown *shown = data;
	uint64_t value;

	if ((offset + width + 7) / 8 > shown->len)
		return true;
	value = vx_bits_get(shown->mailbox, offset, width);
	if (!value)
		return true;
	vx_put_format(shown->out, width < WIDE ? "%s%s = %" PRIu64 : "%s%s = 0x%" PRIx64, shown->between, path, value);
	shown->between = ", ";
	return true;
}

/* Of what both begin with, the opcode stands before. */
static bool show_but_opcode(void *data, const char *path, unsigned int offset, unsigned int width)
{
	return !offset && width == VX_MLX5_FIELD_WIDTH(VX_MLX5_CMD_IN_OPCODE) ? true : show_field(data, path, offset, width);
}

static void show_mailbox(struct shown *shown, uint32_t opcode, uint32_t op_mod, bool answer)
{
	const struct vx_prm_layout *layout = layout_of(opcode, op_mod, answer);

	vx_prm_walk(&vx_prm_layouts[answer ? VX_PRM_OUT : VX_PRM_IN], show_but_opcode, shown);
	if (layout)
		vx_prm_walk(layout, show_field, shown);
}

static void show_command(struct vx_out *text, const void *in, size_t inlen)
{
	const uint32_t opcode = vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OPCODE);

	vx_put_string(text, VX_MLX5_COMMAND(opcode));
	show_mailbox(&(struct shown){ text, in, inlen, ": " }, opcode, vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OP_MOD), false);
}

static void show_answer(struct vx_out *text, const void *in, size_t inlen, const void *out, size_t outlen, const char *before)
{
	show_mailbox(&(struct shown){ text, out, outlen, before }, vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OPCODE), vx_mlx5_common(in, inlen, VX_MLX5_CMD_IN_OP_MOD), true);
}

/* A command that was sent in the mailbox of its answer is no more. */
VX_SELDOM_CALLED void vx_put_mailbox(struct vx_out *text, const void *in, size_t inlen, const void *answer, size_t len)
{
	if (answer)
		show_answer(text, in, in == answer ? 0 : inlen, answer, len, "");
	else
		show_command(text, in, inlen);
}

size_t vx_mlx5_cmd_snprint(char *buf, size_t len, const void *in, size_t inlen, const void *out, size_t outlen)
{
	struct vx_out text = vx_out_in(buf, len);

	if (in)
		show_command(&text, in, inlen);
	else
		vx_put_literal(&text, "in is NULL");
	if (in && out)
		show_answer(&text, in, inlen, out, outlen, " -> ");
	return vx_out_finish(&text);
}
