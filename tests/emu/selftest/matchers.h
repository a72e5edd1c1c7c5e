/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Matchers of mlx5dv, and flows by them. */
#ifndef MATCHERS_H
#define MATCHERS_H

#include "frames.h"

/* Parts of the match parameters, by their bits */
enum {
	OUTER = 1,
	MISC = 2,
	INNER = 4,
	PART = 64,
	PARAMETERS = 192
};

/* A mask or a value: bytes of the match parameters */
struct parameters {
	size_t match_sz;
	uint64_t match_buf[PARAMETERS / 8];
};

/* Actions that change headers: what they do, and to which field */
enum {
	MODIFY_SET = 1,
	MODIFY_ADD = 2,
	MODIFY_COPY = 3,
	OUT_IP_TTL = 0xa,
	OUT_UDP_DPORT = 0xc
};

__be64 change_of(uint32_t type, uint32_t field, uint32_t data);

void put_bytes(struct parameters *p, size_t byte, const char *bytes, size_t n);

/* NULL with errno, or the end of the test; @flags: IBV_FLOW_ATTR_FLAGS_EGRESS or 0 */
struct mlx5dv_flow_matcher *try_matcher(struct parameters *mask, uint8_t enable, uint16_t priority, uint32_t flags);
struct mlx5dv_flow_matcher *make_matcher(struct parameters *mask, uint8_t enable, uint16_t priority);
struct ibv_flow *make_flow(struct mlx5dv_flow_matcher *m, struct parameters *value, size_t n, struct mlx5dv_flow_action_attr *actions);
void end_flow(struct ibv_flow *f, struct mlx5dv_flow_matcher *m);

struct mlx5dv_flow_action_attr to_receiver(struct receiver *r);

#endif
