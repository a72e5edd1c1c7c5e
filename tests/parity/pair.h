/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
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

/* Post a request, signalled, and tell how it ended. */
enum ibv_wc_status done(const struct pair *p, struct vx_qp *qp, struct ibv_send_wr wr);

/* Wait for the next completion. */
enum ibv_wc_status next(const struct pair *p);

/* Have the client write the first half of the region to the second by this key. */
enum ibv_wc_status write_by(const struct pair *p, uint32_t rkey);

#endif
