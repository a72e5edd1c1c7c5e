/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A provider that counts, and what hangs on it. */

#include <errno.h>

#include "front/tap.h"
#include "post/by_post.h"
#include "reach/loader.h"
#include "unit/post/counting.h"

struct ibv_qp_ex qp_ex;
struct ibv_cq_ex cq_ex;
struct ibv_srq srq;
struct ibv_wq wq;
char raw_object;
int count;
struct ibv_send_wr posted;
struct ibv_recv_wr received;
int answer;
void *refused;
bool through_a_front;
const struct ibv_sge entry = { .addr = 1, .length = 2, .lkey = 3 };
const struct ibv_mw_bind_info bind_to = { .addr = 4, .length = 5, .mw_access_flags = 6 };

static struct vx_node *root;
static const char *noted;
static uint64_t notes[8];

static int count_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	cr_expect_eq(qp, &qp_ex.qp_base);
	count++;
	posted = *wr;
	if (answer && refused)
		*bad_wr = refused;
	return answer;
}

static int take_received(void *object, const void *expected, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	cr_expect_eq(object, expected);
	count++;
	received = *wr;
	if (answer && refused)
		*bad_wr = refused;
	return answer;
}

static int count_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return take_received(qp, &qp_ex.qp_base, wr, bad_wr);
}

static int count_post_srq_recv(struct ibv_srq *given, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return take_received(given, &srq, wr, bad_wr);
}

static int count_post_wq_recv(struct ibv_wq *given, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	return take_received(given, &wq, wr, bad_wr);
}

static int count_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	cr_expect_eq((void *)cq, &cq_ex);
	cr_expect_eq(entries, 3);
	cr_expect_eq(wc, (struct ibv_wc *)&raw_object);
	count++;
	return answer;
}

static int count_req_notify(struct ibv_cq *cq, int solicited_only)
{
	cr_expect_eq((void *)cq, &cq_ex);
	cr_expect_eq(solicited_only, 1);
	count++;
	return answer;
}

static void start(struct ibv_qp_ex *qp)
{
	cr_expect_eq(qp, &qp_ex);
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	cr_expect_eq(cq, &cq_ex);
	cr_expect_eq(attr->comp_mask, 0);
	return 0;
}

static void *handle(uint32_t kind, void *raw)
{
	void *uses[] = { root };

	if (!root)
		uses[0] = root = make_root();
	return make_with(kind, raw, uses, 1);
}

/* It cannot be asked what it was made for. */
static int tell_nothing(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)qp, (void)attr, (void)mask, (void)init;
	return ENOSYS;
}

struct vx_qp *make_qp(void)
{
	cr_assert_eq(vx_loader_replace("ibv_query_qp", (vx_function)tell_nothing), 0);
	context.ops.post_send = count_post_send;
	context.ops.post_recv = count_post_recv;
	qp_ex = (struct ibv_qp_ex){ .qp_base = { .context = &context, .qp_num = 17, .state = IBV_QPS_RTS, .qp_type = IBV_QPT_RC }, .wr_start = start };
	return handle(VX_OBJECT_QP, &qp_ex);
}

struct vx_qp *make_qp_by_post(void)
{
	static const struct ibv_qp_cap cap = { .max_send_wr = 4, .max_send_sge = 3, .max_inline_data = 16 };
	struct vx_qp *qp = make_qp();
	void *front = vx_by_post_with(&qp_ex, &cap, "make_qp_by_post");

	cr_assert_not_null(front);
	vx_front_put((struct vx_node *)(void *)qp, front);
	return qp;
}

struct vx_cq *make_cq(void)
{
	context.ops.poll_cq = count_poll_cq;
	context.ops.req_notify_cq = count_req_notify;
	cq_ex = (struct ibv_cq_ex){ .context = &context, .start_poll = start_poll };
	return handle(VX_OBJECT_CQ, &cq_ex);
}

struct vx_srq *make_srq(void)
{
	context.ops.post_srq_recv = count_post_srq_recv;
	srq.context = &context;
	return handle(VX_OBJECT_SRQ, &srq);
}

struct vx_wq *make_wq(void)
{
	wq = (struct ibv_wq){ .context = &context, .post_recv = count_post_wq_recv };
	return handle(VX_OBJECT_WQ, &wq);
}

struct vx_ah *handle_ah(void)
{
	return handle(VX_OBJECT_AH, &raw_object);
}

struct vx_mw *handle_mw(void)
{
	return handle(VX_OBJECT_MW, &raw_object);
}

struct vx_wr *begin(void)
{
	return vx_wr_start(make_qp());
}

struct vx_wr *begin_by_post(void)
{
	return vx_wr_start(make_qp_by_post());
}

static char shown[4096];

static void keep_shown(const struct vx_trace_call *call, void *data)
{
	(void)data;
	snprintf(shown, sizeof(shown), "%s", call->line);
}

/* The one that counts is extended, which libibverbs knows by what a provider has behind it. */
struct ibv_qp_ex *__wrap_ibv_qp_to_qp_ex(struct ibv_qp *qp);

struct ibv_qp_ex *__wrap_ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return (struct ibv_qp_ex *)(void *)qp;
}

struct vx_wr *begin_tapped(size_t pointer, void (*function)(void))
{
	struct vx_qp *qp = make_qp();
	void *tap;

	cr_assert_eq(vx_trace_callback(keep_shown, NULL), 0);
	memcpy((char *)&qp_ex + pointer, &function, sizeof(function));
	cr_assert_eq(vx_trace_data(1), 0);
	cr_assert_eq(vx_tap_new(vx_tap_new_qp, &qp_ex.qp_base, &qp_ex, "begin_tapped", &tap), 0);
	vx_front_put((struct vx_node *)(void *)qp, tap);
	return vx_wr_start(qp);
}

struct vx_wq *make_tapped_wq(void)
{
	struct vx_wq *out = make_wq();
	void *tap;

	cr_assert_eq(vx_trace_callback(keep_shown, NULL), 0);
	cr_assert_eq(vx_trace_data(1), 0);
	cr_assert_eq(vx_tap_new(vx_tap_new_wq, &wq, &wq, "make_tapped_wq", &tap), 0);
	vx_front_put((struct vx_node *)(void *)out, tap);
	return out;
}

const char *what_is_shown(void)
{
	return shown;
}

static int complete(struct ibv_qp_ex *qp)
{
	cr_expect_eq(qp, &qp_ex);
	return 0;
}

void expect_shown(struct vx_wr *wr, const char *part)
{
	qp_ex.wr_complete = complete;
	cr_expect_eq(vx_wr_complete(wr), 0);
	cr_expect_eq(strncmp(shown, "ibv_wr(qp=toy qp 17) ", 21), 0, "%s", shown);
	cr_expect_not_null(strstr(shown, part), "no %s in %s", part, shown);
	cr_expect_not_null(strstr(shown, ") = 0 <0."), "%s", shown);
}

struct vx_wc *at_completion(void)
{
	const struct ibv_cq_ex counting = cq_ex;
	struct vx_cq *cq = make_cq();
	struct vx_wc *wc;

	cq_ex = counting;
	cq_ex.start_poll = start_poll;
	if (through_a_front)
		vx_front_put((struct vx_node *)(void *)cq, vx_front_cq_new(&cq_ex, sizeof(struct vx_front_cq), "at_completion"));
	cr_assert_eq(vx_cq_start_poll(cq, &wc), 1);
	return wc;
}

void note(const char *name, struct ibv_qp_ex *qp, const uint64_t *values, size_t values_count)
{
	cr_expect_eq(qp, &qp_ex);
	noted = name;
	memcpy(notes, values + 1, values_count * sizeof(*values));
	count++;
}

void expect_note(const char *name, const uint64_t *values, size_t values_count)
{
	cr_expect_eq(count, 1);
	cr_assert_not_null(noted);
	cr_expect_str_eq(noted, name);
	cr_expect_eq(memcmp(notes, values, values_count * sizeof(*values)), 0);
}

void expect_posted(enum ibv_wr_opcode opcode, const struct ibv_sge *list, int entries)
{
	cr_expect_eq(posted.wr_id, 7);
	cr_expect_eq(posted.send_flags, 9);
	cr_expect_null(posted.next);
	cr_expect_eq(posted.opcode, opcode);
	cr_expect_eq(posted.sg_list, list);
	cr_expect_eq(posted.num_sge, entries);
}
