/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* From a port to the subnet administrator: where it is, and how long to wait for it. */

#include <verbsx/enums.h>

#include "error/fail.h"
#include "object/make.h"
#include "path/asked.h"
#include "sa.h"

#define EVERYBODY 0xffff	/* the P_Key by which everybody is reached that is in a subnet, if only as a limited member */
#define USUAL_RETRIES 2
#define USUAL_RESP_TIME 18	/* a second */
#define LONGEST_TIME 31		/* what five bits hold */

static int no_manager(const struct vx_ctx *ctx, uint8_t port_num, const struct ibv_port_attr *port, const char *call)
{
	char state[32];

	vx_ibv_port_state_snprint(state, sizeof(state), (int64_t)port->state);
	return vx_fail(-ENETUNREACH, call, VX_NAME(ctx),
		       "port %u has no subnet manager (sm_lid = 0, lid = %u, %s): without one, such as opensm, a subnet has no LIDs", port_num,
		       port->lid, state);
}

/* The partition that a subnet administrator is in; the first of the table where nothing is said of it. */
static uint16_t pkey_index_of(struct vx_ctx *ctx, uint8_t port_num)
{
	struct vx_asked here = { 0 };

	VX_QUIETLY(vx_asked_pkey(&here, &(struct vx_path){ .ctx = ctx, .port_num = port_num, .pkey = EVERYBODY }));
	return here.pkey_index;
}

static unsigned int retries_of(const struct vx_path *path)
{
	return path->retry_cnt || path->mask & VX_PATH_RETRY_CNT ? path->retry_cnt : USUAL_RETRIES;
}

/* The administrator tells how long it takes, which the first who asks it finds out. What it does not tell is as usual. */
static int learn_resp_time(struct vx_sa_link *link)
{
	struct vx_mad mad = { .record = VX_CLASS_PORT_INFO };
	uint16_t status;
	int rc;

	link->resp_time = vx_sa_resp_time(link);
	if (link->resp_time)
		return 0;
	link->resp_time = USUAL_RESP_TIME;
	rc = vx_sa_exchange(link, &mad, VX_SA_GET, &status);
	if (rc < 0)
		return rc;
	if (!status && vx_mad_of_record(&mad, VX_CLASS_PORT_INFO_RESP_TIME_VALUE))
		link->resp_time = (uint8_t)vx_mad_of_record(&mad, VX_CLASS_PORT_INFO_RESP_TIME_VALUE);
	vx_sa_remember_resp_time(link, link->resp_time);
	return 0;
}

int vx_sa_link_make(struct vx_sa_link *link, const struct vx_path *path, const struct ibv_port_attr *port, int timeout_ms, const char *call)
{
	bool has_life = path->packet_life_time || path->mask & VX_PATH_PACKET_LIFE_TIME;
	uint8_t life = has_life ? path->packet_life_time : port->subnet_timeout;

	if (!port->sm_lid)
		return no_manager(path->ctx, vx_path_port(path), port, call);
	*link = (struct vx_sa_link){
		.ctx = path->ctx,
		.call = call,
		.port_num = vx_path_port(path),
		.sm_lid = port->sm_lid,
		.sm_sl = port->sm_sl,
		.life = life < LONGEST_TIME ? life : LONGEST_TIME,
		.retries = retries_of(path),
		.timeout_ms = timeout_ms,
		.deadline = timeout_ms > 0 ? vx_now_ms() + timeout_ms : 0,
	};
	link->pkey_index = pkey_index_of(path->ctx, link->port_num);
	return learn_resp_time(link);
}
