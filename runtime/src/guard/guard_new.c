/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Putting guards before QPs, CQs and SRQs. */

#define _GNU_SOURCE /* secure_getenv(3) */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/extended.h>

#include "error/fail.h"
#include "guard.h"
#include "object/make.h"
#include "reach/reach.h"

#define VX_TRACE_ASIDE
#include "traced.h"

bool vx_checks_all;

__attribute__((constructor)) static void read_checked(void)
{
	const char *value = secure_getenv("VERBSX_CHECKED");

	vx_checks_all = value && !strcmp(value, "1");
	if (value && *value && strcmp(value, "0") && !vx_checks_all)
		fprintf(stderr, "libverbsx: VERBSX_CHECKED=%s: 0 is off, and 1 has all QPs, CQs and SRQs checked; this is neither, so nothing is that does not ask for it\n", value);
}

/* One guard an object: what puts one there does it alone. */
static pthread_mutex_t putting = PTHREAD_MUTEX_INITIALIZER;

struct vx_guard_qp *vx_guard_before_qp(const struct vx_node *qp)
{
	return vx_front_find(qp, VX_FRONT_CHECKS);
}

bool vx_is_checked(const void *object)
{
	return vx_front_find(object, VX_FRONT_CHECKS);
}

bool vx_is_of_one_thread(const struct vx_node *object)
{
	const struct vx_node *domain = vx_node_used_as(object, VX_OBJECT_PD, NULL);

	return domain && vx_node_used_as(domain, VX_OBJECT_TD, NULL);
}

/* ---- CQs ---- */

struct vx_guard_cq *vx_guard_put_cq(struct vx_node *cq, const char *call)
{
	struct vx_guard_cq *guard;

	pthread_mutex_lock(&putting);
	guard = vx_front_find(cq, VX_FRONT_CHECKS);
	if (!guard)
		guard = vx_guard_cq_new(cq, call);
	pthread_mutex_unlock(&putting);
	return guard;
}

/* Where its sends complete, if that has a handle that stays as long as this one. */
static struct vx_node *send_cq_of(const struct vx_node *qp)
{
	const struct ibv_cq *raw = ((const struct ibv_qp *)qp->object.raw)->send_cq;

	return raw ? vx_node_used_as(qp, VX_OBJECT_CQ, raw) : NULL;
}

/* ---- QPs ---- */

static uint32_t power_above(uint32_t number)
{
	return number < 1u << 30 ? 1u << (32 - __builtin_clz(number | 1)) : 1u << 31;
}

/* Requests that were refused because of what newer headers have: it is told by the next vx_wr_complete(). */
static void begin_unknown(struct ibv_qp_ex *front)
{
	vx_guard_refuses(vx_guard_of(front), -EOPNOTSUPP, "the program was built with newer headers of rdma-core than libverbsx, which cannot check what they have");
}

/* What stands before a plain QP has none either, as what shows its calls. */
static bool is_extended(const struct vx_node *qp)
{
	const struct ibv_qp_ex *front = qp->object.front;

	return (const void *)front == qp->object.raw ? vx_qp_ex((const struct vx_qp *)qp) != NULL : front->wr_start != NULL;
}

static void fill_guard(struct vx_guard_qp *guard, const struct vx_node *qp, const struct ibv_qp_init_attr_ex *attr, uint32_t ring)
{
	const struct ibv_qp *raw = qp->object.raw;

	guard->raw = raw;
	guard->cap = attr->cap;
	guard->no_flags = ~vx_send_flags | (vx_has_checksums(raw) ? 0 : IBV_SEND_IP_CSUM);
	guard->always = attr->sq_sig_all ? IBV_SEND_SIGNALED : 0;
	guard->address = (vx_address_setter(raw->qp_type) ? VX_LACKS_ADDRESS : 0) | (raw->qp_type == IBV_QPT_UD ? VX_DATA_LOOKED_AT : 0);
	guard->limit = attr->cap.max_send_wr;
	guard->request = (struct vx_guard_request *)(void *)((char *)(guard + 1) + vx_guard_mlx5_size);
	guard->mark = (uint32_t *)(void *)(guard->request + ring);
	guard->first_receive = UINT64_MAX;
	guard->mask = ring - 1;
	guard->extended = is_extended(qp);
	guard->alone = vx_is_of_one_thread(qp);
	guard->ops = guard->extended ? vx_guard_ops(qp->object.front, raw->qp_type) & attr->send_ops_flags : 0;
	guard->front.context.ops.post_send = vx_guard_post_send;
	guard->front.context.ops.post_recv = vx_guard_post_recv;
	vx_guard_take_lists(guard);
}

/* Where its completions are to be counted; a CQ that nobody has a handle of counts nothing. */
static int count_in(struct vx_guard_qp *guard, struct vx_node *cq, const char *call)
{
	struct vx_guard_cq *counting = cq ? vx_guard_put_cq(cq, call) : NULL;

	if (!counting)
		return cq ? -ENOMEM : 0;
	return vx_guard_count_begin(guard, counting, call);
}

static int put_guard(struct vx_node *qp, const struct ibv_qp_init_attr_ex *attr, const char *call)
{
	const uint32_t ring = power_above(attr->cap.max_send_wr);
	struct vx_node *cq = send_cq_of(qp);
	struct vx_guard_qp *guard;
	int rc;

	if (cq && vx_is_blind_cq(cq))
		return vx_fail(-EINVAL, call, VX_NAME(cq), "send_cq was made with .wc_flags without IBV_WC_EX_WITH_QP_NUM, by which the "
			       "completions of checked QPs are counted: add it, or have the CQ .checked as well");
	guard = vx_front_qp_new(qp->object.front, sizeof(*guard) + vx_guard_mlx5_size + ring * (sizeof(*guard->request) + sizeof(*guard->mark)),
				begin_unknown, call);
	if (!guard)
		return -ENOMEM;
	fill_guard(guard, qp, attr, ring);
	rc = count_in(guard, cq, call);
	if (rc < 0) {
		free(vx_front_head(guard));
		return rc;
	}
	guard->done_before = vx_guard_counted(guard);
	vx_front_head(guard)->what = VX_FRONT_CHECKS;
	vx_front_head(guard)->end = vx_guard_count_end;
	vx_front_put(qp, guard);
	return 0;
}

/* What the requests of others have to be nobody has said. */
bool vx_guard_is_foreign(const struct ibv_qp *raw)
{
	return raw->qp_type == IBV_QPT_DRIVER && !vx_function_is_of((uintptr_t)raw->context->ops.poll_cq, "libmlx5");
}

int vx_guard_put_qp(struct vx_node *qp, const struct ibv_qp_init_attr_ex *attr, const char *call)
{
	int rc;

	vx_regions_begin();
	rc = put_guard(qp, attr, call);
	vx_guard_modified((struct vx_qp *)qp);
	return rc;
}

int vx_check_new_qp(struct vx_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	return vx_guard_is_foreign(vx_qp_raw(qp)) ? 0 : vx_guard_put_qp((struct vx_node *)qp, attr, "vx_qp_create");
}

/* Nobody polls it yet. */
int vx_check_new_cq(struct vx_cq *cq, const struct ibv_cq_init_attr_ex *attr)
{
	struct vx_guard_cq *guard = vx_guard_put_cq((struct vx_node *)cq, "vx_cq_create");

	if (!guard)
		return -ENOMEM;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		vx_guard_cq_leave_alone(guard);
	return 0;
}

/* ---- the state of a QP ---- */

/* Beyond what a packet may have: the longest message of ports whose datagrams max_msg_sz is not about. */
#define NO_PACKET (1u << 16)
#define LAST_MTU 9 /* of NO_PACKET bytes */

/*
 * In bytes. What UD sends is one packet; where that may be longer than any ibv_mtu, as with EFA, max_msg_sz has it. Nothing is known where a
 * provider has left the MTU unset, or means something else.
 */
static uint32_t longest_message(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	struct ibv_port_attr port;
	uint32_t mtu, most;

	if (ibv_query_qp(qp, &attr, IBV_QP_PORT, &init) || ibv_query_port(qp->context, attr.port_num, &port))
		return UINT32_MAX;
	mtu = port.active_mtu >= IBV_MTU_256 && port.active_mtu < LAST_MTU ? 128u << port.active_mtu : 0;
	most = qp->qp_type != IBV_QPT_UD || (port.max_msg_sz < NO_PACKET && port.max_msg_sz > mtu) ? port.max_msg_sz : mtu;
	return most ? most : UINT32_MAX;
}

/* What was remembered of a region went by what was known before. */
static void ask_longest(struct vx_guard_qp *guard)
{
	guard->most = longest_message((struct ibv_qp *)(uintptr_t)guard->raw);
	guard->part.generation = 0;
}

bool vx_guard_is_short(struct vx_guard_qp *guard, uint64_t length)
{
	ask_longest(guard);
	return length <= guard->most;
}

/* Of what completed before, some may be polled and not counted yet. Whoever polls may wait for who waits for this QP. */
static void wait_for_polls(struct vx_guard_qp *guard)
{
	while (!vx_turn_try(&guard->cq->owner, guard->cq->alone)) {
		vx_guard_unlock(guard);
		sched_yield();
		vx_guard_lock(guard);
	}
	vx_turn_end(&guard->cq->owner);
}

static void forget_slots(struct vx_guard_qp *guard)
{
	if (guard->cq && guard->modifying)
		wait_for_polls(guard);
	guard->done_before = vx_guard_counted(guard);
	if (guard->count)
		__atomic_store_n(&guard->count->failed, 0, __ATOMIC_RELAXED);
	guard->first_receive = UINT64_MAX;
	guard->last_receive = 0;
	guard->receives = guard->surplus = 0;
	guard->posted = guard->marks = 0;
	guard->before_posted = guard->before_marks = 0;
	guard->mark[guard->mask] = 0;
	guard->limit = guard->cap.max_send_wr;
	guard->most = 0;
}

/* A list that was begun in one life of the queue would else end in the next one, which knows nothing of it. */
void vx_guard_modifying(struct vx_qp *qp)
{
	struct vx_guard_qp *guard = vx_guard_before_qp((struct vx_node *)qp);

	if (guard && vx_guard_lock(guard))
		guard->modifying = true;
}

void vx_guard_modified(struct vx_qp *qp)
{
	struct vx_guard_qp *guard = vx_guard_before_qp((struct vx_node *)qp);
	const struct ibv_qp *raw = vx_qp_raw(qp);
	int code = errno;

	if (!guard)
		return;
	if (raw->state == IBV_QPS_RESET)
		forget_slots(guard);
	if (raw->state == IBV_QPS_RTS && !guard->most)
		ask_longest(guard);
	if (guard->modifying) {
		guard->modifying = false;
		vx_guard_unlock(guard);
	}
	errno = code;
}

/* ---- SRQs ---- */

int vx_guard_put_srq(struct vx_node *srq, uint32_t max_sge, const char *call)
{
	struct vx_guard_srq *guard = vx_front_new(sizeof(*guard), call);

	if (!guard)
		return -ENOMEM;
	vx_regions_begin();
	guard->pd = vx_node_used_as(srq, VX_OBJECT_PD, NULL)->object.raw; /* its parent may be an id */
	guard->max_sge = max_sge;
	guard->srq.context = &guard->context;
	guard->context.ops.post_srq_recv = vx_guard_post_srq_recv;
	vx_front_head(guard)->what = VX_FRONT_CHECKS;
	vx_front_put(srq, guard);
	return 0;
}

int vx_check_new_srq(struct vx_srq *srq, const struct ibv_srq_init_attr_ex *attr)
{
	return vx_guard_put_srq((struct vx_node *)srq, attr->attr.max_sge, "vx_srq_create");
}
