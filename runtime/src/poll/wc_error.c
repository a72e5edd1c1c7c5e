/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <inttypes.h>

#include <verbsx/describe.h>
#include <verbsx/enums.h>
#include <verbsx/wc_error.h>

#include "guard/guard.h"
#include "know/mlx5_prm.h"
#include "object/object.h"
#include "reason/reason.h"
#include "text/form.h"

#define VX_TRACE_ASIDE
#include "traced.h"

/* A completion that failed, as a sentence: which QP to whom, and what its status means. */

#define LONGEST_OPCODE 48

static void put_status(struct vx_out *out, enum ibv_wc_status status)
{
	const char *name = vx_ibv_wc_status_name(status);

	vx_put_format(out, name ? "%s (%d)" : "%s(%d)", name ? name : "ibv_wc_status", (int)status);
}

static void put_opcode(struct vx_out *out, enum ibv_wc_opcode opcode)
{
	char name[LONGEST_OPCODE];

	if (opcode == VX_WC_UNKNOWN)
		return;
	vx_ibv_wc_opcode_snprint(name, sizeof(name), opcode);
	vx_put_format(out, " of %s", name);
}

/* Of all reasons for no answer the one that can be seen from here. */
static void put_port_of_qp(struct vx_out *out, struct ibv_context *context, uint8_t port_num)
{
	struct ibv_port_attr port;
	const char *name;

	if (ibv_query_port(context, port_num, &port) || port.state == IBV_PORT_ACTIVE)
		return;
	name = vx_ibv_port_state_name(port.state);
	vx_put_format(out, ", and port %u is %s", port_num, name ? name : "not active");
}

/* Of a type that is told of one peer, which a QP still knows when it has failed. */
static void put_peer(struct vx_out *out, struct ibv_qp *qp, const struct ibv_wc *wc, bool received)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!(vx_transition_mask(qp) & IBV_QP_DEST_QPN) || ibv_query_qp(qp, &attr, IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_PORT, &init) || !attr.dest_qp_num)
		return;
	vx_put_format(out, " %s qp %u of ", received ? "from" : "to", attr.dest_qp_num);
	if (attr.ah_attr.is_global)
		vx_put_string(out, VX_GID_TEXT(&attr.ah_attr.grh.dgid));
	else
		vx_put_format(out, "LID %u", attr.ah_attr.dlid);
	if (wc->status == IBV_WC_RETRY_EXC_ERR)
		put_port_of_qp(out, qp->context, attr.port_num);
}

static void put_qp_and_peer(struct vx_out *out, const struct ibv_wc *wc, const struct vx_qp *qp, bool received)
{
	struct ibv_qp *raw = qp && !vx_wrong(qp, VX_OBJECT_QP, "vx_wc_error", NULL) ? vx_qp_raw(qp) : NULL;

	/* With a CQ of several QPs it may be another one's. Receives of a raw packet QP may have the number of its queue. */
	if (!raw || (wc->qp_num != raw->qp_num && raw->qp_type != IBV_QPT_RAW_PACKET)) {
		vx_put_format(out, " on qp %u%s%s", wc->qp_num, raw ? ", and the handle is that of " : "", raw ? VX_NAME(qp) : "");
		return;
	}
	vx_put_format(out, " on %s", VX_NAME(qp));
	put_peer(out, raw, wc, received);
}

/* Where mlx5 devices were seen to give the code with another status, the program may have mixed up completions or QPs. */
static void put_vendor_err(struct vx_out *out, const struct ibv_wc *wc, const struct vx_qp *qp)
{
	uint8_t i;

	vx_put_format(out, ", vendor_err = 0x%x", wc->vendor_err);
	if (!qp || !vx_is_provided_by(qp, "libmlx5"))
		return;
	for (i = 0; i < vx_mlx5_vendor_err_count; i++)
		if (vx_mlx5_vendor_errs[i].code == wc->vendor_err && vx_mlx5_vendor_errs[i].status != wc->status)
			vx_put_format(out, ", which such devices give with %s", vx_ibv_wc_status_name(vx_mlx5_vendor_errs[i].status));
}

static void put_status_meaning(struct vx_out *out, enum ibv_wc_status status)
{
	const char *name = vx_ibv_wc_status_name(status);
	struct vx_meaning meaning;

	if (!name || !vx_meaning_of(name, &meaning))
		return;
	vx_put_literal(out, ": ");
	vx_put_string(out, meaning.says);
	if (!*meaning.causes)
		return;
	vx_put_literal(out, " Usual causes: ");
	vx_put_string(out, meaning.causes);
}

/* What the guard of a checked QP remembers of the request. */
static enum ibv_wc_opcode remembered(const struct ibv_wc *wc, const struct vx_qp *qp)
{
	struct vx_guard_qp *guard = vx_is_handle(qp, VX_OBJECT_QP) ? vx_guard_before_qp((const struct vx_node *)qp) : NULL;
	enum ibv_wc_opcode opcode;
	bool locked;

	if (!guard || wc->qp_num != guard->raw->qp_num)
		return VX_WC_UNKNOWN;
	locked = vx_guard_lock(guard);
	opcode = vx_guard_opcode_of(guard, wc);
	if (locked)
		vx_guard_unlock(guard);
	return opcode;
}

size_t vx_wc_error(char *buf, size_t len, const struct ibv_wc *wc, const struct vx_qp *qp, enum ibv_wc_opcode opcode)
{
	struct vx_out out = vx_out_in(buf, len);

	if (!wc) {
		vx_put_literal(&out, "wc is NULL");
		return vx_out_finish(&out);
	}
	if (opcode == VX_WC_UNKNOWN)
		opcode = remembered(wc, qp);
	put_status(&out, wc->status);
	put_opcode(&out, opcode);
	put_qp_and_peer(&out, wc, qp, vx_is_of_a_receive(opcode));
	vx_put_format(&out, ", wr_id = 0x%" PRIx64, wc->wr_id);
	if (wc->status && wc->vendor_err)
		put_vendor_err(&out, wc, qp);
	put_status_meaning(&out, wc->status);
	return vx_out_finish(&out);
}
