/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Builders and setters of a checked QP that have to be looked at, and what is wrong with those that may not go on. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/enum.h>
#include <verbsx/enums.h>
#include <verbsx/version.h>

#include "error/fail.h"
#include "guard.h"
#include "reach/reach.h"

/* ---- the queue ---- */

int vx_guard_full(struct vx_guard_qp *guard, uint32_t posted, uint32_t slots)
{
	const uint32_t most = guard->cap.max_send_wr, freed = guard->limit - most;
	char more[40] = "";

	if (!most && vx_says(guard->why, "the send queue was made for no requests (max_send_wr = 0)"))
		return -EINVAL;
	if (slots > 1)
		snprintf(more, sizeof(more), "the list takes %u more, ", slots);
	vx_says(guard->why, "the send queue is full (max_send_wr = %u): %u requests are posted, %sand vx_ functions have polled no completion of one "
		"of them. " VX_NOT_COUNTED, most, posted - freed, more);
	return -EAGAIN;
}

/* Polling never makes room for a list that is longer than the queue. */
static int no_room(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const uint32_t slots = guard->posted - guard->before_posted + step->slots, most = guard->cap.max_send_wr;

	if (slots <= most)
		return vx_guard_full(guard, guard->before_posted, slots);
	vx_says(guard->why, "a list of more than max_send_wr = %u requests never fits, and with this it takes %u", most, slots);
	return -EINVAL;
}

/* ---- builders ---- */

bool vx_guard_lacking(struct vx_guard_qp *guard)
{
	if (guard->lacks & VX_LACKS_SETTERS)
		vx_says(guard->why, "it lacks %u of its setters", guard->setters);
	else if (guard->lacks & VX_LACKS_DATA)
		vx_says(guard->why, "it has no data: vx_wr_set_sge() or another must follow");
	else
		vx_says(guard->why, "it has no address: %s() must follow", vx_address_setter(guard->raw->qp_type));
	return vx_guard_latch(guard, -EINVAL);
}

static const char *op_name(const struct vx_guard_step *step)
{
	const bool of_mlx5 = step->op >> 32;
	const char *name = vx_enum_name(vx_enum_find(of_mlx5 ? "mlx5dv_qp_create_send_ops_flags" : "ibv_qp_create_send_ops_flags"),
					(int64_t)(of_mlx5 ? step->op >> 32 : step->op));

	return name ? name : "its bit";
}

/* 0, or what is wrong. */
static int builder_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const unsigned int flags = guard->front.qp.wr_flags;

	if (!(guard->ops & step->op) && vx_type_wrong(guard->why, step, guard->raw->qp_type))
		return -EINVAL;
	if (!(guard->ops & step->op) && vx_says(guard->why, "the QP was made without %s in its send_ops_flags", op_name(step)))
		return -EOPNOTSUPP;
	if (!vx_guard_finds_room(guard, step->slots))
		return no_room(guard, step);
	return flags & guard->no_flags && vx_flags_wrong(guard->why, "wr_flags", flags, false, guard->raw->qp_type) ? -EINVAL : 0;
}

/* What is wrong with a request before it begins is told as of any other; none follows it. */
static bool refuse_builder(struct vx_guard_qp *guard, const struct vx_guard_step *step, int code)
{
	guard->step = step;
	guard->index++;
	vx_guard_next(guard)->wr_id = guard->front.qp.wr_id;
	return vx_guard_latch(guard, code);
}

/* ---- setters ---- */

static bool refuse_setter(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	const char *type = vx_ibv_qp_type_name(guard->raw->qp_type);

	if (guard->code)
		return false;
	if (!guard->index)
		vx_says(guard->why, "%s() before the first request of the list", step->name);
	else if (!(step->types & VX_WR_TYPE(guard->raw->qp_type)))
		vx_says(guard->why, "it takes no %s(), a QP of type %s has %s", step->name, type ? type : "that", guard->address ? "another" : "its address");
	else if (guard->step->lacks & step->lacks || (guard->address & step->lacks && guard->step->lacks & VX_LACKS_DATA))
		vx_says(guard->why, "it has that already which %s() would give it", step->name);
	else
		vx_says(guard->why, "it takes no %s()", step->name);
	return vx_guard_latch(guard, -EINVAL);
}

/* Of those that are counted, each once. */
static bool may_give(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	if (!(guard->lacks & step->lacks) || !(step->types & VX_WR_TYPE(guard->raw->qp_type)))
		return refuse_setter(guard, step);
	return !(step->lacks & VX_LACKS_SETTERS && guard->given & step->op) ||
	       (vx_says(guard->why, "it has %s() twice, or another that says the same", step->name) && vx_guard_latch(guard, -EINVAL));
}

/* ---- both ---- */

bool vx_guard_may(struct vx_guard_qp *guard, const struct vx_guard_step *step)
{
	if (!vx_guard_is_mine(guard))
		return vx_guard_outside(guard, step->name);
	if (!step->slots)
		return may_give(guard, step);
	return guard->lacks ? vx_guard_lacking(guard) : !guard->code;
}

bool vx_guard_goes_on(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint32_t setters, bool is_given_wrong)
{
	const int code = is_given_wrong ? -EINVAL : step->slots ? builder_wrong(guard, step) : 0;

	if (code && step->slots)
		return refuse_builder(guard, step, code);
	if (code) {
		guard->setter = step->lacks & VX_LACKS_SETTERS ? step : NULL;
		return vx_guard_latch(guard, code);
	}
	if (step->slots) {
		vx_guard_begin_request(guard, step);
		guard->setters = setters;
		guard->given = 0;
	} else if (step->lacks & VX_LACKS_SETTERS) {
		guard->given |= (uint32_t)step->op;
		guard->setters--;
	} else {
		vx_guard_given(guard, step->lacks);
	}
	if (!guard->setters)
		vx_guard_given(guard, VX_LACKS_SETTERS);
	return true;
}

/* ---- where a request goes ---- */

bool vx_guard_number_wrong(struct vx_guard_qp *guard, uint32_t number)
{
	const uint32_t most = 0xffffff; /* packets have 24 bits for it */

	return number > most && vx_says(guard->why, "it has 0x%x as the number of its peer, and the most is 0x%x", number, most);
}

/* Devices keep the first for themselves: posts in one line have no place for a number, and leave it so. */
bool vx_guard_srq_wrong(struct vx_guard_qp *guard, uint32_t number)
{
	return (!number && vx_says(guard->why, "it has 0 as the number of the peer's SRQ, which vx_srq_get_num() tells there: vx_wr_set_xrc_srqn(), or "
				   "qp_type.xrc.remote_srqn of vx_qp_post_send()")) || vx_guard_number_wrong(guard, number);
}

bool vx_guard_peer_wrong(struct vx_guard_qp *guard, const struct ibv_ah *ah, uint32_t number)
{
	return vx_guard_number_wrong(guard, number) || vx_peer_wrong(guard->why, &guard->peers, guard->raw->pd, ah);
}

/* The device takes a number beyond those for whatever it likes: nobody says so. */
bool vx_guard_stream_wrong(struct vx_guard_qp *guard, const struct ibv_ah *ah, uint32_t number, uint16_t stream)
{
	if (guard->streams == 1 && stream)
		return vx_says(guard->why, "it has stream_id = %u, and the DCI was made without dci_streams: it has one stream, 0", stream);
	if (guard->streams && stream >= guard->streams)
		return vx_says(guard->why, "it has stream_id = %u, and the DCI was made with %u streams, from 0 on", stream, guard->streams);
	return vx_guard_peer_wrong(guard, ah, number);
}

/* ---- data ---- */

/* What the device itself cuts into packets is no message. */
static bool length_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, uint64_t bytes)
{
	if (bytes <= guard->most || step->op & IBV_QP_EX_WITH_TSO || vx_guard_is_short(guard, bytes))
		return false;
	return vx_says(guard->why, "it has %llu bytes, and %s %u", (unsigned long long)bytes,
		       guard->raw->qp_type == IBV_QPT_UD ? "what a UD QP sends must fit into the port's MTU," : "the port's max_msg_sz is", guard->most);
}

bool vx_guard_memory_wrong(struct vx_guard_qp *guard, const struct vx_guard_step *step, const struct ibv_sge *list, long long count, bool is_inline)
{
	return length_wrong(guard, step, vx_bytes_of(list, count)) ||
	       (!is_inline && vx_regions_wrong(guard->why, &guard->seen, guard->raw->pd, list, count, step->lacks & VX_DATA_WRITTEN));
}

bool vx_guard_list_wrong(struct vx_guard_qp *guard, size_t count, const struct ibv_sge *list)
{
	return vx_data_wrong(guard->why, guard->step, &guard->cap, list, (long long)count, false) ||
	       vx_guard_memory_wrong(guard, guard->step, list, (long long)count, false);
}

/* Of a longer region, what is around an entry: the next may lie before it or behind. */
static void remember_part(struct vx_guard_qp *guard, uint64_t addr)
{
	struct vx_seen *part = &guard->part;
	const uint64_t before = addr - guard->seen.start;

	*part = guard->seen;
	if (part->length <= guard->most)
		return;
	if (before > guard->most / 2) {
		part->start += before - guard->most / 2;
		part->length -= before - guard->most / 2;
	}
	if (part->length > guard->most)
		part->length = guard->most;
}

bool vx_guard_sge_wrong(struct vx_guard_qp *guard, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	if (vx_guard_list_wrong(guard, 1, &sge))
		return true;
	if (vx_region_is_seen(&guard->seen, lkey, addr, length))
		remember_part(guard, addr);
	return false;
}

bool vx_guard_buffers_wrong(struct vx_guard_qp *guard, size_t count, const struct ibv_data_buf *list)
{
	size_t length = 0, i;

	if (count && !list)
		return vx_says(guard->why, "it has %zu pieces inline, and the list of them is NULL", count);
	for (i = 0; i < count; i++) {
		if (list[i].length && !list[i].addr)
			return vx_says(guard->why, "it has %zu bytes inline, and where they are is NULL", list[i].length);
		if (__builtin_add_overflow(length, list[i].length, &length))
			length = SIZE_MAX;
	}
	return vx_inline_wrong(guard->why, guard->step, &guard->cap, length) || length_wrong(guard, guard->step, length);
}

bool vx_guard_inline_wrong(struct vx_guard_qp *guard, void *addr, size_t length)
{
	return vx_guard_buffers_wrong(guard, 1, &(struct ibv_data_buf){ addr, length });
}

/* ---- lists of entries ---- */

static uint64_t sum_of_fields(const struct vx_guard_entries *entries, const void *entry)
{
	uint64_t sum = 0;
	uint32_t value;
	int i;

	for (i = 0; i < entries->fields; i++) {
		memcpy(&value, (const char *)entry + entries->offset[i], sizeof(value));
		sum += value;
	}
	return sum;
}

/* Where nobody knows which release runs, it is that of the headers. */
static bool has_more_room(const struct vx_guard_entries *entries)
{
	const unsigned int running = vx_release_running();

	return entries->before && (running ? running : vx_release_built()) >= entries->before;
}

bool vx_guard_sums_wrong(struct vx_guard_qp *guard, const struct vx_guard_entries *entries, size_t count, const void *list)
{
	unsigned long long sum = 0;
	size_t i;

	if (count && !list)
		return vx_says(guard->why, "%s is NULL", entries->list);
	for (i = 0; i < count && (entries->in_all || sum <= entries->most); i++)
		sum = sum_of_fields(entries, (const char *)list + i * entries->size) + (entries->in_all ? sum : 0);
	if (sum <= entries->most || has_more_room(entries))
		return false;
	if (entries->in_all)
		return vx_says(guard->why, "all of %s[].%s are %llu, which goes into %s", entries->list, entries->name, sum, entries->room);
	return vx_says(guard->why, "%s of %s[%zu] is %llu, which goes into %s", entries->name, entries->list, i - 1, sum, entries->room);
}
