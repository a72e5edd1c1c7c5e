/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which fields of a completion and of a request are shown: by status, opcode, flags, and the type of the QP. */

#include <criterion/criterion.h>
#include <string.h>
#include <verbsx/verbsx.h>

#define RECEIVED "{wr_id=0x1 status=IBV_WC_SUCCESS(0) opcode=IBV_WC_RECV(128) byte_len=77 qp_num=9 "

static const char *text_of(struct vx_type type, const void *ptr, uint64_t mask)
{
	static char text[1024];

	vx_snprint_mask(text, sizeof(text), type, ptr, mask, VX_COMPACT);
	return text;
}

/* What a provider leaves in the fields that it does not fill. */
static const char *wc_text(enum ibv_wc_status status, enum ibv_wc_opcode opcode, unsigned int flags, uint64_t mask)
{
	const struct ibv_wc wc = {
		.wr_id = 1, .status = status, .opcode = opcode, .vendor_err = 0x42, .byte_len = 77, .imm_data = 5, .qp_num = 9,
		.src_qp = 66, .wc_flags = flags, .pkey_index = 3, .slid = 17, .sl = 4, .dlid_path_bits = 2,
	};

	return text_of(VX_STRUCT(ibv_wc), &wc, mask);
}

Test(valid, a_send_says_nothing_of_a_sender_or_a_length)
{
	static const enum ibv_wc_opcode opcodes[] = { IBV_WC_SEND,	IBV_WC_RDMA_WRITE, IBV_WC_BIND_MW,
						      IBV_WC_LOCAL_INV, IBV_WC_TSO };
	size_t i;

	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		const char *text = wc_text(IBV_WC_SUCCESS, opcodes[i], IBV_WC_WITH_IMM, VX_MASK_ALL);

		cr_expect(strstr(text, "(0) opcode=") && strstr(text, ") qp_num=9}"), "%s", text);
	}
}

Test(valid, a_read_or_an_atomic_has_a_length)
{
	cr_expect_str_eq(wc_text(IBV_WC_SUCCESS, IBV_WC_RDMA_READ, 0, VX_MASK_ALL),
			 "{wr_id=0x1 status=IBV_WC_SUCCESS(0) opcode=IBV_WC_RDMA_READ(2) byte_len=77 qp_num=9}");
	cr_expect(strstr(wc_text(IBV_WC_SUCCESS, IBV_WC_FETCH_ADD, 0, VX_MASK_ALL), " byte_len=77 "));
}

Test(valid, a_receive_has_a_sender_where_the_qp_is_not_connected)
{
	cr_expect_str_eq(wc_text(IBV_WC_SUCCESS, IBV_WC_RECV, 0, 1 << IBV_QPT_UD),
			 RECEIVED "src_qp=66 wc_flags=0 pkey_index=3 slid=17 sl=4 dlid_path_bits=2}");
	cr_expect_str_eq(wc_text(IBV_WC_SUCCESS, IBV_WC_RECV, 0, VX_MASK_ALL),
			 RECEIVED "src_qp=66 wc_flags=0 pkey_index=3 slid=17 sl=4 dlid_path_bits=2}");
	cr_expect_str_eq(wc_text(IBV_WC_SUCCESS, IBV_WC_RECV, 0, 1 << IBV_QPT_RC), RECEIVED "wc_flags=0}");
}

Test(valid, immediate_data_are_of_receives_that_say_so)
{
	cr_expect(strstr(wc_text(IBV_WC_SUCCESS, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM, VX_MASK_ALL), " imm_data=0x5000000 "));
	cr_expect_null(strstr(wc_text(IBV_WC_SUCCESS, IBV_WC_RECV, 0, VX_MASK_ALL), "imm_data"));
}

/* Which is never of UD, and libmlx5 has the immediate data in pkey_index as well. */
Test(valid, a_write_with_immediate_data_has_no_sender)
{
	const char *text = wc_text(IBV_WC_SUCCESS, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM, VX_MASK_ALL);

	cr_expect(strstr(text, " byte_len=77 imm_data=0x5000000 qp_num=9 wc_flags=IBV_WC_WITH_IMM(0x2)}"), "%s", text);
}

Test(valid, what_failed_says_with_which_request_and_where)
{
	cr_expect_str_eq(wc_text(IBV_WC_RETRY_EXC_ERR, IBV_WC_RECV, IBV_WC_WITH_IMM, VX_MASK_ALL),
			 "{wr_id=0x1 status=IBV_WC_RETRY_EXC_ERR(12) vendor_err=0x42 qp_num=9}");
}

Test(valid, a_request_shows_the_peer_of_its_qp)
{
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .wr.ud.remote_qpn = 5, .qp_type.xrc.remote_srqn = 6 };

	cr_expect(strstr(text_of(VX_STRUCT(ibv_send_wr), &wr, 1 << IBV_QPT_UD), "remote_qpn=5"));
	cr_expect_null(strstr(text_of(VX_STRUCT(ibv_send_wr), &wr, 1 << IBV_QPT_UD), "srqn"));
	cr_expect(strstr(text_of(VX_STRUCT(ibv_send_wr), &wr, 1 << IBV_QPT_XRC_SEND), "remote_srqn=6"));
	cr_expect_null(strstr(text_of(VX_STRUCT(ibv_send_wr), &wr, 1 << IBV_QPT_RC), "remote"));
}

Test(valid, an_alternate_path_shows_once_it_has_a_port)
{
	struct ibv_qp_attr attr = { .alt_timeout = 14 };

	cr_expect_null(strstr(text_of(VX_STRUCT(ibv_qp_attr), &attr, VX_MASK_ALL), "alt_timeout"));
	attr.alt_port_num = 1;
	cr_expect(strstr(text_of(VX_STRUCT(ibv_qp_attr), &attr, VX_MASK_ALL), "alt_timeout=\"67.1 ms\"(14)"));
}
