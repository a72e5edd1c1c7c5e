/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Encrypted data: keys are imported, and data are encrypted and decrypted on the way through an mkey. */
#include <dlfcn.h>

#include "mailbox.h"
#include "mkey_configured.h"

static void open_encrypted(void);
static void close_encrypted(void);
TestSuite(crypto, .init = open_encrypted, .fini = close_encrypted);

enum {
	BLOCK = 512,
	ODD_BLOCK = 520, /* not of whole blocks of AES */
	DIF = 8,
	PLAIN = 8192, /* where data lie in bed.buf: plain, below the mkey, and what came out of it */
	BELOW = 16384,
	OUT = 24576,
	KEY_SIZE_128 = 32, /* of both keys */
	KEY_SIZE_256 = 64,
	CREATE_GENERAL_OBJECT = 0xa00,
	QUERY_GENERAL_OBJECT = 0xa02,
	TYPE_DEK = 0x0c,
	DEK_KEY_AT = 80, /* in the mailbox */
	DEK_LENGTH = 272
};

/* Of IEEE 1619's vectors 4 and 10; wrapped, as the credential is, with what openssl made of the device's import KEK */
static const uint8_t key_128[] = { 0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60,
				   0x28, 0x74, 0x71, 0x35, 0x26, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58,
				   0x97, 0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95 };
static const uint8_t key_256[] = { 0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45, 0x23, 0x53, 0x60, 0x28, 0x74,
				   0x71, 0x35, 0x26, 0x62, 0x49, 0x77, 0x57, 0x24, 0x70, 0x93, 0x69, 0x99, 0x59,
				   0x57, 0x49, 0x66, 0x96, 0x76, 0x27, 0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97,
				   0x93, 0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95, 0x02, 0x88, 0x41, 0x97,
				   0x16, 0x93, 0x99, 0x37, 0x51, 0x05, 0x82, 0x09, 0x74, 0x94, 0x45, 0x92 };
static const uint8_t wrapped_credential[] = { 0xaf, 0xbd, 0x0c, 0x1a, 0x31, 0xda, 0xfc, 0x25, 0xee, 0xb6, 0x40, 0x25,
					      0x32, 0xd8, 0xb6, 0xff, 0x51, 0x16, 0xf7, 0xf2, 0x47, 0x44, 0x62, 0xd7,
					      0x21, 0x8e, 0x94, 0x2e, 0x14, 0x4e, 0xeb, 0x0c, 0xb3, 0x00, 0xe6, 0x66,
					      0x31, 0x91, 0x94, 0x89, 0x35, 0xa1, 0x9c, 0xd3, 0xb8, 0x56, 0x79, 0xc1 };
static const uint8_t wrapped_128[] = { 0x64, 0x0e, 0x94, 0xf5, 0x31, 0x4c, 0xe3, 0xe7, 0xc1, 0xe7,
				       0x69, 0x0b, 0x6f, 0x0a, 0x04, 0xc5, 0x65, 0xc0, 0x22, 0x3a,
				       0x32, 0xf4, 0x51, 0x8c, 0xc7, 0x03, 0x8e, 0xe3, 0xf9, 0xa1,
				       0xeb, 0x8b, 0x6c, 0x44, 0x8b, 0x1e, 0x97, 0x2c, 0x2d, 0x45 };

static bool is_there, is_wrapped;

static void open_encrypted(void)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };

	open_mlx5();
	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	is_there = c.crypto_caps.crypto_engines;
	is_wrapped = c.crypto_caps.wrapped_import_method & MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
	for (int i = 0; i < 4 * BLOCK; i++)
		bed.buf[PLAIN + i] = i;
}

static void close_encrypted(void)
{
	destroy_configured();
	close_bed();
}

static void need(bool what)
{
	if (!what)
		skip("a device without encryption, or with another import of keys");
}

static int log_in(const uint8_t *credential, uint32_t id)
{
	struct mlx5dv_crypto_login_attr a = { .credential_id = id };

	memcpy(a.credential, credential, sizeof(a.credential));
	return mlx5dv_crypto_login(bed.ctx, &a);
}

static struct mlx5dv_dek *try_dek(const uint8_t *key, size_t size, const char *keytag)
{
	struct mlx5dv_dek_init_attr a = {
		.key_size = size >= KEY_SIZE_256 ? MLX5DV_CRYPTO_KEY_SIZE_256 : MLX5DV_CRYPTO_KEY_SIZE_128,
		.has_keytag = keytag,
		.pd = bed.pd,
		.opaque = "opaque",
		.comp_mask = is_wrapped ? 0 : MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};

	memcpy(a.key, key, size);
	if (keytag)
		memcpy(a.key + size, keytag, sizeof(((struct mlx5dv_crypto_attr *)0)->keytag));
	return mlx5dv_dek_create(bed.ctx, &a);
}

static struct mlx5dv_dek *make_dek_128(void)
{
	struct mlx5dv_dek *dek;

	CHECK(!is_wrapped || !log_in(wrapped_credential, 0));
	dek = is_wrapped ? try_dek(wrapped_128, sizeof(wrapped_128), NULL) : try_dek(key_128, sizeof(key_128), NULL);
	CHECK(dek);
	return dek;
}

static void destroy_dek(struct mlx5dv_dek *dek)
{
	CHECK(!mlx5dv_dek_destroy(dek));
	CHECK(!is_wrapped || !mlx5dv_crypto_logout(bed.ctx));
}

static void lay_out_signed(uint32_t len, const struct mlx5dv_crypto_attr *a, const struct mlx5dv_sig_block_attr *block)
{
	if (!mkey)
		make_configured(MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |
				(block ? MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE : 0));
	configure(BELOW, len, block, a);
}

/* The key is of @len bytes from BELOW on */
static void lay_out(uint32_t len, struct mlx5dv_dek *dek, enum mlx5dv_block_size unit, uint8_t tweak, bool encrypts)
{
	const struct mlx5dv_crypto_attr a = {
		.encrypt_on_tx = encrypts,
		.data_unit_size = unit,
		.initial_tweak = { tweak },
		.dek = dek,
	};

	lay_out_signed(len, &a, NULL);
}

static void write_in(size_t from, uint64_t at, uint32_t len)
{
	write_between(bed.mr->lkey, address(from), mkey->rkey, at, len);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

static void write_out(uint64_t at, size_t to, uint32_t len)
{
	write_between(mkey->lkey, at, bed.mr->rkey, address(to), len);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
}

static bool is_plain(size_t at, uint32_t len)
{
	return !memcmp(bed.buf + at, bed.buf + PLAIN, len);
}

Test(crypto, there_is_none_unless_configured)
{
	if (is_there)
		skip("it is configured");
	CHECK(!try_mkey(MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO) && errno == EOPNOTSUPP);
}

Test(crypto, only_who_has_the_credential_logs_in)
{
	uint8_t wrong[sizeof(wrapped_credential)];

	need(is_wrapped);
	memcpy(wrong, wrapped_credential, sizeof(wrong));
	wrong[20] ^= 1;
	CHECK(log_in(wrong, 0) == EINVAL && log_in(wrapped_credential, 1) == EINVAL);
	CHECK(!log_in(wrapped_credential, 0) && log_in(wrapped_credential, 0) == EEXIST);
	CHECK(!mlx5dv_crypto_logout(bed.ctx));
}

Test(crypto, a_wrapped_key_needs_a_login_and_its_wrapping)
{
	uint8_t wrong[sizeof(wrapped_128)];
	struct mlx5dv_dek_attr attr = { 0 };
	struct mlx5dv_dek *dek;

	need(is_wrapped);
	CHECK(!try_dek(wrapped_128, sizeof(wrapped_128), NULL) && errno == EINVAL);
	dek = make_dek_128();
	memcpy(wrong, wrapped_128, sizeof(wrong));
	wrong[0] ^= 1;
	CHECK(!try_dek(wrong, sizeof(wrong), NULL) && errno == EINVAL);
	CHECK(!mlx5dv_dek_query(dek, &attr) && attr.state == MLX5DV_DEK_STATE_READY);
	CHECK(!strcmp(attr.opaque, "opaque"));
	destroy_dek(dek);
}

static struct mailbox dek_mailbox(void)
{
	struct mailbox m = mailbox_of(CREATE_GENERAL_OBJECT);

	mailbox_set(&m, 48, 16, TYPE_DEK);
	mailbox_set(&m, 220, 4, 3); /* for AES-XTS */
	mailbox_set(&m, 232, 24, pd_number(bed.pd));
	memcpy(m.in + DEK_KEY_AT, is_wrapped ? wrapped_128 : key_128, is_wrapped ? sizeof(wrapped_128) : sizeof(key_128));
	return m;
}

static int query_dek(struct mlx5dv_devx_obj *o, uint32_t number, struct mailbox *m)
{
	*m = mailbox_of(QUERY_GENERAL_OBJECT);
	mailbox_set(m, 48, 16, TYPE_DEK);
	mailbox_set(m, 64, 32, number);
	return mailbox_query(o, m, 16);
}

/* Past libmlx5, which would ask for a login as well */
Test(crypto, the_device_keeps_keys_to_itself)
{
	static const uint8_t none[sizeof(wrapped_128)];
	struct mlx5dv_devx_obj *o;
	struct mailbox m = dek_mailbox();
	uint32_t number;

	need(is_there);
	CHECK(!is_wrapped || (!mailbox_create(&m, DEK_LENGTH) && mailbox_status(&m) == STATUS_BAD_RES_STATE));
	CHECK(!is_wrapped || !log_in(wrapped_credential, 0));
	m = dek_mailbox();
	o = mailbox_create(&m, DEK_LENGTH);
	number = mailbox_get(&m, 64, 32);
	CHECK(o && !query_dek(o, number, &m) && !memcmp(m.out + DEK_KEY_AT, none, sizeof(none)));
	CHECK(!is_wrapped || !mlx5dv_crypto_logout(bed.ctx));
	CHECK(query_dek(o, number, &m) == (is_wrapped ? EREMOTEIO : 0));
	CHECK(!mlx5dv_devx_obj_destroy(o));
}

/* What the standard and openssl say of the bytes 0 to 255, twice: the first block, and the last of the next unit */
Test(crypto, data_are_encrypted_as_the_standard_says)
{
	static const uint8_t first_128[] = { 0x27, 0xa7, 0x47, 0x9b, 0xef, 0xa1, 0xd4, 0x76,
					     0x48, 0x9f, 0x30, 0x8c, 0xd4, 0xcf, 0xa6, 0xe2 },
			     last_128[] = { 0x9b, 0x1c, 0x84, 0xa5, 0x2a, 0x6a, 0x5d, 0xc0,
					    0x65, 0xdb, 0x24, 0x96, 0xfc, 0x4e, 0x84, 0xcb },
			     first_256[] = { 0x1c, 0x3b, 0x3a, 0x10, 0x2f, 0x77, 0x03, 0x86,
					     0xe4, 0x83, 0x6c, 0x99, 0xe3, 0x70, 0xcf, 0x9b },
			     last_256[] = { 0x13, 0xe1, 0x99, 0x10, 0x8b, 0xd6, 0xb7, 0x51,
					    0x93, 0xcd, 0xce, 0x85, 0xb6, 0x7a, 0x53, 0xb0 };
	struct mlx5dv_dek *dek;

	need(is_there && !is_wrapped);
	dek = make_dek_128();
	lay_out(2 * BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 0, false);
	write_in(PLAIN, 0, 2 * BLOCK);
	CHECK(!memcmp(bed.buf + BELOW, first_128, 16) && !memcmp(bed.buf + BELOW + 2 * BLOCK - 16, last_128, 16));
	write_out(0, OUT, 2 * BLOCK);
	CHECK(is_plain(OUT, 2 * BLOCK));
	destroy_dek(dek);
	dek = try_dek(key_256, sizeof(key_256), NULL);
	CHECK(dek);
	lay_out(2 * BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 0xff, false);
	write_in(PLAIN, 0, 2 * BLOCK);
	CHECK(!memcmp(bed.buf + BELOW, first_256, 16) && !memcmp(bed.buf + BELOW + 2 * BLOCK - 16, last_256, 16));
	destroy_dek(dek);
}

/* It has 8 bytes beside its blocks; the key may go, once the mkey has it */
Test(crypto, a_unit_may_end_within_a_block)
{
	static const uint8_t end[] = { 0x32, 0x0a, 0x9a, 0x6e, 0x23, 0x0d, 0x14, 0x8f, 0x8f, 0xf7, 0xc3, 0x47,
				       0xea, 0x51, 0x0d, 0x80, 0x0a, 0x28, 0x2d, 0xf9, 0x20, 0x14, 0x7b, 0xea };
	struct mlx5dv_dek *dek;

	need(is_there);
	dek = make_dek_128();
	lay_out(3 * ODD_BLOCK, dek, MLX5DV_BLOCK_SIZE_520, 0, false);
	destroy_dek(dek);
	write_in(PLAIN, 0, 3 * ODD_BLOCK);
	CHECK(!memcmp(bed.buf + BELOW + ODD_BLOCK - sizeof(end), end, sizeof(end)));
	write_out(0, OUT, 3 * ODD_BLOCK);
	CHECK(is_plain(OUT, 3 * ODD_BLOCK));
	write_out(ODD_BLOCK + 500, OUT, 20 + ODD_BLOCK); /* from within its last block */
	CHECK(!memcmp(bed.buf + OUT, bed.buf + PLAIN + ODD_BLOCK + 500, 20 + ODD_BLOCK));
}

/* IEEE 1619 wants two keys; libcrypto encrypts with no others */
Test(crypto, two_equal_keys_are_none)
{
	uint8_t equal[KEY_SIZE_128];
	struct mlx5dv_dek *dek;

	need(is_there && !is_wrapped);
	memcpy(equal, key_128, sizeof(equal) / 2);
	memcpy(equal + sizeof(equal) / 2, key_128, sizeof(equal) / 2);
	dek = try_dek(equal, sizeof(equal), NULL);
	CHECK(dek);
	lay_out(BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 0, false);
	write_between(mkey->lkey, 0, bed.mr->rkey, address(OUT), BLOCK);
	expect_error(2, IBV_WC_LOC_PROT_ERR);
	destroy_dek(dek);
}

#define OWN(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(own, name))

/* A program that has the libcrypto of the device would take for its own what failed there, as SSL_get_error() does */
Test(crypto, what_fails_is_no_error_of_the_programs_openssl)
{
	uint8_t wrong[sizeof(wrapped_credential)] = { 0 };
	struct mlx5dv_dek *dek;
	unsigned long mine;
	void *own;

	need(is_there);
	own = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
	CHECK(own);
	OWN(void, "ERR_new", void)();
	OWN(void, "ERR_set_error", int, int, const char *, ...)(2, 1, NULL); /* ERR_LIB_SYS */
	mine = OWN(unsigned long, "ERR_peek_last_error", void)();
	CHECK(mine);
	if (is_wrapped) {
		CHECK(log_in(wrong, 0) == EINVAL);
	} else {
		dek = try_dek(wrong, KEY_SIZE_128, NULL);
		CHECK(dek);
		lay_out(BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 0, false); /* of two equal keys, by this thread, which waits for it */
		destroy_dek(dek);
	}
	cr_expect_eq(OWN(unsigned long, "ERR_peek_last_error", void)(), mine);
	cr_expect_eq(OWN(unsigned long, "ERR_get_error", void)(), mine);
	cr_expect_eq(OWN(unsigned long, "ERR_get_error", void)(), 0);
	dlclose(own);
}

Test(crypto, what_goes_out_encrypted_comes_in_decrypted)
{
	struct mlx5dv_dek *dek;

	need(is_there);
	dek = make_dek_128();
	lay_out(2 * BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 7, true);
	memcpy(bed.buf + BELOW, bed.buf + PLAIN, 2 * BLOCK);
	write_out(0, OUT, 2 * BLOCK);
	CHECK(!is_plain(OUT, 16));
	memset(bed.buf + BELOW, 0, 2 * BLOCK);
	write_in(OUT, 0, BLOCK + 32); /* as messages and as packets come: in pieces */
	CHECK(is_plain(BELOW, BLOCK + 32));
	write_in(OUT + BLOCK + 32, BLOCK + 32, BLOCK - 32);
	CHECK(is_plain(BELOW, 2 * BLOCK));
	destroy_dek(dek);
}

Test(crypto, a_part_of_a_block_is_refused)
{
	struct mlx5dv_dek *dek;

	need(is_there);
	dek = make_dek_128();
	lay_out(BLOCK, dek, MLX5DV_BLOCK_SIZE_512, 0, true);
	write_between(mkey->lkey, 0, bed.mr->rkey, address(OUT), 47);
	expect_error(2, IBV_WC_LOC_PROT_ERR);
	destroy_dek(dek);
}

Test(crypto, a_key_with_another_tag_is_refused)
{
	struct mlx5dv_crypto_attr a = { .encrypt_on_tx = true, .data_unit_size = MLX5DV_BLOCK_SIZE_512 };

	need(is_there && !is_wrapped);
	a.dek = try_dek(key_128, sizeof(key_128), "the tag!");
	CHECK(a.dek);
	memcpy(a.keytag, "the tag!", sizeof(a.keytag));
	lay_out_signed(BLOCK, &a, NULL);
	write_out(0, OUT, BLOCK);
	a.keytag[0] = 'T';
	lay_out_signed(BLOCK, &a, NULL);
	write_between(mkey->lkey, 0, bed.mr->rkey, address(OUT), BLOCK);
	expect_error(2, IBV_WC_LOC_PROT_ERR);
	destroy_dek(a.dek);
}

/* What is beyond what, as the man page of mlx5dv_wr_set_mkey_crypto has it in a table */
struct order {
	char row;
	enum mlx5dv_signature_crypto_order order;
	bool encrypts, signs_memory;
	enum mlx5dv_block_size unit;
};

#define AFTER MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
#define BEFORE MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX

static const struct order orders[] = {
	{ 'B', AFTER, true, false, MLX5DV_BLOCK_SIZE_512 },  { 'C', BEFORE, true, false, MLX5DV_BLOCK_SIZE_520 },
	{ 'D', BEFORE, true, true, MLX5DV_BLOCK_SIZE_512 },  { 'G', AFTER, false, false, MLX5DV_BLOCK_SIZE_512 },
	{ 'H', AFTER, false, true, MLX5DV_BLOCK_SIZE_520 },  { 'J', BEFORE, false, true, MLX5DV_BLOCK_SIZE_512 },
};

static bool is_right(void)
{
	struct mlx5dv_mkey_err e;

	CHECK(!mlx5dv_mkey_check(mkey, &e));
	return e.err_type == MLX5DV_MKEY_NO_ERR;
}

/* Any bytes are encrypted ones of some others */
static void expect_signed_memory(char row)
{
	write_in(PLAIN, 0, BLOCK);
	write_out(0, OUT, BLOCK);
	cr_expect(is_right() && is_plain(OUT, BLOCK) && !is_plain(BELOW, BLOCK), "%c", row);
	bed.buf[BELOW + BLOCK] ^= 1; /* in the signature, encrypted or not */
	write_out(0, OUT, BLOCK);
	cr_expect(!is_right(), "%c", row);
}

static void expect_signed_wire(char row)
{
	memcpy(bed.buf + BELOW, bed.buf + PLAIN, BLOCK);
	write_out(0, OUT, BLOCK + DIF);
	memset(bed.buf + BELOW, 0, BLOCK);
	write_in(OUT, 0, BLOCK + DIF);
	cr_expect(is_right() && is_plain(BELOW, BLOCK) && !is_plain(OUT, BLOCK), "%c", row);
	bed.buf[OUT] ^= 1;
	write_in(OUT, 0, BLOCK + DIF);
	cr_expect(!is_right(), "%c", row);
}

Test(crypto, signatures_are_on_either_side_of_it)
{
	struct mlx5dv_sig_t10dif dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC, .bg = 0xffff };
	struct mlx5dv_sig_block_domain domain = { .sig_type = MLX5DV_SIG_TYPE_T10DIF, .sig.dif = &dif };
	struct mlx5dv_dek *dek;

	need(is_there);
	dek = make_dek_128();
	for (const struct order *o = orders; o < orders + SIZE(orders); o++) {
		struct mlx5dv_crypto_attr a = { .signature_crypto_order = o->order,
						.encrypt_on_tx = o->encrypts,
						.data_unit_size = o->unit,
						.dek = dek };
		struct mlx5dv_sig_block_attr block = { .mem = o->signs_memory ? &domain : NULL,
						       .wire = o->signs_memory ? NULL : &domain,
						       .check_mask = 0xff };

		lay_out_signed(o->signs_memory ? BLOCK + DIF : BLOCK, &a, &block);
		if (o->signs_memory)
			expect_signed_memory(o->row);
		else
			expect_signed_wire(o->row);
	}
	destroy_dek(dek);
}
