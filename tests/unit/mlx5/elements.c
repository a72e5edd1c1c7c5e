/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Lists of structures that name objects: what libmlx5 is given for them, by functions in its place, on what it depends that is
 * made of them, and what of a list is refused.
 */

#include <signal.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_steering.h>

#include "unit/record.h"

TestSuite(mlx5_elements, .init = open_device, .fini = close_device);

static char raws[8], ended[8];
static int ended_of, made_of;

#define RAW(n) ((void *)&raws[n])

enum { DOMAIN = 1, MATCHER, FLOW_ACTION, ONE, TWO, ARRAY, OBJECT };

static void end(const void *raw)
{
	ended[ended_of++] = (char)((const char *)raw - raws);
}

static struct mlx5dv_dr_domain *domain_create(struct ibv_context *context, enum mlx5dv_dr_domain_type type)
{
	(void)context, (void)type;
	return RAW(DOMAIN);
}

static int domain_destroy(struct mlx5dv_dr_domain *domain)
{
	end(domain);
	return 0;
}

static struct mlx5dv_dr_action *drop(void)
{
	return RAW(ONE);
}

static struct mlx5dv_dr_action *tag(uint32_t value)
{
	(void)value;
	return RAW(TWO);
}

static int action_destroy(struct mlx5dv_dr_action *action)
{
	end(action);
	return 0;
}

/* ---- copies of packets ---- */

static struct mlx5dv_dr_action *dest_array(struct mlx5dv_dr_domain *domain, size_t count, struct mlx5dv_dr_action_dest_attr *dests[])
{
	cr_expect_eq((void *)domain, RAW(DOMAIN));
	cr_assert_eq(count, 3);
	cr_expect_eq(dests[0]->type, MLX5DV_DR_ACTION_DEST);
	cr_expect_eq((void *)dests[0]->dest, RAW(ONE));
	cr_expect_eq(dests[1]->type, MLX5DV_DR_ACTION_DEST_REFORMAT);
	cr_expect_eq((void *)dests[1]->dest_reformat->reformat, RAW(TWO));
	cr_expect_eq((void *)dests[1]->dest_reformat->dest, RAW(ONE));
	cr_expect_eq(dests[2]->type, MLX5DV_DR_ACTION_DEST);
	cr_expect_eq((void *)dests[2]->dest, RAW(TWO));
	made_of++;
	return RAW(ARRAY);
}

static struct vx_mlx5_dr_domain *domain;
static struct vx_mlx5_dr_action *one, *two;

static void open_actions(void)
{
	replace("mlx5dv_dr_domain_create", domain_create);
	replace("mlx5dv_dr_domain_destroy", domain_destroy);
	replace("mlx5dv_dr_action_create_drop", drop);
	replace("mlx5dv_dr_action_create_tag", tag);
	replace("mlx5dv_dr_action_destroy", action_destroy);
	replace("mlx5dv_dr_action_create_dest_array", dest_array);
	made(vx_mlx5_dr_domain_create(ctx, NULL, &domain));
	made(vx_mlx5_dr_drop_create(ctx, NULL, &one));
	made(vx_mlx5_dr_tag_create(ctx, NULL, &two));
}

Test(mlx5_elements, copies_go_where_they_are_told_and_end_before_what_leads_there)
{
	struct vx_mlx5_dr_action_dest dests[] = {
		{ .dest = NULL }, { .type = MLX5DV_DR_ACTION_DEST_REFORMAT }, { .type = MLX5DV_DR_ACTION_DEST }
	};
	struct vx_mlx5_dr_dest_array_init init = { .dests = dests, .num_dest = 3 };
	struct vx_mlx5_dr_action *array;

	open_actions();
	dests[0].dest = dests[1].dest = one;
	dests[1].reformat = dests[2].dest = two;
	made(vx_mlx5_dr_dest_array_create(domain, &init, &array));
	cr_expect_eq(made_of, 1);
	made(vx_close(two)); /* which two elements name */
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], ARRAY);
	cr_expect_eq(ended[1], TWO);
}

static void expect_refused(struct vx_mlx5_dr_action_dest dest, const char *why)
{
	struct vx_mlx5_dr_action_dest dests[2] = { { .dest = one }, dest };
	struct vx_mlx5_dr_dest_array_init init = { .dests = dests, .num_dest = 2 };
	struct vx_mlx5_dr_action *array = NULL;

	cr_expect_eq(vx_mlx5_dr_dest_array_create(domain, &init, &array), -EINVAL, "%s", why);
	expect_reason(why);
	cr_expect_null(array);
}

Test(mlx5_elements, what_an_element_lacks_or_has_of_another_type_is_refused)
{
	struct vx_mlx5_dr_dest_array_init init = { .num_dest = 2 };
	struct vx_mlx5_dr_action *array;

	open_actions();
	expect_refused((struct vx_mlx5_dr_action_dest){ .dest = NULL }, "dests[1].dest is NULL, and its type is of one");
	expect_refused((struct vx_mlx5_dr_action_dest){ .dest = one, .reformat = two }, "dests[1].reformat is set, which is not of its type");
	expect_refused((struct vx_mlx5_dr_action_dest){ .type = MLX5DV_DR_ACTION_DEST_REFORMAT, .dest = one }, "dests[1].reformat is NULL, and its type is of one");
	expect_refused((struct vx_mlx5_dr_action_dest){ .dest = one, .reserved = 1 }, "dests[1].reserved is set, which is not of its type");
	expect_refused((struct vx_mlx5_dr_action_dest){ .type = 0x7001, .dest = one }, "dests[1].dest is set, which is not of its type");
	cr_expect_eq(vx_mlx5_dr_dest_array_create(domain, &init, &array), -EINVAL);
	expect_reason("dests is NULL");
	cr_expect_eq(vx_mlx5_dr_dest_array_create(domain, NULL, &array), -EINVAL);
	expect_reason("dests");
	init = (struct vx_mlx5_dr_dest_array_init){ .dests = &(struct vx_mlx5_dr_action_dest){ .dest = one }, .num_dest = 1 };
	cr_expect_eq(vx_mlx5_dr_dest_array_create(domain, &init, &array), -EINVAL);
	expect_reason("num_dest is below 2: what goes to one place only needs no such action");
	cr_expect_eq(made_of, 0);
}

Test(mlx5_elements, a_handle_of_another_kind_is_refused, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	open_actions();
	expect_refused((struct vx_mlx5_dr_action_dest){ .dest = (void *)pd }, "dest");
}

/* A program of an older libverbsx has shorter elements, one of a newer longer ones, of which it may not set what this one does not know. */
Test(mlx5_elements, elements_lie_as_far_apart_as_the_program_says)
{
	struct {
		struct vx_mlx5_dr_action_dest known;
		uint64_t later;
	} dests[3] = { { .later = 0 } };
	struct vx_mlx5_dr_dest_array_init init = { .dests = &dests[0].known, .num_dest = 3 };
	struct vx_mlx5_dr_action *array;

	open_actions();
	dests[0].known.dest = dests[1].known.dest = one;
	dests[1].known.type = MLX5DV_DR_ACTION_DEST_REFORMAT;
	dests[1].known.reformat = dests[2].known.dest = two;
	made(vx_mlx5_dr_dest_array_create_sized(domain, &init, sizeof(init), sizeof(dests[0]), &array));
	dests[2].later = 1;
	cr_expect_eq(vx_mlx5_dr_dest_array_create_sized(domain, &init, sizeof(init), sizeof(dests[0]), &array), -E2BIG);
	cr_expect_eq(made_of, 1);
}

/* ---- flows ---- */

static struct ibv_flow flow_raw;
static const struct ibv_qp *leads_to;

static struct mlx5dv_flow_matcher *matcher_create(struct ibv_context *context, struct mlx5dv_flow_matcher_attr *attr)
{
	(void)context, (void)attr;
	return RAW(MATCHER);
}

static int matcher_destroy(struct mlx5dv_flow_matcher *matcher)
{
	end(matcher);
	return 0;
}

static struct mlx5dv_devx_obj *obj_create(struct ibv_context *context, const void *in, size_t inlen, void *out, size_t outlen)
{
	(void)context, (void)in, (void)inlen, (void)out, (void)outlen;
	return RAW(OBJECT);
}

static int obj_destroy(struct mlx5dv_devx_obj *obj)
{
	end(obj);
	return 0;
}

static struct ibv_flow *flow_create(struct mlx5dv_flow_matcher *matcher, struct mlx5dv_flow_match_parameters *value, size_t count,
				    struct mlx5dv_flow_action_attr actions[])
{
	cr_expect_eq((void *)matcher, RAW(MATCHER));
	cr_expect_eq(value->match_sz, 32);
	cr_assert_eq(count, 4);
	cr_expect_eq(actions[0].type, MLX5DV_FLOW_ACTION_TAG);
	cr_expect_eq(actions[0].tag_value, 42);
	cr_expect_eq(actions[1].type, MLX5DV_FLOW_ACTION_DEFAULT_MISS);
	cr_expect_eq((void *)actions[2].obj, RAW(OBJECT));
	leads_to = actions[3].qp;
	flow_raw.context = vx_ctx_raw(ctx);
	return &flow_raw;
}

static int flow_destroy(struct ibv_flow *raw)
{
	cr_expect_eq(raw, &flow_raw);
	ended[ended_of++] = 'f';
	return 0;
}

static struct vx_qp *some_qp(void)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_UD };
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &init.send_cq));
	init.recv_cq = init.send_cq;
	made(vx_qp_create(pd, &init, &qp));
	return qp;
}

Test(mlx5_elements, a_flow_ends_before_what_its_actions_name)
{
	struct {
		struct mlx5dv_flow_match_parameters parameters;
		uint64_t bits[4];
	} value = { .parameters = { .match_sz = 32 } };
	uint32_t box[4] = { 0 };
	struct vx_mlx5_devx_obj_init counter = { .in = box, .inlen = sizeof(box), .out = box, .outlen = sizeof(box) };
	struct vx_mlx5_flow_action actions[] = {
		{ .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = 42 },
		{ .type = MLX5DV_FLOW_ACTION_DEFAULT_MISS },
		{ .type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX },
		{ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = some_qp() },
	};
	struct vx_mlx5_flow_init init = { .match_value = &value.parameters, .actions = actions, .num_actions = 4 };
	struct vx_mlx5_flow_matcher *matcher;
	struct vx_flow *flow = NULL;

	replace("mlx5dv_create_flow_matcher", matcher_create);
	replace("mlx5dv_destroy_flow_matcher", matcher_destroy);
	replace("mlx5dv_devx_obj_create", obj_create);
	replace("mlx5dv_devx_obj_destroy", obj_destroy);
	replace(VX_RDMA_CORE < 63 ? "mlx5dv_create_flow" : "__mlx5dv_create_flow", flow_create);
	provider()->ibv_destroy_flow = flow_destroy; /* an inline function calls it */
	made(vx_mlx5_devx_obj_create(ctx, &counter, &actions[2].obj));
	made(vx_mlx5_flow_matcher_create(ctx, &(struct vx_mlx5_flow_matcher_init){ .match_mask = &value.parameters }, &matcher));
	actions[1].tag_value = 1;
	cr_expect_eq(vx_mlx5_flow_create(matcher, &init, &flow), -EINVAL);
	expect_reason("actions[1].tag_value is set, which is not of its type");
	actions[1].tag_value = 0;
	made(vx_mlx5_flow_create(matcher, &init, &flow));
	cr_expect_eq(leads_to, vx_qp_raw(actions[3].qp));
	cr_expect_eq(vx_object_kind_of(flow), VX_OBJECT_MLX5_FLOW);
	made(vx_close(actions[2].obj));
	cr_assert_eq(ended_of, 2);
	cr_expect_eq(ended[0], 'f');
	cr_expect_eq(ended[1], OBJECT);
}
