/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that are posted and then fail: two connected QPs of one device. */

#include <string.h>
#include <time.h>

#include "mistakes.h"

#define ROOM 4096
#define LONGEST_WAIT 5000 /* ms */

struct pair {
	struct vx_qp *sender, *receiver;
	struct vx_mr *mr;
};

static void step(struct bench *b, struct vx_qp *qp, enum ibv_qp_state state, uint32_t peer, int mask)
{
	struct ibv_qp_attr attr = usual_attr(b, state);

	attr.dest_qp_num = peer;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	attr.timeout = 8;
	attr.retry_cnt = 1;
	attr.rnr_retry = 1;
	must(vx_qp_modify(qp, &attr, mask));
}

static void join(struct bench *b, struct vx_qp *qp, uint32_t peer)
{
	step(b, qp, IBV_QPS_INIT, peer, TO_INIT);
	step(b, qp, IBV_QPS_RTR, peer, TO_RTR);
	step(b, qp, IBV_QPS_RTS, peer, TO_RTS);
}

static struct pair connected(struct bench *b)
{
	struct pair p = { .sender = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET), .receiver = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET) };

	must(vx_mr_create(b->pd, &(struct vx_mr_init){
		.length = ROOM, .access = IBV_ACCESS_LOCAL_WRITE }, &p.mr));
	join(b, p.sender, vx_qp_raw(p.receiver)->qp_num);
	join(b, p.receiver, vx_qp_raw(p.sender)->qp_num);
	return p;
}

static struct ibv_sge part(const struct pair *p, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)vx_mr_addr(p->mr), length, vx_mr_lkey(p->mr) };
}

static void post_send(const struct pair *p, struct ibv_send_wr wr, struct ibv_sge sge)
{
	struct ibv_send_wr *bad;

	wr.wr_id = 42;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_SIGNALED;
	must(-ibv_post_send(vx_qp_raw(p->sender), &wr, &bad));
}

static void post_receive(const struct pair *p, struct ibv_sge sge)
{
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	must(-ibv_post_recv(vx_qp_raw(p->receiver), &wr, &bad));
}

/* The completion of a QP; those of others are thrown away. */
static struct ibv_wc poll(struct bench *b, const struct vx_qp *qp)
{
	const struct timespec pause = { 0, 1000000 };
	struct ibv_wc wc;
	int i;

	for (i = 0; i < LONGEST_WAIT; i++) {
		if (ibv_poll_cq(vx_cq_raw(b->cq), 1, &wc) == 1 && wc.qp_num == vx_qp_raw(qp)->qp_num)
			return wc;
		nanosleep(&pause, NULL);
	}
	must(-ETIMEDOUT);
	return wc;
}

static int explain(struct bench *b, const struct vx_qp *qp, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = poll(b, qp);

	snprintf(b->raw, sizeof(b->raw), "status %d, vendor_err 0x%x", (int)wc.status, wc.vendor_err);
	vx_wc_error(b->sentence, sizeof(b->sentence), &wc, qp, opcode);
	return 0;
}

static int nobody_there(struct bench *b)
{
	struct pair p = { .sender = qp_in(b, IBV_QPT_RC, IBV_QPS_RESET) };

	must(vx_mr_create(b->pd, &(struct vx_mr_init){ .length = ROOM }, &p.mr));
	join(b, p.sender, 0xabcde);
	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, 64));
	return explain(b, p.sender, IBV_WC_SEND);
}

static int port_down(struct bench *b)
{
	struct pair p = connected(b);

	cause("port_down");
	wait_for_port(b, IBV_PORT_DOWN);
	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, 64));
	explain(b, p.sender, IBV_WC_SEND);
	cause("port_up");
	wait_for_port(b, IBV_PORT_ACTIVE);
	return 0;
}

static int no_receive(struct bench *b)
{
	struct pair p = connected(b);

	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, 64));
	return explain(b, p.sender, IBV_WC_SEND);
}

static int remote_write(struct bench *b, uint32_t rkey_offset)
{
	struct pair p = connected(b);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	wr.wr.rdma.remote_addr = (uintptr_t)vx_mr_addr(p.mr);
	wr.wr.rdma.rkey = vx_mr_rkey(p.mr) + rkey_offset;
	post_send(&p, wr, part(&p, 64));
	return explain(b, p.sender, IBV_WC_RDMA_WRITE);
}

static int wrong_rkey(struct bench *b)
{
	return remote_write(b, 0x1000);
}

static int no_right(struct bench *b)
{
	return remote_write(b, 0);
}

static int wrong_lkey(struct bench *b)
{
	struct pair p = connected(b);
	struct ibv_sge sge = part(&p, 64);

	sge.lkey += 0x1000;
	post_receive(&p, part(&p, 64));
	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, sge);
	return explain(b, p.sender, IBV_WC_SEND);
}

static int past_the_region(struct bench *b)
{
	struct pair p = connected(b);

	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, ROOM + 1));
	return explain(b, p.sender, IBV_WC_SEND);
}

static struct pair long_message(struct bench *b)
{
	struct pair p = connected(b);

	post_receive(&p, part(&p, 16));
	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, 64));
	return p;
}

static int short_receive(struct bench *b)
{
	struct pair p = long_message(b);

	return explain(b, p.receiver, IBV_WC_RECV);
}

static int short_receive_at_the_sender(struct bench *b)
{
	struct pair p = long_message(b);

	return explain(b, p.sender, IBV_WC_SEND);
}

static struct pair stale_receive(struct bench *b)
{
	struct pair p = connected(b);
	struct ibv_sge sge = part(&p, 64);

	sge.lkey += 0x1000;
	post_receive(&p, sge);
	post_send(&p, (struct ibv_send_wr){ .opcode = IBV_WR_SEND }, part(&p, 64));
	return p;
}

static int stale_receive_at_the_receiver(struct bench *b)
{
	struct pair p = stale_receive(b);

	return explain(b, p.receiver, IBV_WC_RECV);
}

static int stale_receive_at_the_sender(struct bench *b)
{
	struct pair p = stale_receive(b);

	return explain(b, p.sender, IBV_WC_SEND);
}

static int window_on_closed_region(struct bench *b)
{
	struct pair p = connected(b);
	struct ibv_mw_bind what = { .wr_id = 42, .send_flags = IBV_SEND_SIGNALED };
	struct vx_mw *mw;

	what.bind_info = (struct ibv_mw_bind_info){ vx_mr_raw(p.mr), (uintptr_t)vx_mr_addr(p.mr), ROOM, IBV_ACCESS_REMOTE_READ };
	must(vx_mw_create(b->pd, NULL, &mw));
	must(vx_qp_bind_mw(p.sender, mw, &what));
	return explain(b, p.sender, IBV_WC_BIND_MW);
}

static int flushed(struct bench *b)
{
	struct pair p = connected(b);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	post_receive(&p, part(&p, 64));
	must(vx_qp_modify(p.receiver, &attr, IBV_QP_STATE));
	return explain(b, p.receiver, IBV_WC_RECV);
}

/* Nobody is told that a place is free again. */
static int never_signaled(struct bench *b)
{
	struct ibv_send_wr wr = { .wr_id = 7, .opcode = IBV_WR_SEND };
	struct vx_qp *qp = qp_in(b, IBV_QPT_RC, IBV_QPS_RTS);
	int rc = 0;

	for (int i = 0; i < 1000 && !rc; i++)
		rc = vx_qp_post_send(qp, &wr, &(struct ibv_send_wr *){ NULL });
	return rc;
}

static const struct mistake mistakes[] = {
	{ "requests of which none was ever signaled", never_signaled, -EAGAIN,
	  "the send queue is full (max_send_wr = 128): poll its completions first, which signaled requests alone have" },
	{ "sending to a QP that is not there", nobody_there, 0, "IBV_WC_RETRY_EXC_ERR (12) of IBV_WC_SEND on mlx5_0 qp" },
	{ "sending by a port that is down", port_down, 0, ", and port 1 is IBV_PORT_DOWN, wr_id = 0x2a" },
	{ "sending before the peer has posted a receive", no_receive, 0, "IBV_WC_RNR_RETRY_EXC_ERR" },
	{ "writing with an old rkey", wrong_rkey, 0, "Stale or wrong rkey" },
	{ "writing where the peer lets nobody write", no_right, 0, "the MR lacks IBV_ACCESS_REMOTE_READ, _WRITE" },
	{ "sending with a wrong lkey", wrong_lkey, 0, "IBV_WC_LOC_PROT_ERR" },
	{ "sending more than the region has", past_the_region, 0, "address or length outside the MR" },
	{ "a message longer than the receive, seen by the receiver", short_receive, 0, "IBV_WC_LOC_LEN_ERR" },
	{ "a message longer than the receive, seen by the sender", short_receive_at_the_sender, 0, "IBV_WC_REM_INV_REQ_ERR" },
	{ "a receive with an old lkey, seen by the receiver", stale_receive_at_the_receiver, 0, "IBV_WC_LOC_PROT_ERR (4) of IBV_WC_RECV" },
	{ "a receive with an old lkey, seen by the sender", stale_receive_at_the_sender, 0,
	  "The receive request that the message consumed is bad" },
	{ "a window onto a region that is for none", window_on_closed_region, 0, "The MR lacks IBV_ACCESS_MW_BIND" },
	{ "waiting for a receive of a QP that has failed", flushed, 0, "wr_id = 0x7" },
};

CHAPTER(completions, "Completions");
