/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only mlx5 devices have: commands of DEVX, rules, and rates. */

#include <endian.h>
#include <stdio.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>

#include "mistakes.h"

/* ---- commands ---- */

enum { NONE = 0xfff, SCHEDULING = 0x26, WORDS = 36 };

struct command {
	uint32_t in[WORDS], out[WORDS];
};

static int ask(struct bench *b, uint32_t opcode, size_t inlen)
{
	struct command c = { .in = { htobe32(opcode << 16) } };

	return vx_mlx5_ctx_devx_general_cmd(b->ctx, c.in, inlen, c.out, sizeof(c.out));
}

static int unknown_here(struct bench *b)
{
	return ask(b, VX_MLX5_CMD_QUERY_CQ, sizeof(uint32_t[WORDS]));
}

static int no_command(struct bench *b)
{
	return ask(b, NONE, sizeof(uint32_t[WORDS]));
}

static int short_mailbox(struct bench *b)
{
	return ask(b, VX_MLX5_CMD_NOP, sizeof(uint32_t));
}

static int create(struct bench *b, struct command *c, struct vx_mlx5_devx_obj **out)
{
	const struct vx_mlx5_devx_obj_init init = { .in = c->in, .inlen = sizeof(c->in), .out = c->out, .outlen = sizeof(c->out) };

	return vx_mlx5_devx_obj_create(b->ctx, &init, out);
}

static int object_by_another_command(struct bench *b)
{
	struct command c = { .in = { htobe32(VX_MLX5_CMD_CREATE_FLOW_TABLE << 16) } };

	return create(b, &c, &(struct vx_mlx5_devx_obj *){ NULL });
}

static int object_of_a_query(struct bench *b)
{
	struct command c = { .in = { htobe32(VX_MLX5_CMD_QUERY_LAG << 16) } };

	return create(b, &c, &(struct vx_mlx5_devx_obj *){ NULL });
}

static int answer_without_room(struct bench *b)
{
	return ask(b, VX_MLX5_CMD_QUERY_HCA_CAP, sizeof(uint32_t[WORDS]));
}

/* A root of a tree of rates, at which no rate can be. */
static int root_with_a_share(struct bench *b)
{
	struct command c = { .in = { htobe32(VX_MLX5_CMD_CREATE_GENERAL_OBJECT << 16), htobe32(SCHEDULING) } };

	c.in[6] = htobe32(3u << 24);
	c.in[17] = htobe32(5);
	return create(b, &c, &(struct vx_mlx5_devx_obj *){ NULL });
}

static int query_of_another(struct bench *b)
{
	struct command c = { .in = { htobe32(VX_MLX5_CMD_CREATE_GENERAL_OBJECT << 16), htobe32(0x13) } };
	struct vx_mlx5_devx_obj *obj;

	must(create(b, &c, &obj));
	c.in[0] = htobe32(VX_MLX5_CMD_QUERY_GENERAL_OBJECT << 16);
	c.in[2] = htobe32(be32toh(c.out[2]) + 1);
	return vx_mlx5_devx_obj_query(obj, c.in, sizeof(c.in), c.out, sizeof(c.out));
}

/* Which the key's mailbox names, and its .uses does not */
static int close_under_a_mailbox(struct bench *b)
{
	struct command pd = { .in = { htobe32(VX_MLX5_CMD_ALLOC_PD << 16) } };
	struct command key = { .in = { htobe32(VX_MLX5_CMD_CREATE_MKEY << 16), [4] = htobe32(0x7b00), htobe32(0xffffff5a) } };
	struct vx_mlx5_devx_obj *obj;

	must(create(b, &pd, &obj));
	key.in[7] = htobe32(be32toh(pd.out[2]) & 0xffffff);
	must(create(b, &key, &(struct vx_mlx5_devx_obj *){ NULL }));
	return vx_close(obj);
}

static int qp_of_another_number(struct bench *b)
{
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_INIT);
	struct command c = { .in = { htobe32(VX_MLX5_CMD_QUERY_QP << 16) } };
	uint32_t out[256];

	c.in[2] = htobe32(vx_qp_raw(qp)->qp_num + 1);
	return vx_mlx5_qp_devx_query(qp, c.in, sizeof(c.in), out, sizeof(out));
}

static int unread_answer(struct bench *b)
{
	struct command c = { .in = { htobe32(VX_MLX5_CMD_MODIFY_CQ << 16) }, .out = { htobe32(9u << 24), htobe32(0x1234) } };

	(void)b;
	return vx_mlx5_cmd_check(c.in, sizeof(c.in), c.out, sizeof(c.out));
}

static int no_bytes(struct bench *b)
{
	return vx_mlx5_devx_obj_create(b->ctx, NULL, &(struct vx_mlx5_devx_obj *){ NULL });
}

static int set_in_create_cq(size_t size, uint32_t field, uint64_t value)
{
	uint32_t box[68];

	must(vx_mlx5_cmd_begin(box, sizeof(box), VX_MLX5_CMD_CREATE_CQ));
	return vx_mlx5_cmd_set(box, size, field, value);
}

static int field_of_another(struct bench *b)
{
	(void)b;
	return set_in_create_cq(272, VX_MLX5_CREATE_QP_PRIMARY_RLID, 7);
}

static int wide_value(struct bench *b)
{
	(void)b;
	return set_in_create_cq(272, VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, 1024);
}

static int field_behind(struct bench *b)
{
	(void)b;
	return set_in_create_cq(16, VX_MLX5_CREATE_CQ_CQ_UMEM_ID, 1);
}

static int small_begin(struct bench *b)
{
	uint32_t box[16];

	(void)b;
	return vx_mlx5_cmd_begin(box, sizeof(box), VX_MLX5_CMD_CREATE_CQ);
}

static int umem_of_no_size(struct bench *b)
{
	static char page[4096];

	return vx_mlx5_devx_umem_create(b->ctx, &(struct vx_mlx5_devx_umem_init){ .addr = page }, &(struct vx_mlx5_devx_umem *){ NULL });
}

static int umem_of_no_memory(struct bench *b)
{
	return vx_mlx5_devx_umem_create(b->ctx, &(struct vx_mlx5_devx_umem_init){ .size = 4096 }, &(struct vx_mlx5_devx_umem *){ NULL });
}

static int port_before_the_first(struct bench *b)
{
	return vx_mlx5_ctx_query_port(b->ctx, 0, &(struct mlx5dv_port){ .flags = 0 });
}

static int pp_without_context(struct bench *b)
{
	return vx_mlx5_pp_create(b->ctx, &(struct vx_mlx5_pp_init){ .pp_context_sz = 48 }, &(struct vx_mlx5_pp *){ NULL });
}

static int umem_of_another(struct bench *b)
{
	static char ring[8192] __attribute__((aligned(4096)));
	const struct vx_mlx5_devx_umem_init init = { .addr = ring, .size = sizeof(ring), .access = IBV_ACCESS_LOCAL_WRITE };
	uint32_t in[272 / 4], out[4], uar;
	struct vx_mlx5_devx_obj_init cq = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	struct vx_mlx5_devx_umem *umem;
	struct vx_mlx5_devx_uar *page;

	must(vx_mlx5_devx_umem_create(b->ctx, &init, &umem));
	must(vx_mlx5_devx_uar_create(b->ctx, NULL, &page));
	uar = vx_mlx5_devx_uar_raw(page)->page_id;
	must(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_CREATE_CQ));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_LOG_CQ_SIZE, 5));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_UAR_PAGE, uar));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_CQ_UMEM_ID, vx_mlx5_devx_umem_raw(umem)->umem_id));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_CQ_UMEM_VALID, 1));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_DBR_UMEM_ID, vx_mlx5_devx_umem_raw(umem)->umem_id));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_DBR_UMEM_VALID, 1));
	must(vx_mlx5_cmd_set(in, sizeof(in), VX_MLX5_CREATE_CQ_DBR_ADDR, 4096));
	must(vx_mlx5_devx_obj_create(b->ctx, &cq, &(struct vx_mlx5_devx_obj *){ NULL }));
	return vx_close(umem);
}

/* ---- DC ---- */

static int make_dct(struct bench *b, struct vx_mlx5_qp_init init)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT };

	init.mlx5dv_qp_init_attr = &attr;
	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int dct_without_srq(struct bench *b)
{
	return make_dct(b, (struct vx_mlx5_qp_init){ .send_cq = b->cq, .recv_cq = b->cq });
}

static int dct_with_one_cq(struct bench *b)
{
	return make_dct(b, (struct vx_mlx5_qp_init){ .recv_cq = b->cq });
}

static int stream_of_another(struct bench *b)
{
	return vx_mlx5_qp_dci_stream_id_reset(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), 0);
}

static struct vx_qp *new_dci(struct bench *b, enum ibv_qp_type type)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS,
					    .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI, .dci_streams = { 2, 0 } } };
	const struct vx_mlx5_qp_init init = { .qp_type = type, .send_cq = b->cq, .recv_cq = b->cq, .mlx5dv_qp_init_attr = &attr };
	struct vx_qp *dci = NULL;

	return vx_mlx5_qp_create(b->pd, &init, &dci) ? NULL : dci;
}

static int dci_of_another_type(struct bench *b)
{
	return new_dci(b, IBV_QPT_RC) ? 0 : vx_error()->code;
}

static int stream_before_rts(struct bench *b)
{
	return vx_mlx5_qp_dci_stream_id_reset(new_dci(b, IBV_QPT_DRIVER), 0);
}

static int stream_that_is_not_there(struct bench *b)
{
	struct vx_qp *dci = new_dci(b, IBV_QPT_DRIVER);

	must(vx_qp_to_rts(dci, &(struct vx_path){ .dlid = 1 }));
	return vx_mlx5_qp_dci_stream_id_reset(dci, 99);
}

/* ---- rules and rates ---- */

static int rule_to_a_connected_qp(struct bench *b)
{
	return vx_mlx5_dr_dest_qp_create(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), NULL, &(struct vx_mlx5_dr_action *){ NULL });
}

static int matcher_without_mask(struct bench *b)
{
	return vx_mlx5_flow_matcher_create(b->ctx, NULL, &(struct vx_mlx5_flow_matcher *){ NULL });
}

static int leaf_without_node(struct bench *b)
{
	return vx_mlx5_sched_leaf_create(b->ctx, NULL, &(struct vx_mlx5_sched_leaf *){ NULL });
}

static struct vx_mlx5_sched_leaf *leaf_of(struct vx_ctx *ctx)
{
	struct vx_mlx5_sched_leaf *leaf;
	struct vx_mlx5_sched_node *root;

	must(vx_mlx5_sched_node_create(ctx, NULL, &root));
	must(vx_mlx5_sched_leaf_create(ctx, &(struct vx_mlx5_sched_leaf_init){ .parent = root }, &leaf));
	return leaf;
}

static int rate_of_a_qp_in_reset(struct bench *b)
{
	return vx_mlx5_qp_modify_sched_elem(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), leaf_of(b->ctx), NULL);
}

static int rate_of_a_qp_in_rtr(struct bench *b)
{
	return vx_mlx5_qp_modify_sched_elem(qp_in(b, IBV_QPT_RC, IBV_QPS_RTR), leaf_of(b->ctx), NULL);
}

static int leaf_of_another_context(struct bench *b)
{
	struct vx_ctx *other;
	int rc;

	must(vx_ctx_open_index(0, &other));
	rc = vx_mlx5_qp_modify_sched_elem(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), leaf_of(other), NULL);
	snprintf(b->sentence, sizeof(b->sentence), "%s", vx_error_text());
	must(vx_close(other));
	return rc;
}

static int wide_source_port(struct bench *b)
{
	return vx_mlx5_qp_modify_udp_sport(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), 70000);
}

static const struct mistake mistakes[] = {
	{ "a command that the device does not know", unknown_here, -EREMOTEIO, "refused QUERY_CQ (0x402) with BAD_OP (2)" },
	{ "a number that is no command", no_command, -EREMOTEIO, "a command that is not known (0xfff) with BAD_OP (2)" },
	{ "a command in a mailbox that is too short for any", short_mailbox, -EINVAL, "the kernel refused NOP (0x80d) without asking the device" },
	{ "an object by a command that the device does not do", object_by_another_command, -EREMOTEIO, "refused CREATE_FLOW_TABLE (0x930) with BAD_OP (2)" },
	{ "an object by a command that makes none", object_of_a_query, -EINVAL, "refused QUERY_LAG (0x842) without asking the device" },
	{ "an answer that there is no room for", answer_without_room, -EINVAL, "outlen is 144, and the answer to QUERY_HCA_CAP (0x100) has 4112 bytes" },
	{ "a share of nothing", root_with_a_share, -EREMOTEIO, "refused CREATE_GENERAL_OBJECT (0xa00) with BAD_PARAM (3), a field has a value" },
	{ "asking one object by the number of another", query_of_another, -EINVAL, "QUERY_GENERAL_OBJECT (0xa02) without asking the device: it is no command of this call or of this object" },
	{ "closing what another object's mailbox names", close_under_a_mailbox, -EBUSY, "which .uses did not tell" },
	{ "closing the memory that it names", umem_of_another, -EBUSY, "which .uses did not tell" },
	{ "asking a QP by the number of another", qp_of_another_number, -EINVAL, "QUERY_QP (0x50b) without asking the device: it is no command of this call or of this object" },
	{ "an answer whose status nobody looked at", unread_answer, -EREMOTEIO, "refused MODIFY_CQ (0x403) with BAD_RES_STATE (9)" },
	{ "an object by no command", no_bytes, -EINVAL, "in is NULL" },
	{ "a field of another command", field_of_another, -EINVAL, "qpc.primary.rlid is of CREATE_QP (0x500), and the mailbox that of CREATE_CQ (0x400)" },
	{ "a size where its logarithm is wanted", wide_value, -EINVAL, "cqc.log_cq_size = 0x400 has more bits than the field" },
	{ "a field behind the end of a mailbox", field_behind, -EINVAL, "cq_umem_id lies behind the mailbox, which has 16 bytes" },
	{ "a mailbox that is too short for its command", small_begin, -EINVAL, "inlen is 64, and CREATE_CQ (0x400) has 272 bytes" },
	{ "a umem of no bytes", umem_of_no_size, -EINVAL, "size is 0" },
	{ "a umem of no memory", umem_of_no_memory, -EINVAL, "addr is NULL" },
	{ "what mlx5 has of port 0", port_before_the_first, -EINVAL, "port_num is 0, and ports are counted from 1" },
	{ "packet pacing of nothing", pp_without_context, -EINVAL, "pp_context is NULL" },
	{ "a DCT without an SRQ", dct_without_srq, -EINVAL, "srq is NULL" },
	{ "a DCT with a CQ to receive by alone", dct_with_one_cq, -EINVAL, "send_cq is NULL" },
	{ "a DCI that is said to be an RC QP", dci_of_another_type, -EINVAL, "the QP is of IBV_QPT_RC (2): a DCI and a DCT are of IBV_QPT_DRIVER" },
	{ "a stream of a DCI that cannot send yet", stream_before_rts, -EOPNOTSUPP, "the QP is in IBV_QPS_RESET (0): streams are reset in RTS" },
	{ "a stream that a DCI does not have", stream_that_is_not_there, -EINVAL, "the QP was made without streams, or stream_id = 99 is none of them, or has not failed" },
	{ "a stream of a QP that has none", stream_of_another, -EOPNOTSUPP, "the QP is of IBV_QPT_RC (2)" },
	{ "a rule that leads to an RC QP", rule_to_a_connected_qp, -EINVAL, "the QP is of IBV_QPT_RC (2): rules lead to those of IBV_QPT_RAW_PACKET" },
	{ "a matcher of nothing", matcher_without_mask, -EINVAL, "match_mask is NULL" },
	{ "a leaf that is in no tree", leaf_without_node, -EINVAL, "parent is NULL" },
	{ "a rate for a QP in RESET", rate_of_a_qp_in_reset, -EOPNOTSUPP, "the QP is in IBV_QPS_RESET (0)" },
	{ "a rate for a QP that cannot send yet", rate_of_a_qp_in_rtr, -EOPNOTSUPP, "the QP is in IBV_QPS_RTR (2)" },
	{ "a rate of another context", leaf_of_another_context, -EINVAL, "which belongs to another context" },
	{ "a source port of more than 16 bits", wide_source_port, -EINVAL, "udp_sport = 70000, but the most is 65535" },
};

CHAPTER(vendor, "Commands, rules and rates of mlx5");
