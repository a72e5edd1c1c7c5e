/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Signed data: signatures are put in, checked, taken out and copied on the way through an mkey. */
#include <endian.h>

#include "mkey_configured.h"

static void open_signed(void);
static void close_signed(void);
TestSuite(signature, .init = open_signed, .fini = close_signed);

enum {
	BLOCK = 512,
	DIF = 8,
	PLAIN = 8192, /* where data lie without, and with signatures, in bed.buf */
	SIGNED = 16384,
	MORE = 24576,
	APP_TAG = 0xabcd,
	REF_TAG = 0x01234567,
	GUARD = 0x3dab /* of the block below, from all ones on */
};

static void open_signed(void)
{
	open_mlx5();
	make_configured(MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
	CHECK(emu_live("psv") == 2);
	for (int i = 0; i < 4 * BLOCK; i++)
		bed.buf[PLAIN + i] = i;
}

static void close_signed(void)
{
	destroy_configured();
	CHECK(!emu_live("psv"));
	close_bed();
}

/* The key is of @len bytes from SIGNED on */
static void lay_out(uint32_t len, const struct mlx5dv_sig_block_attr *block)
{
	configure(SIGNED, len, block, NULL);
}

static void write_in(size_t from, uint32_t len)
{
	write_between(bed.mr->lkey, address(from), mkey->rkey, 0, len);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

static void write_out(size_t to, uint32_t len)
{
	write_between(mkey->lkey, 0, bed.mr->rkey, address(to), len);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

static struct mlx5dv_mkey_err error(void)
{
	struct mlx5dv_mkey_err e;

	CHECK(!mlx5dv_mkey_check(mkey, &e));
	return e;
}

static const struct mlx5dv_sig_t10dif dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC,
					      .bg = 0xffff,
					      .app_tag = APP_TAG,
					      .ref_tag = REF_TAG,
					      .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP |
						       MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE };
static const struct mlx5dv_sig_t10dif dif_ip = { .bg_type = MLX5DV_SIG_T10DIF_CSUM,
						 .app_tag = APP_TAG,
						 .ref_tag = REF_TAG };
static const struct mlx5dv_sig_crc crc32 = { .type = MLX5DV_SIG_CRC_TYPE_CRC32, .seed = 0xffffffff };
static const struct mlx5dv_sig_crc crc32c = { .type = MLX5DV_SIG_CRC_TYPE_CRC32C, .seed = 0xffffffff };
static const struct mlx5dv_sig_crc crc64 = { .type = MLX5DV_SIG_CRC_TYPE_CRC64_XP10, .seed = UINT64_MAX };

static struct mlx5dv_sig_block_domain by_dif(const struct mlx5dv_sig_t10dif *d)
{
	return (struct mlx5dv_sig_block_domain){ .sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = d };
}

static struct mlx5dv_sig_block_domain by_crc(const struct mlx5dv_sig_crc *c)
{
	return (struct mlx5dv_sig_block_domain){ .sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = c };
}

/* The block has the bytes 0 to 255, twice; its signatures were computed elsewhere */
Test(signature, what_is_written_is_signed_in_memory)
{
	const struct {
		struct mlx5dv_sig_block_domain memory;
		uint32_t size;
		uint64_t signature;
	} known[] = {
		{ by_crc(&crc32), 4, 0x1c61357600000000 },  { by_crc(&crc32c), 4, 0xae10ee5a00000000 },
		{ by_crc(&crc64), 8, 0x65f48632094a1b07 },  { by_dif(&dif), 8, 0x3dababcd01234567 },
		{ by_dif(&dif_ip), 8, 0x7f80abcd01234567 },
	};

	for (size_t i = 0; i < SIZE(known); i++) {
		struct mlx5dv_sig_block_attr block = { .mem = &known[i].memory, .check_mask = 0xff };
		uint64_t is = 0;

		lay_out(BLOCK + known[i].size, &block);
		write_in(PLAIN, BLOCK);
		memcpy(&is, bed.buf + SIGNED + BLOCK, known[i].size);
		cr_expect(be64toh(is) == known[i].signature, "%zu: %llx", i, (unsigned long long)be64toh(is));
		CHECK(!memcmp(bed.buf + SIGNED, bed.buf + PLAIN, BLOCK));
		CHECK(error().err_type == MLX5DV_MKEY_NO_ERR);
	}
}

Test(signature, what_is_read_is_checked_in_memory)
{
	struct mlx5dv_sig_block_domain memory = by_crc(&crc32);
	struct mlx5dv_sig_block_attr block = { .mem = &memory, .check_mask = MLX5DV_SIG_MASK_CRC32 };
	struct mlx5dv_mkey_err e;

	lay_out(2 * (BLOCK + 4), &block);
	write_in(PLAIN, 2 * BLOCK);
	write_out(MORE, 2 * BLOCK);
	CHECK(!memcmp(bed.buf + MORE, bed.buf + PLAIN, 2 * BLOCK) && error().err_type == MLX5DV_MKEY_NO_ERR);
	bed.buf[SIGNED + BLOCK + 4 + BLOCK] ^= 1; /* the second signature */
	write_out(MORE, 2 * BLOCK);
	e = error();
	CHECK(e.err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	CHECK(e.err.sig.expected_value == 0x1c613576 && e.err.sig.actual_value == (0x1c613576 ^ 1u << 24));
	CHECK(e.err.sig.offset == 2 * BLOCK + 4);
	CHECK(error().err_type == MLX5DV_MKEY_NO_ERR); /* it is told once */
}

/* Two blocks, as they are on the wire */
static void expect_on_wire(size_t at, uint16_t app_tag)
{
	for (int i = 0; i < 2; i++) {
		const char *wire = bed.buf + at + i * (BLOCK + DIF);
		uint64_t is;

		CHECK(!memcmp(wire, bed.buf + PLAIN + i * BLOCK, BLOCK));
		memcpy(&is, wire + BLOCK, sizeof(is));
		cr_expect(be64toh(is) == ((uint64_t)GUARD << 48 | (uint64_t)app_tag << 32 | (REF_TAG + i)),
			  "%llx", (unsigned long long)be64toh(is));
	}
}

Test(signature, what_goes_out_is_signed_on_the_wire)
{
	struct mlx5dv_sig_block_domain wire = by_dif(&dif);
	struct mlx5dv_sig_block_attr block = { .wire = &wire, .check_mask = 0xff };

	lay_out(2 * BLOCK, &block);
	memcpy(bed.buf + SIGNED, bed.buf + PLAIN, 2 * BLOCK);
	write_out(MORE, 2 * (BLOCK + DIF));
	expect_on_wire(MORE, APP_TAG);
}

/* What comes in is on the wire as above, but for one byte of the second block or its signature */
static struct mlx5dv_mkey_err receive_wrong(int byte, uint8_t change)
{
	struct mlx5dv_sig_block_domain wire = by_dif(&dif);
	struct mlx5dv_sig_block_attr block = { .wire = &wire, .check_mask = 0xff };

	lay_out(2 * BLOCK, &block);
	memcpy(bed.buf + SIGNED, bed.buf + PLAIN, 2 * BLOCK);
	write_out(MORE, 2 * (BLOCK + DIF));
	memset(bed.buf + SIGNED, 0, 2 * BLOCK);
	bed.buf[MORE + BLOCK + DIF + byte] ^= change;
	write_in(MORE, 2 * (BLOCK + DIF));
	return error();
}

Test(signature, what_comes_in_is_checked_on_the_wire)
{
	CHECK(receive_wrong(0, 0).err_type == MLX5DV_MKEY_NO_ERR);
	CHECK(!memcmp(bed.buf + SIGNED, bed.buf + PLAIN, 2 * BLOCK));
	CHECK(receive_wrong(7, 1).err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	CHECK(receive_wrong(BLOCK + 1, 1).err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	CHECK(receive_wrong(BLOCK + 2, 1).err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG);
	CHECK(receive_wrong(BLOCK + 7, 1).err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG);
}

Test(signature, a_block_with_the_escape_is_not_checked)
{
	struct mlx5dv_sig_block_domain memory = by_dif(&dif);
	struct mlx5dv_sig_block_attr block = { .mem = &memory, .check_mask = 0xff };

	lay_out(BLOCK + DIF, &block);
	memset(bed.buf + SIGNED, 0xff, BLOCK + DIF);
	bed.buf[SIGNED + BLOCK] = 0; /* a wrong guard */
	write_out(MORE, BLOCK);
	CHECK(error().err_type == MLX5DV_MKEY_NO_ERR);
	bed.buf[SIGNED + BLOCK + 2] = 0; /* no escape any more */
	write_out(MORE, BLOCK);
	CHECK(error().err_type != MLX5DV_MKEY_NO_ERR);
}

Test(signature, bytes_are_copied_from_memory_to_the_wire)
{
	struct mlx5dv_sig_block_domain both = by_dif(&dif);
	struct mlx5dv_sig_block_attr block = { .mem = &both,
					       .wire = &both,
					       .check_mask = MLX5DV_SIG_MASK_T10DIF_GUARD,
					       .flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
					       .copy_mask = MLX5DV_SIG_MASK_T10DIF_APPTAG };

	lay_out(2 * (BLOCK + DIF), &block);
	for (int i = 0; i < 2; i++) {
		char *memory = bed.buf + SIGNED + i * (BLOCK + DIF);
		uint64_t signature = htobe64((uint64_t)GUARD << 48 | 0x777700000000);

		memcpy(memory, bed.buf + PLAIN + i * BLOCK, BLOCK);
		memcpy(memory + BLOCK, &signature, DIF);
	}
	write_out(MORE, 2 * (BLOCK + DIF));
	expect_on_wire(MORE, 0x7777);
	CHECK(error().err_type == MLX5DV_MKEY_NO_ERR);
	write_in(MORE, 2 * (BLOCK + DIF)); /* and back */
	CHECK(!memcmp(bed.buf + SIGNED, bed.buf + MORE, 2 * (BLOCK + DIF)));
}

Test(signature, nothing_is_beyond_the_blocks)
{
	struct mlx5dv_sig_block_domain wire = by_dif(&dif);
	struct mlx5dv_sig_block_attr block = { .wire = &wire, .check_mask = 0xff };

	lay_out(BLOCK, &block);
	post_write(configured, 2, mkey->rkey, BLOCK + DIF, "A");
	expect_error(2, IBV_WC_REM_ACCESS_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);
}
