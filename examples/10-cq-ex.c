/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An extended completion queue: what is to be read of completions is said when it is made. */

#include "example.h"

int main(void)
{
	struct vx_ctx *ctx;
	struct vx_cq *cq;
	struct vx_wc *wc;
	int rc;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN |
								   IBV_WC_EX_WITH_SRC_QP }, &cq));

	/* Still a struct vx_cq: what tells is the flags that it was made with. The loop ends what it has begun. */
	for (rc = vx_cq_start_poll(cq, &wc); rc > 0; rc = vx_wc_next(wc))
		printf("%u bytes from QP %u\n", vx_wc_read_byte_len(wc), vx_wc_read_src_qp(wc));
	must(rc);
	printf("nothing has completed\n");
	vx_print(stdout, cq);
	must(vx_close(ctx));
	return 0;
}
