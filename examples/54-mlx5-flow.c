/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Rules by the bits of packets: a matcher of mlx5 says which, and each rule what they are to be and what is done then. Frames come by a raw packet QP. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-54-mlx5-flow */

#include "example.h"

#include <verbsx/mlx5.h>

enum { FRAME = 64, TYPE_AT = 12, TYPE = 0x88b5, OTHER_TYPE = 0x88b6, OUTER_HEADERS = 1, ETHERTYPE_AT = 6, TAG = 42 };

/* A mask or a value: the fields of headers as the Programmer's Reference Manual has them, in fte_match_param. */
struct bits {
	size_t match_sz;
	uint8_t match_buf[192];
};

static struct bits of_type(uint16_t type)
{
	struct bits b = { .match_sz = sizeof(b.match_buf) };

	b.match_buf[ETHERTYPE_AT] = (uint8_t)(type >> 8);
	b.match_buf[ETHERTYPE_AT + 1] = (uint8_t)type;
	return b;
}

static struct vx_flow *new_rule(struct vx_mlx5_flow_matcher *matcher, struct vx_qp *qp)
{
	struct bits value = of_type(TYPE);
	struct vx_mlx5_flow_action actions[] = {
		{ .type = MLX5DV_FLOW_ACTION_TAG, .tag_value = TAG },
		{ .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = qp },
	};
	struct vx_mlx5_flow_init init = { .match_value = (struct mlx5dv_flow_match_parameters *)&value, .actions = actions, .num_actions = 2 };
	struct vx_flow *flow;

	/* A mistake: where a member of its type is missing, or one of another is set, libmlx5 would crash or take one for the other. */
	actions[1].qp = NULL;
	if (vx_mlx5_flow_create(matcher, &init, &flow) < 0)
		printf("%s\n", vx_error_text());
	actions[1].qp = qp;
	must(vx_mlx5_flow_create(matcher, &init, &flow));
	return flow;
}

/* Frames come back to the port; what the rules do not match is for nobody. */
static void send_frame(struct vx_qp *qp, struct vx_mr *mr, uint16_t type, const char *text)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(mr), FRAME, vx_mr_lkey(mr) };
	uint8_t *frame = vx_mr_addr(mr);

	frame[TYPE_AT] = (uint8_t)(type >> 8);
	frame[TYPE_AT + 1] = (uint8_t)type;
	strcpy((char *)frame + TYPE_AT + 2, text);
	must(vx_qp_post_send_one(qp, 0, 0, &sge, 1));
}

static void show_what_came(struct vx_cq *cq, const uint8_t *frame)
{
	struct vx_wc *wc;
	int rc;

	do
		must(rc = vx_cq_start_poll(cq, &wc));
	while (!rc);
	printf("tag %u: %s\n", vx_wc_read_flow_tag(wc), (const char *)frame + TYPE_AT + 2);
	must(vx_wc_next(wc));
}

int main(void)
{
	struct bits mask = of_type(0xffff);
	struct vx_mlx5_flow_matcher_init which = { .match_criteria_enable = OUTER_HEADERS,
						   .match_mask = (struct mlx5dv_flow_match_parameters *)&mask };
	/* What libmlx5 alone has of a QP, here that its data never lie in completions. */
	struct mlx5dv_qp_init_attr own = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					   .create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE };
	struct vx_mlx5_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET, .mlx5dv_qp_init_attr = &own };
	struct vx_mlx5_flow_matcher *matcher;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_sge place;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &init.send_cq));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_FLOW_TAG }, &init.recv_cq));
	may_lack(ctx, vx_mlx5_qp_create(pd, &init, &qp));
	must(vx_qp_to_rts(qp, NULL));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * FRAME, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	may_lack(ctx, vx_mlx5_flow_matcher_create(ctx, &which, &matcher));
	vx_print(stdout, new_rule(matcher, qp));

	place = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr) + FRAME, FRAME, vx_mr_lkey(mr) };
	must(vx_qp_post_recv_one(qp, 0, &place, 1));
	send_frame(qp, mr, OTHER_TYPE, "of another type");
	send_frame(qp, mr, TYPE, "of the type");
	show_what_came(init.recv_cq, (uint8_t *)vx_mr_addr(mr) + FRAME);
	must(vx_close(qp)); /* the rule leads to it, so that ends first */
	must(vx_close(ctx));
	return 0;
}
