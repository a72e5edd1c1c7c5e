/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_CONNECTION_H
#define VERBSX_TESTS_CONNECTION_H

/* What mistakes with ids of librdmacm begin with, and how they end. */

#include "mistakes.h"

#define OWN 0x0a010001 /* 10.1.0.1, the address of the emulated device */
#define SOON 20000

/* A listener, who asks it, and what comes of that; all of one channel, which each mistake ends with. */
extern struct vx_cm_channel *channel;
extern struct vx_cm_id *listener, *id, *asked;

struct sockaddr *address(uint32_t host, uint16_t port);

/* An id: made, with its address resolved by a listener, with its route as well. */
struct vx_cm_id *begin_as(enum rdma_port_space ps);
struct vx_cm_id *begin(struct bench *b);
struct vx_cm_id *resolved_as(enum rdma_port_space ps);
struct vx_cm_id *resolved(struct bench *b);
struct vx_cm_id *routed_as(enum rdma_port_space ps);

struct vx_qp *with_qp(struct vx_cm_id *of);

/* Asked for a connection, with a depth of reads. */
struct vx_cm_id *request_as(enum rdma_port_space ps, uint8_t depth);
struct vx_cm_id *request(uint8_t depth);

struct vx_cm_event wait_for(enum rdma_cm_event_type type);

/* So many bytes of private data. */
extern const char much[255];
struct rdma_conn_param telling(uint8_t bytes);

/* What a mistake returned, and what was said of it. */
int said(struct bench *b, int rc);

#endif
