/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An extended completion queue: what is to be read of completions is said when it is made. */

#include <errno.h>

#include "example.h"

int main(void)
{
	struct ibv_poll_cq_attr poll = { 0 };
	struct vx_ctx *ctx;
	struct vx_cq *cq;
	struct ibv_cq_ex *ex;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN |
								   IBV_WC_EX_WITH_SRC_QP }, &cq));

	/* Still a struct vx_cq: what tells is the flags that it was made with. Of a plain one this is NULL. */
	ex = vx_cq_ex(cq);
	if (ibv_start_poll(ex, &poll) == ENOENT)
		printf("nothing has completed\n");
	vx_print(stdout, cq);
	must(vx_close(ctx));
	return 0;
}
