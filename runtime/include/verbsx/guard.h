/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_GUARD_H
#define VERBSX_GUARD_H

/**
 * @file
 * Checked QPs: each request is looked at before it is posted, and what is wrong with it is told by vx_wr_complete(), or by the function
 * that posts it, in place of what a provider does with it: nothing, a crash, or a QP in error.
 *
 *	vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .checked = true }, &qp);
 *
 * .checked of struct vx_qp_init and vx_srq_init has a new QP or SRQ checked; VERBSX_CHECKED=1 in the environment has all that a program
 * makes, which needs not be built anew, those of ids, clients and servers as well; vx_qp_check() is for those that were made without
 * libverbsx, such as what vx_cm_id_qp() gives of an endpoint. Others cost nothing more. WQs are not checked: what their provider refuses is told
 * by the sizes that they were made with, and the regions of their entries by their completions. Nor are QPs of a driver's own type, but for
 * mlx5's, as those of SRD of EFA: the environment leaves them as they are, and to ask for it is an error.
 *
 * A list of requests of which one is wrong is not posted at all; of a list of vx_qp_post_send() those before it are. Looked at are: that
 * each request has what it needs, and not more; that its QP can do it, and is in a state to; the sizes that the QP was made with; that
 * each entry is of a region of the right PD, as far as that has a handle, and lies in it and may be written to where it is, as far as libverbsx
 * has made it; the same of both ranges of vx_mlx5_wr_memcpy(), but not of what a key of mlx5 is made of; and that there is room in the queue,
 * of which each request takes a place until it, or one behind it, was polled as a completion.
 *
 * Of a region that was adopted, borrowed or imported nobody tells its access, nor at which address it begins for the device, which may be
 * any (ibv_reg_mr_iova(3)): an entry past its end goes on. vx_mr_sge(), which takes the address of its memory, refuses that.
 *
 * A local key that no handle has is let pass: it may be that of a region which the program has registered with rdma-core, of a window, or a
 * key of a driver's. So is one whose region was closed, which the kernel may have given to one of those again. Its completion tells:
 * IBV_WC_LOC_PROT_ERR. Nor is an entry held to a region that ibv_rereg_mr(3) has given another PD or memory under the same key; of the access
 * that it may have changed nobody tells: vx_mr_rereg() does.
 *
 * An AH or a window that was closed is refused where the request has its handle, until the memory of that is used again; of its raw object in
 * struct ibv_send_wr that is told by what free(3) has left there, which is not changed by all allocators.
 *
 * So the completions of a checked QP have to be polled by vx_ functions: vx_cq_poll(), vx_cq_start_poll() and what is made of them, of
 * which vx_cq_start_poll() is refused where the CQ is a plain one. With rdma-core's own the queue of the QP seems to be full for ever, and
 * so it does after ibv_modify_qp(3) has brought the QP to RESET, where vx_qp_modify() and vx_qp_reset() empty it. rdma-core's posting passes by
 * the checks.
 *
 * A loop of vx_cq_start_poll() over a checked CQ that is left without vx_wc_end() is told by the next of the same thread: verbsx/poll.h.
 *
 * Whose a completion is an extended CQ tells by IBV_WC_EX_WITH_QP_NUM of .wc_flags. One that is made checked has it anyway; a checked QP is
 * not made with another that lacks it, and vx_cq_start_poll() is refused of one that was adopted.
 */

#include <stdint.h>

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Have a QP checked from now on, such as one that was adopted.
 *
 * @param qp  nothing was posted to it yet, and its CQs were adopted before it
 * @return 0, also where it is checked already, or a negative errno with vx_error() filled: -EOPNOTSUPP where nobody knows what requests
 *         of it have to be like, as of a driver's own type of QP
 *
 * Nobody else may use the QP meanwhile. Asks the kernel for its sizes. Nobody can be asked for its send_ops_flags: all is let pass that its
 * provider has a builder for. Where its CQ had no handle the room in its queue is not counted.
 */
VX_EXPORT int vx_qp_check(struct vx_qp *qp);

/**
 * Have a CQ count the completions of checked QPs, as it does anyway from the first of them on that is made: so that all who poll it
 * begin before that.
 *
 * @return 0, or a negative errno with vx_error() filled: -ENOMEM
 *
 * Nobody else may use the CQ meanwhile.
 */
VX_EXPORT int vx_cq_check(struct vx_cq *cq);

/** Have an SRQ checked from now on: as vx_qp_check(). */
VX_EXPORT int vx_srq_check(struct vx_srq *srq);

/**
 * How many requests the send queue of a checked QP has room for now.
 *
 * @param out  the number; less by those that are between vx_wr_start() and vx_wr_complete()
 * @return 0, or -EINVAL with vx_error() filled: the QP is not checked
 *
 * Thread-safe; it waits for another thread that is between vx_wr_start() and vx_wr_complete().
 */
VX_EXPORT int vx_qp_room(const struct vx_qp *qp, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_GUARD_H */
