/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The things that a program does. */
#include "agree.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

enum {
	FIRST_RECV = 1000, /* the wr_id */
	MAX_LENGTH = 1500, /* some packets */
	MAX_DATAGRAM = 1024,
	GRH = 40,
	PAGE = 4096
};

static const char *const key_names[KEYS] = { "all", "read-only", "other PD", "wrong", "window" };

/* Mostly right */
static enum key any_key(void)
{
	return one_in(12) ? below(KEY_WINDOW) : KEY_ALL;
}

static struct ibv_sge any_sge(int side, uint32_t max)
{
	enum key key = any_key();
	struct ibv_sge s = { (uintptr_t)buffer + side * HALF + 8 * below(256), below(max + 1), key_of(key, false) };

	printf(" %u bytes%s%s", s.length, key ? " key " : "", key ? key_names[key] : "");
	return s;
}

static void post_recv(void)
{
	struct side *s = &bed.side[below(SIDES)];
	bool shared = bed.srq && s == &bed.side[1];
	struct ibv_sge sge;
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = !one_in(8) }, *bad;

	wr.wr_id = FIRST_RECV + (shared ? bed.srq_receives++ : s->receives++);
	printf("%c recv %llu", s->name, (unsigned long long)wr.wr_id);
	if (wr.num_sge)
		sge = any_sge(s == &bed.side[1], MAX_LENGTH + GRH);
	s->room[wr.wr_id % MAX_WR] = wr.num_sge ? (void *)(uintptr_t)sge.addr : NULL;
	putchar('\n');
	tell("post_recv", shared ? ibv_post_srq_recv(bed.srq, &wr, &bad) : ibv_post_recv(s->qp, &wr, &bad));
}

/* ---- sending ---- */

static void set_remote(struct ibv_send_wr *wr, int side)
{
	bool atomic = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	enum key key = one_in(3) && bed.bound && !atomic ? KEY_WINDOW : any_key();
	uint64_t address = (uintptr_t)buffer + side * HALF + 8 * below(256);

	if (one_in(20))
		address += HALF * 2; /* beyond the end */
	if (one_in(20))
		address++;
	printf(" to %d key %s", (int)(address - (uintptr_t)buffer), key_names[key]);
	if (atomic) {
		wr->wr.atomic.remote_addr = address;
		wr->wr.atomic.rkey = key_of(key, true);
		wr->wr.atomic.compare_add = below(4);
		wr->wr.atomic.swap = below(1000);
		wr->sg_list->length = 8;
		return;
	}
	wr->wr.rdma.remote_addr = address;
	wr->wr.rdma.rkey = key_of(key, true);
}

static void bind_window(struct ibv_send_wr *wr, int side)
{
	wr->bind_mw.mw = bed.mw;
	wr->bind_mw.rkey = bed.mw_key = ibv_inc_rkey(bed.mw_key);
	wr->bind_mw.bind_info =
		(struct ibv_mw_bind_info){ bed.mr[KEY_ALL], (uintptr_t)buffer + side * HALF, PAGE,
					   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
}

static void invalidate_window(struct ibv_send_wr *wr, int side)
{
	(void)side;
	wr->invalidate_rkey = bed.mw_key;
}

static void set_datagram(struct ibv_send_wr *wr, int side)
{
	bool wrong = one_in(8);

	wr->wr.ud.ah = bed.ah;
	wr->wr.ud.remote_qpn = bed.side[side].qp->qp_num;
	wr->wr.ud.remote_qkey = wrong ? QKEY + 1 : QKEY;
	printf("%s", wrong ? " wrong Q_Key" : "");
}

enum {
	RC = 1,
	UC = 2,
	UD = 4
};

/* The first that fit are taken: what is there twice is more often */
static const struct operation {
	const char *name;
	enum ibv_wr_opcode opcode;
	int types;
	bool imm, can_inline, local; /* local: no data, and nothing for the other side */
	void (*fill)(struct ibv_send_wr *wr, int side); /* the side that it is about */
} operations[] = {
	{ "SEND", IBV_WR_SEND, RC | UC, false, true, false, NULL },
	{ "SEND_WITH_IMM", IBV_WR_SEND_WITH_IMM, RC | UC, true, true, false, NULL },
	{ "SEND", IBV_WR_SEND, UD, false, true, false, set_datagram },
	{ "SEND_WITH_IMM", IBV_WR_SEND_WITH_IMM, UD, true, true, false, set_datagram },
	{ "RDMA_WRITE", IBV_WR_RDMA_WRITE, RC | UC, false, true, false, set_remote },
	{ "RDMA_WRITE_WITH_IMM", IBV_WR_RDMA_WRITE_WITH_IMM, RC | UC, true, true, false, set_remote },
	{ "RDMA_READ", IBV_WR_RDMA_READ, RC, false, false, false, set_remote },
	{ "ATOMIC_CMP_AND_SWP", IBV_WR_ATOMIC_CMP_AND_SWP, RC, false, false, false, set_remote },
	{ "ATOMIC_FETCH_AND_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, RC, false, false, false, set_remote },
	{ "BIND_MW", IBV_WR_BIND_MW, RC, false, false, true, bind_window },
	{ "LOCAL_INV", IBV_WR_LOCAL_INV, RC, false, false, true, invalidate_window },
};

static int type_bit(void)
{
	return bed.type == IBV_QPT_RC ? RC : bed.type == IBV_QPT_UC ? UC : UD;
}

/*
 * A window is bound once and invalidated once, and atomics have no key of one: else rxe of Linux 6.1
 * crashes, or waits for ever in dealloc_mw.
 */
static bool is_possible(const struct operation *o)
{
	if (o->opcode == IBV_WR_LOCAL_INV)
		return bed.bound;
	return o->types & type_bit() && (o->opcode != IBV_WR_BIND_MW || bed.mw_key == bed.mw->rkey);
}

static const struct operation *any_operation(void)
{
	const struct operation *o;

	do
		o = &operations[below(ARRAY_SIZE(operations))];
	while (!is_possible(o));
	return o;
}

static void post_send(void)
{
	const struct operation *o = any_operation();
	int from = below(SIDES), about = o->local ? from : !from;
	struct side *s = &bed.side[from];
	bool in_line = o->can_inline && one_in(4);
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = s->sends,
				  .sg_list = &sge,
				  .num_sge = !o->local,
				  .opcode = o->opcode,
				  .send_flags = (in_line ? IBV_SEND_INLINE : 0) |
						(one_in(4) ? IBV_SEND_SOLICITED : 0) },
			   *bad;
	int rc;

	printf("%c send %u %s%s", s->name, s->sends, o->name, in_line ? " inline" : "");
	if (!o->local)
		sge = any_sge(from, in_line ? MAX_INLINE : bed.type == IBV_QPT_UD ? MAX_DATAGRAM : MAX_LENGTH);
	if (o->imm)
		wr.imm_data = htonl(below(1 << 30));
	if (o->fill)
		o->fill(&wr, about);
	putchar('\n');
	rc = ibv_post_send(s->qp, &wr, &bad);
	tell("post_send", rc);
	if (!rc)
		s->sends++;
}

/* ---- what is about objects ---- */

static void arm(void)
{
	struct side *s = &bed.side[below(SIDES)];
	bool solicited = one_in(2);

	printf("%c notify%s\n", s->name, solicited ? " solicited" : "");
	tell("req_notify_cq", ibv_req_notify_cq(s->cq, solicited));
}

static void limit_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = below(6) };

	if (!bed.srq)
		return;
	printf("limit %u\n", attr.srq_limit);
	tell("modify_srq", ibv_modify_srq(bed.srq, &attr, IBV_SRQ_LIMIT));
}

/* Any state from any other, with the attributes that it needs from the one before it */
static void modify(void)
{
	struct side *s = &bed.side[below(SIDES)];
	enum ibv_qp_state to = below(IBV_QPS_ERR + 1);
	int mask;
	struct ibv_qp_attr a = attr_for(s, to, &mask);

	if (to == IBV_QPS_SQD || to == IBV_QPS_SQE)
		to = a.qp_state = IBV_QPS_ERR;
	printf("%c modify to %d\n", s->name, to);
	tell("modify_qp", ibv_modify_qp(s->qp, &a, mask));
	s->sent = to == IBV_QPS_RESET ? s->sends : s->sent;
}

static void modify_too_little(void)
{
	struct side *s = &bed.side[below(SIDES)];
	struct ibv_qp_attr a = { .qp_state = below(IBV_QPS_RTS) + 1 };

	printf("%c modify to %d with nothing else\n", s->name, a.qp_state);
	tell("modify_qp", ibv_modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_PORT));
}

/* Refused: it is in use */
static void destroy_used(void)
{
	int what = below(3);

	printf("destroy what is used: %d\n", what);
	tell("destroy", what == 0 ? ibv_destroy_cq(bed.side[0].cq) : what == 1 ? ibv_dealloc_pd(bed.pd) :
				    bed.srq ? ibv_destroy_srq(bed.srq) : 0);
}

static void refused_objects(void)
{
	struct ibv_qp_init_attr attr = { .send_cq = bed.side[0].cq,
					 .recv_cq = bed.side[0].cq,
					 .qp_type = IBV_QPT_RC };
	int what = below(3);
	bool made;

	printf("make what cannot be: %d\n", what);
	errno = 0;
	if (what == 0)
		made = ibv_create_cq(bed.ctx, 1 << 30, NULL, NULL, 0);
	else if (what == 1)
		made = ibv_reg_mr(bed.pd, buffer, PAGE, IBV_ACCESS_REMOTE_WRITE);
	else
		made = (attr.cap.max_send_wr = 1 << 28, ibv_create_qp(bed.pd, &attr));
	tell("create", made ? 0 : errno);
}

void random_step(void)
{
	static void (*const steps[])(void) = {
		post_recv, post_recv, post_recv,   post_recv, post_recv,	 post_send,
		post_send, post_send, post_send,   post_send, post_send,	 post_send,
		arm,	   limit_srq, modify,	   modify_too_little, destroy_used, refused_objects,
	};

	steps[below(ARRAY_SIZE(steps))]();
}
