/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What mailboxes make and tell besides queues: keys with their entries, capabilities, ports. */
#include "mailbox.h"

TestSuite(devx_key, .init = open_mlx5, .fini = close_bed);

enum {
	QUERY_HCA_CAP = 0x100,
	QUERY_ADAPTER = 0x101,
	CREATE_MKEY = 0x200,
	QUERY_VPORT_STATE = 0x750,
	QUERY_HCA_VPORT_CONTEXT = 0x762,
	ALLOC_PD = 0x800,
	NOP = 0x80d,
	ALLOC_XRCD = 0x80e,
	ALLOC_TRANSPORT_DOMAIN = 0x816,
	QUERY_LAG = 0x842
};

enum {
	CAP = 128, /* bits before a capability */
	HEADER = 16, /* bytes */
	MKEY_LENGTH = 272,
	KLM_LENGTH = 16,
	TAG = 0x5a,
	LOG_ENTITY = 12
};

/* Of two pages of bed.buf, the second first; @mode is 3 for KSMs, of one size, and 2 for KLMs */
static struct mlx5dv_devx_obj *make_key_in(uint32_t pd, int mode, int entries, uint32_t *key)
{
	struct mailbox m = mailbox_of(CREATE_MKEY);
	struct mlx5dv_devx_obj *o;

	mailbox_set(&m, 145, 4, 15); /* atomics, writes, reads, and local writes */
	mailbox_set(&m, 150, 2, mode);
	mailbox_set(&m, 160, 24, 0xffffff);
	mailbox_set(&m, 184, 8, TAG);
	mailbox_set(&m, 232, 24, pd);
	mailbox_set(&m, 256, 64, 0x10000);
	mailbox_set(&m, 320, 64, 8192);
	mailbox_set(&m, 603, 5, LOG_ENTITY);
	mailbox_set(&m, 768, 32, entries);
	for (int i = 0; i < 2; i++) {
		int klm = (MKEY_LENGTH + i * KLM_LENGTH) * 8;

		mailbox_set(&m, klm, 32, mode == 2 ? 4096 : 0);
		mailbox_set(&m, klm + 32, 32, bed.mr->lkey);
		mailbox_set(&m, klm + 64, 64, address(i ? 8192 : 16384));
	}
	o = mailbox_create(&m, MKEY_LENGTH + 2 * KLM_LENGTH);
	*key = mailbox_get(&m, 72, 24) << 8 | TAG;
	return o;
}

static struct mlx5dv_devx_obj *make_key(int mode, int entries, uint32_t *key)
{
	return make_key_in(pd_number(bed.pd), mode, entries, key);
}

static void write_across(int mode)
{
	uint32_t key;
	struct mlx5dv_devx_obj *o = make_key(mode, 2, &key);

	CHECK(o);
	post_write(bed.a, 1, key, 0x10000 + 4094, "ABCD");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 16384 + 4094, "AB", 2) && !memcmp(bed.buf + 8192, "CD", 2));
	CHECK(!mlx5dv_devx_obj_destroy(o));
}

Test(devx_key, entries_of_one_size)
{
	write_across(3);
}

Test(devx_key, entries_with_their_sizes)
{
	write_across(2);
}

Test(devx_key, one_that_is_gone_or_too_long_is_refused)
{
	uint32_t key;
	struct mlx5dv_devx_obj *o = make_key(3, 2, &key);

	CHECK(o && !mlx5dv_devx_obj_destroy(o));
	post_write(bed.a, 1, key, 0x10000, "A");
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);
	CHECK(!make_key(3, 3, &key) && errno == EREMOTEIO); /* the third is not in the mailbox */
	CHECK(!make_key(1, 2, &key) && errno == EREMOTEIO); /* pages */
}

static uint64_t capability(int group, int offset, int width)
{
	struct mailbox m = mailbox_of(QUERY_HCA_CAP);

	mailbox_set(&m, 48, 16, group << 1);
	CHECK(!mailbox_command(&m, HEADER));
	return mailbox_get(&m, CAP + offset, width);
}

Test(devx_key, capabilities_are_those_of_verbs)
{
	struct ibv_device_attr a;

	CHECK(!ibv_query_device(bed.ctx, &a));
	CHECK(capability(0, 451, 5) == 30); /* log_max_msg */
	CHECK(1u << capability(0, 155, 5) >= (unsigned int)a.max_qp);
	CHECK(capability(0, 440, 8) == a.phys_port_cnt && capability(0, 438, 2) == bed.ethernet);
	CHECK(capability(0, 538, 1) && capability(0, 542, 1) && capability(0, 899, 5)); /* dct, atomic, RMP */
	CHECK(capability(3, 144, 16) == 3 && capability(3, 176, 16) == 8); /* two atomics, of 8 bytes */
	CHECK(capability(2, 256, 6) == 0x3f); /* memory on demand over DC */
}

Test(devx_key, a_port_and_its_bond)
{
	struct mlx5dv_context c = { .comp_mask = MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS };
	struct mailbox port = mailbox_of(QUERY_HCA_VPORT_CONTEXT), lag = mailbox_of(QUERY_LAG);

	CHECK(!mailbox_command(&port, HEADER));
	CHECK(mailbox_get(&port, 896, 16) == bed.lid && mailbox_get(&port, 412, 4) == IBV_PORT_ACTIVE);
	mailbox_set(&port, 76, 4, 9);
	CHECK(mailbox_command(&port, HEADER) == EREMOTEIO && mailbox_status(&port) == STATUS_BAD_PARAM);
	CHECK(!mlx5dv_query_device(bed.ctx, &c));
	CHECK(!mailbox_command(&lag, HEADER) && mailbox_get(&lag, 93, 3) == (c.num_lag_ports > 1));
}

Test(devx_key, a_domain_of_protection_is_one_for_a_key)
{
	struct mailbox m = mailbox_of(ALLOC_PD);
	struct mlx5dv_devx_obj *pd = mailbox_create(&m, HEADER), *key;
	uint32_t number = mailbox_get(&m, 72, 24), value;

	CHECK(pd && number && number != pd_number(bed.pd));
	key = make_key_in(number, 3, 2, &value);
	CHECK(key && mlx5dv_devx_obj_destroy(pd) == EBUSY);
	post_write(bed.a, 1, value, 0x10000, "A"); /* of which the QP's domain is not */
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	expect_qp_event(IBV_EVENT_QP_ACCESS_ERR, bed.b);
	CHECK(!mlx5dv_devx_obj_destroy(key) && !mlx5dv_devx_obj_destroy(pd));
	CHECK(!make_key_in(number, 3, 2, &value) && errno == EREMOTEIO);
}

Test(devx_key, domains_of_xrc_and_transport_have_numbers)
{
	struct mailbox xrc = mailbox_of(ALLOC_XRCD), transport = mailbox_of(ALLOC_TRANSPORT_DOMAIN);
	struct mlx5dv_devx_obj *one = mailbox_create(&xrc, HEADER), *two = mailbox_create(&transport, HEADER);

	CHECK(one && two && mailbox_get(&xrc, 72, 24) && mailbox_get(&transport, 72, 24));
	CHECK(!mlx5dv_devx_obj_destroy(one) && !mlx5dv_devx_obj_destroy(two));
}

Test(devx_key, the_adapter_and_its_function)
{
	struct mailbox adapter = mailbox_of(QUERY_ADAPTER), state = mailbox_of(QUERY_VPORT_STATE), nop = mailbox_of(NOP);
	struct ibv_device_attr a;

	CHECK(!ibv_query_device(bed.ctx, &a));
	CHECK(!mailbox_command(&adapter, HEADER) && mailbox_get(&adapter, 328, 24) == a.vendor_id);
	CHECK(!strcmp((char *)adapter.out + 256, "EMU0000000001"));
	CHECK(!mailbox_command(&state, HEADER) && mailbox_get(&state, 124, 4) == 1);
	CHECK(!emu_fault("port_down", NULL, 0));
	wait_async(IBV_EVENT_PORT_ERR);
	CHECK(!mailbox_command(&state, HEADER) && mailbox_get(&state, 124, 4) == 0);
	mailbox_set(&state, 64, 1, 1);
	CHECK(mailbox_command(&state, HEADER) == EREMOTEIO && mailbox_status(&state) == STATUS_BAD_PARAM);
	CHECK(!mailbox_command(&nop, HEADER));
}
