/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <verbsx/describe.h>
#include <verbsx/enums.h>
#include <verbsx/wc_error.h>

#include "object/object.h"
#include "text/out.h"

#define VX_TRACE_ASIDE
#include "traced.h"

#define LONGEST_NAME 128
#define LONGEST_GID 48
#define LONGEST_STATUS 48
#define LONGEST_OPCODE 48

static void put_status(struct vx_out *out, const struct ibv_wc *wc)
{
	const char *name = vx_ibv_wc_status_name(wc->status);
	char number[LONGEST_STATUS];

	if (name) {
		vx_put_string(out, name);
		vx_put_literal(out, " (");
		vx_put_signed(out, wc->status);
		vx_put_literal(out, ")");
		return;
	}
	vx_ibv_wc_status_snprint(number, sizeof(number), wc->status);
	vx_put_string(out, number);
}

static void put_opcode(struct vx_out *out, int opcode)
{
	char name[LONGEST_OPCODE];

	if (opcode < 0)
		return;
	vx_ibv_wc_opcode_snprint(name, sizeof(name), opcode);
	vx_put_literal(out, " of ");
	vx_put_string(out, name);
}

static void put_address(struct vx_out *out, const struct ibv_ah_attr *ah)
{
	char gid[LONGEST_GID];

	if (!ah->is_global) {
		vx_put_literal(out, " of LID ");
		vx_put_unsigned(out, ah->dlid);
		return;
	}
	vx_snprint(gid, sizeof(gid), VX_STRUCT(ibv_gid), &ah->grh.dgid, VX_COMPACT);
	vx_put_literal(out, " of ");
	vx_put_string(out, gid);
}

static bool is_connected(const struct ibv_qp *qp)
{
	switch (qp->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return true;
	default:
		return false;
	}
}

/* A QP that failed still knows whom it was connected to. */
static void put_peer(struct vx_out *out, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	if (!is_connected(qp) || ibv_query_qp(qp, &attr, IBV_QP_DEST_QPN | IBV_QP_AV, &init) || !attr.dest_qp_num)
		return;
	vx_put_literal(out, " to qp ");
	vx_put_unsigned(out, attr.dest_qp_num);
	put_address(out, &attr.ah_attr);
}

static void put_number_of_qp(struct vx_out *out, const struct ibv_wc *wc, const struct vx_qp *qp)
{
	char name[LONGEST_NAME];

	vx_put_literal(out, " on ");
	if (!qp) {
		vx_put_literal(out, "qp ");
		vx_put_unsigned(out, wc->qp_num);
		return;
	}
	vx_object_name(name, sizeof(name), qp);
	vx_put_string(out, name);
	put_peer(out, vx_qp_raw(qp));
}

static void put_request(struct vx_out *out, const struct ibv_wc *wc)
{
	vx_put_literal(out, ", wr_id = ");
	vx_put_unsigned(out, wc->wr_id);
	if (!wc->vendor_err)
		return;
	vx_put_literal(out, ", vendor_err = ");
	vx_put_hex(out, wc->vendor_err);
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

size_t vx_wc_error(char *buf, size_t len, const struct ibv_wc *wc, const struct vx_qp *qp, int opcode)
{
	struct vx_out out;

	vx_out_buffer(&out, buf, len);
	if (!wc) {
		vx_put_literal(&out, "wc is NULL");
		return vx_out_finish(&out);
	}
	if (qp && vx_wrong(qp, VX_OBJECT_QP, "vx_wc_error", "qp"))
		qp = NULL;
	put_status(&out, wc);
	put_opcode(&out, opcode);
	put_number_of_qp(&out, wc, qp);
	put_request(&out, wc);
	put_status_meaning(&out, wc->status);
	return vx_out_finish(&out);
}
