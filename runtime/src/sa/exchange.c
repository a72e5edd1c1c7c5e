/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * From a port to the subnet administrator: a question to it and its answer, where it is, and how long to wait for it. Each question has an
 * agent of its own: the kernel then sorts out whose answer is whose, however many threads ask, and nothing is left open that a child would
 * share.
 */

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/asked.h"
#include "reach/umad.h"
#include "sa.h"

#define SUBN_ADM 3		/* MgmtClass */
#define CLASS_VERSION 2
#define BASE_VERSION 1
#define RMPP_VERSION 1
#define GSI 1			/* the QP that it is asked by */
#define GSI_QKEY 0x80010000
#define LONGEST_QUESTION 600
#define NS_PER_MS 1000000
#define LARGEST_TABLE (16 << 20) /* bytes: some quarter of a million of records */
#define UNIT 8			/* bytes, of AttributeOffset */

struct agent {
	const struct vx_sa_link *link;
	const struct vx_umad *umad;
	int port, id;
	uint8_t *buffer;
	size_t room;		/* for a MAD in it, behind what umad_size() tells */
	const struct vx_sa_table *table; /* NULL: one record is asked for */
	uint32_t tid;		/* of the question; the upper half is the kernel's */
	uint8_t method;		/* of the answer */
	uint16_t busy;		/* the status of an answer that asks for patience, or 0 */
};

/* ---- time ---- */

/* 4.096 us * 2^n */
static uint64_t timer_ns(unsigned int timer)
{
	return UINT64_C(4096) << timer;
}

/* A question and its answer on their way, and what the administrator takes. */
static int64_t patience_of(const struct vx_sa_link *link)
{
	return (int64_t)((2 * timer_ns(link->life) + timer_ns(link->resp_time)) / NS_PER_MS) + 1;
}

/* For one try: where there is a deadline, each has its share of the time. */
static int64_t try_ms(const struct vx_sa_link *link, unsigned int tries)
{
	int64_t patience = patience_of(link), left = link->deadline - vx_now_ms();

	if (!link->deadline)
		return patience < INT32_MAX ? patience : INT32_MAX;
	left = tries && left > 0 ? left / tries : left;
	return left < patience ? left : patience;
}

/* ---- the agent ---- */

static int begin_agent(struct agent *agent)
{
	const struct vx_sa_link *link = agent->link;
	const char *device = vx_ctx_name(link->ctx);

	agent->port = agent->umad->open_port_(device, link->port_num);
	if (agent->port < 0)
		return vx_umad_open_fail(agent->port, device, link->port_num);
	errno = 0; /* which knows more than what is returned */
	agent->id = agent->umad->register_(agent->port, SUBN_ADM, CLASS_VERSION, RMPP_VERSION, NULL);
	if (agent->id < 0)
		return vx_fail(errno > 0 ? -errno : agent->id, "umad_register", VX_NAME(link->ctx), "port %u, class SubnAdm", link->port_num);
	agent->room = VX_MAD_SIZE;
	agent->buffer = calloc(1, agent->umad->size_() + agent->room);
	return agent->buffer ? 0 : vx_fail(-ENOMEM, link->call, VX_NAME(link->ctx), NULL);
}

/* Also of a thread that is cancelled while it waits. */
static void end_agent(void *data)
{
	const struct agent *agent = data;

	free(agent->buffer);
	if (agent->port >= 0)
		VX_NOT_CANCELLED(agent->umad->close_port_(agent->port));
}

/* ---- sending ---- */

static void put_headers(struct vx_mad *mad, enum vx_sa_method method)
{
	uint8_t *bytes = mad->bytes;

	vx_mad_put(bytes, VX_MAD_HEADER_BASE_VERSION, BASE_VERSION);
	vx_mad_put(bytes, VX_MAD_HEADER_MGMT_CLASS, SUBN_ADM);
	vx_mad_put(bytes, VX_MAD_HEADER_CLASS_VERSION, CLASS_VERSION);
	vx_mad_put(bytes, VX_MAD_HEADER_METHOD, method);
	vx_mad_put(bytes, VX_MAD_HEADER_ATTRIBUTE_ID, vx_mad_records[mad->record].id);
}

static int send_question(struct agent *agent, const struct vx_mad *mad, int64_t wait_ms)
{
	const struct vx_sa_link *link = agent->link;
	uint8_t *bytes = agent->umad->get_mad_(agent->buffer);
	int rc;

	memset(agent->buffer, 0, agent->umad->size_());
	memcpy(bytes, mad->bytes, VX_MAD_SIZE);
	vx_mad_put(bytes, VX_MAD_HEADER_TRANSACTION_ID, ++agent->tid);
	agent->umad->set_addr_(agent->buffer, link->sm_lid, GSI, link->sm_sl, (int)GSI_QKEY);
	agent->umad->set_pkey_(agent->buffer, link->pkey_index);
	errno = 0;
	rc = agent->umad->send_(agent->port, agent->id, agent->buffer, VX_MAD_SIZE, (int)wait_ms, 0);
	return rc < 0 ? vx_fail(vx_code_in_errno(), "umad_send", VX_NAME(link->ctx), "port %u", link->port_num) : 0;
}

/* ---- receiving ---- */

/* What came: an answer to another question is nobody's any more, and so is what the kernel gives back that was not answered in time. */
static bool is_ours(const struct agent *agent, const uint8_t *bytes)
{
	return vx_mad_get(bytes, VX_MAD_HEADER_MGMT_CLASS) == SUBN_ADM && vx_mad_get(bytes, VX_MAD_HEADER_METHOD) == agent->method &&
	       (uint32_t)vx_mad_get(bytes, VX_MAD_HEADER_TRANSACTION_ID) == agent->tid;
}

/*
 * The kernel has put the segments together: headers once, then records, which begin AttributeOffset apart. Nothing found is said alike,
 * whether by a status or by a table of no records.
 */
static int take_table(const struct agent *agent, const uint8_t *bytes, int length, const struct vx_mad *mad, uint16_t *status)
{
	const struct vx_sa_link *link = agent->link;
	size_t size = vx_mad_records[mad->record].size, stride = UNIT * (size_t)vx_mad_get(bytes, VX_SA_HEADER_ATTRIBUTE_OFFSET);
	size_t records = (size_t)(length - VX_MAD_RECORD), count = stride ? records / stride : 0, rest = records - count * stride;

	if (records && stride < size)
		return vx_fail(-EBADMSG, link->call, VX_NAME(link->ctx), "the subnet administrator's table has a record each %zu bytes "
			       "(AttributeOffset), and a %s has %zu", stride, vx_mad_names + vx_mad_records[mad->record].name, size);
	if (rest && rest < size)
		return vx_fail(-EBADMSG, link->call, VX_NAME(link->ctx), "the subnet administrator's table is cut: behind %zu records of %zu "
			       "bytes it has %zu more", count, stride, rest);
	*status = records ? 0 : VX_SA_NO_RECORDS;
	return records ? agent->table->take(agent->table->data, bytes + VX_MAD_RECORD, stride, count + (rest != 0)) : 0;
}

static int take_answer(const struct agent *agent, const uint8_t *bytes, int length, struct vx_mad *mad, uint16_t *status)
{
	const struct vx_sa_link *link = agent->link;
	unsigned int id = (unsigned int)vx_mad_get(bytes, VX_MAD_HEADER_ATTRIBUTE_ID);
	int shortest = VX_MAD_RECORD; /* a simulator sends no more than there is */

	*status = (uint16_t)vx_mad_get(bytes, VX_MAD_HEADER_STATUS) & 0x7fff;
	if (*status)
		return 0;
	if (!agent->table)
		shortest += vx_mad_records[mad->record].size;
	if (length < shortest)
		return vx_fail(-EBADMSG, link->call, VX_NAME(link->ctx), "the subnet administrator's answer has %d bytes, and %d at least are "
			       "%s", length, shortest, agent->table ? "the headers" : "a record");
	if (id != vx_mad_records[mad->record].id)
		return vx_fail(-EBADMSG, link->call, VX_NAME(link->ctx), "the subnet administrator was asked for a %s (0x%02x), and answered with "
			       "0x%02x", vx_mad_names + vx_mad_records[mad->record].name, vx_mad_records[mad->record].id, id);
	if (agent->table)
		return take_table(agent, bytes, length, mad, status);
	memcpy(mad->bytes, bytes, VX_MAD_SIZE);
	return 0;
}

/* What did not fit stays with the kernel, which has told how long it is. @return 0, or a negative errno, recorded */
static int make_room(struct agent *agent, int length)
{
	const struct vx_sa_link *link = agent->link;
	size_t most = agent->table ? LARGEST_TABLE : VX_MAD_SIZE;
	uint8_t *more;

	if (length < 0 || (size_t)length <= agent->room || (size_t)length > most)
		return vx_fail(-EBADMSG, "umad_recv", VX_NAME(link->ctx), "the answer has more than %zu bytes", most);
	more = realloc(agent->buffer, agent->umad->size_() + (size_t)length);
	if (!more)
		return vx_fail(-ENOMEM, link->call, VX_NAME(link->ctx), "the answer has %d bytes", length);
	agent->buffer = more;
	agent->room = (size_t)length;
	return 0;
}

/* The next MAD, whatever it is. @return its length; 0: none in time, or now there is room for it; or a negative errno, recorded */
static int receive(struct agent *agent, int64_t wait_ms)
{
	int length = (int)agent->room, rc;

	memset(agent->buffer, 0, agent->umad->size_() + agent->room);
	errno = 0;
	rc = agent->umad->recv_(agent->port, agent->buffer, &length, wait_ms > 0 ? (int)wait_ms : 1);
	if (rc >= 0)
		return length < (int)agent->room ? length : (int)agent->room;
	if (rc == -ENOSPC)
		return make_room(agent, length);
	if (rc == -ETIMEDOUT || rc == -EINTR || rc == -EAGAIN)
		return 0;
	return vx_fail(rc, "umad_recv", VX_NAME(agent->link->ctx), NULL);
}

/* @return 1 with an answer; 0: none in time; or a negative errno, recorded */
static int wait_for_answer(struct agent *agent, int64_t until, struct vx_mad *mad, uint16_t *status)
{
	const uint8_t *bytes;
	int64_t left;
	int rc, length;

	while ((left = until - vx_now_ms()) > 0) {
		length = receive(agent, left);
		if (length < 0)
			return length;
		bytes = agent->umad->get_mad_(agent->buffer);
		if (!length || agent->umad->status_(agent->buffer) || !is_ours(agent, bytes))
			continue;
		rc = take_answer(agent, bytes, length, mad, status);
		if (rc < 0 || !(*status == VX_SA_BUSY))
			return rc < 0 ? rc : 1;
		agent->busy = *status;
	}
	return 0;
}

/* ---- both ---- */

/* Which is what was allowed, whatever clocks made of it. */
static int waited_ms(const struct vx_sa_link *link, unsigned int tries)
{
	int64_t waited = tries * patience_of(link);

	return link->timeout_ms > 0 && link->timeout_ms < waited ? link->timeout_ms : (int)waited;
}

static int no_answer(const struct agent *agent, const struct vx_mad *mad, unsigned int tries)
{
	const struct vx_sa_link *link = agent->link;
	char asked[LONGEST_QUESTION];
	struct vx_out out = vx_out_in(asked, sizeof(asked));

	vx_mad_put_asked(&out, mad);
	vx_out_finish(&out);
	if (agent->busy)
		return vx_fail(-EAGAIN, link->call, VX_NAME(link->ctx), "the subnet administrator (LID %u) was busy for %d ms: %s", link->sm_lid,
			       waited_ms(link, tries), asked);
	return vx_fail(-ETIMEDOUT, link->call, VX_NAME(link->ctx),
		       "the subnet administrator (LID %u) did not answer %u %s in %d ms: %s; is the subnet manager still there?", link->sm_lid, tries,
		       tries == 1 ? "question" : "questions", waited_ms(link, tries), asked);
}

static int ask_until_answered(struct agent *agent, struct vx_mad *mad, uint16_t *status)
{
	const struct vx_sa_link *link = agent->link;
	int64_t wait_ms;
	unsigned int tries = 0;
	int rc = 0;

	do {
		wait_ms = try_ms(link, link->retries + 1 - tries);
		if (wait_ms <= 0)
			break;
		tries++;
		rc = send_question(agent, mad, wait_ms);
		if (rc == 0)
			rc = wait_for_answer(agent, vx_now_ms() + wait_ms, mad, status);
	} while (rc == 0 && tries <= link->retries);
	return rc ? rc : no_answer(agent, mad, tries);
}

static enum vx_sa_method answer_to(enum vx_sa_method method)
{
	return (method == VX_SA_SET ? VX_SA_GET : method) | VX_SA_RESPONSE;
}

int vx_sa_exchange(const struct vx_sa_link *link, struct vx_mad *mad, enum vx_sa_method method, const struct vx_sa_table *table, uint16_t *status)
{
	struct agent agent = { .link = link, .port = -1, .table = table, .method = (uint8_t)answer_to(method) };
	int rc;

	rc = vx_umad_reach(&agent.umad, link->call);
	if (rc < 0)
		return rc;
	if (getrandom(&agent.tid, sizeof(agent.tid), 0) != sizeof(agent.tid))
		return vx_fail(vx_code_in_errno(), link->call, VX_NAME(link->ctx), "no random number for a transaction");
	put_headers(mad, method);
	pthread_cleanup_push(end_agent, &agent);
	/* a thread is cancelled while it waits for an answer, and not while libibumad has what nobody else knows of yet, or no more */
	VX_NOT_CANCELLED(rc = begin_agent(&agent));
	if (rc == 0)
		rc = ask_until_answered(&agent, mad, status);
	pthread_cleanup_pop(1);
	return rc < 0 ? rc : 0;
}

int vx_sa_refused(const struct vx_sa_link *link, const struct vx_mad *mad, uint16_t status)
{
	char asked[LONGEST_QUESTION], word[128];
	bool is_missing = status == VX_SA_NO_RECORDS || status == VX_SA_INVALID_GID;
	struct vx_out out = vx_out_in(asked, sizeof(asked));

	vx_mad_put_asked(&out, mad);
	vx_out_finish(&out);
	out = vx_out_in(word, sizeof(word));
	vx_mad_put_status(&out, status);
	vx_out_finish(&out);
	return vx_fail(is_missing ? -ENOENT : -EREMOTEIO, link->call, VX_NAME(link->ctx), "the subnet administrator (LID %u) says of the %s: %s",
		       link->sm_lid, asked, word);
}

/* ---- where it is, and how patiently ---- */

#define USUAL_RETRIES 2
#define USUAL_RESP_TIME 18	/* a second */
#define LONGEST_TIME 31		/* what five bits hold */

static int no_manager(const struct vx_ctx *ctx, uint8_t port_num, const struct ibv_port_attr *port, const char *call)
{
	char state[32];

	vx_ibv_port_state_snprint(state, sizeof(state), (int64_t)port->state);
	return vx_fail(-ENETUNREACH, call, VX_NAME(ctx),
		       "port %u has no subnet manager (sm_lid = 0, lid = %u, %s): without one, such as opensm, a subnet has no LIDs", port_num,
		       port->lid, state);
}

/* The partition that a subnet administrator is in; the first of the table where nothing is said of it. */
static uint16_t pkey_index_of(struct vx_ctx *ctx, uint8_t port_num)
{
	struct vx_asked here = { 0 };

	VX_QUIETLY(vx_asked_pkey(&here, &(struct vx_path){ .ctx = ctx, .port_num = port_num, .pkey = VX_EVERYBODY }));
	return here.pkey_index;
}

static unsigned int retries_of(const struct vx_path *path)
{
	return path->retry_cnt || path->mask & VX_PATH_RETRY_CNT ? path->retry_cnt : USUAL_RETRIES;
}

/* The administrator tells how long it takes, which the first who asks it finds out. What it does not tell is as usual. */
static int learn_resp_time(struct vx_sa_link *link)
{
	struct vx_mad mad = { .record = VX_CLASS_PORT_INFO };
	uint16_t status;
	int rc;

	link->resp_time = vx_sa_resp_time(link);
	if (link->resp_time)
		return 0;
	link->resp_time = USUAL_RESP_TIME;
	rc = vx_sa_exchange(link, &mad, VX_SA_GET, NULL, &status);
	if (rc < 0)
		return rc;
	if (!status && vx_mad_of_record(&mad, VX_CLASS_PORT_INFO_RESP_TIME_VALUE))
		link->resp_time = (uint8_t)vx_mad_of_record(&mad, VX_CLASS_PORT_INFO_RESP_TIME_VALUE);
	vx_sa_remember_resp_time(link, link->resp_time);
	return 0;
}

int vx_sa_link_make(struct vx_sa_link *link, const struct vx_path *path, const struct ibv_port_attr *port, int timeout_ms, const char *call)
{
	bool has_life = path->packet_life_time || path->mask & VX_PATH_PACKET_LIFE_TIME;
	uint8_t life = has_life ? path->packet_life_time : port->subnet_timeout;

	if (!port->sm_lid)
		return no_manager(path->ctx, vx_path_port(path), port, call);
	*link = (struct vx_sa_link){
		.ctx = path->ctx,
		.call = call,
		.port_num = vx_path_port(path),
		.sm_lid = port->sm_lid,
		.sm_sl = port->sm_sl,
		.life = life < LONGEST_TIME ? life : LONGEST_TIME,
		.retries = retries_of(path),
		.timeout_ms = timeout_ms,
		.deadline = timeout_ms > 0 ? vx_now_ms() + timeout_ms : 0,
	};
	link->pkey_index = pkey_index_of(path->ctx, link->port_num);
	return learn_resp_time(link);
}
