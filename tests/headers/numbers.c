/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* VX_NONE where programs write it, without a warning of any compiler; and, in lines that end in a comment, where it does not fit. */

#include <verbsx/verbsx.h>

bool numbers(struct vx_qp_init *qp, struct vx_srq_init *srq, struct vx_ah_init *ah);

bool numbers(struct vx_qp_init *qp, struct vx_srq_init *srq, struct vx_ah_init *ah)
{
	const uint32_t none = VX_NONE;

	qp->cap.max_recv_wr = VX_NONE;
	srq->attr.max_sge = qp->cap.max_recv_wr == VX_NONE ? VX_NONE : 1;

	ah->static_rate = VX_NONE; /* narrow */
	qp->max_tso_header = VX_NONE; /* narrow */
	return srq->attr.max_sge == none && VX_NONE == none && VX_NONE != qp->cap.max_send_wr && ah->port_num;
}
