/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_PAIR_H
#define VERBSX_TESTS_PARITY_PAIR_H

/* Two RC QPs of the device, connected to each other, with a region for both. */

#include "device.h"

#define ROOM 4096

struct pair {
	struct vx_cq *cq;
	struct vx_qp *client, *server;
	struct vx_mr *mr;
};

struct pair connected(void);

/* The same, with a server of another PD and a CQ of its context; its receives complete there. NULL for the client's CQ. */
struct pair connected_to(struct vx_pd *server_pd, struct vx_cq *server_cq);

/* Post a request, signalled, and tell how it ended. */
enum ibv_wc_status done(const struct pair *p, struct vx_qp *qp, struct ibv_send_wr wr);

/* Wait for the next completion, and tell how it ended. */
struct ibv_wc next_wc(const struct pair *p);
enum ibv_wc_status next(const struct pair *p);

/* Both QPs connected anew, which a failed request has stopped. */
void connect_again(const struct pair *p);

/* Have the client write the first half of the region to an address by a key, and only post that. */
void post_write(const struct pair *p, void *to, uint32_t rkey);

/* The same, until it has ended; the memory must tell the same as the status. */
enum ibv_wc_status write_to(const struct pair *p, void *to, uint32_t rkey);

/* The same, to the second half of the region. */
enum ibv_wc_status write_by(const struct pair *p, uint32_t rkey);

#endif
