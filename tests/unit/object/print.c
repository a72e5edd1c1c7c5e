/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handles as text. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/enums.h>

#include "unit/device.h"

#define ROOM 8192

int print_from_cpp(FILE *stream, const struct vx_pd *pd, struct vx_cq *cq);
int make_qp_from_cpp(struct vx_pd *pd, struct vx_cq *cq, struct vx_qp **qp);
const char *last_failure_in_cpp(void);

static struct vx_cq *cq;
static struct vx_qp *qp;
static char text[ROOM], expected[ROOM];

static void open_qp(void)
{
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
}

TestSuite(print, .init = open_qp, .fini = close_device);

static const char *as(int style, const void *object)
{
	cr_assert_lt(vx_snprint(text, sizeof(text), VX_TYPEOF((const struct vx_object *)object), object, style), ROOM);
	return text;
}

#define expect_text(style, object, ...) \
	do { \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		cr_expect_str_eq(as(style, object), expected); \
	} while (0)

#define expect_part(style, object, ...) \
	do { \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		cr_expect_not_null(strstr(as(style, object), expected), "no %s in %s", expected, text); \
	} while (0)

Test(print, a_handle_is_its_name_what_it_depends_on_and_its_fields)
{
	const struct ibv_cq *raw = vx_cq_raw(cq);

	expect_text(VX_TEXT, cq, "object      : mlx5_0 cq %u\nuses        : mlx5_0\nhandle      : %u\ncqe         : %d\ncomp_vector : 0\nwc_flags    : 0\n",
		    raw->handle, raw->handle, raw->cqe);
	expect_text(VX_COMPACT, cq, "{object=\"mlx5_0 cq %u\" uses=[mlx5_0] handle=%u cqe=%d comp_vector=0 wc_flags=0}", raw->handle,
		    raw->handle, raw->cqe);
	expect_text(VX_JSON, cq, "{\"object\": \"mlx5_0 cq %u\", \"uses\": [\"mlx5_0\"], \"handle\": %u, \"cqe\": %d, \"comp_vector\": 0, \"wc_flags\": {\"value\": \"0\", \"names\": [], \"unknown\": \"0\"}}",
		    raw->handle, raw->handle, raw->cqe);
}

/* Of an int that has all bits those above are nobody's. */
Test(print, flags_below_0_have_32_bits)
{
	vx_ibv_access_flags_snprint(text, sizeof(text), -1);
	cr_expect_not_null(strstr(text, "IBV_ACCESS_LOCAL_WRITE|"), "%s", text);
	cr_expect_null(strstr(text, "0xffffffff"), "%s", text);
	vx_ibv_access_flags_snprint(text, sizeof(text), INT64_C(1) << 40);
	cr_expect_str_eq(text, "0x10000000000");
}

Test(print, what_cpp_has_made_as_the_guide_says)
{
	struct vx_qp *made_there;

	made(make_qp_from_cpp(pd, cq, &made_there));
	expect_part(VX_TEXT, made_there, "object");
	cr_expect_eq(make_qp_from_cpp(pd, NULL, &made_there), -EINVAL);
	cr_expect_not_null(strstr(last_failure_in_cpp(), "send_cq"), "%s", last_failure_in_cpp());
}

/* With a library that checks handles the program ends: object/checks.c. The others have freed what was closed. */
Test(print, what_is_no_handle_is_told)
{
	const char *says = "it is the raw object of mlx5_0 qp";
	void *raw = vx_qp_raw(qp);
	int32_t nothing[256] = { 0 };

	if (VERBSX_CHECKS)
		return;
	vx_error_clear();
	expect_part(VX_TEXT, raw, "object  : %s", says);
	expect_part(VX_COMPACT, raw, "{object=\"%s", says);
	expect_part(VX_JSON, raw, "{\"object\": \"%s", says);
	cr_expect_eq(vx_error()->code, 0, "what prints leaves the record alone");
	expect_text(VX_JSON, nothing, "{\"object\": \"it was closed, or is no handle\"}");
}

Test(print, each_type_of_handle_is_known_const_or_not)
{
	const struct vx_qp *constant = qp;
	struct vx_td *td;
	FILE *stream = fmemopen(text, sizeof(text), "w");

	made(vx_td_create(ctx, NULL, &td));
	cr_expect_eq(vx_print(stream, td), 0);
	cr_expect_eq(vx_print(stream, constant), 0);
	cr_expect_eq(vx_print(stream, ctx), 0);
	fclose(stream);
	cr_expect_eq(strncmp(text, "object  : mlx5_0 td #1\nuses    : mlx5_0\nobject  : mlx5_0 qp ", 60), 0, "%s", text);
	cr_expect_not_null(strstr(text, "device_attr:\n  fw_ver "));
}

Test(print, structures_print_as_before)
{
	struct ibv_sge sge = { .addr = 0x1000, .length = 2, .lkey = 3 };

	cr_expect_eq(vx_snprint(text, sizeof(text), VX_TYPEOF(&sge), &sge, VX_COMPACT), strlen(text));
	cr_expect_str_eq(text, "{addr=0x1000 length=2 lkey=0x3}");
}

Test(print, cpp_overloads_do_the_same)
{
	char *all = NULL;
	size_t len;
	FILE *stream = open_memstream(&all, &len);

	cr_expect_eq(print_from_cpp(stream, pd, cq), 0);
	fclose(stream);
	snprintf(expected, sizeof(expected), "%s", as(VX_TEXT, pd));
	strcat(expected, as(VX_COMPACT, cq));
	cr_expect_str_eq(all, expected);
	free(all);
}

Test(print, a_qp_shows_all_that_it_uses_and_what_it_is_asked)
{
	expect_part(VX_TEXT, qp, "uses    : mlx5_0 pd %u, mlx5_0 cq %u\n", vx_pd_raw(pd)->handle, vx_cq_raw(cq)->handle);
	expect_part(VX_TEXT, qp, "attr:\n  qp_state            : IBV_QPS_RESET (0)\n");
	cr_expect(!strstr(text, "ah_attr") && !strstr(text, "timeout") && !strstr(text, "port_num"), "%s", text);
	expect_part(VX_TEXT, qp, "    max_send_wr     : 128\n");
	expect_part(VX_TEXT | VX_ALL, qp, "  timeout             : ");
	made(vx_qp_modify(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 },
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	expect_part(VX_TEXT, qp, "  port_num            : 1\n");
	cr_expect_null(strstr(text, "dest_qp_num"));
	made(vx_qp_modify(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE));
	expect_part(VX_TEXT, qp, "init_attr:\n  qp_context : NULL\n");
	expect_part(VX_JSON, qp, "\"attr\": {\"qp_state\": {\"value\": 0, \"name\": \"IBV_QPS_RESET\"}, ");
	cr_expect_null(strstr(text, "rate_limit"), "no query knows it");
}

Test(print, in_json_a_code_has_the_name_and_the_meaning_of_its_enumerator)
{
	const struct ibv_port_attr port = { .max_mtu = IBV_MTU_4096, .active_mtu = (enum ibv_mtu)9 };

	vx_snprint(text, sizeof(text), VX_STRUCT(ibv_port_attr), &port, VX_JSON);
	cr_expect(strstr(text, "\"max_mtu\": {\"value\": 5, \"name\": \"IBV_MTU_4096\", \"text\": \"4096 bytes\"}, "
			       "\"active_mtu\": {\"value\": 9, \"name\": null, \"text\": \"9\"}, "),
		  "%s", text);
}

Test(print, a_state_that_nobody_knows_has_its_name)
{
	cr_expect_str_eq(vx_ibv_qp_state_name(IBV_QPS_UNKNOWN), "IBV_QPS_UNKNOWN");
	cr_expect_str_eq(vx_ibv_wq_state_name(IBV_WQS_UNKNOWN), "IBV_WQS_UNKNOWN");
}

Test(print, an_mr_shows_its_memory_and_keys)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 8192 }, &mr));
	expect_part(VX_TEXT, mr, "addr    : %p\nlength  : 8 KiB (8192)\nlkey    : %#x\nrkey    : %#x\n", vx_mr_addr(mr),
		    vx_mr_lkey(mr), vx_mr_rkey(mr));
}

Test(print, an_address_handle_shows_where_it_leads)
{
	const struct vx_ah_init init = { .grh = { .dgid.raw = { 0xfe, 0x80, [15] = 9 }, .flow_label = 5, .traffic_class = 6 },
					 .dlid = 7, .sl = 3, .static_rate = IBV_RATE_10_GBPS };
	struct vx_ah *ah;

	made(vx_ah_create(pd, &init, &ah));
	expect_part(VX_TEXT, ah, "attr:\n  grh:\n    dgid          : fe80::9\n    flow_label    : 0x5\n    sgid_index    : 0\n");
	expect_part(VX_TEXT, ah, "  dlid          : 7\n  sl            : 3\n  src_path_bits : 0\n  static_rate   : IBV_RATE_10_GBPS (3)\n");
	expect_part(VX_COMPACT, ah, "traffic_class=0x6} dlid=7 sl=3 src_path_bits=0 static_rate=IBV_RATE_10_GBPS(3) is_global=true port_num=1}}");
	expect_part(VX_JSON, ah, "\"attr\": {\"grh\": {\"dgid\": \"fe80::9\", ");
}

Test(print, a_region_shows_its_access_also_when_it_has_changed)
{
	static char memory[64];
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = memory, .length = sizeof(memory) }, &mr));
	expect_part(VX_TEXT, mr, "access  : IBV_ACCESS_LOCAL_WRITE (0x1)\n");
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_REMOTE_READ }, NULL));
	expect_part(VX_TEXT, mr, "access  : IBV_ACCESS_REMOTE_READ (0x4)\n");
}

Test(print, device_memory_shows_its_length)
{
	struct vx_dm *dm;

	made(vx_dm_create(ctx, &(struct vx_dm_init){ .length = 4096 }, &dm));
	expect_part(VX_COMPACT, dm, "length=\"4 KiB\"(4096)");
}

Test(print, a_cq_shows_the_vector_of_its_events)
{
	struct vx_cq *other;

	made(vx_cq_create(ctx, &(struct vx_cq_init){ .comp_vector = 1 }, &other));
	expect_part(VX_JSON, other, "\"comp_vector\": 1");
}

Test(print, an_srq_shows_its_attributes)
{
	struct vx_srq *srq;

	made(vx_srq_create(pd, NULL, &srq));
	expect_part(VX_JSON, srq, ", \"attr\": {\"max_wr\": ");
}

Test(print, a_membership_shows_its_group)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 49153 };
	struct vx_mcast *mcast;
	struct vx_qp *ud;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &ud));
	made(vx_mcast_create(ud, &group, &mcast));
	expect_part(VX_TEXT, mcast, "object  : mlx5_0 mcast ff12::1#1\n");
	expect_part(VX_TEXT, mcast, "gid     : ff12::1\nlid     : 49153\n");
	expect_part(VX_JSON, mcast, ", \"gid\": \"ff12::1\", \"lid\": 49153}");
}

Test(print, an_srq_shows_what_it_was_made_as)
{
	struct vx_srq_init init = { .srq_type = IBV_SRQT_XRC, .cq = cq };
	struct vx_srq *srq;

	made(vx_xrcd_create(ctx, NULL, &init.xrcd));
	made(vx_srq_create(pd, &init, &srq));
	expect_part(VX_TEXT, srq, "\nsrq_type : IBV_SRQT_XRC (1)\nattr:\n");
	made(vx_srq_create(pd, NULL, &srq));
	expect_part(VX_JSON, srq, ", \"srq_type\": {\"value\": 0, \"name\": \"IBV_SRQT_BASIC\"}, ");
}

Test(print, an_srq_of_others_shows_no_type)
{
	struct vx_srq *srq;
	void *raw;

	made(vx_srq_create(pd, NULL, &srq));
	raw = vx_give_back(srq);
	cr_assert_not_null(raw, "%s", vx_error_text());
	made(vx_srq_adopt(pd, raw, &srq));
	cr_expect_null(strstr(as(VX_TEXT, srq), "srq_type"));
}

Test(print, a_block_can_be_indented_and_cut)
{
	char small[16];

	expect_part(VX_TEXT | 2 * VX_INDENT, qp, "\n    attr:\n      qp_state ");
	cr_expect_gt(vx_snprint(small, sizeof(small), VX_TYPEOF(qp), qp, VX_TEXT), sizeof(small));
	cr_expect_str_eq(small, "object  : mlx5_");
	cr_expect_eq(vx_snprint(small, sizeof(small), VX_TYPEOF(qp), (struct vx_qp *)NULL, VX_COMPACT), 4);
	cr_expect_str_eq(small, "NULL");
}

Test(print, what_cannot_be_asked_is_said_and_is_no_error)
{
	vx_error_clear();
	fail_calls("query_qp:EIO");
	expect_part(VX_TEXT, qp, "\nattr:\n  error:\n    code   : -EIO (-5)\n    call   : ibv_query_qp\n");
	fail_calls("query_qp:EIO");
	expect_part(VX_JSON, qp, ", \"attr\": {\"error\": {\"code\": {\"value\": -5, \"text\": \"-EIO\"}, \"call\": \"ibv_query_qp\"}}}");
	cr_expect_eq(vx_error()->code, 0);
}

Test(print, nothing_is_allocated)
{
	last_handle = 0;
	as(VX_JSON, qp);
	as(VX_TEXT, ctx);
	cr_expect_eq(last_handle, 0);
}
