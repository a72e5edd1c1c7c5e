/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Work requests and completions as a device has them, as text. */

#include <endian.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <verbsx/mlx5_wqe.h>

#include "unit/device.h"

static _Alignas(64) unsigned char wqe[256];
static char text[2048];

enum { QPN = 0x107, INDEX = 5 };

/* What lies behind the control segment, which says that it is this many segments of 16 bytes. */
static void *begin(uint8_t opcode, uint8_t ds, uint8_t flags, uint32_t imm)
{
	memset(wqe, 0, sizeof(wqe));
	mlx5dv_set_ctrl_seg((struct mlx5_wqe_ctrl_seg *)wqe, INDEX, opcode, 0, QPN, flags, ds, 0, htobe32(imm));
	return wqe + sizeof(struct mlx5_wqe_ctrl_seg);
}

static const char *said(enum ibv_qp_type type, size_t bytes)
{
	cr_expect_eq(vx_mlx5_wqe_snprint(text, sizeof(text), type, wqe, bytes), strlen(text));
	return text;
}

static void *put_data(void *at)
{
	mlx5dv_set_data_seg(at, 64, 0x1234, 0x10000);
	return (char *)at + sizeof(struct mlx5_wqe_data_seg);
}

Test(mlx5_wqe, a_send_has_its_control_segment_and_its_data)
{
	put_data(put_data(begin(MLX5_OPCODE_SEND_IMM, 3, MLX5_WQE_CTRL_CQ_UPDATE, 7)));
	cr_expect_str_eq(said(IBV_QPT_RC, sizeof(wqe)),
			 "SEND_IMM: index 5, qpn 0x107, ds 3, CQ_UPDATE, imm 0x7"
			 "; data {byte_count=64 lkey=0x1234 addr=0x10000}; data {byte_count=64 lkey=0x1234 addr=0x10000}");
}

Test(mlx5_wqe, how_it_is_fenced_is_one_number_and_not_flags)
{
	put_data(begin(MLX5_OPCODE_SEND, 2, 3 << 5 | MLX5_WQE_CTRL_CQ_UPDATE, 0));
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "ds 2, CQ_UPDATE|STRONG_ORDERING; data"), "%s", text);
	put_data(begin(MLX5_OPCODE_SEND, 2, MLX5_WQE_CTRL_FENCE | MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE, 0));
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "ds 2, 0xa0; data"), "%s", text);
}

Test(mlx5_wqe, a_write_names_the_peers_memory)
{
	struct mlx5_wqe_raddr_seg *raddr = begin(MLX5_OPCODE_RDMA_WRITE, 3, 0, 0);

	raddr->raddr = htobe64(0x7000);
	raddr->rkey = htobe32(0x99);
	put_data(raddr + 1);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "RDMA_WRITE: index 5, qpn 0x107, ds 3; raddr {raddr=0x7000 rkey="), "%s", text);
	cr_expect_not_null(strstr(text, "; data {byte_count=64"), "%s", text);
}

Test(mlx5_wqe, inline_data_are_told_by_their_length)
{
	struct mlx5_wqe_inl_data_seg *data = begin(MLX5_OPCODE_SEND, 3, 0, 0);

	data->byte_count = htobe32(MLX5_INLINE_SEG | 20);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "ds 3; inline 20 bytes"), "%s", text);
	cr_expect_null(strstr(text, "data {"), "%s", text);
}

Test(mlx5_wqe, only_qps_without_a_peer_have_an_address)
{
	struct mlx5_wqe_av *av = begin(MLX5_OPCODE_SEND, 5, 0, 0);

	mlx5dv_set_dgram_seg((struct mlx5_wqe_datagram_seg *)av, 0x1111, 0x123456, 0, 0, 0, 0, (uint8_t[6]){ 0 }, 0, 0, 0, (uint8_t[16]){ 0 });
	put_data((char *)av + sizeof(*av));
	cr_expect_not_null(strstr(said(IBV_QPT_UD, sizeof(wqe)), "; av {"), "%s", text);
	cr_expect_not_null(strstr(text, "; data {byte_count=64"), "%s", text);
	cr_expect_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; av {"), "%s", text);
}

Test(mlx5_wqe, an_mkey_is_told_with_what_it_is_made_of)
{
	struct mlx5_wqe_umr_ctrl_seg *umr = begin(MLX5_OPCODE_UMR, 12, 0, 0x500);
	struct mlx5_wqe_mkey_context_seg *mkey = (void *)(umr + 1);
	struct mlx5_wqe_umr_klm_seg *klm = (void *)(mkey + 1);

	umr->flags = MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	umr->klm_octowords = htobe16(4);
	klm[0].byte_count = htobe32(4096);
	klm[0].mkey = htobe32(0x77);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "UMR: index 5, qpn 0x107, ds 12, imm 0x500; umr_ctrl {"), "%s", text);
	cr_expect_not_null(strstr(text, "MLX5_WQE_UMR_CTRL_FLAG_INLINE"), "%s", text);
	cr_expect_not_null(strstr(text, "; mkey_context {"), "%s", text);
	cr_expect_not_null(strstr(text, "; umr_klm {byte_count=4096"), "%s", text);
	cr_expect_null(strstr(text, "BSF"), "%s", text);
	klm[2].byte_count = htobe32(512);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; umr_klm {byte_count=512"), "behind one of no memory: %s", text);
}

Test(mlx5_wqe, a_repeat_block_that_says_more_than_there_is_is_cut)
{
	struct mlx5_wqe_umr_ctrl_seg *umr = begin(MLX5_OPCODE_UMR, 12, 0, 0);
	struct mlx5_wqe_umr_repeat_block_seg *block = (void *)((char *)(umr + 1) + sizeof(struct mlx5_wqe_mkey_context_seg));

	umr->flags = MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	umr->klm_octowords = htobe16(4);
	block->op = htobe32(0x400);
	block->num_ent = htobe16(2);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; umr_repeat_block {"), "%s", text);
	block->num_ent = htobe16(60000);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; cut after"), "%s", text);
}

Test(mlx5_wqe, masked_atomics_are_of_64_or_32_bits)
{
	uint64_t *atomic = (uint64_t *)begin(MLX5_OPCODE_ATOMIC_MASKED_CS, 5, 0, 0) + 2;

	wqe[0] = 9;
	atomic[0] = htobe64(7);
	atomic[1] = htobe64(0x123456789a);
	atomic[3] = htobe64(UINT64_MAX);
	cr_expect_str_eq(said(IBV_QPT_RC, sizeof(wqe)), "ATOMIC_MASKED_CS: index 5, qpn 0x107, ds 5, opmod 0x9; raddr {raddr=0x0 rkey=0x0}; "
							"masked_cs {swap=7 compare=0x123456789a compare_mask=0xffffffffffffffff}; data {byte_count=0 lkey=0x0 addr=0x0}");
	((uint32_t *)(begin(MLX5_OPCODE_ATOMIC_MASKED_FA, 3, 0, 0)))[4] = htobe32(7);
	wqe[0] = 8;
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "opmod 0x8; raddr {raddr=0x0 rkey=0x0}; masked_fa {add=7}"), "%s", text);
	cr_expect_null(strstr(text, "not known"), "%s", text);
}

Test(mlx5_wqe, of_encryption_all_but_the_keytag_is_told)
{
	struct mlx5_wqe_umr_ctrl_seg *umr = begin(MLX5_OPCODE_UMR, 16, 0, 0);
	unsigned char *bsf = (unsigned char *)(umr + 1) + sizeof(struct mlx5_wqe_mkey_context_seg);

	umr->flags = MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	bsf[0] = 0x81;
	bsf[40] = 0x77;
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; crypto_bsf {bsf_size_type=0x81}"), "%s", text);
	bsf[0] = 0x80;
	bsf[32] = 1;
	cr_expect_not_null(strstr(said(IBV_QPT_RC, sizeof(wqe)), "; bsf {bsf_size_sbs=0x80 w_inl.vld_refresh=0x100 w_inl.sig_type=0x77}"), "%s", text);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, 150), "; cut after"), "%s", text);
}

Test(mlx5_wqe, what_is_not_known_is_counted_and_what_is_cut_is_told)
{
	begin(0x3f, 4, 0, 0);
	cr_expect_str_eq(said(IBV_QPT_RC, sizeof(wqe)), "opcode 0x3f: index 5, qpn 0x107, ds 4; 48 bytes that are not known");
	begin(MLX5_OPCODE_RDMA_WRITE, 3, 0, 0);
	cr_expect_not_null(strstr(said(IBV_QPT_RC, 24), "; cut after 8 bytes"), "%s", text);
	cr_expect_str_eq(said(IBV_QPT_RC, 8), "no whole control segment");
}

/* ---- completions ---- */

static const char *said_of(const void *cqe, size_t bytes)
{
	cr_expect_eq(vx_mlx5_cqe_snprint(text, sizeof(text), cqe, bytes), strlen(text));
	return text;
}

Test(mlx5_wqe, a_completion_that_failed_has_its_syndromes_in_words)
{
	struct mlx5_err_cqe cqe = { .vendor_err_synd = 0x88, .syndrome = MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, .op_own = MLX5_CQE_REQ_ERR << 4 | 1 };

	cqe.s_wqe_opcode_qpn = htobe32(MLX5_OPCODE_RDMA_WRITE << 24 | QPN);
	cqe.wqe_counter = htobe16(INDEX);
	cr_expect_str_eq(said_of(&cqe, sizeof(cqe)), "REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR (0x13), vendor_err 0x88, of RDMA_WRITE, "
						     "qpn 0x107, wqe_counter 5, owner 1");
}

Test(mlx5_wqe, of_what_was_received_no_request_is_told)
{
	struct mlx5_err_cqe cqe = { .syndrome = MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, .op_own = MLX5_CQE_RESP_ERR << 4 };

	cr_expect_str_eq(said_of(&cqe, sizeof(cqe)), "RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR (0x1), vendor_err 0x0, qpn 0x0, wqe_counter 0, owner 0");
}

Test(mlx5_wqe, one_that_did_not_has_its_bytes)
{
	struct mlx5_cqe64 cqe[2] = { 0 };

	cqe[1].op_own = MLX5_CQE_RESP_SEND << 4;
	cqe[1].byte_cnt = htobe32(64);
	cqe[1].sop_drop_qpn = htobe32(QPN);
	cr_expect_str_eq(said_of(cqe, sizeof(cqe)), "RESP_SEND, 64 bytes, qpn 0x107, wqe_counter 0, owner 0");
	cr_expect_str_eq(said_of(cqe, 4096), "RESP_SEND, 64 bytes, qpn 0x107, wqe_counter 0, owner 0"); /* the first of a queue */
	cr_expect_str_eq(said_of(&cqe[1], 127), "RESP_SEND, 64 bytes, qpn 0x107, wqe_counter 0, owner 0");
	cr_expect_str_eq(said_of(cqe, 63), "no whole CQE");
	cr_expect_str_eq(said_of(NULL, 64), "cqe is NULL");
}

/* How many they are stands where one has its bytes. */
Test(mlx5_wqe, of_those_that_are_compressed_the_first_tells_how_many)
{
	struct mlx5_cqe64 cqe = { .op_own = MLX5_CQE_RESP_SEND << 4 | 3 << 2 | 1, .byte_cnt = htobe32(9), .sop_drop_qpn = htobe32(QPN) };

	cr_expect_str_eq(said_of(&cqe, sizeof(cqe)),
			 "RESP_SEND, the first of 9 that are compressed, or an array of 3, qpn 0x107, wqe_counter 0, owner 1");
}

/* One less than how many they are stands where a completion has its opcode. */
Test(mlx5_wqe, an_array_that_has_the_owner_of_its_own_tells_how_many_in_its_last_byte)
{
	struct mlx5_cqe64 cqe = { .op_own = 6 << 4 | 3 << 2, .byte_cnt = htobe32(64) };

	cr_expect_not_null(strstr(said_of(&cqe, sizeof(cqe)), ", or an array of 7, "), "%s", text);
	cqe.op_own = 7 << 4 | 3 << 2;
	cr_expect_null(strstr(said_of(&cqe, sizeof(cqe)), "array"), "%s", text);
}

Test(mlx5_wqe, data_that_lies_in_a_completion_is_told)
{
	struct mlx5_cqe64 cqe[2] = { 0 };

	cqe[1].op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	cqe[1].byte_cnt = htobe32(8);
	cr_expect_str_eq(said_of(&cqe[1], 64), "RESP_SEND, 8 bytes in its first 32, qpn 0x0, wqe_counter 0, owner 0");
	cqe[1].op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_64 | 1;
	cqe[1].byte_cnt = htobe32(40);
	cr_expect_str_eq(said_of(cqe, 128), "RESP_SEND, 40 bytes in the 64 before it, qpn 0x0, wqe_counter 0, owner 1");
}

static const char *said_of_minis(uint32_t format, const void *minis, uint32_t count)
{
	cr_expect_eq(vx_mlx5_mini_cqes_snprint(text, sizeof(text), format, minis, count), strlen(text));
	return text;
}

Test(mlx5_wqe, compressed_completions_are_told_by_the_format_of_their_cq)
{
	const uint32_t minis[16] = { htobe32(0xffff0003), htobe32(64), htobe32(0x10002), htobe32(65) };
	const uint32_t requests[16] = { htobe32(INDEX << 16 | MLX5_OPCODE_RDMA_WRITE << 8) };

	cr_expect_str_eq(said_of_minis(MLX5DV_CQE_RES_FORMAT_HASH, minis, 2), "64 bytes, hash 0xffff0003; 65 bytes, hash 0x10002");
	cr_expect_str_eq(said_of_minis(MLX5DV_CQE_RES_FORMAT_CSUM, minis, 2), "64 bytes, checksum 0xffff; 65 bytes, checksum 0x1");
	cr_expect_str_eq(said_of_minis(MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX, minis, 2), "64 bytes, checksum 0xffff, stride 3; 65 bytes, checksum 0x1, stride 2");
	cr_expect_str_eq(said_of_minis(0, requests, 1), "RDMA_WRITE, wqe_counter 5");
}

Test(mlx5_wqe, of_a_format_that_is_none_nothing_is_told)
{
	static const uint32_t none[] = { 3, 5, 6, 7, 8, 0x80000001, UINT32_MAX };
	const uint32_t minis[16] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		cr_expect_str_eq(said_of_minis(none[i], minis, 2), "no format", "0x%x", none[i]);
}

Test(mlx5_wqe, no_array_has_more_than_eight)
{
	const uint32_t minis[18] = { 0 };
	unsigned int separators = 0;
	const char *at = said_of_minis(MLX5DV_CQE_RES_FORMAT_HASH, minis, 9);

	while ((at = strstr(at, "; ")) && at++)
		separators++;
	cr_expect_eq(separators, 7);
	cr_expect_str_eq(said_of_minis(MLX5DV_CQE_RES_FORMAT_HASH, minis, 0), "");
	cr_expect_str_eq(said_of_minis(MLX5DV_CQE_RES_FORMAT_HASH, NULL, 8), "minis is NULL");
}
