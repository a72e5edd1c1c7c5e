/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is wrong with a request, by what lore says of its opcode, and by the sizes and the state of the queue. */

#include <stdarg.h>
#include <stdio.h>

#include <verbsx/enums.h>
#include <verbsx/objects.h>

#include "guard.h"
#include "object/object.h"
#include "reach/reach.h"
#include "reason/reason.h"
#include "refused.h"

#define VX_TRACE_ASIDE
#include "traced.h"

bool vx_says(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, VX_LONGEST_REFUSAL, format, args);
	va_end(args);
	return true;
}

/* ---- data ---- */

uint64_t vx_bytes_of(const struct ibv_sge *list, long long count)
{
	uint64_t bytes = 0;
	long long i;

	for (i = 0; i < count; i++)
		bytes += list[i].length;
	return bytes;
}

bool vx_entries_wrong(char *why, const struct ibv_sge *list, long long count, const char *made, uint32_t most)
{
	if (count < 0)
		return vx_says(why, "it has %lld entries", count);
	if (count > most)
		return vx_says(why, "it has %lld entries, and %s = %u", count, made, most);
	return count && !list && vx_says(why, "it has %lld entries, and the list of them is NULL", count);
}

bool vx_inline_wrong(char *why, const struct vx_guard_step *step, const struct ibv_qp_cap *cap, uint64_t bytes)
{
	if ((step->lacks & VX_ABOUT_DATA) != VX_LACKS_DATA)
		return vx_says(why, "it takes no data inline%s", step->lacks ? ", as it reads into them: vx_wr_set_sge(), no IBV_SEND_INLINE" : "");
	return bytes > cap->max_inline_data &&
	       vx_says(why, "it has %llu bytes inline, and the QP was made with max_inline_data = %u", (unsigned long long)bytes, cap->max_inline_data);
}

/* Who posts copies from there, as a builder does. */
static bool is_nowhere(char *why, const struct ibv_sge *list, long long count)
{
	while (count && (list->addr || !list->length))
		count--, list++;
	return count && vx_says(why, "it has %u bytes inline, and where they are is NULL", list->length);
}

bool vx_data_wrong(char *why, const struct vx_guard_step *step, const struct ibv_qp_cap *cap, const struct ibv_sge *list, long long count, bool is_inline)
{
	uint64_t bytes;

	if (vx_entries_wrong(why, list, count, "the QP was made with max_send_sge", cap->max_send_sge))
		return true;
	bytes = vx_bytes_of(list, count);
	if (is_inline && (vx_inline_wrong(why, step, cap, bytes) || is_nowhere(why, list, count)))
		return true;
	return step->lacks & VX_DATA_LOOKED_AT && bytes != 8 && vx_says(why, "it has %llu bytes, and an atomic operation has 8", (unsigned long long)bytes);
}

/* ---- flags ---- */

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
bool vx_flags_wrong(char *why, const char *field, unsigned int flags, bool has_checksums, enum ibv_qp_type type)
{
	const unsigned int unknown = flags & ~vx_send_flags;

	if (unknown)
		return vx_says(why, "%s has 0x%x, which is none of enum ibv_send_flags", field, unknown);
	if (has_checksums || !(flags & IBV_SEND_IP_CSUM))
		return false;
	if (checksums_of(type))
		return vx_says(why, "%s has IBV_SEND_IP_CSUM, and device_cap_flags of the device has no IBV_DEVICE_%s_IP_CSUM", field,
			       type == IBV_QPT_UD ? "UD" : "RAW");
	return vx_says(why, "%s has IBV_SEND_IP_CSUM, which is for QPs of type IBV_QPT_UD and IBV_QPT_RAW_PACKET, of devices whose "
		       "device_cap_flags has IBV_DEVICE_UD_IP_CSUM or IBV_DEVICE_RAW_IP_CSUM", field);
}

/* ---- a request, and its queue ---- */

static VX_COLD bool refuse_opcode(char *why, enum ibv_wr_opcode opcode)
{
	const char *name = vx_ibv_wr_opcode_name(opcode);

	if (!name)
		return vx_says(why, "opcode = %u is none of enum ibv_wr_opcode", (unsigned int)opcode);
	return vx_says(why, "%s is nothing that ibv_post_send() can do: %s", name,
		       opcode != IBV_WR_DRIVER1 ? "builders alone have it" : "it is a provider's own");
}

bool vx_type_wrong(char *why, const struct vx_guard_step *step, enum ibv_qp_type type)
{
	const char *name = vx_ibv_qp_type_name(type);

	return !(step->types & VX_WR_TYPE(type)) && name && vx_says(why, "it is nothing that a QP of type %s can do", name);
}

bool vx_address_wrong(char *why, uint64_t addr)
{
	return addr % 8 && vx_says(why, "remote_addr = 0x%llx is no multiple of 8, as that of an atomic operation is", (unsigned long long)addr);
}

bool vx_send_wrong(char *why, const struct ibv_qp *qp, const struct ibv_qp_cap *cap, const struct ibv_send_wr *wr, bool has_checksums)
{
	const struct vx_guard_step *step = vx_step_of(wr->opcode);

	if (!step || !step->listed)
		return refuse_opcode(why, wr->opcode);
	return vx_type_wrong(why, step, qp->qp_type) || vx_data_wrong(why, step, cap, wr->sg_list, wr->num_sge, wr->send_flags & IBV_SEND_INLINE) ||
	       vx_arguments_wrong(why, qp->pd, wr) || vx_flags_wrong(why, "send_flags", wr->send_flags, has_checksums, qp->qp_type);
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

bool vx_queue_wrong(char *why, const struct ibv_qp *qp, bool sends)
{
	const bool too_early = sends ? vx_sends_too_early(qp) : qp->state == IBV_QPS_RESET;

	if (too_early && vx_spreads_packets(qp))
		return vx_says(why, "it is a QP that spreads packets, which has no queues of its own: its WQs are posted to, vx_wq_post_recv()");
	if (too_early)
		return vx_says(why, "the QP is in %s, and %s from %s on", VX_STATE(vx_transition_type(qp), qp->state),
			       sends ? "sends" : "takes receives", sends ? "RTS" : "INIT");
	return !sends && qp->srq && vx_says(why, "the QP has an SRQ, which its receives are posted to: vx_srq_post_recv()");
}

/* They go on with what the list before ended with. */
bool vx_builders_overwrite(const struct ibv_qp *qp)
{
	return vx_function_is_of((uintptr_t)qp->context->ops.poll_cq, "libmlx5");
}
