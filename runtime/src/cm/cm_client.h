/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CM_CLIENT_H
#define VERBSX_SRC_CM_CLIENT_H

/* What a client has, for those who make and end one. */

#include <stdbool.h>
#include <stdint.h>

#include <verbsx/cm_client.h>

#include "kinds.h"
#include "object/make.h"

#define VX_CM_LONGEST_REQUEST 56
#define VX_CM_LONGEST_WHY 256
#define VX_CM_CLIENT_STEP "vx_cm_client_step"

/* What it is at. */
enum vx_cm_at { VX_CM_NOTHING, VX_CM_ADDRESS, VX_CM_ROUTE, VX_CM_REQUEST, VX_CM_CONNECTED, VX_CM_PAUSING, VX_CM_OVER };

struct vx_cm_client_state {
	struct vx_kept_cm_client kept;
	struct vx_cm_client_init init;
	struct vx_cm_qp_init qp;
	unsigned char data[VX_CM_LONGEST_REQUEST];
	struct vx_cm_client *handle;
	struct vx_cm_channel *channel;		/* its own; the id is under it, unless the program has moved that */
	struct vx_cm_addrinfo *found;
	const struct rdma_addrinfo *to;		/* the one that is tried */
	struct vx_cm_id *id;
	const struct rdma_cm_id *raw;		/* that of the id, */
	uint32_t serial;			/* and the id's number, by which it is told from a later one in its place */
	enum vx_cm_at at;
	int64_t start, pause_start;
	int pause_ms;
	const char *call;			/* what the program has called, in which steps are taken */
	int rc;					/* what it has failed with; before it is over, what the last try did */
	char why[VX_CM_LONGEST_WHY];
	bool has_answer;
	struct rdma_conn_param answer;
	unsigned char told[UINT8_MAX];		/* behind the answer */
};

/* The id; NULL where the program has closed it. */
struct vx_cm_id *vx_cm_client_id_of(const struct vx_cm_client_state *c);

#endif
