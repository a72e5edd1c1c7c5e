/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The WQEs that libmlx5 builds, by QP type, in a form that is the same in each run:
 *
 *	LD_PRELOAD=./libverbsx-emu.so ./verbsx-emu-wqe rc|uc|ud|xrc|dci|raw|guarded [LENGTH]
 *
 * A line is a segment of 16 bytes. Keys, addresses and the QP's number have names. LENGTH is
 * that of the data, 16 without it.
 */
#include "wqe.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_CONNECTED                                                                              \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_SEND_WITH_INV |       \
	 IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_BIND_MW | \
	 IBV_QP_EX_WITH_LOCAL_INV)
#define OPS_RELIABLE                                                                    \
	(OPS_CONNECTED | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define OPS_UD (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define OPS_MKEY \
	(MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MKEY_CONFIGURE)

#define SEGMENT 16
#define WQEBB 64
#define OPCODE_MMO 0x2f

struct bed bed;
char buffer[BUFFER_SIZE] __attribute__((aligned(4096))) = "0123456789abcdefghijklmnopqrstuvwxyz";

static const struct type {
	const char *name;
	int bit;
	enum ibv_qp_type type;
	uint64_t ops, mlx5_ops;
} types[] = {
	{ "rc", RC, IBV_QPT_RC, OPS_RELIABLE,
	  OPS_MKEY | MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_RAW_WQE },
	{ "uc", UC, IBV_QPT_UC, OPS_CONNECTED, MLX5DV_QP_EX_WITH_RAW_WQE },
	{ "ud", UD, IBV_QPT_UD, OPS_UD, MLX5DV_QP_EX_WITH_RAW_WQE },
	{ "xrc", XRC, IBV_QPT_XRC_SEND, OPS_RELIABLE, MLX5DV_QP_EX_WITH_RAW_WQE },
	{ "dci", DCI, IBV_QPT_DRIVER, OPS_RELIABLE, MLX5DV_QP_EX_WITH_MEMCPY | MLX5DV_QP_EX_WITH_RAW_WQE },
	{ "guarded", GUARDED, IBV_QPT_RC, OPS_RELIABLE, OPS_MKEY },
	{ "raw", RAW, IBV_QPT_RAW_PACKET, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO, 0 },
};

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "verbsx-emu-wqe: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t address(size_t offset)
{
	return (uintptr_t)buffer + offset;
}

struct ibv_sge sge(size_t offset, uint32_t length)
{
	return (struct ibv_sge){ address(offset), length, bed.mr->lkey };
}

static void open_device(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);

	check(list && list[0], "no device");
	bed.ctx = mlx5dv_open_device(list[0], &attr);
	check(!!bed.ctx, "open");
	ibv_free_device_list(list);
}

static struct mlx5dv_mkey *new_mkey(uint32_t flags)
{
	struct mlx5dv_mkey_init_attr attr = { .pd = bed.pd,
					      .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flags,
					      .max_entries = 8 };

	return mlx5dv_create_mkey(&attr);
}

/* Keys that sign, and that encrypt with a key that comes as it is */
static void make_guarded(void)
{
	struct mlx5dv_dek_init_attr key = { .pd = bed.pd,
					    .key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
					    .key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
					    .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN };

	bed.sig_mkey = new_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
	bed.dek = mlx5dv_dek_create(bed.ctx, &key);
	bed.crypto_mkey = new_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO);
	check(bed.sig_mkey && bed.dek && bed.crypto_mkey, "create keys that guard");
}

static void make_objects(void)
{
	struct ibv_xrcd_init_attr xrcd = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = -1,
					   .oflags = O_CREAT };
	struct ibv_ah_attr path = { .dlid = 9, .sl = 3, .port_num = 1, .is_global = 1, .static_rate = 2 };

	memset(&path.grh.dgid, 0xfd, sizeof(path.grh.dgid));
	path.grh.hop_limit = 5;
	bed.pd = ibv_alloc_pd(bed.ctx);
	check(!!bed.pd, "alloc_pd");
	bed.cq = ibv_create_cq(bed.ctx, 1023, NULL, NULL, 0);
	bed.mr = ibv_reg_mr(bed.pd, buffer, sizeof(buffer),
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
	bed.mw = ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2);
	bed.mkey = new_mkey(0);
	bed.ah = ibv_create_ah(bed.pd, &path);
	bed.xrcd = ibv_open_xrcd(bed.ctx, &xrcd);
	check(bed.cq && bed.mr && bed.mw && bed.mkey && bed.ah && bed.xrcd, "create");
	bed.mw_key = ibv_inc_rkey(bed.mw->rkey);
}

static void make_qp(const struct type *t)
{
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					  .send_ops_flags = t->mlx5_ops };
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = bed.cq,
		.recv_cq = bed.cq,
		.cap = { 256, 0, 4, 0, 256 },
		.qp_type = t->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = bed.pd,
		.send_ops_flags = t->ops,
	};

	if (t->bit == DCI) {
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
		dv.dc_init_attr.dci_streams.log_num_concurent = 2;
		dv.dc_init_attr.dci_streams.log_num_errored = 1;
	}
	if (t->bit == RAW) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		attr.max_tso_header = 64;
	}
	bed.qp = mlx5dv_create_qp(bed.ctx, &attr, &dv);
	check(!!bed.qp, "create_qp");
}

/* Ready to send to nobody, for ever: each WQE stays in the queue */
static void start_qp(const struct type *t)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT,
				 .port_num = 1,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = REMOTE_QPN,
				 .ah_attr = { .dlid = 9, .port_num = 1 } };
	int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	int rtr = IBV_QP_STATE | IBV_QP_PATH_MTU, rts = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (t->bit & (UD | RAW))
		rtr = IBV_QP_STATE;
	else if (t->bit != DCI)
		rtr |= IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV;
	if (t->bit & (RC | GUARDED))
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (t->bit == RAW) {
		init = IBV_QP_STATE | IBV_QP_PORT;
		rts = IBV_QP_STATE;
	} else if (t->bit != DCI)
		init |= t->bit == UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (t->bit & (RELIABLE | GUARDED))
		rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	check(!ibv_modify_qp(bed.qp, &a, init), "to INIT");
	a.qp_state = IBV_QPS_RTR;
	check(!ibv_modify_qp(bed.qp, &a, rtr), "to RTR");
	a.qp_state = IBV_QPS_RTS;
	check(!ibv_modify_qp(bed.qp, &a, rts), "to RTS");
}

static struct mlx5dv_qp queue(void)
{
	struct mlx5dv_qp dv = { 0 };
	struct mlx5dv_obj obj = { .qp = { bed.qp, &dv } };

	check(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), "init_obj");
	return dv;
}

static uint16_t producer(const struct mlx5dv_qp *q)
{
	return be32toh(((volatile __be32 *)q->dbrec)[MLX5_SND_DBR]);
}

static bool is_mkey(uint32_t word)
{
	return word == bed.mkey->lkey || (bed.sig_mkey && word == bed.sig_mkey->lkey) ||
	       (bed.crypto_mkey && word == bed.crypto_mkey->lkey);
}

static void print_word(uint32_t word)
{
	if (word == bed.mr->lkey)
		printf(" <mr key>");
	else if (is_mkey(word))
		printf(" < mkey >");
	else if (word == bed.mw->rkey)
		printf(" <mw key>");
	else if (word >> 8 == bed.qp->qp_num)
		printf(" <qpn>.%02x", word & 0xff);
	else
		printf(" %08x", word);
}

static void print_half(const uint8_t *at)
{
	uint64_t value = (uint64_t)be32toh(((const __be32 *)at)[0]) << 32 | be32toh(((const __be32 *)at)[1]);

	if (value >= address(0) && value < address(BUFFER_SIZE)) {
		printf(" <buffer  +%06x>", (unsigned int)(value - address(0)));
		return;
	}
	print_word(value >> 32);
	print_word(value);
}

/* A memcpy names an MR that libmlx5 keeps for itself */
static bool is_library_mr(const uint8_t *wqe, uint32_t segment)
{
	return (be32toh(*(const __be32 *)wqe) & 0xff) == OPCODE_MMO && segment == 1;
}

static uint32_t segments_of(const struct mlx5dv_qp *q, uint16_t index)
{
	const uint8_t *at = (const uint8_t *)q->sq.buf + (size_t)(index & (q->sq.wqe_cnt - 1)) * WQEBB;

	return be32toh(((const struct mlx5_wqe_ctrl_seg *)at)->qpn_ds) & 0x3f;
}

static uint16_t blocks(const struct mlx5dv_qp *q, uint16_t index)
{
	return (segments_of(q, index) * SEGMENT + WQEBB - 1) / WQEBB;
}

/* Unused segments at the end of the last block are not printed */
static void print_wqe(const struct mlx5dv_qp *q, uint16_t index)
{
	const uint8_t *at = (const uint8_t *)q->sq.buf + (size_t)(index & (q->sq.wqe_cnt - 1)) * WQEBB;

	for (uint32_t i = 0; i < segments_of(q, index); i++) {
		const uint8_t *segment = (const uint8_t *)q->sq.buf +
					 ((size_t)index * WQEBB + i * SEGMENT) % (q->sq.wqe_cnt * WQEBB);

		printf(" ");
		if (is_library_mr(at, i)) {
			printf(" 00000000 <libkey> <library's memory>\n");
			continue;
		}
		print_half(segment);
		print_half(segment + SEGMENT / 2);
		printf("\n");
	}
}

static void build(const struct builder *builders, int type)
{
	struct mlx5dv_qp q = queue();

	for (const struct builder *b = builders; b->name; b++) {
		uint16_t before = producer(&q);
		int rc;

		if (!(b->types & type))
			continue;
		printf("%s\n", b->name);
		rc = b->post(b);
		if (rc)
			printf("  refused: %s\n", strerror(rc));
		for (; before != producer(&q); before += blocks(&q, before))
			print_wqe(&q, before);
	}
}

static const struct type *find_type(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(name, types[i].name))
			return &types[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct type *t = argc > 1 ? find_type(argv[1]) : NULL;

	if (!t) {
		fprintf(stderr, "usage: verbsx-emu-wqe rc|uc|ud|xrc|dci|raw|guarded [LENGTH]\n");
		return 2;
	}
	bed.length = argc > 2 ? atoi(argv[2]) : SEGMENT;
	open_device();
	make_objects();
	if (t->bit == GUARDED)
		make_guarded();
	make_qp(t);
	start_qp(t);
	build(post_send_builders, t->bit);
	build(wr_builders, t->bit);
	build(mlx5dv_builders, t->bit);
	return 0;
}
