/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Receive side scaling: a QP that spreads by hash what it receives over work queues. */
/* It needs a port of Ethernet: vx emu -c link_layer=ethernet -- example-31-wq */

#include "example.h"

#define QUEUES 4

int main(void)
{
	static uint8_t key[40] = { 0x6d, 0x5a };
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_wq *wqs[QUEUES];
	struct vx_ind_table *table;
	struct vx_qp *qp;
	struct ibv_rx_hash_conf hash = {
		.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
		.rx_hash_key_len = sizeof(key),
		.rx_hash_key = key,
		.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4,
	};
	int i;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	for (i = 0; i < QUEUES; i++) {
		may_lack(ctx, vx_wq_create(pd, &(struct vx_wq_init){ .cq = cq, .max_wr = 64 }, &wqs[i]));
		must(vx_wq_modify(wqs[i], &ready));
	}
	must(vx_ind_table_create(ctx, &(struct vx_ind_table_init){ .wqs = wqs, .count = QUEUES }, &table));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .rwq_ind_tbl = table,
						    .rx_hash_conf = hash }, &qp));
	vx_print(stdout, wqs[0]);
	vx_print(stdout, table);

	/* The table goes before its queues, and the QP before the table. */
	must(vx_close(wqs[0]));
	must(vx_close(ctx));
	return 0;
}
