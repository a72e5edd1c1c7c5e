/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Collecting the requests of ibv_wr_post(3), and posting them. */

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "by_post.h"
#include "guard/refused.h"

/*
 * Behind it are places for requests: as many as the send queue has, and one for what is too much. In each lie a request, its entries,
 * and the data that are inline, which are the caller's again when the setter returns.
 */
struct by_post {
	struct vx_front_qp front;
	pthread_mutex_t lock;		/* from start to complete, as providers have it */
	struct ibv_qp_cap cap;
	size_t place;			/* bytes */
	uint32_t count;			/* of requests */
	int error;			/* the first */
	struct ibv_send_wr *now;
};

_Static_assert(sizeof(struct by_post) % _Alignof(struct ibv_send_wr) == 0, "places are aligned");

static uint32_t entries_of(const struct ibv_qp_cap *cap)
{
	return cap->max_send_sge ? cap->max_send_sge : 1; /* data that are inline are one */
}

static size_t place_size(const struct ibv_qp_cap *cap)
{
	size_t size = sizeof(struct ibv_send_wr) + entries_of(cap) * sizeof(struct ibv_sge) + cap->max_inline_data;

	return (size + 7) / 8 * 8;
}

static struct ibv_send_wr *request_at(struct by_post *by, uint32_t index)
{
	return (struct ibv_send_wr *)(void *)((char *)(by + 1) + index * by->place);
}

static struct ibv_sge *entries_in(struct ibv_send_wr *wr)
{
	return (struct ibv_sge *)(wr + 1);
}

static void fail_list(struct by_post *by, int code)
{
	if (!by->error)
		by->error = code;
}

struct ibv_send_wr *vx_by_post_now(struct ibv_qp_ex *front)
{
	return ((struct by_post *)front)->now;
}

struct ibv_send_wr *vx_by_post_begin(struct ibv_qp_ex *front, enum ibv_wr_opcode opcode)
{
	struct by_post *by = (struct by_post *)front;

	by->now = request_at(by, by->count);
	if (by->count < by->cap.max_send_wr)
		by->count++;
	else
		fail_list(by, ENOMEM);
	*by->now = (struct ibv_send_wr){ .wr_id = front->wr_id, .send_flags = front->wr_flags, .opcode = opcode };
	return by->now;
}

void vx_by_post_cannot(struct ibv_qp_ex *front)
{
	fail_list((struct by_post *)front, EOPNOTSUPP);
}

/* ---- data ---- */

static void take_sge_list(struct ibv_qp_ex *front, size_t num_sge, const struct ibv_sge *sg_list)
{
	struct by_post *by = (struct by_post *)front;

	if (num_sge > by->cap.max_send_sge) {
		fail_list(by, ENOMEM);
		return;
	}
	memcpy(entries_in(by->now), sg_list, num_sge * sizeof(*sg_list));
	by->now->sg_list = entries_in(by->now);
	by->now->num_sge = (int)num_sge;
}

static void take_sge(struct ibv_qp_ex *front, uint32_t lkey, uint64_t addr, uint32_t length)
{
	take_sge_list(front, 1, &(struct ibv_sge){ .addr = addr, .length = length, .lkey = lkey });
}

static void take_inline_data_list(struct ibv_qp_ex *front, size_t num_buf, const struct ibv_data_buf *buf_list)
{
	struct by_post *by = (struct by_post *)front;
	struct ibv_sge *entry = entries_in(by->now);
	char *bytes = (char *)(entry + entries_of(&by->cap));
	size_t i, length = 0;

	for (i = 0; i < num_buf; i++) {
		if (buf_list[i].length > by->cap.max_inline_data - length) {
			fail_list(by, ENOMEM);
			return;
		}
		memcpy(bytes + length, buf_list[i].addr, buf_list[i].length);
		length += buf_list[i].length;
	}
	*entry = (struct ibv_sge){ .addr = (uintptr_t)bytes, .length = (uint32_t)length };
	by->now->sg_list = entry;
	by->now->num_sge = 1;
	by->now->send_flags |= IBV_SEND_INLINE;
}

static void take_inline_data(struct ibv_qp_ex *front, void *addr, size_t length)
{
	take_inline_data_list(front, 1, &(struct ibv_data_buf){ addr, length });
}

/* ---- the list ---- */

static void start_list(struct ibv_qp_ex *front)
{
	struct by_post *by = (struct by_post *)front;

	pthread_mutex_lock(&by->lock);
	by->count = 0;
	by->error = 0;
	by->now = request_at(by, by->cap.max_send_wr);
}

/* A provider would follow an address handle that is not there. */
static void link_list(struct by_post *by)
{
	struct ibv_send_wr *wr;
	uint32_t i;

	for (i = 0; i < by->count; i++) {
		wr = request_at(by, i);
		wr->next = i + 1 < by->count ? request_at(by, i + 1) : NULL;
		if (by->front.qp.qp_base.qp_type == IBV_QPT_UD && !wr->wr.ud.ah)
			fail_list(by, EINVAL);
	}
}

static int post_list(struct ibv_qp_ex *front)
{
	struct by_post *by = (struct by_post *)front;
	struct ibv_send_wr *bad;
	int rc;

	link_list(by);
	rc = by->error;
	if (!rc && by->count)
		rc = ibv_post_send(vx_front_next(front), request_at(by, 0), &bad);
	pthread_mutex_unlock(&by->lock);
	return rc;
}

static void drop_list(struct ibv_qp_ex *front)
{
	pthread_mutex_unlock(&((struct by_post *)front)->lock);
}

void *vx_by_post_with(const struct ibv_qp_ex *next, const struct ibv_qp_cap *cap, const char *call)
{
	size_t places = (cap->max_send_wr + (size_t)1) * place_size(cap);
	struct by_post *by = vx_front_qp_new(next, sizeof(*by) + places, vx_by_post_cannot, call);

	if (!by)
		return NULL;
	pthread_mutex_init(&by->lock, NULL);
	by->cap = *cap;
	by->place = place_size(cap);
	by->front.qp.wr_start = start_list;
	by->front.qp.wr_complete = post_list;
	by->front.qp.wr_abort = drop_list;
	by->front.qp.wr_set_sge = take_sge;
	by->front.qp.wr_set_sge_list = take_sge_list;
	by->front.qp.wr_set_inline_data = take_inline_data;
	by->front.qp.wr_set_inline_data_list = take_inline_data_list;
	vx_by_post_steps(&by->front.qp);
	return by;
}

/* Of a device that is gone nobody knows how much there is room for: nothing can be posted there. */
void *vx_by_post_new(const struct ibv_qp_ex *next, const char *call)
{
	struct ibv_qp_cap cap;

	if (!vx_ask_cap((struct ibv_qp *)(uintptr_t)next, &cap))
		memset(&cap, 0, sizeof(cap));
	return vx_by_post_with(next, &cap, call);
}
