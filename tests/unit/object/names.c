/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every live object has a name of its own. */

#include <malloc.h>
#include <stdio.h>

#include "unit/device.h"

TestSuite(name, .init = open_device, .fini = close_device);
static const char *name_of(const void *object)
{
	static char names[4][64];
	static unsigned int next;
	char *name = names[next++ % 4];

	vx_object_name(name, sizeof(names[0]), object);
	return name;
}

/* Who logs a failure names what is about it, which may be a handle that was never made. */
Test(name, of_what_is_no_handle_leaves_the_last_failure)
{
	uint64_t junk[8] = { 0 };
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
	char text[1536];
	struct vx_mr *mr;

	cr_expect_lt(vx_mr_create(pd, NULL, &mr), 0);
	cr_expect_eq(vx_object_name(text, sizeof(text), NULL), 0);
#if !VERBSX_CHECKS /* which end the program for those */
	cr_expect_eq(vx_object_name(text, sizeof(text), (void *)junk), 0);
	vx_wc_error(text, sizeof(text), &wc, (struct vx_qp *)(void *)pd, VX_WC_UNKNOWN);
#endif
	(void)junk;
	(void)wc;
	cr_expect_str_eq(vx_error()->call, "vx_mr_create");
}

Test(name, objects_that_have_no_number_are_told_apart)
{
	const struct vx_ah_init init = { .dlid = 3 };
	struct vx_xrcd *first_xrcd, *second_xrcd;
	struct vx_ah *first, *second;

	made(vx_ah_create(pd, &init, &first));
	made(vx_ah_create(pd, &init, &second));
	cr_expect_str_eq(name_of(first), "mlx5_0 ah #1");
	cr_expect_str_eq(name_of(second), "mlx5_0 ah #2");
	made(vx_xrcd_create(ctx, NULL, &first_xrcd));
	made(vx_xrcd_create(ctx, NULL, &second_xrcd));
	cr_expect_str_neq(name_of(first_xrcd), name_of(second_xrcd));
}

Test(name, parent_domains_of_one_pd_are_told_apart)
{
	struct vx_pd *first, *second;

	made(vx_parent_domain_create(pd, NULL, &first));
	made(vx_parent_domain_create(pd, NULL, &second));
	cr_expect_eq(vx_pd_raw(first)->handle, vx_pd_raw(second)->handle);
	cr_expect_str_neq(name_of(first), name_of(second));
}

/* With a CQ of several QPs, the usual mistake. */
Test(name, of_the_wrong_qp_is_not_that_of_a_completion)
{
	struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR };
	char text[1536], words[128];
	struct vx_qp *first, *second;
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &first));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &second));
	wc.qp_num = vx_qp_raw(first)->qp_num;
	snprintf(words, sizeof(words), " on qp %u, and the handle is that of %s, wr_id", wc.qp_num, name_of(second));
	vx_wc_error(text, sizeof(text), &wc, second, VX_WC_UNKNOWN);
	cr_expect_not_null(strstr(text, words), "%s", text);
	snprintf(words, sizeof(words), " on %s, wr_id", name_of(first));
	vx_wc_error(text, sizeof(text), &wc, first, VX_WC_UNKNOWN);
	cr_expect_not_null(strstr(text, words), "%s", text);
}

/* Nothing in a raw parent domain tells that it is one: it has the kernel's handle of its PD. */
Test(name, adopted_parent_domain_and_its_pd_are_told_apart)
{
	struct vx_pd *domain;

	made(vx_parent_domain_create(pd, NULL, &domain));
	made(vx_pd_adopt(ctx, vx_give_back(domain), &domain));
	cr_expect_eq(vx_pd_raw(domain)->handle, vx_pd_raw(pd)->handle);
	cr_expect_str_neq(name_of(domain), name_of(pd));
	cr_expect_eq(vx_object_kind_of(domain), VX_OBJECT_PD);
}

Test(name, errors_of_a_second_context_have_its_own)
{
	struct vx_ctx *second;
	struct vx_pd *pd_of_it;
	struct vx_cq *cq;
	char memory[8];
	const struct vx_mr_init init = { .addr = memory, .length = sizeof(memory), .access = IBV_ACCESS_REMOTE_WRITE };
	struct vx_mr *mr;

	made(vx_ctx_open_index(0, &second));
	made(vx_pd_create(second, NULL, &pd_of_it));
	cr_expect_lt(vx_cq_create(second, &(struct vx_cq_init){ .comp_vector = 99 }, &cq), 0);
	cr_expect_str_eq(vx_error()->object, "mlx5_0#2");
	cr_expect_lt(vx_mr_create(pd_of_it, &init, &mr), 0);
	cr_expect_str_eq(vx_error()->object, "mlx5_0#2");
	cr_expect_lt(vx_pd_import(second, 12345, &pd_of_it), 0);
	cr_expect_str_eq(vx_error()->object, "mlx5_0#2");
	cr_expect_lt(vx_cq_create(ctx, &(struct vx_cq_init){ .comp_vector = 99 }, &cq), 0);
	cr_expect_str_eq(vx_error()->object, "mlx5_0");
	made(vx_close(second));
}

Test(name, what_others_imported_twice_is_told_apart)
{
	struct vx_pd *first, *second;
	struct vx_ctx *imported;
	struct ibv_context *raw;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	raw = vx_ctx_raw(imported);
	made(vx_pd_borrow(imported, ibv_import_pd(raw, vx_pd_raw(pd)->handle), &first));
	made(vx_pd_borrow(imported, ibv_import_pd(raw, vx_pd_raw(pd)->handle), &second));
	cr_expect_str_neq(name_of(first), name_of(second));
	ibv_unimport_pd(vx_pd_raw(first));
	ibv_unimport_pd(vx_pd_raw(second));
	cr_expect_eq(vx_close(imported), 0, "%s", vx_error_text());
}

Test(name, what_is_imported_twice_is_told_apart)
{
	struct vx_ctx *imported;
	struct vx_pd *first, *second;

	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &first));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &second));
	cr_expect_str_neq(name_of(first), name_of(second));
	cr_expect_eq(vx_close(imported), 0, "%s", vx_error_text());
}

Test(name, memberships_of_one_group_are_told_apart)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct vx_mcast *mcast[3];
	struct vx_qp *qp[2];
	struct vx_cq *cq;
	int i;

	made(vx_cq_create(ctx, NULL, &cq));
	for (i = 0; i < 2; i++)
		made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp[i]));
	for (i = 0; i < 3; i++)
		made(vx_mcast_create(qp[i / 2], &group, &mcast[i]));
	cr_expect_str_eq(name_of(mcast[0]), "mlx5_0 mcast ff12::1#1");
	cr_expect_str_eq(name_of(mcast[1]), "mlx5_0 mcast ff12::1#2");
	cr_expect_str_eq(name_of(mcast[2]), "mlx5_0 mcast ff12::1#3");
}

Test(name, contexts_of_one_device_are_told_apart_and_so_are_their_objects)
{
	struct vx_ctx *second, *third;
	struct vx_pd *other;

	made(vx_ctx_open("mlx5_0", &second));
	made(vx_ctx_open("mlx5_0", &third));
	made(vx_pd_create(second, NULL, &other));
	cr_expect_str_eq(name_of(ctx), "mlx5_0");
	cr_expect_str_eq(name_of(second), "mlx5_0#2");
	cr_expect_str_eq(name_of(third), "mlx5_0#3");
	cr_expect(!strncmp(name_of(other), "mlx5_0#2 pd ", strlen("mlx5_0#2 pd ")), "%s", name_of(other));
	cr_assert(!vx_close(third));
	made(vx_ctx_open("mlx5_0", &third));
	cr_expect_str_eq(name_of(third), "mlx5_0#3");
	cr_expect(!vx_close(third));
	cr_expect(!vx_close(second));
}

static void open_after_closing(const struct vx_trace_call *call, void *opened)
{
	struct vx_ctx **out = opened;

	if (!*out && !strcmp(call->call, "ibv_close_device"))
		made(vx_ctx_open("mlx5_0", out));
}

Test(name, a_context_whose_raw_object_is_gone_is_not_looked_at)
{
	struct vx_ctx *second, *opened = NULL;

#ifdef M_PERTURB
	mallopt(M_PERTURB, 0xa5);
#endif
	made(vx_ctx_open("mlx5_0", &second));
	made(vx_trace_callback(open_after_closing, &opened));
	cr_assert(!vx_close(second));
	cr_assert_not_null(opened);
	cr_expect_str_eq(name_of(opened), "mlx5_0#2");
	made(vx_trace_callback(NULL, NULL));
	cr_assert(!vx_close(opened));
}
