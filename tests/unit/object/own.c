/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Structures of libverbsx as text, and pointers to objects by the names of these. */

#include <errno.h>
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
	expect_part(print_as(VX_JSON, &init), "\"send_cq\": \"%s\", \"recv_cq\": \"%s\", \"srq\": null, ", cq_name, cq_name);
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

	expect_part(print_as(VX_JSON | VX_FOLLOW, &init), "{\"wqs\": [\"%s\", null], \"count\": \"2\"}", cq_name);
	expect_part(print_as(VX_TEXT, &init), "wqs   : %p\n", (void *)wqs);
}

Test(own, an_event_names_what_it_is_about)
{
	const struct vx_async_event event = { .type = IBV_EVENT_CQ_ERR, .object = cq, .context = ctx };

	expect_part(print_as(VX_TEXT, &event), "type     : IBV_EVENT_CQ_ERR (0)\nport_num : 0\nobject   : %s\ncontext  : mlx5_0\n", cq_name);
}

Test(own, what_failed_last_is_told_in_full_without_being_asked_to_follow)
{
	cr_assert_eq(vx_cq_create(NULL, NULL, &cq), -EINVAL);
	print_as(VX_TEXT, vx_error());
	expect_part(text, "code   : -EINVAL (-22)\ncall   : vx_cq_create\nobject : \nreason : the parent is NULL\n");
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
	cr_expect_str_eq(text, "{addr=NULL length=4096 access=IBV_ACCESS_LOCAL_WRITE(0x1)}");
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
	expect_part(print_as(VX_JSON, &attr), "\"send_cq\": \"%s\", \"recv_cq\": \"0x123\", ", cq_name);
}

Test(own, the_query_of_a_qp_names_its_queues)
{
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	expect_part(print_as(VX_TEXT, qp), "  send_cq    : %s (0x", cq_name);
}
