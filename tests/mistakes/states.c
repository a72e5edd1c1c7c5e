/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Moving a QP from state to state. */

#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mistakes.h"

static int move(struct bench *b, enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = usual_attr(b, to);
	struct vx_qp *qp = qp_in(b, type, from);

	expect_answer(b);
	return vx_qp_modify(qp, &attr, mask);
}

static int init_without_access(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT & ~IBV_QP_ACCESS_FLAGS);
}

static int init_with_qkey(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT | IBV_QP_QKEY);
}

static int datagrams_without_qkey(struct bench *b)
{
	return move(b, IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT);
}

static int state_forgotten(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT & ~IBV_QP_STATE);
}

static int unknown_bit(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, TO_INIT | 0x40000000);
}

static int unknown_bit_alone(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, INT_MIN);
}

static int straight_to_rts(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS, TO_RTS);
}

static int past_rtr(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTS, TO_RTS);
}

static int rtr_without_timer(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR & ~IBV_QP_MIN_RNR_TIMER);
}

static int rtr_as_uc(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR_UC);
}

static int rtr_without_address(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR & ~IBV_QP_AV);
}

static int uc_as_rc(struct bench *b)
{
	return move(b, IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR);
}

static int datagrams_with_address(struct bench *b)
{
	return move(b, IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, TO_RTR_UC);
}

static int rts_without_timeouts(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static int rts_with_mtu(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, TO_RTS | IBV_QP_PATH_MTU);
}

static int uc_with_retries(struct bench *b)
{
	return move(b, IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, TO_RTS);
}

static int datagrams_without_psn(struct bench *b)
{
	return move(b, IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE);
}

static int twice_to_rtr(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTR, TO_RTR);
}

static int out_of_error(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_ERR, IBV_QPS_RTS, TO_RTS);
}

static int out_of_error_to_init(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_ERR, IBV_QPS_INIT, TO_INIT);
}

static int new_to_error(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_ERR, IBV_QP_STATE);
}

static int reset_with_attributes(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RESET, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT);
}

static int no_such_state(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RESET, (enum ibv_qp_state)42, IBV_QP_STATE);
}

static int stale_current_state(struct bench *b)
{
	struct ibv_qp_attr attr = usual_attr(b, IBV_QPS_RTS);

	attr.cur_qp_state = IBV_QPS_RTS;
	return vx_qp_modify(qp_in(b, IBV_QPT_RC, IBV_QPS_RTR), &attr, TO_RTS | IBV_QP_CUR_STATE);
}

static int reliability_of_an_established_one(struct bench *b)
{
	return move(b, IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_TIMEOUT);
}

/* As a peer has filled and sent it. */
static int path_of_another_qp(struct bench *b)
{
	struct vx_path path = { .sqpn = 0x999999 };

	return vx_path_fill(&path, qp_in(b, IBV_QPT_RC, IBV_QPS_RESET));
}

static int path_from_another_port(struct bench *b)
{
	struct vx_path path = { .slid = 99 };

	return vx_path_fill(&path, qp_in(b, IBV_QPT_RC, IBV_QPS_RESET));
}

static int path_of_another_process(struct bench *b)
{
	struct vx_path path = { .ctx = (struct vx_ctx *)(uintptr_t)0xdead000, .dlid = 7, .dqpn = 5 };

	return vx_qp_to_rts(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), &path);
}

/* The peer gets the same sentence, in the place of an offer. */
static int connect_what_is_connected(struct bench *b)
{
	struct vx_qp *connected = qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), *peer = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET);
	int fds[2];

	must(-socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	vx_connect(connected, fds[0], NULL, NULL);
	return vx_accept(peer, fds[1], NULL, NULL);
}

static int connect_by(struct bench *b, int type)
{
	int fds[2];

	must(-socketpair(AF_UNIX, type, 0, fds));
	return vx_connect(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), fds[0], NULL, NULL);
}

static int connect_by_pipe(struct bench *b)
{
	int fds[2];

	must(-pipe(fds));
	return vx_connect(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), fds[1], NULL, NULL);
}

static int connect_by_messages(struct bench *b)
{
	return connect_by(b, SOCK_SEQPACKET);
}

static int connect_by_datagrams(struct bench *b)
{
	return connect_by(b, SOCK_DGRAM);
}

/* What the first has said is there for the second. */
static int connect_from_both_sides(struct bench *b)
{
	const struct vx_connect_init init = { .timeout_ms = 1 };
	int fds[2];

	must(-socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	vx_connect(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), fds[0], &init, NULL);
	return vx_connect(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), fds[1], &init, NULL);
}

static int accept_on_both_sides(struct bench *b)
{
	const struct vx_connect_init init = { .timeout_ms = 1 };
	int fds[2];

	must(-socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	return vx_accept(qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), fds[1], &init, NULL);
}

static int connect_in_two_handshakes(struct bench *b)
{
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET);
	struct vx_handshake *handshake;

	must(vx_handshake_create(qp, NULL, &handshake));
	return vx_handshake_create(qp, NULL, &handshake);
}

static const struct mistake mistakes[] = {
	{ "the path of one QP for another", path_of_another_qp, -EINVAL, "sqpn = 0x999999 is another QP's: each has its own path, in which sqpn is 0 before that is filled" },
	{ "a path from a LID of another port", path_from_another_port, -EINVAL, "slid = 99 is none of port 1, which has LID " },
	{ "the path that a peer has sent, as it is", path_of_another_process, -EINVAL, "set ctx and port_num to those of this side" },
	{ "a peer whose QP is connected already", connect_what_is_connected, -EINVAL, "the other side refused: vx_connect on mlx5_0 qp" },
	{ "connecting through a socket of messages", connect_by_messages, -EPROTOTYPE, "the socket is of another type than SOCK_STREAM" },
	{ "connecting through a socket of datagrams", connect_by_datagrams, -EPROTOTYPE, "the socket is of another type than SOCK_STREAM" },
	{ "connecting through an end of a pipe", connect_by_pipe, -EPROTOTYPE, "the descriptor can only be written, and both sides have something to say" },
	{ "connecting from both sides", connect_from_both_sides, -EPROTO, "do both sides connect?" },
	{ "accepting on both sides", accept_on_both_sides, -ETIMEDOUT, "waiting for an offer; do both sides accept?" },
	{ "two handshakes of one QP", connect_in_two_handshakes, -EBUSY, " connects it as well, and has not ended" },
	{ "access flags left out, as no remote access is wanted", init_without_access, -EINVAL,
	  "RESET -> INIT: Invalid argument: RC needs IBV_QP_ACCESS_FLAGS, which attr_mask lacks" },
	{ "a Q_Key for RC", init_with_qkey, -EINVAL, "IBV_QP_QKEY is not allowed for RC" },
	{ "access flags for UD, and no Q_Key", datagrams_without_qkey, -EINVAL,
	  "UD needs IBV_QP_QKEY, which attr_mask lacks; IBV_QP_ACCESS_FLAGS is not allowed for UD" },
	{ "IBV_QP_STATE left out of the mask", state_forgotten, -EINVAL, "attr_mask lacks IBV_QP_STATE" },
	{ "an attribute that nobody knows", unknown_bit, -EINVAL, "attr_mask has 0x40000000, which is none of enum ibv_qp_attr_mask" },
	{ "nothing but an attribute that nobody knows", unknown_bit_alone, -EINVAL,
	  "attr_mask has 0x80000000, which is none of enum ibv_qp_attr_mask" },
	{ "from RESET straight to RTS", straight_to_rts, -EINVAL, "RC goes from RESET to INIT or RESET, not to RTS" },
	{ "from INIT straight to RTS", past_rtr, -EINVAL, "RC goes from INIT to INIT, RTR, RESET or ERR, not to RTS" },
	{ "no RNR timer", rtr_without_timer, -EINVAL,
	  "INIT -> RTR: Invalid argument: RC needs IBV_QP_MIN_RNR_TIMER, which attr_mask lacks" },
	{ "RC connected with the attributes of UC", rtr_as_uc, -EINVAL,
	  "RC needs IBV_QP_MIN_RNR_TIMER|IBV_QP_MAX_DEST_RD_ATOMIC" },
	{ "no address of the peer", rtr_without_address, -EINVAL, "RC needs IBV_QP_AV" },
	{ "UC connected with the attributes of RC", uc_as_rc, -EINVAL,
	  "IBV_QP_MIN_RNR_TIMER|IBV_QP_MAX_DEST_RD_ATOMIC are not allowed for UC" },
	{ "UD connected as if it had one peer", datagrams_with_address, -EINVAL, "are not allowed for UD" },
	{ "no timeout and no retries", rts_without_timeouts, -EINVAL, "IBV_QP_RETRY_CNT" },
	{ "the MTU repeated on the way to RTS", rts_with_mtu, -EINVAL, "IBV_QP_PATH_MTU is not allowed for RC" },
	{ "retries for UC, which has none", uc_with_retries, -EINVAL, "IBV_QP_RETRY_CNT" },
	{ "UD to RTS without a PSN", datagrams_without_psn, -EINVAL, "UD needs IBV_QP_SQ_PSN" },
	{ "connecting twice", twice_to_rtr, -EINVAL, "RC goes from RTR to RTS, RESET or ERR, not to RTR" },
	{ "using a QP on after an error", out_of_error, -EINVAL, "RC goes from ERR to RESET or ERR, not to RTS" },
	{ "reconnecting a QP without a reset", out_of_error_to_init, -EINVAL, "RC goes from ERR to RESET or ERR, not to INIT" },
	{ "an error for a QP that was never used", new_to_error, -EINVAL, "RC goes from RESET to INIT or RESET, not to ERR" },
	{ "a reset with what INIT will want", reset_with_attributes, -EINVAL, "are not allowed for RC here" },
	{ "a state from an uninitialized variable", no_such_state, -EINVAL, "qp_state = 42 is none of enum ibv_qp_state" },
	{ "cur_qp_state as somebody remembers it", stale_current_state, -EINVAL, "cur_qp_state = RTS, but the QP is in RTR" },
	{ "another timeout for a QP in use", reliability_of_an_established_one, -EINVAL, "IBV_QP_TIMEOUT is not allowed for RC" },
};

CHAPTER(states, "States of a QP");
