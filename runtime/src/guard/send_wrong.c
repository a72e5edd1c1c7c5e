/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is wrong with a request, by what lore says of its opcode, and by the sizes and the state of the queue. */

#include <stdio.h>

#include <verbsx/enums.h>
#include <verbsx/objects.h>

#include "guard.h"
#include "object/object.h"
#include "reason/reason.h"
#include "refused.h"
#include "region.h"

#define VX_TRACE_ASIDE
#include "traced.h"

const struct vx_wr_row *vx_wr_row_of(enum ibv_wr_opcode opcode)
{
	unsigned int i;

	for (i = 0; i < vx_wr_row_count; i++)
		if (vx_wr_rows[i].opcode == (int32_t)opcode)
			return &vx_wr_rows[i];
	return NULL;
}

uint64_t vx_bytes_of(const struct ibv_sge *list, int count)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < count; i++)
		bytes += list[i].length;
	return bytes;
}

static unsigned long long bytes_of(const struct ibv_send_wr *wr)
{
	return vx_bytes_of(wr->sg_list, wr->num_sge);
}

/* What is so of both kinds of requests: a number of entries that no queue has, or a list that is not there. */
static bool entries_missing(char *buf, const struct ibv_sge *list, int count)
{
	if (count < 0)
		return snprintf(buf, VX_LONGEST_REFUSAL, "num_sge = %d", count) > 0;
	return count && !list && snprintf(buf, VX_LONGEST_REFUSAL, "sg_list is NULL, and num_sge = %d", count) > 0;
}

bool vx_recv_wrong(char *buf, const struct ibv_recv_wr *wr, const char *field, uint32_t max_sge)
{
	return entries_missing(buf, wr->sg_list, wr->num_sge) ||
	       ((uint32_t)wr->num_sge > max_sge && snprintf(buf, VX_LONGEST_REFUSAL, "num_sge = %d, and it was made with %s = %u", wr->num_sge, field, max_sge) > 0);
}

static const char *opcode_name(enum ibv_wr_opcode opcode)
{
	const char *name = vx_ibv_wr_opcode_name(opcode);

	return name ? name : "its opcode";
}

static unsigned int checksums_of(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD ? IBV_DEVICE_UD_IP_CSUM : type == IBV_QPT_RAW_PACKET ? IBV_DEVICE_RAW_IP_CSUM : 0;
}

bool vx_has_checksums(const struct ibv_qp *qp)
{
	const unsigned int flag = checksums_of(qp->qp_type);
	struct ibv_device_attr device;

	return flag && (ibv_query_device(qp->context, &device) || device.device_cap_flags & flag);
}

/* Others than datagrams and raw packets go out without, and nobody says so. */
bool vx_flags_wrong(char *buf, const char *field, unsigned int flags, bool has_checksums, enum ibv_qp_type type)
{
	const unsigned int unknown = flags & ~vx_send_flags;

	if (unknown)
		return snprintf(buf, VX_LONGEST_REFUSAL, "%s has 0x%x, which is none of enum ibv_send_flags", field, unknown) > 0;
	if (has_checksums || !(flags & IBV_SEND_IP_CSUM))
		return false;
	if (checksums_of(type))
		return snprintf(buf, VX_LONGEST_REFUSAL, "%s has IBV_SEND_IP_CSUM, and device_cap_flags of the device has no IBV_DEVICE_%s_IP_CSUM", field,
				type == IBV_QPT_UD ? "UD" : "RAW") > 0;
	return snprintf(buf, VX_LONGEST_REFUSAL, "%s has IBV_SEND_IP_CSUM, which is for QPs of type IBV_QPT_UD and IBV_QPT_RAW_PACKET, of devices whose "
			"device_cap_flags has IBV_DEVICE_UD_IP_CSUM or IBV_DEVICE_RAW_IP_CSUM", field) > 0;
}

/* struct ibv_send_wr has stayed as it is since: what is newer has builders alone. */
#define LAST_OF_LISTS IBV_WR_DRIVER1

static VX_COLD bool refuse_opcode(char *buf, enum ibv_wr_opcode opcode)
{
	const char *name = vx_ibv_wr_opcode_name(opcode);

	if (!name)
		return snprintf(buf, VX_LONGEST_REFUSAL, "opcode = %u is none of enum ibv_wr_opcode", (unsigned int)opcode) > 0;
	return snprintf(buf, VX_LONGEST_REFUSAL, "%s is nothing that ibv_post_send() can do: %s", name,
			opcode > LAST_OF_LISTS ? "builders alone have it" : "it is a provider's own") > 0;
}

/* What is copied by who posts, as a builder copies it. */
static bool inline_wrong(char *buf, const struct vx_wr_row *row, const struct ibv_qp_cap *cap, const struct ibv_send_wr *wr)
{
	int i;

	if (!row->takes_inline)
		return snprintf(buf, VX_LONGEST_REFUSAL, "%s takes no data inline: IBV_SEND_INLINE", opcode_name(wr->opcode)) > 0;
	if (cap && bytes_of(wr) > cap->max_inline_data)
		return snprintf(buf, VX_LONGEST_REFUSAL, "%llu bytes are inline, and the QP was made with max_inline_data = %u", bytes_of(wr),
				cap->max_inline_data) > 0;
	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length && !wr->sg_list[i].addr)
			return snprintf(buf, VX_LONGEST_REFUSAL, "it has %u bytes inline, and where they are is NULL", wr->sg_list[i].length) > 0;
	return false;
}

bool vx_send_wrong(char *buf, const struct ibv_qp *qp, const struct ibv_qp_cap *cap, const struct ibv_send_wr *wr)
{
	const struct vx_wr_row *row = vx_wr_row_of(wr->opcode);
	const char *type;

	if (!row || wr->opcode > LAST_OF_LISTS)
		return refuse_opcode(buf, wr->opcode);
	if (!(row->types & VX_WR_TYPE(qp->qp_type)) && (type = vx_ibv_qp_type_name(qp->qp_type)))
		return snprintf(buf, VX_LONGEST_REFUSAL, "%s is nothing that a QP of type %s can do", opcode_name(wr->opcode), type) > 0;
	if (entries_missing(buf, wr->sg_list, wr->num_sge))
		return true;
	if (cap && (uint32_t)wr->num_sge > cap->max_send_sge)
		return snprintf(buf, VX_LONGEST_REFUSAL, "num_sge = %d, and the QP was made with max_send_sge = %u", wr->num_sge, cap->max_send_sge) > 0;
	if (wr->send_flags & IBV_SEND_INLINE && inline_wrong(buf, row, cap, wr))
		return true;
	if (row->is_atomic && bytes_of(wr) != 8)
		return snprintf(buf, VX_LONGEST_REFUSAL, "it has %llu bytes, and an atomic operation has 8", bytes_of(wr)) > 0;
	if (row->is_atomic && wr->wr.atomic.remote_addr % 8)
		return snprintf(buf, VX_LONGEST_REFUSAL, "remote_addr = 0x%llx is no multiple of 8, as that of an atomic operation is",
				(unsigned long long)wr->wr.atomic.remote_addr) > 0;
	if (wr->opcode == IBV_WR_TSO && !wr->tso.hdr && wr->tso.hdr_sz)
		return snprintf(buf, VX_LONGEST_REFUSAL, "tso.hdr is NULL, and hdr_sz = %u", wr->tso.hdr_sz) > 0;
	if (wr->opcode == IBV_WR_LOCAL_INV)
		return vx_invalidate_wrong(buf, qp->pd, wr->invalidate_rkey);
	return wr->opcode == IBV_WR_BIND_MW && vx_bind_request_wrong(buf, qp->pd, wr->bind_mw.mw, &wr->bind_mw.bind_info);
}

bool vx_spreads_packets(const struct ibv_qp *qp)
{
	const struct vx_node *node = vx_handle_of(qp, VX_OBJECT_QP);

	return node && vx_node_used_as(node, VX_OBJECT_IND_TABLE, NULL);
}

bool vx_sends_too_early(const struct ibv_qp *qp)
{
	return qp->state < IBV_QPS_RTS && (qp->state == IBV_QPS_RESET || qp->context->device->transport_type != IBV_TRANSPORT_IWARP);
}

bool vx_queue_wrong(char *buf, const struct ibv_qp *qp, bool sends)
{
	const bool too_early = sends ? vx_sends_too_early(qp) : qp->state == IBV_QPS_RESET;

	if (too_early && vx_spreads_packets(qp))
		return snprintf(buf, VX_LONGEST_REFUSAL, "it is a QP that spreads packets, which has no queues of its own: its WQs are posted to, vx_wq_post_recv()") > 0;
	if (too_early)
		return snprintf(buf, VX_LONGEST_REFUSAL, "the QP is in %s, and %s from %s on", VX_STATE(vx_transition_type(qp), qp->state),
				sends ? "sends" : "takes receives", sends ? "RTS" : "INIT") > 0;
	return !sends && qp->srq && snprintf(buf, VX_LONGEST_REFUSAL, "the QP has an SRQ, which its receives are posted to: vx_srq_post_recv()") > 0;
}

/* ---- sizes ---- */

bool vx_ask_cap(struct ibv_qp *qp, struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_CAP, &init))
		return false;
	*cap = init.cap;
	return true;
}

/* Of QPs whose requests were refused lately, by their number among all that were made: a handle has no room for what few need. */
static struct known_cap {
	uint32_t serial;
	struct ibv_qp_cap cap;
} known_caps[32];

static bool recall_cap(uint32_t serial, struct ibv_qp_cap *cap)
{
	const struct known_cap *known = &known_caps[serial % (sizeof(known_caps) / sizeof(known_caps[0]))];
	bool is_known;

	vx_graph_lock();
	is_known = known->serial == serial;
	*cap = known->cap;
	vx_graph_unlock();
	return is_known;
}

static void remember_cap(uint32_t serial, const struct ibv_qp_cap *cap)
{
	vx_graph_lock();
	known_caps[serial % (sizeof(known_caps) / sizeof(known_caps[0]))] = (struct known_cap){ serial, *cap };
	vx_graph_unlock();
}

/* An opened QP is counted among those alone. */
bool vx_post_cap(const struct vx_node *node, struct ibv_qp_cap *cap)
{
	const struct vx_guard_qp *guard = vx_guard_before_qp(node);
	bool is_counted = node->kind == VX_OBJECT_QP;

	if (guard) {
		*cap = guard->cap;
		return true;
	}
	if (is_counted && recall_cap(node->serial, cap))
		return true;
	if (!vx_ask_cap(node->object.raw, cap))
		return false;
	if (is_counted)
		remember_cap(node->serial, cap);
	return true;
}
