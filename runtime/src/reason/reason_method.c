/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Changing what is there, and binding a window. */

#include <errno.h>

#include <verbsx/error.h>
#include <verbsx/version.h>

#include "verbs/ctx.h"
#include "object/make.h"
#include "error/fail.h"
#include "reason.h"
#include "reason_method.h"
#include "transition.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_NAME 128
#define LONGEST_STATE 32

static int fail(int code, const char *call, const void *object, const struct vx_reason *reason, const char *text)
{
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), object);
	return vx_call_fail(code, call, name, vx_reason_is_found(reason) ? "%s" : NULL, text);
}

static void find(struct vx_reason *reason, const struct vx_request *request, struct ibv_context *context)
{
	struct vx_bounds bounds;

	vx_bounds_ask(&bounds, context, 1);
	vx_reason_of_request(reason, request, &bounds);
	vx_reason_of_code(reason, request, &bounds);
	vx_reason_finish(reason);
}

/* A limit that is above what the SRQ holds now. */
static void check_srq_limit(struct vx_reason *reason, struct ibv_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr now;

	if (!ibv_query_srq(srq, &now) && limit > now.max_wr)
		vx_reason_add(reason, "srq_limit = %u, but the SRQ was made with max_wr = %u", limit, now.max_wr);
}

int vx_modify_srq_fail(int code, const struct vx_srq *srq, const struct ibv_srq_attr *attr, int attr_mask)
{
	struct ibv_srq *raw = vx_srq_raw(srq);
	struct vx_request request = {
		.code = code, .locks = attr_mask & IBV_SRQ_MAX_WR, .type = VX_STRUCT(ibv_srq_attr), .attr = attr,
		.mask = (uint64_t)attr_mask,
	};
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	if (attr_mask & IBV_SRQ_LIMIT)
		check_srq_limit(&reason, raw, attr->srq_limit);
	vx_reason_of_flags(&reason, &request, 0, "srq_attr_mask", vx_enum_find("ibv_srq_attr_mask"), (unsigned int)attr_mask);
	if (!vx_reason_is_found(&reason))
		find(&reason, &request, raw->context);
	if (!vx_reason_is_found(&reason) && attr_mask & IBV_SRQ_MAX_WR)
		vx_reason_add(&reason, "the device may not be able to resize an SRQ (IBV_SRQ_MAX_WR)");
	vx_reason_finish(&reason);
	return fail(code, "ibv_modify_srq", srq, &reason, text);
}

int vx_resize_cq_fail(int code, const struct vx_cq *cq, int cqe)
{
	struct ibv_cq *raw = vx_cq_raw(cq);
	struct ibv_cq_init_attr_ex attr = { .cqe = (uint32_t)cqe };
	struct vx_request request = {
		.code = code, .locks = true, .type = VX_STRUCT(ibv_cq_init_attr_ex), .attr = &attr, .mask = VX_MASK_ALL,
	};
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	find(&reason, &request, raw->context);
	if (!vx_reason_is_found(&reason) && cqe < raw->cqe)
		vx_reason_add(&reason, "cqe = %d may be fewer than the completions that wait in the queue", cqe);
	vx_reason_finish(&reason);
	return fail(code, "ibv_resize_cq", cq, &reason, text);
}

/* Nothing of the arguments is known, and the device need not be asked. */
int vx_method_fail(int code, const char *call, const void *object)
{
	const struct vx_request request = { .code = code };
	const struct vx_bounds nothing = { 0 };
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	vx_reason_of_code(&reason, &request, &nothing);
	vx_reason_finish(&reason);
	return fail(code, call, object, &reason, text);
}

int vx_method_attr_fail(int code, const char *call, const void *object, struct vx_type type, const void *attr)
{
	const struct vx_request request = { .code = code, .type = type, .attr = attr, .mask = VX_MASK_ALL };
	struct ibv_context *context = vx_node_root(object)->node.object.raw;
	char name[LONGEST_NAME], text[VX_LONGEST_REASON];
	bool found = vx_find_reason(&request, context, text, sizeof(text));

	vx_object_name(name, sizeof(name), object);
	return vx_call_fail(code, call, name, found ? "%s" : NULL, text);
}

static void check_window(struct vx_reason *reason, const struct ibv_mw *mw, const struct ibv_mr *mr)
{
	if (mw->type == IBV_MW_TYPE_2)
		vx_reason_add(reason, "a window of type 2 is bound by a send request, IBV_WR_BIND_MW");
	if (mr && mr->pd != mw->pd)
		vx_reason_add(reason, "bind_info.mr belongs to another PD than the window");
}

/* What libmlx5 says is ENOMEM of both. */
static void check_send_queue(struct vx_reason *reason, struct ibv_qp *qp, int code)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now;
	char state[LONGEST_STATE];

	if ((code != -ENOMEM && code != -EINVAL) || ibv_query_qp(qp, &now, IBV_QP_STATE | IBV_QP_CAP, &init))
		return;
	if (now.qp_state < IBV_QPS_RTS)
		vx_reason_add(reason, "the binding is a send request, and the QP is in %s, before RTS",
			      vx_state_name(now.qp_state, state, sizeof(state)));
	else if (code == -ENOMEM)
		vx_reason_add(reason, "the binding is a send request, and the send queue is full (max_send_wr = %u): "
				      "poll its completions first", init.cap.max_send_wr);
}

int vx_bind_mw_fail(int code, const struct vx_qp *qp, const struct vx_mw *mw, const struct ibv_mw_bind *mw_bind)
{
	const struct vx_request request = { .code = code, .type = VX_STRUCT(ibv_mw_bind), .attr = mw_bind, .mask = VX_MASK_ALL };
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	vx_reason_start(&reason, text, sizeof(text));
	check_window(&reason, vx_mw_raw(mw), mw_bind->bind_info.mr);
	if (!vx_reason_is_found(&reason))
		check_send_queue(&reason, vx_qp_raw(qp), code);
	vx_reason_of_values(&reason, &request, vx_release_running());
	find(&reason, &request, vx_qp_raw(qp)->context);
	return fail(code, "ibv_bind_mw", qp, &reason, text);
}

int vx_read_counters_fail(int code, const struct vx_counters *counters, const uint64_t *counters_value, uint32_t ncounters,
			  uint32_t flags)
{
	const struct vx_request request = { .code = code };
	const struct vx_bounds nothing = { 0 };
	char text[VX_LONGEST_REASON];
	struct vx_reason reason;

	(void)counters_value;
	vx_reason_start(&reason, text, sizeof(text));
	if (!ncounters)
		vx_reason_add(&reason, "ncounters is 0");
	vx_reason_of_flags(&reason, &request, vx_release_running(), "flags", vx_enum_find("ibv_read_counters_flags"), flags);
	vx_reason_of_code(&reason, &request, &nothing);
	vx_reason_finish(&reason);
	return fail(code, "ibv_read_counters", counters, &reason, text);
}

/* The MAC is asked for by way of the network interface that has the GID's address. */
int vx_resolve_eth_l2_from_gid_fail(int code, const struct vx_ctx *ctx, const struct ibv_ah_attr *attr,
				    const uint8_t *eth_mac, const uint16_t *vid)
{
	static const char call[] = "ibv_resolve_eth_l2_from_gid";
	struct ibv_port_attr port;

	(void)eth_mac, (void)vid;
	if (!ibv_query_port(vx_ctx_raw(ctx), attr->port_num, &port) && port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return vx_call_fail(code, call, vx_ctx_name(ctx), "port %u is no Ethernet port", attr->port_num);
	vx_method_attr_fail(code, call, ctx, VX_STRUCT(ibv_ah_attr), attr);
	if (code == -EINVAL && !vx_error()->reason[0])
		return vx_call_fail(code, call, vx_ctx_name(ctx),
				    "no network interface here may have the address of grh.sgid_index = %u", attr->grh.sgid_index);
	return code;
}
