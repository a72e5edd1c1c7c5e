/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures of libverbsx as text, and pointers to objects by the names of these. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include <verbsx/describe.h>
#include <verbsx/event.h>
#include <verbsx/own.h>

#include "unit/device.h"

#define ROOM 8192

int print_own_from_cpp(FILE *stream, const struct vx_mr_init *init);

static struct vx_cq *cq;
static char cq_name[64], text[ROOM], expected[ROOM];

static void open_cq(void)
{
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	vx_object_name(cq_name, sizeof(cq_name), cq);
}

TestSuite(own, .init = open_cq, .fini = close_device);

#define print_as(style, ptr) (vx_snprint(text, sizeof(text), VX_TYPEOF(ptr), ptr, style), text)

#define expect_part(printed, ...) \
	do { \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		cr_expect_not_null(strstr(printed, expected), "no %s in %s", expected, text); \
	} while (0)

Test(own, an_init_structure_names_its_handles)
{
	const struct vx_qp_init init = { .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = 7 };

	expect_part(print_as(VX_TEXT, &init), "send_cq        : %s\nrecv_cq        : %s\nsrq            : NULL\n", cq_name, cq_name);
	expect_part(text, "cap:\n  max_send_wr     : 7\n");
	expect_part(text, "qp_type        : IBV_QPT_UD (4)\n");
	expect_part(print_as(VX_COMPACT, &init), " send_cq=\"%s\" ", cq_name);
	expect_part(print_as(VX_JSON, &init), "\"send_cq\": {\"address\": \"%p\", \"name\": \"%s\"}, ", (void *)cq, cq_name);
	expect_part(text, "\"srq\": null, ");
}

Test(own, what_rdma_core_keeps_to_itself_is_printed_on_demand_only)
{
	struct ibv_device device = { .name = "mlx5_0" };

	cr_expect_null(strstr(print_as(VX_JSON, &device), "_ops"), "%s", text);
	expect_part(print_as(VX_JSON | VX_ALL, &device), "%s", "\"_ops\": {");
}

Test(own, an_init_structure_that_was_left_zero_says_what_is_a_default)
{
	const struct vx_qp_init init = { .cap.max_recv_wr = VX_NONE };

	expect_part(print_as(VX_TEXT, &init), "cap:\n  max_send_wr     : default (0)\n  max_recv_wr     : VX_NONE (2147483648)\n"
					      "  max_send_sge    : default (0)\n  max_recv_sge    : default (0)\n  max_inline_data : 0\n"
					      "qp_type        : default (0)\n");
	expect_part(print_as(VX_COMPACT, &init), " max_recv_wr=VX_NONE(2147483648) ");
	expect_part(print_as(VX_JSON, &init), "\"max_send_wr\": {\"value\": 0, \"text\": \"default\"}, "
					      "\"max_recv_wr\": {\"value\": 2147483648, \"text\": \"VX_NONE\"}, ");
	expect_part(text, "\"qp_type\": {\"value\": 0, \"name\": null}, ");
}

Test(own, bytes_that_nobody_writes_are_not_shown)
{
	expect_part(print_as(VX_JSON | VX_ALL, &(struct vx_ah_init){ .reserved_ = { 1 } }), "\"port_num\": {\"value\": 0, \"text\": \"default\"}}");
	cr_expect_null(strstr(text, "reserved"), "%s", text);
}

Test(own, a_0_that_is_no_value_is_a_default_although_a_mask_may_make_it_count)
{
	expect_part(print_as(VX_TEXT, &(struct vx_opened_qp_init){ 0 }), "qp_type    : default (0)\n");
}

Test(own, a_0_that_is_a_value_is_no_default)
{
	expect_part(print_as(VX_TEXT, &(struct vx_srq_init){ 0 }), "srq_type    : IBV_SRQT_BASIC (0)\n");
	expect_part(print_as(VX_TEXT, &(struct vx_flow_init){ 0 }), "type      : IBV_FLOW_ATTR_NORMAL (0)\n");
	expect_part(print_as(VX_TEXT, &(struct vx_flow_action_init){ 0 }), "keymat_proto : IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM (0)\n");
	expect_part(print_as(VX_TEXT, &(struct vx_mw_init){ 0 }), "type      : default (0)\n");
	expect_part(print_as(VX_TEXT, &(struct vx_mr_init){ 0 }), "access    : default (0)\n");
}

Test(own, enums_of_libverbsx_have_names_as_those_of_rdma_core_have)
{
	const struct vx_mr_init init = { .flags = VX_MR_HUGE | 1 };
	struct vx_call_info info;

	expect_part(print_as(VX_TEXT, &init), "flags     : VX_MR_HUGE|0x1 (0x20001)\n");
	expect_part(print_as(VX_JSON, &init), "\"flags\": {\"value\": 131073, \"names\": [\"VX_MR_HUGE\"], \"unknown\": 1}, ");
	cr_assert(vx_call_find("ibv_create_qp", &info));
	expect_part(print_as(VX_TEXT, &info), "kind    : VX_CALL_EXTERN (0)\nerror   : VX_CALL_ERROR_NULL (1)\n");
	expect_part(print_as(VX_JSON, &info), "\"kind\": {\"value\": 0, \"name\": \"VX_CALL_EXTERN\"}, ");
	cr_expect_str_eq(vx_enum_name(vx_enum_find("vx_mr_flags"), VX_MR_NULL), "VX_MR_NULL");
}

Test(own, a_flow_spec_shows_the_headers_that_count)
{
	const struct vx_flow_spec spec = { .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp.dst_port = 4791 };

	print_as(VX_COMPACT, &spec);
	cr_expect_str_eq(text, "{type=IBV_FLOW_SPEC_UDP(65) val={tcp_udp={dst_port=4791 src_port=0}}}");
}

Test(own, what_is_no_handle_or_no_longer_one_is_not_looked_at)
{
	struct vx_qp_init init = { .send_cq = (struct vx_cq *)(uintptr_t)0x123, .recv_cq = cq };

	made(vx_close(cq));
	expect_part(print_as(VX_TEXT, &init), "send_cq        : 0x123\nrecv_cq        : %p\n", (void *)init.recv_cq);
}

Test(own, a_list_of_handles_is_followed_when_that_is_asked_for)
{
	struct vx_wq *wqs[2] = { (struct vx_wq *)cq, NULL }; /* the device has no WQs, and any handle is named */
	const struct vx_ind_table_init init = { .wqs = wqs, .count = 2 };

	expect_part(print_as(VX_JSON | VX_FOLLOW, &init), "\"to\": [{\"address\": \"%p\", \"name\": \"%s\"}, null]}, \"count\": \"2\"}", (void *)cq, cq_name);
	expect_part(print_as(VX_TEXT, &init), "wqs       : %p\n", (void *)wqs);
}

Test(own, a_0_is_a_default_unless_the_mask_says_that_it_is_meant)
{
	const struct vx_xrcd_init given = { .fd = 7, .oflags = O_CREAT };
	const struct vx_ah_init far = { .comp_mask = VX_AH_INIT_HOP_LIMIT };

	expect_part(print_as(VX_TEXT, &(struct vx_xrcd_init){ 0 }), "fd        : default (0)\noflags    : default (0)\n");
	expect_part(print_as(VX_COMPACT, &(struct vx_xrcd_init){ .comp_mask = IBV_XRCD_INIT_ATTR_FD }), " fd=0 oflags=default(0)}");
	expect_part(print_as(VX_COMPACT, &(struct vx_xrcd_init){ .fd = -1 }), " fd=-1 ");
	expect_part(print_as(VX_COMPACT, &(struct vx_mr_init){ .fd = -1 }), " fd=-1 ");
	expect_part(print_as(VX_TEXT, &given), "fd        : 7\noflags    : O_CREAT (0x40)\n");
	expect_part(print_as(VX_TEXT, &(struct vx_ah_init){ 0 }), "hop_limit     : default (0)\n");
	expect_part(print_as(VX_TEXT, &far), "hop_limit     : 0\n");
}

Test(own, an_event_names_what_it_is_about)
{
	const struct vx_async_event event = { .type = IBV_EVENT_CQ_ERR, .object = cq, .ctx = ctx };

	expect_part(print_as(VX_TEXT, &event), "type     : IBV_EVENT_CQ_ERR (0)\nport_num : 0\nobject   : %s\nctx      : mlx5_0\n", cq_name);
}

Test(own, a_completion_event_names_its_cq_with_or_without_a_handle)
{
	struct vx_comp_event event = { .cq = cq, .raw = vx_cq_raw(cq) };

	expect_part(print_as(VX_TEXT, &event), "cq         : %s\nraw        : %s (%p)\ncq_context : NULL\n", cq_name, cq_name,
		    (void *)event.raw);
	event.cq = NULL;
	expect_part(print_as(VX_COMPACT, &event), "{cq=NULL raw=\"%s\"(%p) cq_context=NULL}", cq_name, (void *)event.raw);
}

Test(own, a_membership_is_named_where_its_handle_is_printed_and_its_qp_is_not_called_so)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct ibv_async_event raw = { .event_type = IBV_EVENT_QP_FATAL };
	struct vx_async_event event = { 0 };
	struct vx_mcast *mcast;
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_mcast_create(qp, &group, &mcast));
	event.object = mcast;
	expect_part(print_as(VX_TEXT, &event), "object   : mlx5_0 mcast ff12::1#1\n");
	raw.element.qp = vx_qp_raw(qp);
	expect_part(print_as(VX_COMPACT, &raw), "{qp=\"mlx5_0 qp %u\"(", raw.element.qp->qp_num);
}

Test(own, what_failed_last_is_told_in_full_without_being_asked_to_follow)
{
	cr_assert_eq(vx_cq_create(NULL, NULL, &cq), -EINVAL);
	print_as(VX_TEXT, vx_error());
	expect_part(text, "code   : -EINVAL (-22)\ncall   : vx_cq_create\nobject : \nreason : the parent is NULL\n");
}

Test(own, in_json_a_text_that_libverbsx_gives_stands_in_the_place_of_its_pointer)
{
	cr_assert_eq(vx_cq_create(NULL, NULL, &cq), -EINVAL);
	print_as(VX_JSON, vx_error());
	cr_expect_str_eq(text, "{\"code\": {\"value\": -22, \"text\": \"-EINVAL\"}, \"call\": \"vx_cq_create\", \"object\": \"\", "
			       "\"reason\": \"the parent is NULL\"}");
}

Test(own, what_programs_fill_is_followed_only_when_that_is_asked_for)
{
	const struct vx_flow_eth eth = { .dst_mac = "ff:ff:ff:ff:ff:ff", .ether_type = 0x800 };

	expect_part(print_as(VX_TEXT, &eth), "dst_mac    : 0x");
	expect_part(print_as(VX_TEXT | VX_FOLLOW, &eth), "dst_mac    : ff:ff:ff:ff:ff:ff\nsrc_mac    : NULL\nether_type : IPv4 (0x800)\n");
}

Test(own, as_much_is_printed_as_the_program_has)
{
	const struct vx_mr_init init = { .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE };
	const struct vx_type older = vx_type_of(VX_STRUCT(vx_mr_init).desc, offsetof(struct vx_mr_init, flags));

	vx_snprint(text, sizeof(text), older, &init, VX_COMPACT);
	cr_expect_str_eq(text, "{addr=NULL length=\"4 KiB\"(4096) access=IBV_ACCESS_LOCAL_WRITE(0x1)}");
}

Test(own, they_are_described_as_those_of_rdma_core)
{
	struct vx_struct_info info;

	vx_struct_describe(vx_struct_find("vx_qp_init"), &info);
	cr_expect_eq(info.size, sizeof(struct vx_qp_init));
	cr_expect_eq(vx_struct_find("vx_qp_init"), VX_STRUCT(vx_qp_init).desc);
}

Test(own, cpp_overloads_do_the_same)
{
	const struct vx_mr_init init = { .length = 1 };
	FILE *stream = fmemopen(expected, sizeof(expected), "w");

	cr_expect_eq(print_own_from_cpp(stream, &init), 0);
	fclose(stream);
	cr_expect_str_eq(print_as(VX_TEXT, &init), expected);
}

Test(own, a_raw_object_is_named_beside_its_address)
{
	const struct ibv_qp_init_attr attr = { .send_cq = vx_cq_raw(cq), .recv_cq = (struct ibv_cq *)(uintptr_t)0x123 };

	expect_part(print_as(VX_TEXT, &attr), "send_cq    : %s (%p)\nrecv_cq    : 0x123\n", cq_name, (void *)attr.send_cq);
	expect_part(print_as(VX_COMPACT, &attr), "send_cq=\"%s\"(%p) recv_cq=0x123 ", cq_name, (void *)attr.send_cq);
	expect_part(print_as(VX_JSON, &attr), "\"send_cq\": {\"address\": \"%p\", \"name\": \"%s\"}, ", (void *)attr.send_cq, cq_name);
	expect_part(text, "\"recv_cq\": {\"address\": \"0x123\", \"name\": null}, \"srq\": null, ");
}

Test(own, the_query_of_a_qp_names_its_queues)
{
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	expect_part(print_as(VX_TEXT, qp), "  send_cq    : %s (0x", cq_name);
}
