/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* See twin.h: posting by libverbsx, and what was posted as text, in the file that TWIN_TEXT names. */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wqe.h>

#include "emu/wqe/wqe.h"

enum { BLOCK = 64, SEGMENT = 16, LONGEST = 1024, MMO = 0x2f, OF_QP = 4 };

struct twin twin;
static const char *name;
static struct mlx5dv_qp queue;
static uint16_t before;

static void must(int rc)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "twin: %s\n", vx_error_text());
	exit(1);
}

struct ibv_qp_ex *twin_of(struct ibv_qp *raw)
{
	const char *how = getenv("TWIN");
	struct vx_ctx *ctx;

	if (twin.qp)
		return twin.x;
	must(vx_ctx_borrow(raw->context, &ctx));
	must(vx_pd_borrow(ctx, raw->pd, &twin.pd));
	must(vx_qp_borrow(twin.pd, raw, &twin.qp));
	if (how && !strcmp(how, "checked"))
		must(vx_qp_check(twin.qp));
	if (raw->qp_type != IBV_QPT_RAW_PACKET)
		must(vx_mlx5_qp_wr(twin.qp, &twin.mlx5));
	must(vx_mlx5_qp_view(twin.qp, &queue));
	twin.x = ibv_qp_to_qp_ex(raw);
	return twin.x;
}

struct vx_ah *twin_ah(struct ibv_ah *raw)
{
	static struct vx_ah *ah;

	if (!ah)
		must(vx_ah_borrow(twin.pd, raw, &ah));
	return ah;
}

struct vx_mw *twin_mw(struct ibv_mw *raw)
{
	static struct vx_mw *mw;

	if (!mw)
		must(vx_mw_borrow(twin.pd, raw, &mw));
	return mw;
}

struct vx_mlx5_mkey *twin_mkey(struct mlx5dv_mkey *raw)
{
	struct vx_mlx5_mkey *mkey;

	must(vx_mlx5_mkey_borrow(twin.pd, raw, &mkey));
	return mkey;
}

/* ---- text ---- */

static uint16_t posted(void)
{
	return (uint16_t)be32toh(((volatile __be32 *)queue.dbrec)[MLX5_SND_DBR]);
}

/* Numbers that differ from run to run, by those that take their place. */
static void rename_words(uint8_t *wqe, size_t bytes)
{
	const struct {
		uint32_t is, was;
	} names[] = { { 0x11100, bed.mr->lkey }, { 0x22200, bed.mkey->lkey }, { 0x33300, bed.mw->rkey },
						 { 0x33301, bed.mw_key }, { 0x10700, bed.qp->qp_num << 8 },
						 { 0x44400, bed.sig_mkey ? bed.sig_mkey->lkey : 0 },
						 { 0x55500, bed.crypto_mkey ? bed.crypto_mkey->lkey : 0 } };
	uint64_t long_word;
	uint32_t word;
	size_t at, i;

	for (at = 0; at < bytes; at += sizeof(word)) {
		memcpy(&word, wqe + at, sizeof(word));
		word = be32toh(word);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (names[i].was && (i == OF_QP ? word & ~0xffu : word) == names[i].was)
				word = names[i].is | (i == OF_QP ? word & 0xff : 0);
		word = htobe32(word);
		memcpy(wqe + at, &word, sizeof(word));
	}
	for (at = 0; at < bytes; at += sizeof(long_word)) {
		memcpy(&long_word, wqe + at, sizeof(long_word));
		if (be64toh(long_word) - address(0) < BUFFER_SIZE)
			long_word = htobe64(be64toh(long_word) - address(0) + 0x100000);
		memcpy(wqe + at, &long_word, sizeof(long_word));
	}
	if (wqe[3] == MMO) /* libmlx5's own memory */
		memset(wqe + SEGMENT, 0, SEGMENT);
}

/* @return how many blocks it has */
static uint16_t show_one(FILE *out, uint16_t index)
{
	uint8_t wqe[LONGEST];
	char text[4096];
	size_t bytes, i;

	for (i = 0; i < sizeof(wqe); i += SEGMENT)
		memcpy(wqe + i, (char *)queue.sq.buf + ((size_t)index * BLOCK + i) % ((size_t)queue.sq.wqe_cnt * BLOCK), SEGMENT);
	bytes = (size_t)(wqe[7] & 0x3f) * SEGMENT;
	rename_words(wqe, bytes);
	vx_mlx5_wqe_snprint(text, sizeof(text), bed.qp->qp_type, wqe, bytes);
	fprintf(out, "  %s\n", text);
	return (uint16_t)((bytes + BLOCK - 1) / BLOCK);
}

static void show(void)
{
	static FILE *out;

	if (!out)
		out = fopen(getenv("TWIN_TEXT") ? getenv("TWIN_TEXT") : "/dev/null", "w");
	if (!out)
		exit(1);
	fprintf(out, "%s\n", name);
	while (before != posted())
		before = (uint16_t)(before + show_one(out, before));
	fflush(out);
}

/* ---- posting ---- */

void twin_start(const char *what)
{
	name = what;
	before = posted();
	twin.wr = vx_wr_start(twin.qp);
}

int twin_complete(void)
{
	int rc = vx_wr_complete(twin.wr);

	if (rc < 0)
		fprintf(stderr, "%s: %s\n", name, vx_error_text());
	show();
	return -rc;
}

int twin_post_send(const char *what, struct ibv_qp *raw, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	int rc;

	twin_of(raw);
	name = what;
	before = posted();
	rc = vx_qp_post_send(twin.qp, wr, bad);
	show();
	return -rc;
}
