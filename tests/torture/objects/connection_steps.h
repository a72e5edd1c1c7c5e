/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TORTURE_CONNECTION_STEPS_H
#define VERBSX_TESTS_TORTURE_CONNECTION_STEPS_H

/* Ids of librdmacm, two of them that ask each other, and how far they are; connections_close() ends all of it. */

#include "torture.h"

extern struct vx_cm_id *listener, *active, *passive;
extern struct vx_cm_addrinfo *addresses;
extern struct vx_cm_server *server;
extern struct rdma_cm_id *bare; /* with a QP or an SRQ that libverbsx has not made */
extern struct vx_ctx *lent;

const char *own_address(void);

/* An id, and where it is then. */
int make_channel(void);
int make_id(void);
int make_id_of(enum rdma_port_space ps);
int make_bound(void);

/* One that asks, and one that listens: until that has been taken from the channel which tells so. */
int make_listener(void);
int make_resolving(void); /* but for that */
int make_resolved(void);
int make_routed(void);
int make_asked(void);
int make_answered(void);
int make_connected(void);

/* The steps between these. */
int bind_id(void);
int resolve_addr(void);
int resolve_route(void);
int set_local_ece(void);
int ask(void);
int accept_it(void);
int establish(void);

#endif
