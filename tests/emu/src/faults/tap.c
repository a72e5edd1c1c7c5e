/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "faults/tap.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bounds.h"
#include "engine/compress.h"
#include "engine/opcode.h"
#include "engine/receive.h"
#include "faults/status.h"
#include "faults/tap_line.h"
#include "faults/tap_wqe.h"
#include "objects/mkey.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "packets/answer.h"
#include "src/mlx5_words.h"
#include "trace.h"

static int tap_fd = -1;

void tap_start(const char *file, bool raw)
{
	tap_raw = raw;
	tap_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (tap_fd < 0)
		complain("VERBSX_EMU_TAP: cannot write %s: %s", file, strerror(errno));
}

/* In one piece, so that the lines of processes do not mix */
static void end(struct tap_line *l)
{
	tap_say(l, "\n");
	l->text[l->len - 1] = '\n';
	if (write(tap_fd, l->text, l->len) != (ssize_t)l->len)
		tap_fd = -1; /* no tap rather than a tap with gaps */
}

/* The text is left alone: each packet comes here, and mostly there is no tap */
static bool begins(struct tap_line *l)
{
	l->len = 0;
	l->device = 0;
	return tap_fd >= 0;
}

void tap_wqe(const struct qp *q, const struct send_wqe *w)
{
	struct tap_line l;

	if (!begins(&l))
		return;
	l.device = q->o.device;
	tap_say(&l, "wqe");
	tap_say_qpn(&l, q->qpn, true);
	tap_say(&l, " sq %u %s ds %d", w->counter, opcode_name(w->opcode), w->ds);
	tap_say_wqe(&l, q, w);
	end(&l);
}

void tap_recv_wqe(const struct qp *q, const struct srq *s, const struct recv_wqe *w)
{
	struct tap_line l;

	if (!begins(&l))
		return;
	l.device = q->o.device;
	tap_say(&l, "wqe");
	tap_say_qpn(&l, q->qpn, true);
	if (s)
		tap_say_object(&l, SRQ, s->o.number);
	tap_say(&l, "%s %u", s ? "" : " rq", w->counter);
	tap_say_recv_wqe(&l, w);
	end(&l);
}

#define IS(value, word) [value] = word,

static const char *const cqe_opcodes[16] = { VX_WORDS_OF_MLX5_CQE_OPCODE(IS) };

static bool is_requesters(const struct completion *c)
{
	return c->opcode == MLX5_CQE_REQ || c->opcode == MLX5_CQE_REQ_ERR;
}

void tap_cqe(const struct cq *cq, uint32_t qpn, const struct completion *c)
{
	struct tap_line l;

	if (!begins(&l))
		return;
	l.device = cq->o.device;
	tap_say(&l, "cqe");
	tap_say_object(&l, CQ, cq->o.number);
	tap_say(&l, " %u %s", cq->pi + compress_kept(cq), cqe_opcodes[c->opcode]);
	tap_say_qpn(&l, qpn, true);
	tap_say(&l, " wqe %u", c->wqe_counter);
	if (is_requesters(c))
		tap_say(&l, " %s", opcode_name(c->wqe_opcode));
	if (c->syndrome)
		tap_say(&l, " %s", status_name(c->syndrome));
	else
		tap_say(&l, " len %u", c->byte_count);
	tap_say_imm(&l, c->opcode, c->imm);
	if (c->has_grh)
		tap_say(&l, " GRH");
	end(&l);
}

static void say_source(struct tap_line *l, const struct packet *p)
{
	bool ours = p->ethernet ? port_by_gid(p->sgid) : port_by_lid(p->slid);

	tap_say_qpn(l, p->src_qpn, ours && qp_number_is_ours(p->src_qpn));
}

static void say_dest(struct tap_line *l, const struct packet *p)
{
	if (packet_is_for_group(p))
		tap_say(l, " group");
	else
		tap_say_qpn(l, p->dest_qpn, packet_is_here(p));
}

static void say_way(struct tap_line *l, const struct packet *p, uint32_t psn, bool back)
{
	(back ? say_dest : say_source)(l, p);
	tap_say(l, " >");
	(back ? say_source : say_dest)(l, p);
	if (tap_raw)
		tap_say(l, " psn %u", (p->first_psn + psn) & PSN_MASK);
	else if ((int32_t)psn < 0) /* the answer of a QP that expects what is before the first */
		tap_say(l, " psn %d", (int32_t)psn);
	else
		tap_say(l, " psn %u", psn & PSN_MASK);
}

static void begin_packet(struct tap_line *l, const struct packet *p, uint32_t psn, bool back)
{
	tap_say(l, "packet");
	say_way(l, p, psn, back);
}

/* Where in its message, if that is more than this packet */
static const char *place_name(const struct packet *p)
{
	if (packet_is_first(p))
		return packet_is_last(p) ? "" : " FIRST";
	return packet_is_last(p) ? " LAST" : " MIDDLE";
}

/* A read that is asked for again begins where the response broke off */
static uint64_t remote_address(const struct packet *p)
{
	return p->raddr + p->offset;
}

void tap_request(const struct packet *p, const char *fate)
{
	const struct opcode *op = opcode_find(p->opcode);
	struct tap_line l;

	if (!begins(&l))
		return;
	begin_packet(&l, p, p->psn, false);
	tap_is_for(&l, p);
	tap_say(&l, " %s%s len %u", opcode_name(p->opcode), place_name(p), p->size);
	if (op->segments & SEGMENT_RADDR && packet_is_first(p)) {
		tap_say(&l, " at");
		tap_say_remote(&l, p, remote_address(p));
	}
	if (packet_is_last(p))
		tap_say_imm(&l, op->recv_opcode, p->imm);
	if (p->service == SERVICE_UD)
		tap_say(&l, " qkey 0x%x", p->qkey);
	if (p->solicited && packet_is_last(p))
		tap_say(&l, " SOLICITED");
	if (fate)
		tap_say(&l, " %s", fate);
	end(&l);
}

static bool begins_dropped(struct tap_line *l, const struct packet *p)
{
	if (!begins(l))
		return false;
	tap_say(l, "dropped");
	say_way(l, p, p->psn, false);
	return true;
}

void tap_dropped(const struct packet *p, const char *why)
{
	struct tap_line l;

	if (!begins_dropped(&l, p))
		return;
	tap_say(&l, ": %s", why);
	end(&l);
}

void tap_out_of_sequence(const struct packet *p, int32_t ahead)
{
	struct tap_line l;

	if (!begins_dropped(&l, p))
		return;
	if (ahead > 0)
		tap_say(&l, ": that QP expects another PSN, %d before this", ahead);
	else
		tap_say(&l, ": that QP expects another PSN, %d after this, which counts as there before", -ahead);
	end(&l);
}

void tap_unmapped(const void *memory, uint64_t len, bool written)
{
	const struct mkey *m;
	struct tap_line l;

	if (!begins(&l))
		return;
	m = mkey_at_host((uintptr_t)memory);
	if (!m)
		return;
	l.device = m->o.device;
	tap_say(&l, "unmapped");
	tap_say_address(&l, mkey_value(m), m->start + ((uintptr_t)memory - m->host));
	tap_say(&l, ":%llu %s", (unsigned long long)len, written ? "written: lost" : "read: zeros");
	end(&l);
}

void tap_cm(uint32_t id, bool out, const char *name, const char *fate)
{
	struct tap_line l;

	if (!begins(&l) || !name)
		return;
	tap_say(&l, "cm id%u %s %s", id, out ? ">" : "<", name);
	if (fate)
		tap_say(&l, " %s", fate);
	end(&l);
}

void tap_mad(uint16_t from, uint16_t to, bool out, const char *name, const char *fate)
{
	struct tap_line l;

	if (!begins(&l))
		return;
	tap_say(&l, "mad lid %u %s lid %u %s", out ? from : to, out ? ">" : "<", out ? to : from, name);
	if (fate)
		tap_say(&l, " %s", fate);
	end(&l);
}

void tap_answer(const struct packet *p, const struct answer *a, const char *fate)
{
	struct tap_line l;

	if (!begins(&l) || a->result == ANSWER_DROPPED || a->result == ANSWER_NONE)
		return;
	begin_packet(&l, p, a->psn, true);
	if (a->result == ANSWER_RNR)
		tap_say(&l, " RNR_NAK timer %u", a->rnr_timer);
	else if (a->result == ANSWER_SEQUENCE)
		tap_say(&l, " NAK PSN_SEQUENCE");
	else if (a->result)
		tap_say(&l, " NAK %s", status_name(a->result));
	else if (a->response)
		tap_say(&l, " RESPONSE len %u", a->len);
	else
		tap_say(&l, " ACK");
	if (fate)
		tap_say(&l, " %s", fate);
	end(&l);
}
