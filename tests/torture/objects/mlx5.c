/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What mlx5dv has objects of on the emulated device, and what is done with them; mlx5_dr.c has its rules, and mlx5_adopted.c adopts them. */

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_event.h>
#include <verbsx/mlx5_var.h>

#include "torture.h"

static char page[4096] __attribute__((aligned(4096)));

/* A function that makes an object by a call, whose last argument is &out. */
#define MAKING(function, kind, call)     \
	static int function(void)        \
	{                                \
		struct vx_##kind *out = NULL; \
		const int rc = call;     \
					 \
		return keep_made(rc, out);    \
	}

/* ---- what asks for nothing else ---- */

MAKING(make_mkey, mlx5_mkey, vx_mlx5_mkey_create(stage.pd, NULL, &out))
MAKING(make_umem, mlx5_devx_umem,
       vx_mlx5_devx_umem_create(stage.ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page, .size = sizeof(page) }, &out))
MAKING(make_uar, mlx5_devx_uar, vx_mlx5_devx_uar_create(stage.ctx, NULL, &out))
MAKING(make_var, mlx5_var, vx_mlx5_var_create(stage.ctx, NULL, &out))

static int map_var(void)
{
	void *mapped;

	return vx_mlx5_var_map((struct vx_mlx5_var *)made.object, &mapped);
}

MAKING(make_pp, mlx5_pp, vx_mlx5_pp_create(stage.ctx, &(struct vx_mlx5_pp_init){ .pp_context = page, .pp_context_sz = 48 }, &out))
MAKING(make_answers, mlx5_cmd_comp, vx_mlx5_cmd_comp_create(stage.ctx, NULL, &out))
MAKING(make_channel, mlx5_event_channel, vx_mlx5_event_channel_create(stage.ctx, NULL, &out))
MAKING(make_cq, cq, vx_mlx5_cq_create(stage.ctx, NULL, &out))
MAKING(make_qpn, mlx5_qpn, vx_mlx5_qpn_create(stage.ctx, NULL, &out))
MAKING(make_node, mlx5_sched_node, vx_mlx5_sched_node_create(stage.ctx, NULL, &out))

static int make_dm(void)
{
	struct mlx5dv_alloc_dm_attr attr = { .type = MLX5_IB_UAPI_DM_TYPE_MEMIC };
	const struct vx_mlx5_dm_init init = { .length = 64, .mlx5dv_alloc_dm_attr = &attr };

	return vx_mlx5_dm_create(stage.ctx, &init, &made.dm);
}

static int make_dci(void)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	const struct vx_mlx5_qp_init init = { .send_cq = stage.cq, .recv_cq = stage.cq, .mlx5dv_qp_init_attr = &attr,
					      .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE };

	return vx_mlx5_qp_create(stage.pd, &init, &made.qp);
}

/* ---- DEVX: a general object, and what is asked about objects of verbs ---- */

enum { QP_TO_RESET = 0x50a, QUERY_QP = 0x50b, ALLOC_COUNTER = 0x939, CREATE_GENERAL = 0xa00, MODIFY_GENERAL, QUERY_GENERAL, SOME_TYPE = 0x13 };

static uint32_t in[8], answer[1024];
static struct vx_mlx5_devx_obj *general;
static uint32_t number;

static void ask(uint32_t opcode, uint32_t type, uint32_t of)
{
	memset(in, 0, sizeof(in));
	in[0] = htobe32(opcode << 16);
	in[1] = htobe32(type);
	in[2] = htobe32(of);
}

static int make_general(void)
{
	const struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = answer, .outlen = 32 };
	int rc;

	ask(CREATE_GENERAL, SOME_TYPE, 0);
	rc = vx_mlx5_devx_obj_create(stage.ctx, &init, &general);
	number = be32toh(answer[2]);
	return keep_made(rc, general);
}

static int query_general(void)
{
	ask(QUERY_GENERAL, SOME_TYPE, number);
	return vx_mlx5_devx_obj_query(general, in, sizeof(in), answer, 32);
}

static int modify_general(void)
{
	ask(MODIFY_GENERAL, SOME_TYPE, number);
	return vx_mlx5_devx_obj_modify(general, in, sizeof(in), answer, 32);
}

static struct vx_mlx5_cmd_comp *answers;

static int make_general_and_answers(void)
{
	const int rc = make_general();

	return rc ? rc : vx_mlx5_cmd_comp_create(stage.ctx, NULL, &answers);
}

/* What was answered is read, so that nothing is under way when it is tried again. */
static int ask_and_wait(void)
{
	struct mlx5dv_devx_async_cmd_hdr *response = (void *)answer;
	int rc;

	ask(QUERY_GENERAL, SOME_TYPE, number);
	rc = vx_mlx5_devx_obj_query_async(general, in, sizeof(in), 32, 7, answers);
	return rc ? rc : vx_mlx5_cmd_comp_get(answers, response, sizeof(*response) + 32);
}

static struct {
	struct mlx5dv_devx_async_cmd_hdr hdr;
	uint32_t out[8];
} came;

/* It is there before anything fails. */
static int ask_of_general(void)
{
	struct pollfd entry = { .events = POLLIN };
	int rc = make_general_and_answers();

	ask(QUERY_GENERAL, SOME_TYPE, number);
	rc = rc ? rc : vx_mlx5_devx_obj_query_async(general, in, sizeof(in), sizeof(came.out), 7, answers);
	if (rc)
		return rc;
	entry.fd = vx_mlx5_cmd_comp_raw(answers)->fd;
	return poll(&entry, 1, 20000) == 1 ? 0 : -1;
}

static int wait_for_answer(void)
{
	return vx_mlx5_cmd_comp_wait(answers, 100, &came, sizeof(came));
}

static int query_qp(void)
{
	ask(QUERY_QP, 0, 0);
	in[2] = htobe32(vx_qp_raw(made.qp)->qp_num);
	return vx_mlx5_qp_devx_query(made.qp, in, sizeof(in), answer, sizeof(answer));
}

static int reset_qp(void)
{
	ask(QP_TO_RESET, 0, 0);
	in[2] = htobe32(vx_qp_raw(made.qp)->qp_num);
	return vx_mlx5_qp_devx_modify(made.qp, in, 16, answer, 16);
}

static struct vx_mlx5_event_channel *events_of;

static int make_general_and_channel(void)
{
	const int rc = make_general();

	return rc ? rc : vx_mlx5_event_channel_create(stage.ctx, NULL, &events_of);
}

static int subscribe(void)
{
	uint16_t types[] = { 1, 2 };

	return vx_mlx5_event_channel_subscribe(events_of, general, sizeof(types), types, 5);
}

static int subscribe_descriptor(void)
{
	const int fd = eventfd(0, EFD_CLOEXEC);
	const int rc = vx_mlx5_event_channel_subscribe_fd(events_of, fd, general, 1);

	close(fd);
	return rc;
}

static int make_signing_mkey(void)
{
	const uint32_t flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	struct vx_mlx5_mkey *mkey = NULL;
	const int rc = vx_mlx5_mkey_create(stage.pd, &(struct vx_mlx5_mkey_init){ .create_flags = flags, .max_entries = 4 }, &mkey);

	return keep_made(rc, mkey);
}

static int check_mkey(void)
{
	struct mlx5dv_mkey_err error;

	return vx_mlx5_mkey_check((struct vx_mlx5_mkey *)made.object, &error);
}

/* ---- rates ---- */

static struct vx_mlx5_sched_node *node;
static struct vx_qp *qp;

static int make_parent(void)
{
	return vx_mlx5_sched_node_create(stage.ctx, NULL, &node);
}

static int make_leaf_of_it(void)
{
	struct vx_mlx5_sched_leaf *leaf = NULL;
	const int rc = vx_mlx5_sched_leaf_create(stage.ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = node }, &leaf);

	return keep_made(rc, leaf);
}

static int make_leaf(void)
{
	const int rc = make_parent();

	return rc ? rc : make_leaf_of_it();
}

static int make_child(void)
{
	struct vx_mlx5_sched_node *child = NULL;
	int rc = make_parent();

	rc = rc ? rc : vx_mlx5_sched_node_create(stage.ctx, &(struct vx_mlx5_sched_node_init){ .parent = node }, &child);
	return keep_made(rc, child);
}

static int modify_node(void)
{
	return vx_mlx5_sched_node_modify((struct vx_mlx5_sched_node *)made.object, &(struct mlx5dv_sched_attr){ 0 });
}

static int make_leaf_and_qp(void)
{
	const struct vx_qp_init init = { .send_cq = stage.cq, .recv_cq = stage.cq };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	int rc = vx_qp_create(stage.pd, &init, &qp);

	rc = rc ? rc : vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS);
	return rc ? rc : make_leaf();
}

/* Closing the stage ends the QP before the leaf, which is younger. */
static int hold_to_leaf(void)
{
	struct vx_mlx5_sched_leaf *leaf = (struct vx_mlx5_sched_leaf *)made.object;

	return vx_mlx5_qp_modify_sched_elem(qp, leaf, NULL);
}

/* ---- rules, of which mlx5_dr.c has those of software steering ---- */

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint64_t bits[8];
} match = { .parameters = { .match_sz = sizeof(match.bits) } };

MAKING(make_flow_matcher, mlx5_flow_matcher,
       vx_mlx5_flow_matcher_create(stage.ctx, &(struct vx_mlx5_flow_matcher_init){ .match_mask = &match.parameters }, &out))
MAKING(make_anchor, mlx5_steering_anchor, vx_mlx5_steering_anchor_create(stage.ctx, NULL, &out))
MAKING(make_wq, wq, vx_mlx5_wq_create(stage.pd, &(struct vx_mlx5_wq_init){ .cq = stage.cq }, &out))
MAKING(make_drop, mlx5_dr_action, vx_mlx5_dr_drop_create(stage.ctx, NULL, &out))
MAKING(make_tag, mlx5_dr_action, vx_mlx5_dr_tag_create(stage.ctx, NULL, &out))
MAKING(make_miss, mlx5_dr_action, vx_mlx5_dr_miss_create(stage.ctx, NULL, &out))
MAKING(make_pop, mlx5_dr_action, vx_mlx5_dr_pop_vlan_create(stage.ctx, NULL, &out))
MAKING(make_counting, mlx5_dr_action, vx_mlx5_dr_counter_create(general, NULL, &out))

static int make_counter(void)
{
	const struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = 16, .out = answer, .outlen = 16 };

	ask(ALLOC_COUNTER, 0, 0);
	return vx_mlx5_devx_obj_create(stage.ctx, &init, &general);
}

const struct kind mlx5_kinds[] = {
	{ "mkey", make_mkey, MADE_BY(mlx5dv_create_mkey), CODED(mlx5dv_destroy_mkey) },
	{ "umem", make_umem, MADE_BY(mlx5dv_devx_umem_reg), CODED(mlx5dv_devx_umem_dereg) },
	{ "cq of mlx5", make_cq, MADE_BY(mlx5dv_create_cq), CODED(ibv_destroy_cq) },
	{ "dm of mlx5", make_dm, MADE_BY(mlx5dv_alloc_dm), INLINE(ibv_free_dm) },
	{ "dci", make_dci, MADE_BY(mlx5dv_create_qp), CODED(ibv_destroy_qp) },
	{ "devx object", make_general, MADE_BY(mlx5dv_devx_obj_create), CODED(mlx5dv_devx_obj_destroy) },
	{ "scheduling node", make_node, MADE_BY(mlx5dv_sched_node_create), CODED(mlx5dv_sched_node_destroy) },
	{ "action that drops", make_drop, MADE_BY(mlx5dv_dr_action_create_drop), CODED(mlx5dv_dr_action_destroy) },
	{ "action that tags", make_tag, MADE_BY(mlx5dv_dr_action_create_tag), CODED(mlx5dv_dr_action_destroy) },
	{ "action of a miss", make_miss, MADE_BY(mlx5dv_dr_action_create_default_miss), CODED(mlx5dv_dr_action_destroy) },
	{ "action that pops", make_pop, MADE_BY(mlx5dv_dr_action_create_pop_vlan), CODED(mlx5dv_dr_action_destroy) },
	{ 0 },
};

const struct kind mlx5_ethernet_kinds[] = {
	{ "flow matcher", make_flow_matcher, MADE_BY(mlx5dv_create_flow_matcher), CODED(mlx5dv_destroy_flow_matcher) },
	{ "steering anchor", make_anchor, MADE_BY(mlx5dv_create_steering_anchor), CODED(mlx5dv_destroy_steering_anchor) },
	{ "wq of mlx5", make_wq, MADE_BY(mlx5dv_create_wq), INLINE(ibv_destroy_wq) },
	{ 0 },
};

/* Those whose end rdma-core returns nothing of, as libmlx5 does where it gives a block of QP numbers back, are only made. */
const struct method mlx5_methods[] = {
	{ "making a reserved qp number", NULL, make_qpn, CODED(mlx5dv_reserved_qpn_alloc) },
	{ "making a uar", NULL, make_uar, MADE_BY(mlx5dv_devx_alloc_uar) },
	{ "making a var", NULL, make_var, MADE_BY(mlx5dv_alloc_var) },
	{ "mapping a var", make_var, map_var, { "vx_mlx5_var_map", NULL, BY_NULL, NULL } },
	{ "making a pp", NULL, make_pp, MADE_BY(mlx5dv_pp_alloc) },
	{ "making a command completion", NULL, make_answers, MADE_BY(mlx5dv_devx_create_cmd_comp) },
	{ "making an event channel", NULL, make_channel, MADE_BY(mlx5dv_devx_create_event_channel) },
	{ "query of a devx object", make_general, query_general, CODED(mlx5dv_devx_obj_query) },
	{ "change of a devx object", make_general, modify_general, CODED(mlx5dv_devx_obj_modify) },
	{ "query that is not waited for", make_general_and_answers, ask_and_wait, CODED(mlx5dv_devx_obj_query_async) },
	{ "waiting for an answer", ask_of_general, wait_for_answer, NAMED(mlx5dv_devx_get_async_cmd_comp, BY_WAITING_CODE) },
	{ "query of a qp by devx", make_dci, query_qp, CODED(mlx5dv_devx_qp_query) },
	{ "change of a qp by devx", make_dci, reset_qp, CODED(mlx5dv_devx_qp_modify) },
	{ "subscription", make_general_and_channel, subscribe, CODED(mlx5dv_devx_subscribe_devx_event) },
	{ "subscription of a descriptor", make_general_and_channel, subscribe_descriptor, CODED(mlx5dv_devx_subscribe_devx_event_fd) },
	{ "look at an mkey", make_signing_mkey, check_mkey, { "mlx5dv_mkey_check", "_mlx5dv_mkey_check", BY_CODE, NULL } },
	{ "making a scheduling leaf", make_parent, make_leaf_of_it, MADE_BY(mlx5dv_sched_leaf_create) },
	{ "closing a scheduling leaf", make_leaf, stage_close_made, CODED(mlx5dv_sched_leaf_destroy) },
	{ "change of a scheduling node", make_child, modify_node, CODED(mlx5dv_sched_node_modify) },
	{ "holding a qp to a scheduling leaf", make_leaf_and_qp, hold_to_leaf, CODED(mlx5dv_modify_qp_sched_elem) },
	{ "making a counting action", make_counter, make_counting, MADE_BY(mlx5dv_dr_action_create_flow_counter) },
	{ 0 },
};
