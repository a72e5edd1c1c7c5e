/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Direct rules: a domain has tables, a table matchers, a matcher rules, and a rule actions. Those of the first table are the kernel's. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-58-mlx5-dr */

#include "example.h"

#include <verbsx/mlx5.h>

enum { FRAME = 64, TYPE_AT = 12, TYPE = 0x88b5, OTHER_TYPE = 0x88b6, OUTER_HEADERS = 1, ETHERTYPE_AT = 6, ROOT = 0, LEVEL = 1 };

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

/* What has the type goes to the QP. */
static void steer(struct vx_mlx5_dr_domain *domain, struct vx_qp *qp)
{
	struct bits mask = of_type(0xffff), value = of_type(TYPE);
	struct vx_mlx5_dr_matcher_init which = { .match_criteria_enable = OUTER_HEADERS, .mask = (struct mlx5dv_flow_match_parameters *)&mask };
	struct vx_mlx5_dr_table *root, *behind;
	struct vx_mlx5_dr_matcher *matcher;
	struct vx_mlx5_dr_action *to_qp;
	struct vx_mlx5_dr_rule *rule;

	must(vx_mlx5_dr_table_create(domain, &(struct vx_mlx5_dr_table_init){ .level = ROOT }, &root));
	must(vx_mlx5_dr_matcher_create(root, &which, &matcher));
	must(vx_mlx5_dr_dest_qp_create(qp, NULL, &to_qp));
	must(vx_mlx5_dr_rule_create(matcher,
				    &(struct vx_mlx5_dr_rule_init){ .value = (struct mlx5dv_flow_match_parameters *)&value, .actions = &to_qp, .num_actions = 1 },
				    &rule));
	vx_print(stdout, rule);

	/* Further tables lie in memory of the device that libmlx5 writes itself: not every device lets it. */
	if (vx_mlx5_dr_table_create(domain, &(struct vx_mlx5_dr_table_init){ .level = LEVEL }, &behind) < 0)
		printf("%s\n", vx_error_text());
}

static void send_frame(struct vx_qp *qp, struct vx_mr *mr, uint16_t type, const char *text)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(mr), FRAME, vx_mr_lkey(mr) };
	uint8_t *frame = vx_mr_addr(mr);

	frame[TYPE_AT] = (uint8_t)(type >> 8);
	frame[TYPE_AT + 1] = (uint8_t)type;
	strcpy((char *)frame + TYPE_AT + 2, text);
	must(vx_qp_post_send_one(qp, 0, 0, &sge, 1));
}

int main(void)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RAW_PACKET };
	struct vx_mlx5_dr_domain *domain;
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct ibv_sge place;
	struct ibv_wc wc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &init.send_cq));
	must(vx_cq_create(ctx, NULL, &init.recv_cq));
	may_lack(ctx, vx_qp_create(pd, &init, &qp));
	must(vx_qp_to_rts(qp, NULL));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * FRAME, .access = IBV_ACCESS_LOCAL_WRITE }, &mr));
	may_lack(ctx, vx_mlx5_dr_domain_create(ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_RX }, &domain));
	steer(domain, qp);

	place = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr) + FRAME, FRAME, vx_mr_lkey(mr) };
	must(vx_qp_post_recv_one(qp, 0, &place, 1));
	send_frame(qp, mr, OTHER_TYPE, "of another type");
	send_frame(qp, mr, TYPE, "of the type");
	must_poll(init.recv_cq, &wc);
	must_complete(&wc, qp);
	printf("steered: %s\n", (char *)vx_mr_addr(mr) + FRAME + TYPE_AT + 2);
	must(vx_close(ctx)); /* rules first, the domain last */
	return 0;
}
