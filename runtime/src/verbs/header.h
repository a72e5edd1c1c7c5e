/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_HEADER_H
#define VERBSX_SRC_HEADER_H

/* The 40 bytes before what a UD QP receives: a GRH, a header of IPv6, or one of IPv4 in the last 20 of them. */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

struct vx_header {
	union ibv_gid sgid, dgid;	/* IPv4 as ::ffff:a.b.c.d */
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit;		/* what is left of it */
	bool udp;			/* RoCE v2 */
};

/* False: the bytes are neither. */
bool vx_header_read(const void *bytes, struct vx_header *out);

#endif
