/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of mlx5dv on the emulated device: made, shown, and closed in any order. */

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/mlx5.h>

#include "unit/device.h"

TestSuite(mlx5, .init = open_device, .fini = close_device);

static char shown[4096];

static const char *show(const void *object)
{
	cr_assert_gt(vx_snprint(shown, sizeof(shown), VX_TYPEOF((const struct vx_object *)object), object, 0), 0);
	return shown;
}

#define expect_shown(object, words) cr_expect_not_null(strstr(show(object), words), "%s", shown)

static char page[4096] __attribute__((aligned(4096)));

static struct vx_mlx5_devx_umem *new_umem(void)
{
	struct vx_mlx5_devx_umem *umem;

	made(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page, .size = sizeof(page) }, &umem));
	return umem;
}

Test(mlx5, an_mkey_has_its_keys)
{
	struct vx_mlx5_mkey *mkey;

	made(vx_mlx5_mkey_create(pd, NULL, &mkey));
	expect_shown(mkey, "lkey");
	cr_expect_neq(vx_mlx5_mkey_raw(mkey)->rkey, 0);
	cr_expect_eq(live("mkey"), 1);
	made(vx_close(mkey));
	cr_expect_eq(live("mkey"), 0);
}

Test(mlx5, closing_a_pd_closes_its_mkeys)
{
	struct vx_mlx5_mkey *mkey;
	struct vx_pd *own;

	made(vx_pd_create(ctx, NULL, &own));
	made(vx_mlx5_mkey_create(own, &(struct vx_mlx5_mkey_init){ .max_entries = 16 }, &mkey));
	made(vx_close(own));
	cr_expect_eq(live("mkey"), 0);
}

Test(mlx5, a_umem_names_memory)
{
	struct vx_mlx5_devx_umem *umem = new_umem();

	expect_shown(umem, "umem_id");
	made(vx_close(umem));
}

Test(mlx5, a_umem_of_memory_that_is_not_there_says_so)
{
	struct vx_mlx5_devx_umem *umem;

	cr_expect_eq(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = (void *)0x1000, .size = 64 }, &umem), -EFAULT);
	expect_reason("0x1000 to 0x1040 is not mapped");
}

Test(mlx5, a_umem_of_no_size_is_refused)
{
	struct vx_mlx5_devx_umem *umem = NULL;

	cr_expect_eq(vx_mlx5_devx_umem_create(ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page }, &umem), -EINVAL);
	expect_reason("size");
	cr_expect_null(umem);
}

Test(mlx5, a_umem_of_chosen_pages_is_made_as_well)
{
	struct vx_mlx5_devx_umem_init init = { .addr = page, .size = sizeof(page), .pgsz_bitmap = 4096 };
	struct vx_mlx5_devx_umem *umem;

	made(vx_mlx5_devx_umem_create(ctx, &init, &umem));
	made(vx_close(umem));
}

Test(mlx5, uar_var_and_pp_are_shown_by_their_numbers)
{
	struct vx_mlx5_devx_uar *uar;
	struct vx_mlx5_var *var;
	struct vx_mlx5_pp *pp;

	made(vx_mlx5_devx_uar_create(ctx, &(struct vx_mlx5_devx_uar_init){ .flags = MLX5DV_UAR_ALLOC_TYPE_NC }, &uar));
	expect_shown(uar, "page_id");
	made(vx_mlx5_var_create(ctx, NULL, &var));
	expect_shown(var, "length");
	made(vx_mlx5_pp_create(ctx, &(struct vx_mlx5_pp_init){ .pp_context = page, .pp_context_sz = 48 }, &pp));
	expect_shown(pp, "index");
}

Test(mlx5, pp_without_its_context_is_refused)
{
	struct vx_mlx5_pp *pp = NULL;

	cr_expect_eq(vx_mlx5_pp_create(ctx, &(struct vx_mlx5_pp_init){ .pp_context_sz = 48 }, &pp), -EINVAL);
	expect_reason("pp_context");
}

Test(mlx5, channels_have_descriptors)
{
	struct vx_mlx5_event_channel *events;
	struct vx_mlx5_cmd_comp *answers;

	made(vx_mlx5_event_channel_create(ctx, NULL, &events));
	expect_shown(events, "fd");
	made(vx_mlx5_cmd_comp_create(ctx, NULL, &answers));
	expect_shown(answers, "fd");
}

Test(mlx5, dm_of_mlx5_is_a_dm)
{
	struct mlx5dv_alloc_dm_attr attr = { .type = MLX5_IB_UAPI_DM_TYPE_MEMIC };
	struct vx_dm *dm;

	made(vx_mlx5_dm_create(ctx, &(struct vx_mlx5_dm_init){ .length = 64, .mlx5dv_alloc_dm_attr = &attr }, &dm));
	made(vx_dm_memcpy_to(dm, 0, page, 64));
}

Test(mlx5, a_cq_of_mlx5_is_extended_by_default)
{
	struct vx_cq *cq;

	made(vx_mlx5_cq_create(ctx, NULL, &cq));
	cr_expect_not_null(vx_cq_ex(cq));
	expect_shown(cq, "cqe");
}

static struct vx_qp *new_dci(struct vx_cq *cq)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_qp *qp;

	made(vx_mlx5_qp_create(pd,
			       &(struct vx_mlx5_qp_init){ .send_cq = cq,
							  .recv_cq = cq,
							  .mlx5dv_qp_init_attr = &attr,
							  .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE },
			       &qp));
	return qp;
}

Test(mlx5, a_dci_is_of_the_type_that_dc_has)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	qp = new_dci(cq);
	cr_expect_eq(vx_qp_raw(qp)->qp_type, IBV_QPT_DRIVER);
	made(vx_qp_to_rts(qp, &(struct vx_path){ .dlid = 1 }));
}

/* libibverbs looks into both CQs of a QP of this type, also where it sends or receives nothing. */
Test(mlx5, a_dct_needs_an_srq_and_both_cqs)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = 7 } };
	struct vx_mlx5_qp_init init = { .mlx5dv_qp_init_attr = &attr };
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &init.recv_cq));
	cr_expect_eq(vx_mlx5_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("send_cq is NULL");
	init.send_cq = init.recv_cq;
	cr_expect_eq(vx_mlx5_qp_create(pd, &init, &qp), -EINVAL);
	expect_reason("srq is NULL");
	made(vx_srq_create(pd, NULL, &init.srq));
	made(vx_mlx5_qp_create(pd, &init, &qp));
	made(vx_close(init.srq));
	cr_expect_eq(live("qp"), 0);
}

Test(mlx5, a_qp_shows_the_leaves_that_it_was_given)
{
	struct vx_mlx5_sched_node *root;
	struct vx_mlx5_sched_leaf *leaf;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_qp_to_init(qp, &(struct vx_path){ 0 }));
	made(vx_mlx5_sched_node_create(ctx, NULL, &root));
	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = root }, &leaf));
	made(vx_mlx5_qp_modify_sched_elem(qp, leaf, NULL));
	expect_shown(qp, ", mlx5_0 mlx5_sched_leaf #");
	made(vx_mlx5_qp_modify_sched_elem(qp, NULL, NULL));
	show(qp);
	cr_expect_null(strstr(shown, "mlx5_sched_leaf"), "%s", shown);
}

/* ---- closing in any order ---- */

#define OBJECTS 9

static void make_all(void **out)
{
	struct vx_cq *cq;

	made(vx_mlx5_cq_create(ctx, NULL, &cq));
	out[0] = cq;
	out[1] = new_dci(cq);
	out[2] = new_umem();
	made(vx_mlx5_mkey_create(pd, NULL, (struct vx_mlx5_mkey **)&out[3]));
	made(vx_mlx5_devx_uar_create(ctx, NULL, (struct vx_mlx5_devx_uar **)&out[4]));
	made(vx_mlx5_var_create(ctx, NULL, (struct vx_mlx5_var **)&out[5]));
	made(vx_mlx5_event_channel_create(ctx, NULL, (struct vx_mlx5_event_channel **)&out[6]));
	made(vx_mlx5_cmd_comp_create(ctx, NULL, (struct vx_mlx5_cmd_comp **)&out[7]));
	made(vx_mlx5_dm_create(ctx, &(struct vx_mlx5_dm_init){ .length = 64 }, (struct vx_dm **)&out[8]));
}

static void shuffle(int *order, unsigned int seed)
{
	int i, with, kept;

	for (i = 0; i < OBJECTS; i++)
		order[i] = i;
	for (i = OBJECTS - 1; i > 0; i--) {
		with = rand_r(&seed) % (i + 1);
		kept = order[i];
		order[i] = order[with];
		order[with] = kept;
	}
}

/* A QP goes with its CQ, and is not to be closed again. */
Test(mlx5, all_are_closed_in_any_order)
{
	const int before = live(NULL);
	void *objects[OBJECTS];
	int order[OBJECTS], i;
	unsigned int seed;
	bool has_cq;

	for (seed = 1; seed <= 40; seed++) {
		make_all(objects);
		shuffle(order, seed);
		has_cq = true;
		for (i = 0; i < OBJECTS; i++) {
			if (order[i] == 1 && !has_cq)
				continue;
			has_cq = has_cq && order[i] != 0;
			made(vx_close(objects[order[i]]));
		}
		cr_expect_eq(live(NULL), before, "seed %u", seed);
	}
}

/* ---- what is asked ---- */

Test(mlx5, the_device_tells_what_it_is_asked_for)
{
	struct mlx5dv_context device = VX_DEFAULT(mlx5dv_context);
	struct mlx5dv_clock_info clock;

	made(vx_mlx5_ctx_query_device(ctx, &device));
	cr_expect(device.comp_mask);
	made(vx_mlx5_ctx_get_clock_info(ctx, &clock));
}

Test(mlx5, a_command_is_answered)
{
	uint32_t in[4] = { htobe32(0x100 << 16) }, out[4 + 1024] = { 0 }; /* QUERY_HCA_CAP */

	made(vx_mlx5_ctx_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)));
	cr_expect_eq(be32toh(out[0]) >> 24, 0);
	cr_expect_eq(vx_mlx5_ctx_devx_general_cmd(ctx, NULL, sizeof(in), out, sizeof(out)), -EINVAL);
	expect_reason("in is NULL");
}

Test(mlx5, an_event_channel_that_waits_for_nothing_says_so)
{
	struct vx_mlx5_event_channel *channel;
	struct mlx5dv_devx_async_event_hdr event;
	size_t length;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	cr_assert_eq(fcntl(vx_mlx5_event_channel_raw(channel)->fd, F_SETFL, O_NONBLOCK), 0);
	cr_expect_eq(vx_mlx5_event_channel_get_event(channel, &event, sizeof(event), &length), -EAGAIN);
}
