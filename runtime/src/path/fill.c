/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What this side knows of a path: the device, its port, the QP. */

#include <errno.h>
#include <sys/random.h>

#include <verbsx/calls.h>

#include "asked.h"
#include "error/fail.h"
#include "object/make.h"

/* Where nothing is known of it. A subnet manager tells how long packets live; of Ethernet, which has none, kernels take it for 268 ms. */
#define USUAL_HOPS 64
#define USUAL_RNR_TIMER 12	/* 0.64 ms */
#define USUAL_RETRIES 6		/* soft-RoCE takes 7 for without end, and would never tell that a peer is gone */
#define MOST_RETRIES 7
#define LIFE_ON_ETHERNET 16

static uint8_t smaller(uint32_t a, uint32_t b)
{
	uint32_t least = a < b ? a : b;

	return least < UINT8_MAX ? (uint8_t)least : UINT8_MAX;
}

/* A member whose 0 has a bit in the mask. */
static void give_default(const struct vx_path *path, uint32_t bit, uint8_t *member, uint32_t value)
{
	if (!*member && !(path->mask & bit))
		*member = smaller(value, UINT8_MAX);
}

static bool is_ethernet(const struct vx_asked *here)
{
	return here->port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* Packets have GIDs where their port needs them, and elsewhere those that go to another subnet. */
static bool goes_by_gid(const struct vx_path *path, const struct vx_asked *here)
{
	if (vx_port_needs_gids(&here->port))
		return true;
	return !vx_gid_is_zero(&path->dgid) && path->dgid.global.subnet_prefix != path->sgid.global.subnet_prefix;
}

/* Of a port with several LIDs all but the last bits of each are the same. */
static int check_slid(const struct vx_path *path, const struct ibv_port_attr *port, const char *call)
{
	const unsigned int several = 1u << port->lmc, first = port->lid & ~(several - 1);

	if (!path->slid || !vx_port_has_lids(port) || (path->slid & ~(several - 1)) == first)
		return 0;
	if (several == 1)
		return vx_fail(-EINVAL, call, VX_NAME(path->ctx), "slid = %u is none of port %u, which has LID %u alone", path->slid, path->port_num, first);
	return vx_fail(-EINVAL, call, VX_NAME(path->ctx), "slid = %u is none of port %u, which has LIDs %u to %u", path->slid, path->port_num, first,
		       first + several - 1);
}

static int fill_addresses(struct vx_path *path, struct vx_asked *here, const char *call)
{
	const bool is_open = vx_gid_is_zero(&path->sgid) || (is_ethernet(here) && !path->gid_type);
	int rc = vx_asked_gid(here, path, call); /* also one that is given: of a wrong one a packet would tell later, or nobody */

	if (rc < 0)
		return rc;
	if (is_open) {
		path->sgid = here->gid.gid;
		path->gid_type = here->gid.gid_type;
	}
	path->is_global = path->is_global || goes_by_gid(path, here);
	if (vx_port_has_lids(&here->port) && !path->slid)
		path->slid = here->port.lid;
	return check_slid(path, &here->port, call);
}

/* What is in the headers of packets, or bounds them. */
static void fill_wire(struct vx_path *path, const struct vx_asked *here)
{
	if (!path->pkey)
		path->pkey = VX_EVERYBODY;
	if (!path->path_mtu)
		path->path_mtu = (uint8_t)here->port.active_mtu;
	give_default(path, VX_PATH_PACKET_LIFE_TIME, &path->packet_life_time,
		     vx_port_has_lids(&here->port) ? here->port.subnet_timeout : LIFE_ON_ETHERNET);
	give_default(path, VX_PATH_HOP_LIMIT, &path->hop_limit, USUAL_HOPS);
}

static void fill_numbers(struct vx_path *path, const struct vx_asked *here)
{
	const struct ibv_device_attr *device = &here->device;

	fill_wire(path, here);
	give_default(path, VX_PATH_SRD_ATOMIC, &path->srd_atomic, UINT8_MAX);
	give_default(path, VX_PATH_DRD_ATOMIC, &path->drd_atomic, UINT8_MAX);
	path->srd_atomic = smaller(path->srd_atomic, (uint32_t)device->max_qp_init_rd_atom);
	path->drd_atomic = smaller(path->drd_atomic, (uint32_t)device->max_qp_rd_atom);
	give_default(path, VX_PATH_SACK_DELAY, &path->sack_delay, device->local_ca_ack_delay);
	give_default(path, VX_PATH_MIN_RNR_TIMER, &path->min_rnr_timer, USUAL_RNR_TIMER);
	give_default(path, VX_PATH_RETRY_CNT, &path->retry_cnt, USUAL_RETRIES);
	give_default(path, VX_PATH_RNR_RETRY, &path->rnr_retry, MOST_RETRIES);
}

int vx_path_fill_wire(struct vx_path *path, struct vx_asked *here, const char *call)
{
	int rc = vx_asked_port(here, path);

	if (rc == 0)
		rc = fill_addresses(path, here, call);
	if (rc == 0)
		fill_wire(path, here);
	return rc;
}

int vx_path_fill_here(struct vx_path *path, struct vx_qp *qp, bool addresses, struct vx_asked *here, const char *call)
{
	struct vx_ctx *ctx = (struct vx_ctx *)vx_node_ctx((const struct vx_node *)qp);
	int rc;

	rc = vx_path_check(path, call);
	if (rc < 0)
		return rc;
	if (path->ctx && path->ctx != ctx)
		return vx_path_elsewhere(path, qp, call);
	path->ctx = ctx;
	path->port_num = vx_path_port(path);
	if (!path->sqpn)
		path->sqpn = vx_qp_raw(qp)->qp_num;
	rc = vx_asked_device(here, path);
	if (rc == 0)
		rc = vx_asked_port(here, path);
	if (rc == 0 && addresses)
		rc = fill_addresses(path, here, call);
	if (rc == 0)
		fill_numbers(path, here);
	return rc;
}

/* Any but 0, which would not be known. */
static int draw_psn(uint32_t *out, const void *object, const char *call)
{
	uint32_t drawn = 0;

	while (!drawn) {
		if (getrandom(&drawn, sizeof(drawn), 0) != sizeof(drawn))
			return vx_fail(vx_code_in_errno(), call, VX_NAME(object), "no random number for a first packet");
		drawn &= VX_24_BITS;
	}
	*out = drawn;
	return 0;
}

/* Who is told would connect his QP to that one. What only moves a QP has no use for its own number, and so takes any. */
static int check_sqpn(const struct vx_path *path, const struct vx_qp *qp)
{
	if (!path->sqpn || path->sqpn == vx_qp_raw(qp)->qp_num)
		return 0;
	return vx_fail(-EINVAL, "vx_path_fill", VX_NAME(qp), "sqpn = 0x%x is another QP's: each has its own path, in which sqpn is 0 before that is filled",
		       path->sqpn);
}

int vx_path_fill_all(struct vx_path *path, struct vx_qp *qp, bool any_sqpn, struct vx_asked *here)
{
	struct vx_path filled = *path;
	int rc = any_sqpn ? 0 : check_sqpn(path, qp);

	if (rc == 0)
		rc = vx_path_fill_here(&filled, qp, true, here, "vx_path_fill");
	if (rc == 0 && !filled.spsn && !(filled.mask & VX_PATH_SPSN))
		rc = draw_psn(&filled.spsn, qp, "vx_path_fill");
	if (rc == 0)
		*path = filled;
	return rc;
}

/* Of datagrams the number is in none but handshakes: any QP may send an answer. */
int vx_path_fill(struct vx_path *path, struct vx_qp *qp)
{
	struct vx_asked here = { 0 };

	if (vx_wrong(qp, VX_OBJECT_QP, "vx_path_fill", "qp"))
		return -EINVAL;
	if (!path)
		return vx_null_fail("vx_path_fill", "path");
	return vx_path_fill_all(path, qp, vx_qp_raw(qp)->qp_type == IBV_QPT_UD, &here);
}
