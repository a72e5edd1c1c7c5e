/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Calls of the data path of an object, shown while they are made. */

#include <errno.h>

#include <verbsx/enums.h>
#include <verbsx/extended.h>

#include "kinds.h"
#include "signatures.h"
#include "tap.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#if VERBSX_TRACING

static bool may_show(const void *front)
{
	return __atomic_load_n(&vx_front_head(front)->left, __ATOMIC_RELAXED) > 0;
}

/* Threads may be at it. */
static bool show_one(const void *front)
{
	uint32_t *left = &vx_front_head(front)->left, now = __atomic_load_n(left, __ATOMIC_RELAXED);

	while (now && now != VX_TRACE_ALL && !__atomic_compare_exchange_n(left, &now, now - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return now > 0;
}

/* What a line names: the next may be nobody that has a name. */
static uint64_t raw_behind(const void *front)
{
	return (uintptr_t)vx_front_head(front)->node->object.raw;
}

/* What of a request counts, by the type of its QP. EFA's SRD, of DRIVER, has an address as UD has; of a type that nobody knows, nothing. */
static uint64_t mask_of_type(unsigned int type)
{
	if (type == IBV_QPT_DRIVER)
		type = IBV_QPT_UD;
	return type < 64 ? UINT64_C(1) << type : 0;
}

/* How many entries of a request the next looks at before it refuses it; where nobody can tell, one. */
static uint32_t most_entries(const void *front, bool sends)
{
	struct ibv_qp_cap cap;
	const int saved = errno;
	const bool is_known = vx_known_cap(vx_front_head(front)->node, &cap);

	errno = saved;
	return !is_known ? 1 : sends ? cap.max_send_sge : cap.max_recv_sge;
}

/* ---- posts ---- */

/* The one that posts, before an object of a type: shown, it goes on to the next. */
#define TAP_POST(post, signature, type, request, mask, sends)							\
	static int tap_##post(struct ibv_##type *front, struct request *wr, struct request **bad_wr)		\
	{													\
		uint64_t args[] = { raw_behind(front), (uintptr_t)wr, 0 };					\
		const bool shown = show_one(front), one = !wr || (!wr->next && wr->num_sge <= 1);		\
		const uint32_t most = !shown || one ? 1 : most_entries(front, sends);				\
		struct vx_trace trace;										\
		int rc;												\
														\
		vx_trace_begin_data(&trace, signature, mask, most, args, shown, false);				\
		rc = ibv_##post(vx_front_next(front), wr, bad_wr);						\
		vx_trace_end(&trace, rc);									\
		return rc;											\
	}

/* ---- QPs ---- */

struct tap_qp {
	struct vx_front_qp front;
	struct vx_trace list;	/* from start to complete, which one thread does at a time */
	uint64_t args[2];
};

TAP_POST(post_send, SIGNATURE_ibv_post_send, qp, ibv_send_wr, mask_of_type(front->qp_type), true)
TAP_POST(post_recv, SIGNATURE_ibv_post_recv, qp, ibv_recv_wr, VX_MASK_ALL, false)

static void tap_start(struct ibv_qp_ex *front)
{
	struct tap_qp *tap = (struct tap_qp *)front;

	ibv_wr_start(vx_front_next(front));
	vx_trace_begin_data(&tap->list, SIGNATURE_ibv_wr_complete, VX_MASK_ALL, VX_TRACE_ALL, tap->args, show_one(front), true);
}

struct ibv_qp_ex *vx_tap_step(struct ibv_qp_ex *front, uint16_t traced, uint64_t *args)
{
	struct tap_qp *tap = (struct tap_qp *)front;
	struct ibv_qp_ex *next = vx_front_next(front);

	if (tap->list.lines) {
		tap->list.most = traced != SIGNATURE_ibv_wr_set_sge_list ? VX_TRACE_ALL : args[0] <= 1 ? 1 : most_entries(front, true);
		vx_trace_put_step(&tap->list, traced, args);
	}
	next->wr_id = front->wr_id;
	next->wr_flags = front->wr_flags;
	return next;
}

/* Once it is complete, the next list may begin in another thread. */
static int tap_complete(struct ibv_qp_ex *front)
{
	uint64_t args[] = { raw_behind(front), 0 };
	struct vx_trace trace;
	int rc;

	vx_trace_move(&trace, &((struct tap_qp *)front)->list);
	trace.args = args;
	rc = ibv_wr_complete(vx_front_next(front));
	vx_trace_end(&trace, rc);
	return rc;
}

static void tap_abort(struct ibv_qp_ex *front)
{
	((struct tap_qp *)front)->list.lines = false;
	ibv_wr_abort(vx_front_next(front));
}

/* Headers that are newer than the library have more; it goes nowhere. */
static void show_nothing(struct ibv_qp_ex *front)
{
	(void)front;
}

void *vx_tap_mlx5_room(struct ibv_qp_ex *front)
{
	return (struct tap_qp *)front + 1;
}

/* A plain one has none: nor has what is shown of it, by which others know it. */
static bool has_builders(struct ibv_qp *raw, const void *next)
{
	return next != raw || ibv_qp_to_qp_ex(raw);
}

static void show_builders(struct tap_qp *tap, const struct ibv_qp_ex *next)
{
	tap->front.qp.wr_start = tap_start;
	tap->front.qp.wr_complete = tap_complete;
	tap->front.qp.wr_abort = tap_abort;
	vx_tap_steps(&tap->front.qp, next);
}

void *vx_tap_new_qp(void *raw, const void *next, const char *call)
{
	struct tap_qp *tap = vx_front_qp_new(next, sizeof(*tap) + vx_tap_mlx5_size, show_nothing, call);

	if (!tap)
		return NULL;
	tap->args[0] = (uintptr_t)raw;
	tap->front.context.ops.post_send = tap_post_send;
	tap->front.context.ops.post_recv = tap_post_recv;
	if (has_builders(raw, next))
		show_builders(tap, next);
	return tap;
}

/* ---- SRQs and WQs ---- */

/* Nothing is shown of one but posts. */
struct tap_srq {
	union {
		struct ibv_srq srq;
		struct ibv_wq wq;
	} front;
	struct ibv_context context;
};

TAP_POST(post_srq_recv, SIGNATURE_ibv_post_srq_recv, srq, ibv_recv_wr, VX_MASK_ALL, false)
TAP_POST(post_wq_recv, SIGNATURE_ibv_post_wq_recv, wq, ibv_recv_wr, VX_MASK_ALL, false)

void *vx_tap_new_srq(void *raw, const void *next, const char *call)
{
	struct tap_srq *tap = vx_front_new(sizeof(*tap), call);

	(void)raw, (void)next;
	if (!tap)
		return NULL;
	tap->front.srq.context = &tap->context;
	tap->context.ops.post_srq_recv = tap_post_srq_recv;
	return tap;
}

void *vx_tap_new_wq(void *raw, const void *next, const char *call)
{
	struct tap_srq *tap = vx_front_new(sizeof(*tap), call);

	(void)raw, (void)next;
	if (tap)
		tap->front.wq.post_recv = tap_post_wq_recv;
	return tap;
}

/* ---- CQs ---- */

struct tap_cq {
	struct vx_front_cq front;
	_Atomic(uint64_t) empty;	/* polls since the last that found something */
	uint64_t before;		/* the same, when it did */
};

static void put_empty(struct vx_out *out, const void *of)
{
	const uint64_t *empty = of;

	if (*empty)
		vx_put_format(out, " (%llu empty poll%s before)", (unsigned long long)*empty, *empty == 1 ? "" : "s");
}

/* End the line of a poll that found something, or failed. */
static void tell_poll(struct vx_trace *trace, struct tap_cq *tap, int rc, void (*more)(struct vx_out *, const void *), const void *of)
{
	if (trace->lines && show_one(tap)) {
		trace->more = more;
		trace->of = of;
		vx_trace_end(trace, rc);
	}
}

static int tap_poll_cq(struct ibv_cq *front, int entries, struct ibv_wc *wc)
{
	struct tap_cq *tap = (struct tap_cq *)(void *)front;
	uint64_t args[] = { raw_behind(front), (uint64_t)entries, (uintptr_t)wc, 0 }, empty;
	struct vx_trace trace;
	int rc;

	vx_trace_begin_data(&trace, SIGNATURE_ibv_poll_cq, VX_MASK_ALL, VX_TRACE_ALL, args, may_show(tap), false);
	rc = ibv_poll_cq(vx_front_next(front), entries, wc);
	if (!rc) {
		atomic_fetch_add_explicit(&tap->empty, 1, memory_order_relaxed);
		return 0;
	}
	empty = atomic_exchange_explicit(&tap->empty, 0, memory_order_relaxed);
	tell_poll(&trace, tap, rc, put_empty, &empty);
	return rc;
}

/* " {wr_id=0x7 status=IBV_WC_SUCCESS}": what any extended CQ has. */
static void put_completion(struct vx_out *out, const void *of)
{
	const struct tap_cq *tap = of;
	char status[64];

	vx_ibv_wc_status_snprint(status, sizeof(status), tap->front.cq.status);
	vx_put_format(out, " {wr_id=0x%llx status=%s}", (unsigned long long)tap->front.cq.wr_id, status);
	put_empty(out, &tap->before);
}

static int tap_look(struct ibv_cq_ex *front, uint16_t signature, struct ibv_poll_cq_attr *attr)
{
	struct tap_cq *tap = (struct tap_cq *)(void *)front;
	const bool begins = signature == SIGNATURE_ibv_start_poll;
	struct ibv_cq_ex *next = vx_front_next(front);
	uint64_t args[] = { raw_behind(front), 0 };
	struct vx_trace trace;
	int rc;

	vx_trace_begin_data(&trace, signature, VX_MASK_ALL, VX_TRACE_ALL, args, may_show(tap), false);
	rc = vx_front_show(front, next, begins ? ibv_start_poll(next, attr) : ibv_next_poll(next));
	if (rc == ENOENT) {
		atomic_fetch_add_explicit(&tap->empty, begins, memory_order_relaxed);
		return rc;
	}
	if (!rc || !begins)
		tap->before = begins ? atomic_exchange_explicit(&tap->empty, 0, memory_order_relaxed) : 0;
	tell_poll(&trace, tap, rc, rc ? NULL : put_completion, tap);
	return rc;
}

static int tap_start_poll(struct ibv_cq_ex *front, struct ibv_poll_cq_attr *attr)
{
	return tap_look(front, SIGNATURE_ibv_start_poll, attr);
}

static int tap_next_poll(struct ibv_cq_ex *front)
{
	return tap_look(front, SIGNATURE_ibv_next_poll, NULL);
}

static int tap_req_notify_cq(struct ibv_cq *front, int solicited_only)
{
	uint64_t args[] = { raw_behind(front), (uint64_t)solicited_only, 0 };
	struct vx_trace trace;
	int rc;

	vx_trace_begin_data(&trace, SIGNATURE_ibv_req_notify_cq, VX_MASK_ALL, VX_TRACE_ALL, args, show_one(front), false);
	rc = ibv_req_notify_cq(vx_front_next(front), solicited_only);
	vx_trace_end(&trace, rc);
	return rc;
}

void *vx_tap_new_cq(void *raw, const void *next, const char *call)
{
	struct tap_cq *tap = vx_front_cq_new(next, sizeof(*tap), call);

	(void)raw;
	if (!tap)
		return NULL;
	tap->front.cq.start_poll = tap_start_poll;
	tap->front.cq.next_poll = tap_next_poll;
	tap->front.context.ops.poll_cq = tap_poll_cq;
	tap->front.context.ops.req_notify_cq = tap_req_notify_cq;
	return tap;
}

/* ---- any ---- */

int vx_tap_new(void *(*make)(void *raw, const void *next, const char *call), void *raw, const void *next, const char *call, void **out)
{
	const uint32_t most = vx_trace_data_most();

	*out = most ? make(raw, next, call) : NULL;
	if (!*out)
		return most ? -ENOMEM : 0;
	vx_front_head(*out)->what = VX_FRONT_SHOWS;
	vx_front_head(*out)->left = most;
	return 0;
}

#endif
