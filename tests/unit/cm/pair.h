/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_CM_PAIR_H
#define VERBSX_TESTS_UNIT_CM_PAIR_H

/* Two ids of one process that are connected with each other, through librdmacm as it is. */

#include "unit/device.h"

#define WITHIN 20000 /* ms; a peer in the same process answers at once */

/* A listener, who asks it, and the id that it got for that. */
struct pair {
	struct vx_cm_channel *channel;
	struct vx_cm_id *listener, *active, *passive;
	struct vx_qp *active_qp, *passive_qp;
};

/* Bring it to where a device is behind the active id; nothing is sent yet. */
void pair_resolve(struct pair *pair, enum rdma_port_space ps);

/* The QPs are connected, or the end of the test. */
void pair_connect(struct pair *pair);

/* A region of the PD that librdmacm lends an id, which is not closed. */
struct vx_mr *pair_region(const struct vx_cm_id *id, char *buf, size_t size);

/* The next event of a channel, which must be of a type. */
struct vx_cm_event next_event(struct vx_cm_channel *channel, enum rdma_cm_event_type type);

/* That of the device at hand: what CM_ADDRESS of the environment says, else that of the virtual machine's. */
const char *own_address(void);

/* An address of the host that both are on, with a port; the first that an emulated device has. */
struct sockaddr *address_of(const struct vx_cm_id *listener);

#endif
