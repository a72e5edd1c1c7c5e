/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_CM_ENDS_H
#define VERBSX_TESTS_PARITY_CM_ENDS_H

/* Ids of librdmacm, before they are connected. */

#include "device.h"

#define WITHIN 20000 /* ms */
#define ROOM 64
#define GRH_ROOM 40

/* One end: its id, and memory that its QP reaches. */
struct end {
	struct vx_cm_id *id;
	struct vx_qp *qp;
	struct vx_cq *cq; /* where that is the program's */
	struct vx_mr *mr;
	char *bytes;
};

/* Both ends are under one channel of one process. */
struct ends {
	struct vx_cm_channel *channel;
	struct vx_cm_id *listener;
	struct end active, passive;
};

/* That of this host, which CM_ADDRESS says. */
const char *own_address(void);
struct sockaddr *address(uint16_t port);

/* The next event, which has to be of a type. */
struct vx_cm_event expect(const struct ends *ends, enum rdma_cm_event_type type);

/* A region of the id's PD. */
void make_memory(struct end *end);

/* One that listens, and one that knows the way to it. */
struct ends routed(enum rdma_port_space ps);

#endif
