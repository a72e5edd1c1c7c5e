/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the emulated device refuses, by functions in the place of libmlx5's that take down what they are given: direct rules, their
 * actions, scheduling and reserved QP numbers; what each uses is ended after it.
 */

#include <errno.h>

#include "unit/record.h"

TestSuite(mlx5_record, .init = open_device, .fini = close_device);

static char raws[16], ended[32];
static int made_of, ended_of;
static void *last[4];

#define RAW(n) ((void *)&raws[n])

static void end(const void *raw)
{
	ended[ended_of++] = (char)((const char *)raw - raws);
}

enum { DOMAIN = 1, TABLE, MATCHER, RULE, DROP, TAG, TO_TABLE, TO_QP, NODE, LEAF, SAMPLER, OBJECT };

static struct mlx5dv_dr_domain *domain_create(struct ibv_context *context, enum mlx5dv_dr_domain_type type)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(type, MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
	return RAW(DOMAIN);
}

static int domain_destroy(struct mlx5dv_dr_domain *domain)
{
	end(domain);
	return 0;
}

static struct mlx5dv_dr_table *table_create(struct mlx5dv_dr_domain *domain, uint32_t level)
{
	cr_expect_eq((void *)domain, RAW(DOMAIN));
	cr_expect_eq(level, 3);
	return RAW(TABLE);
}

static int table_destroy(struct mlx5dv_dr_table *table)
{
	end(table);
	return 0;
}

static struct mlx5dv_flow_match_parameters *given_mask;

static struct mlx5dv_dr_matcher *matcher_create(struct mlx5dv_dr_table *table, uint16_t priority, uint8_t enable,
						struct mlx5dv_flow_match_parameters *mask)
{
	cr_expect_eq((void *)table, RAW(TABLE));
	cr_expect_eq(priority, 5);
	cr_expect_eq(enable, 1);
	given_mask = mask;
	return RAW(MATCHER);
}

static int matcher_destroy(struct mlx5dv_dr_matcher *matcher)
{
	end(matcher);
	return 0;
}

static struct mlx5dv_dr_rule *rule_create(struct mlx5dv_dr_matcher *matcher, struct mlx5dv_flow_match_parameters *value, size_t count,
					  struct mlx5dv_dr_action *actions[])
{
	size_t i;

	cr_expect_eq((void *)matcher, RAW(MATCHER));
	cr_expect_not_null(value);
	made_of = (int)count;
	for (i = 0; i < count; i++)
		last[i] = actions[i];
	return RAW(RULE);
}

static int rule_destroy(struct mlx5dv_dr_rule *rule)
{
	end(rule);
	return 0;
}

static struct mlx5dv_dr_action *drop(void)
{
	return RAW(DROP);
}

static struct mlx5dv_dr_action *tag(uint32_t value)
{
	cr_expect_eq(value, 42);
	return RAW(TAG);
}

static struct mlx5dv_dr_action *to_table(struct mlx5dv_dr_table *table)
{
	cr_expect_eq((void *)table, RAW(TABLE));
	return RAW(TO_TABLE);
}

static struct mlx5dv_dr_action *to_qp(struct ibv_qp *raw)
{
	last[3] = raw;
	return RAW(TO_QP);
}

static int action_destroy(struct mlx5dv_dr_action *action)
{
	end(action);
	return 0;
}

static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[4];
} bits = { .parameters = { .match_sz = 32 } };

static void open_rules(void)
{
	struct vx_mlx5_dr_matcher_init init = { .priority = 5, .match_criteria_enable = 1, .mask = &bits.parameters };

	replace("mlx5dv_dr_domain_create", domain_create);
	replace("mlx5dv_dr_domain_destroy", domain_destroy);
	replace("mlx5dv_dr_table_create", table_create);
	replace("mlx5dv_dr_table_destroy", table_destroy);
	replace("mlx5dv_dr_matcher_create", matcher_create);
	replace("mlx5dv_dr_matcher_destroy", matcher_destroy);
	replace("mlx5dv_dr_rule_create", rule_create);
	replace("mlx5dv_dr_rule_destroy", rule_destroy);
	replace("mlx5dv_dr_action_create_drop", drop);
	replace("mlx5dv_dr_action_create_tag", tag);
	replace("mlx5dv_dr_action_create_dest_table", to_table);
	replace("mlx5dv_dr_action_create_dest_ibv_qp", to_qp);
	replace("mlx5dv_dr_action_destroy", action_destroy);
	made(vx_mlx5_dr_domain_create(ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_TX }, &domain));
	made(vx_mlx5_dr_table_create(domain, &(struct vx_mlx5_dr_table_init){ .level = 3 }, &table));
	made(vx_mlx5_dr_matcher_create(table, &init, &matcher));
	cr_expect_eq(given_mask, &bits.parameters);
}

Test(mlx5_record, closing_a_domain_ends_what_is_in_it_first)
{
	open_rules();
	made(vx_close(domain));
	cr_assert_eq(ended_of, 3);
	cr_expect_eq(ended[0], MATCHER);
	cr_expect_eq(ended[1], TABLE);
	cr_expect_eq(ended[2], DOMAIN);
}

Test(mlx5_record, a_rule_has_its_actions_in_their_order_and_goes_before_any_of_them)
{
	struct vx_mlx5_dr_action *actions[2];
	struct vx_mlx5_dr_rule *rule;
	struct vx_mlx5_dr_rule_init init = { .value = &bits.parameters, .actions = actions, .num_actions = 2 };

	open_rules();
	made(vx_mlx5_dr_tag_create(ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 42 }, &actions[0]));
	made(vx_mlx5_dr_drop_create(ctx, NULL, &actions[1]));
	made(vx_mlx5_dr_rule_create(matcher, &init, &rule));
	cr_expect_eq(made_of, 2);
	cr_expect_eq(last[0], RAW(TAG));
	cr_expect_eq(last[1], RAW(DROP));
	made(vx_close(actions[0]));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], RULE);
	cr_expect_eq(ended[1], TAG);
}

Test(mlx5_record, a_rule_of_an_action_that_is_null_is_refused)
{
	struct vx_mlx5_dr_action *actions[1] = { NULL };
	struct vx_mlx5_dr_rule *rule = NULL;
	struct vx_mlx5_dr_rule_init init = { .value = &bits.parameters, .actions = actions, .num_actions = 1 };

	open_rules();
	cr_expect_eq(vx_mlx5_dr_rule_create(matcher, &init, &rule), -EINVAL);
	expect_reason("actions[0]");
	init.value = NULL;
	cr_expect_eq(vx_mlx5_dr_rule_create(matcher, &init, &rule), -EINVAL);
	expect_reason("value is NULL");
	cr_expect_null(rule);
}

/* libmlx5 holds no reference on either. */
Test(mlx5_record, an_action_goes_before_the_table_or_the_qp_that_it_leads_to)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_UD };
	struct vx_mlx5_dr_action *action;
	struct vx_qp *qp;

	open_rules();
	made(vx_mlx5_dr_dest_table_create(table, NULL, &action));
	made(vx_close(table));
	cr_expect_eq(ended[0] + ended[1], TO_TABLE + MATCHER);
	cr_expect_eq(ended[2], TABLE);
	ended_of = 0;
	made(vx_cq_create(ctx, NULL, &init.send_cq));
	init.recv_cq = init.send_cq;
	made(vx_qp_create(pd, &init, &qp));
	made(vx_mlx5_dr_dest_qp_create(qp, NULL, &action));
	cr_expect_eq(last[3], vx_qp_raw(qp));
	made(vx_close(qp));
	cr_assert_eq(ended_of, 1);
	cr_expect_eq(ended[0], TO_QP);
}

static struct mlx5dv_dr_action *sampler(struct mlx5dv_dr_flow_sampler_attr *attr)
{
	cr_expect_eq(attr->sample_ratio, 7);
	cr_expect_eq((void *)attr->default_next_table, RAW(TABLE));
	cr_assert_eq(attr->num_sample_actions, 2);
	last[0] = attr->sample_actions[0];
	last[1] = attr->sample_actions[1];
	return RAW(SAMPLER);
}

Test(mlx5_record, a_sampler_goes_before_its_actions_and_its_table)
{
	struct vx_mlx5_dr_action *actions[2], *action;
	struct vx_mlx5_dr_sampler_init init = { .sample_ratio = 7, .sample_actions = actions, .num_sample_actions = 2 };

	open_rules();
	replace("mlx5dv_dr_action_create_flow_sampler", sampler);
	made(vx_mlx5_dr_tag_create(ctx, &(struct vx_mlx5_dr_tag_init){ .tag_value = 42 }, &actions[0]));
	made(vx_mlx5_dr_drop_create(ctx, NULL, &actions[1]));
	cr_expect_eq(vx_mlx5_dr_sampler_create(ctx, &init, &action), -EINVAL);
	expect_reason("default_next_table is NULL");
	init.default_next_table = table;
	made(vx_mlx5_dr_sampler_create(ctx, &init, &action));
	cr_expect_eq(last[0], RAW(TAG));
	cr_expect_eq(last[1], RAW(DROP));
	made(vx_close(actions[1]));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], SAMPLER);
	cr_expect_eq(ended[1], DROP);
}

/* ---- rates ---- */

static struct mlx5dv_sched_node *node_create(struct ibv_context *context, const struct mlx5dv_sched_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_null(attr->parent);
	cr_expect_eq(attr->flags, MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW);
	cr_expect_eq(attr->max_avg_bw, 100);
	return RAW(NODE);
}

static struct mlx5dv_sched_leaf *leaf_create(struct ibv_context *context, const struct mlx5dv_sched_attr *attr)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq((void *)attr->parent, RAW(NODE));
	return RAW(LEAF);
}

static int node_destroy(struct mlx5dv_sched_node *node)
{
	end(node);
	return 0;
}

static int leaf_destroy(struct mlx5dv_sched_leaf *leaf)
{
	end(leaf);
	return 0;
}

Test(mlx5_record, a_leaf_goes_before_its_node)
{
	struct vx_mlx5_sched_node *node;
	struct vx_mlx5_sched_leaf *leaf;

	replace("mlx5dv_sched_node_create", node_create);
	replace("mlx5dv_sched_leaf_create", leaf_create);
	replace("mlx5dv_sched_node_destroy", node_destroy);
	replace("mlx5dv_sched_leaf_destroy", leaf_destroy);
	made(vx_mlx5_sched_node_create(ctx, &(struct vx_mlx5_sched_node_init){ .flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW, .max_avg_bw = 100 }, &node));
	cr_expect_eq(vx_mlx5_sched_leaf_create(ctx, NULL, &leaf), -EINVAL);
	expect_reason("parent is NULL");
	made(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = node }, &leaf));
	made(vx_close(node));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], LEAF);
	cr_expect_eq(ended[1], NODE);
}

/* ---- what is asked for ---- */

static uint64_t asked;

static int query_device(struct ibv_context *context, struct mlx5dv_context *attrs)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	asked = attrs->comp_mask;
	attrs->comp_mask = MLX5DV_CONTEXT_MASK_SWP;
	return 0;
}

/* A newer libmlx5 would write what a newer program asks for behind the structure that the library has of it. */
Test(mlx5_record, what_the_library_has_no_place_for_is_not_asked_for)
{
	struct mlx5dv_context device = { .comp_mask = UINT64_MAX };

	replace("mlx5dv_query_device", query_device);
	made(vx_mlx5_ctx_query_device(ctx, &device));
	cr_expect(asked & MLX5DV_CONTEXT_MASK_SWP);
	cr_expect_lt(asked, 1ull << 32);
	cr_expect_eq(device.comp_mask, MLX5DV_CONTEXT_MASK_SWP);
}

static int init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	cr_expect_eq(type, MLX5DV_OBJ_RWQ);
	cr_expect_eq(obj->rwq.in->wq_num, 7);
	obj->rwq.out->wqe_cnt = 64;
	return 0;
}

/* The emulated device has WQs on Ethernet only. */
Test(mlx5_record, the_view_of_a_wq_is_that_of_a_receive_queue)
{
	struct ibv_wq raw = { .context = vx_ctx_raw(ctx), .pd = vx_pd_raw(pd), .wq_num = 7 };
	struct mlx5dv_rwq view;
	struct vx_wq *wq;

	replace("mlx5dv_init_obj", init_obj);
	made(vx_wq_borrow(pd, &raw, &wq));
	made(vx_mlx5_wq_view(wq, &view));
	cr_expect_eq(view.wqe_cnt, 64);
	cr_expect_null(view.buf);
	made(vx_close(wq));
}

/* ---- numbers ---- */

#if VX_RDMA_CORE >= 34
static uint32_t given_back;

static int qpn_alloc(struct ibv_context *context, uint32_t *qpn)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	*qpn = 0x123;
	return 0;
}

static int qpn_dealloc(struct ibv_context *context, uint32_t qpn)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	given_back = qpn;
	return 0;
}

Test(mlx5_record, a_reserved_number_is_given_back)
{
	struct vx_mlx5_qpn *qpn;

	replace("mlx5dv_reserved_qpn_alloc", qpn_alloc);
	replace("mlx5dv_reserved_qpn_dealloc", qpn_dealloc);
	made(vx_mlx5_qpn_create(ctx, NULL, &qpn));
	cr_expect_eq(vx_mlx5_qpn_qpn(qpn), 0x123);
	made(vx_close(qpn));
	cr_expect_eq(given_back, 0x123);
}
#endif

/* ---- regions of dma-bufs ---- */

#if VX_RDMA_CORE >= 54
static struct ibv_mr mr_raw;

static struct ibv_mr *reg_dmabuf(struct ibv_pd *raw, uint64_t offset, size_t length, uint64_t iova, int fd, int access, int mlx5_access)
{
	cr_expect_eq(raw, vx_pd_raw(pd));
	cr_expect_eq(offset, 4096);
	cr_expect_eq(length, 64);
	cr_expect_eq(iova, 0x10000);
	cr_expect_eq(fd, 5);
	cr_expect_eq(access, IBV_ACCESS_LOCAL_WRITE);
	cr_expect_eq(mlx5_access, MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
	mr_raw = (struct ibv_mr){ .context = raw->context, .pd = raw, .length = length, .lkey = 9 };
	return &mr_raw;
}

static int dereg(struct ibv_mr *raw)
{
	cr_expect_eq(raw, &mr_raw);
	ended_of++;
	return 0;
}

Test(mlx5_record, a_region_of_a_dma_buf_is_reached_directly)
{
	struct vx_mlx5_mr_init init = { .offset = 4096, .length = 64, .iova = 0x10000, .fd = -1,
					.mlx5_access = MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT };
	struct vx_mr *mr;

	replace("mlx5dv_reg_dmabuf_mr", reg_dmabuf);
	replace("ibv_dereg_mr", dereg);
	cr_expect_eq(vx_mlx5_mr_create(pd, &init, &mr), -EINVAL);
	expect_reason("fd is below 0");
	init.fd = 5;
	made(vx_mlx5_mr_create(pd, &init, &mr));
	cr_expect_eq(vx_mr_raw(mr), &mr_raw);
	cr_expect_null(vx_mr_memory(mr));
	made(vx_close(pd));
	cr_expect_eq(ended_of, 1);
	made(vx_pd_create(ctx, NULL, &pd));
}
#endif

/* ---- what other processes made ---- */

#if VX_RDMA_CORE >= 63
static struct mlx5dv_devx_obj *import_obj(struct ibv_context *context, void *data)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	last[0] = data;
	return RAW(OBJECT);
}

static void unimport_obj(struct mlx5dv_devx_obj *obj)
{
	end(obj);
}

static struct mlx5dv_devx_umem *import_umem(struct ibv_context *context, void *data)
{
	return (void *)import_obj(context, data);
}

static void unimport_umem(struct mlx5dv_devx_umem *umem)
{
	end(umem);
}

static struct mlx5dv_var *import_var(struct ibv_context *context, void *data)
{
	return (void *)import_obj(context, data);
}

static void unimport_var(struct mlx5dv_var *var)
{
	end(var);
}

Test(mlx5_record, memory_that_is_imported_is_left_to_its_owner)
{
	struct vx_mlx5_devx_umem *umem;
	struct vx_mlx5_var *var;
	char data[16];

	replace("mlx5dv_devx_umem_import", import_umem);
	replace("mlx5dv_devx_umem_unimport", unimport_umem);
	replace("mlx5dv_var_import", import_var);
	replace("mlx5dv_var_unimport", unimport_var);
	made(vx_mlx5_devx_umem_import(ctx, data, &umem));
	made(vx_close(umem));
	made(vx_mlx5_var_import(ctx, data, &var));
	made(vx_close(var));
	cr_expect_eq(ended_of, 2);
	cr_expect_eq(vx_mlx5_var_import(ctx, NULL, &var), -EINVAL);
}

Test(mlx5_record, what_is_imported_is_left_to_its_owner)
{
	struct vx_mlx5_devx_obj *obj;
	char data[16];

	replace("mlx5dv_devx_obj_import", import_obj);
	replace("mlx5dv_devx_obj_unimport", unimport_obj);
	made(vx_mlx5_devx_obj_import(ctx, data, &obj));
	cr_expect_eq(last[0], data);
	made(vx_close(obj));
	cr_assert_eq(ended_of, 1);
	cr_expect_eq(ended[0], OBJECT);
}
#endif
