/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Work queue elements and completions as an mlx5 device reads and writes them, as text. Structures are those of mlx5dv.h, by lore. */

#include <inttypes.h>
#include <string.h>

#include <verbsx/enums.h>
#include <verbsx/mlx5_wqe.h>
#include <verbsx/print.h>
#include <infiniband/mlx5dv.h>

#include "error/fail.h"
#include "ids.h"
#include "know/mlx5_prm.h"
#include "mlx5_words.h"
#include "text/printer.h"

enum { OCTOWORD = 16, AV = 48, ETH = 14, UMR_CTRL = 48, CQE = 64, REQ_ERR = 13, RESP_ERR = 14, COMPRESSED = 3, MINI = 8 };

#define EXTENDED_AV 0x80000000u	/* of dqp_dct: it is 48 bytes long, not 16 */
#define INLINE 0x80000000u	/* of byte_count */
#define UMR_INLINE 0x80		/* of flags */
#define REPEAT_BLOCK 0x400	/* op of what stands where a KLM's mkey would */
#define NARROW_ATOMICS 8	/* op_mod: numbers of 32 bits, not of 64 */
#define LONGEST_SEGMENT 1024
#define OF_REQUESTS 0		/* in place of a format: those of receives are flags */
#define MOST_IN_ENHANCED 7	/* of an array, whose last 8 bytes are its own */

/* A WQE while it is read. */
struct reading {
	struct vx_out *out;
	const unsigned char *at, *end;
	enum ibv_qp_type type;
	const unsigned char *ctrl, *umr;	/* its control segment; that of an mkey */
};

static uint32_t be32_at(const unsigned char *at)
{
	return (uint32_t)vx_bits_get(at, 0, 32);
}

static uint16_t be16_at(const unsigned char *at)
{
	return (uint16_t)vx_bits_get(at, 0, 16);
}

static size_t left(const struct reading *r)
{
	return (size_t)(r->end - r->at);
}

static void skip(struct reading *r, size_t bytes)
{
	r->at += bytes < left(r) ? bytes : left(r);
}

/* "mlx5_wqe_raddr_seg" becomes "raddr". */
static void put_short_name(struct vx_out *out, uint16_t index)
{
	const char *name = vx_struct_text(vx_struct_row(index)->name);
	const size_t before = strlen("mlx5_wqe_"), length = strlen(name), behind = strlen("_seg");

	vx_put(out, name + before, length - before - (length > before + behind && !strcmp(name + length - behind, "_seg") ? behind : 0));
}

static void put_wqe_struct(struct vx_out *out, uint16_t index, const void *bytes, size_t size)
{
	char text[LONGEST_SEGMENT];

	vx_put_literal(out, "; ");
	put_short_name(out, index);
	vx_put_literal(out, " ");
	vx_snprint(text, sizeof(text), vx_type_of(vx_struct_row(index), size), bytes, VX_COMPACT);
	vx_put_string(out, text);
}

/* Of a segment that is cut, only that it is. */
static bool is_whole(struct reading *r, size_t size)
{
	if (left(r) < size)
		vx_put_format(r->out, "; cut after %zu bytes", left(r));
	return left(r) >= size;
}

static void put_segment(struct reading *r, uint16_t index, size_t size)
{
	if (is_whole(r, size))
		put_wqe_struct(r->out, index, r->at, size);
	skip(r, size);
}

/* ---- segments that are layouts ---- */

struct layout_shown {
	struct vx_out *out;
	const unsigned char *at;
	const char *between;
	unsigned int halves;	/* numbers of half as many bits */
};

static bool show_number(void *data, const char *path, unsigned int offset, unsigned int width)
{
	struct layout_shown *shown = data;
	const uint64_t value = vx_bits_get(shown->at, offset >> shown->halves, width >> shown->halves);

	if (value)
		vx_put_format(shown->out, value < 10 ? "%s%s=%" PRIu64 : "%s%s=0x%" PRIx64, shown->between, path, value);
	if (value)
		shown->between = " ";
	return true;
}

static void put_layout_name(struct vx_out *out, uint8_t place)
{
	const char *name = vx_wqe_layout_names;

	for (; place; place--)
		name = strchr(name, ' ') + 1;
	name += strlen("wqe_");
	vx_put(out, name, strcspn(name, " "));
}

static void put_layout(struct reading *r, uint8_t place)
{
	const struct vx_prm_layout *layout = &vx_prm_layouts[vx_wqe_layouts[place]];
	const unsigned int halves = r->ctrl[0] == NARROW_ATOMICS;
	size_t size = layout->size >> halves;

	size = size > OCTOWORD ? size : OCTOWORD;
	if (is_whole(r, size)) {
		vx_put_literal(r->out, "; ");
		put_layout_name(r->out, place);
		vx_put_literal(r->out, " {");
		vx_prm_walk(layout, show_number, &(struct layout_shown){ r->out, r->at, "", halves });
		vx_put_literal(r->out, "}");
	}
	skip(r, size);
}

/* ---- segments that are no structure alone ---- */

static void put_av(struct reading *r)
{
	unsigned char whole[AV] = { 0 };
	const size_t size = left(r) >= AV && be32_at(r->at + 8) & EXTENDED_AV ? AV : OCTOWORD;

	memcpy(whole, r->at, size < left(r) ? size : left(r));
	put_wqe_struct(r->out, STRUCT_mlx5_wqe_av, whole, sizeof(whole));
	skip(r, size);
}

static void put_eth(struct reading *r)
{
	const unsigned int headers = left(r) >= ETH ? be16_at(r->at + ETH - 2) : 0;

	if (left(r) >= ETH)
		vx_put_format(r->out, "; eth cs_flags 0x%x, mss %u, %u bytes of headers", r->at[4], be16_at(r->at + 6), headers);
	skip(r, (ETH + headers + OCTOWORD - 1) / OCTOWORD * OCTOWORD);
}

static void put_wqe_address(struct reading *r)
{
	if (r->type == IBV_QPT_UD || r->type == IBV_QPT_DRIVER)
		put_av(r);
	else if (r->type == IBV_QPT_RAW_PACKET)
		put_eth(r);
	else if (r->type == IBV_QPT_XRC_SEND) {
		vx_put_format(r->out, "; xrc_srqn 0x%x", left(r) >= OCTOWORD ? be32_at(r->at) : 0);
		skip(r, OCTOWORD);
	}
}

static void put_inline(struct reading *r)
{
	const uint32_t bytes = be32_at(r->at) & ~INLINE;

	vx_put_format(r->out, "; inline %u bytes", bytes);
	skip(r, (sizeof(bytes) + (size_t)bytes + OCTOWORD - 1) / OCTOWORD * OCTOWORD);
}

static void put_data(struct reading *r)
{
	while (left(r) >= OCTOWORD) {
		if (be32_at(r->at) & INLINE)
			put_inline(r);
		else
			put_segment(r, STRUCT_mlx5_wqe_data_seg, OCTOWORD);
	}
}

/* Of an interleaved layout: a block that has entries of the same size. */
static size_t repeat_block_of(const struct reading *r)
{
	return left(r) >= OCTOWORD && be32_at(r->at + 4) == REPEAT_BLOCK ? ((size_t)be16_at(r->at + 14) + 1) * OCTOWORD : 0;
}

/* Zeros fill them up to 64 bytes; those in their midst are an entry of no memory. */
static const unsigned char *behind_entries(const struct reading *r, const unsigned char *end)
{
	const unsigned char *behind = left(r) < (size_t)(end - r->at) ? r->at + left(r) : end;

	while (behind > r->at && (behind - r->at) % OCTOWORD == 0 && !vx_is_set(behind - OCTOWORD, OCTOWORD))
		behind -= OCTOWORD;
	return behind;
}

/* KLMs or a repeat block, with what pads them to 64 bytes; or a pointer to all that. */
static void put_entries(struct reading *r)
{
	const unsigned char *end, *behind;

	if (!r->umr || !(r->umr[0] & UMR_INLINE)) {
		put_data(r);
		return;
	}
	end = r->at + (size_t)be16_at(r->umr + 4) * OCTOWORD;
	behind = behind_entries(r, end);
	if (repeat_block_of(r))
		put_segment(r, STRUCT_mlx5_wqe_umr_repeat_block_seg, repeat_block_of(r));
	else
		while (r->at < behind)
			put_segment(r, STRUCT_mlx5_wqe_umr_klm_seg, OCTOWORD);
	if (r->at < end)
		skip(r, (size_t)(end - r->at));
}

static void put_one(struct reading *r, uint16_t segment)
{
	if (segment == VX_WQE_STRUCT + STRUCT_mlx5_wqe_umr_ctrl_seg && left(r) >= UMR_CTRL)
		r->umr = r->at;
	if (segment >= VX_WQE_STRUCT)
		put_segment(r, (uint16_t)(segment - VX_WQE_STRUCT), vx_struct_row(segment - VX_WQE_STRUCT)->size);
	else if (segment >= VX_WQE_LAYOUT)
		put_layout(r, (uint8_t)(segment - VX_WQE_LAYOUT));
	else if (segment == VX_WQE_ADDRESS)
		put_wqe_address(r);
	else if (segment == VX_WQE_DATA)
		put_data(r);
	else if (segment == VX_WQE_ENTRIES)
		put_entries(r);
	else if (segment == VX_WQE_BSF) /* what guards an mkey: of a signature, or of encryption; the rest of its WQE */
		while (left(r))
			put_layout(r, vx_wqe_bsfs[r->at[0] & 1]);
}

static size_t put_nothing(struct vx_out *out, const char *why)
{
	vx_put_string(out, why);
	return vx_out_finish(out);
}

static const struct vx_wqe_row *row_of(uint8_t opcode)
{
	uint8_t i;

	for (i = 0; i < vx_wqe_row_count; i++)
		if (vx_wqe_rows[i].opcode == opcode)
			return &vx_wqe_rows[i];
	return NULL;
}

/* ---- WQEs ---- */

/* "RDMA_WRITE" of MLX5_OPCODE_RDMA_WRITE. */
static void put_wqe_opcode(struct vx_out *out, const char *e, const char *prefix, unsigned int opcode)
{
	const char *name = vx_enum_name(vx_enum_find(e), opcode);

	if (name)
		vx_put_string(out, name + strlen(prefix));
	else
		vx_put_format(out, "opcode 0x%x", opcode);
}

#define CTRL_WORD(bits, value, word) { bits, value, word },

/* As the emulated device has them. */
static const struct {
	uint8_t bits, value;
	char word[sizeof("INITIATOR_SMALL_FENCE")];
} ctrl_words[] = { VX_WORDS_OF_MLX5_WQE_CTRL(CTRL_WORD) };

static void put_ctrl_flags(struct vx_out *out, uint8_t flags)
{
	const char *between = ", ";
	size_t i;

	for (i = 0; i < sizeof(ctrl_words) / sizeof(ctrl_words[0]); i++) {
		if ((flags & ctrl_words[i].bits) != ctrl_words[i].value)
			continue;
		vx_put_format(out, "%s%s", between, ctrl_words[i].word);
		between = "|";
		flags &= (uint8_t)~ctrl_words[i].bits;
	}
	if (flags)
		vx_put_format(out, "%s0x%x", between, flags);
}

static void put_ctrl(struct vx_out *out, const unsigned char *ctrl)
{
	put_wqe_opcode(out, "mlx5_opcode", "MLX5_OPCODE_", ctrl[3]);
	vx_put_format(out, ": index %u, qpn 0x%x, ds %u", be16_at(ctrl + 1), be32_at(ctrl + 4) >> 8, ctrl[7] & 0x3fu);
	if (ctrl[0])
		vx_put_format(out, ", opmod 0x%x", ctrl[0]);
	if (be16_at(ctrl + 9))
		vx_put_format(out, ", stream %u", be16_at(ctrl + 9));
	put_ctrl_flags(out, ctrl[11]);
	if (be32_at(ctrl + 12))
		vx_put_format(out, ", imm 0x%x", be32_at(ctrl + 12));
}

size_t vx_mlx5_wqe_snprint(char *buf, size_t len, enum ibv_qp_type type, const void *wqe, size_t bytes)
{
	const unsigned char *ctrl = wqe;
	const struct vx_wqe_row *row;
	struct reading r = { .type = type, .ctrl = wqe };
	size_t i;
	struct vx_out out = vx_out_in(buf, len);

	if (!wqe || bytes < OCTOWORD)
		return put_nothing(&out, wqe ? "no whole control segment" : "wqe is NULL");
	put_ctrl(&out, ctrl);
	r.out = &out;
	r.at = ctrl + OCTOWORD;
	i = (ctrl[7] & 0x3fu) * (size_t)OCTOWORD;
	r.end = ctrl + (i > OCTOWORD && i < bytes ? i : i > OCTOWORD ? bytes : OCTOWORD);
	row = row_of(ctrl[3]);
	for (i = 0; row && i < sizeof(row->segments) / sizeof(row->segments[0]); i++)
		put_one(&r, row->segments[i]);
	if (left(&r))
		vx_put_format(&out, "; %zu bytes that are not known", left(&r));
	return vx_out_finish(&out);
}

/* ---- CQEs ---- */

/* Of what was received no request is known. */
static void put_error(struct vx_out *out, const unsigned char *cqe, unsigned int opcode)
{
	const char *name = vx_enum_name(vx_enum_find("mlx5_cqe_syndrome"), cqe[55]);

	vx_put_format(out, ", %s (0x%x), vendor_err 0x%x", name ? name : "syndrome that is not known", cqe[55], cqe[54]);
	if (opcode == RESP_ERR)
		return;
	vx_put_literal(out, ", of ");
	put_wqe_opcode(out, "mlx5_opcode", "MLX5_OPCODE_", be32_at(cqe + 56) >> 24);
}

/*
 * The first of them, whose bytes are their number. Of the layout that is called enhanced that is a completion like others, and this is
 * the array behind it, which has one less than its number in the place of an opcode. Nothing in it tells which of both it is.
 */
static void put_compressed(struct vx_out *out, uint32_t bytes, unsigned int opcode)
{
	vx_put_format(out, ", the first of %u that are compressed", bytes);
	if (opcode < MOST_IN_ENHANCED)
		vx_put_format(out, ", or an array of %u", opcode + 1);
}

size_t vx_mlx5_cqe_snprint(char *buf, size_t len, const void *cqe, size_t bytes)
{
	static const char where_data_lies[COMPRESSED][24] = { "", " in its first 32", " in the 64 before it" }; /* not where the receive has its memory */
	const unsigned char *at = cqe;
	unsigned int opcode;
	struct vx_out out = vx_out_in(buf, len);

	if (!cqe || bytes < CQE)
		return put_nothing(&out, cqe ? "no whole CQE" : "cqe is NULL");
	at += bytes < 2 * CQE ? 0 : CQE; /* of 128 bytes the second half, padded or not */
	opcode = at[63] >> 4;
	put_wqe_opcode(&out, "mlx5_cqe_opcode", "MLX5_CQE_", opcode);
	if (opcode == REQ_ERR || opcode == RESP_ERR)
		put_error(&out, at, opcode);
	else if ((at[63] >> 2 & 3) == COMPRESSED)
		put_compressed(&out, be32_at(at + 44), opcode);
	else
		vx_put_format(&out, ", %u bytes%s", be32_at(at + 44), where_data_lies[at[63] >> 2 & 3]);
	vx_put_format(&out, ", qpn 0x%x, wqe_counter %u, owner %u", be32_at(at + 56) & 0xffffff, be16_at(at + 60), at[63] & 1u);
	return vx_out_finish(&out);
}

/* Of a request its index and opcode; what else there is of a receive is as the CQ was made for. */
static void put_mini(struct vx_out *out, uint32_t format, const unsigned char *at)
{
	if (format == OF_REQUESTS) {
		put_wqe_opcode(out, "mlx5_opcode", "MLX5_OPCODE_", at[2]);
		vx_put_format(out, ", wqe_counter %u", be16_at(at));
		return;
	}
	vx_put_format(out, "%u bytes", be32_at(at + 4));
	if (format == MLX5DV_CQE_RES_FORMAT_HASH)
		vx_put_format(out, ", hash 0x%x", be32_at(at));
	else
		vx_put_format(out, ", checksum 0x%x", be16_at(at));
	if (format == MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX)
		vx_put_format(out, ", stride %u", be16_at(at + 2));
}

static bool is_cqe_format(uint32_t format)
{
	return format == OF_REQUESTS || format == MLX5DV_CQE_RES_FORMAT_HASH || format == MLX5DV_CQE_RES_FORMAT_CSUM ||
	       format == MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX;
}

VX_SELDOM_CALLED size_t vx_mlx5_mini_cqes_snprint(char *buf, size_t len, uint32_t format, const void *minis, uint32_t count)
{
	uint32_t i;
	struct vx_out out = vx_out_in(buf, len);

	if (!minis || !is_cqe_format(format))
		return put_nothing(&out, minis ? "no format" : "minis is NULL");
	for (i = 0; i < count && i < CQE / MINI; i++) {
		if (i)
			vx_put_literal(&out, "; ");
		put_mini(&out, format, (const unsigned char *)minis + (size_t)i * MINI);
	}
	return vx_out_finish(&out);
}
