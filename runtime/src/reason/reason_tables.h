/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_TABLES_H
#define VERBSX_SRC_REASON_TABLES_H

/*
 * The tables of generated/src/limits.c and transitions.c. As those of table.h they hold names, numbers and indices,
 * never pointers. A field is named by its path, "cap.max_send_wr", which vx_structs can find.
 */

#include <infiniband/verbs.h>

#include "text/table.h"

/* Who says what is allowed. */
enum vx_source {
	VX_SOURCE_NUMBER,	/* the table itself; of rules: the structure that the call took */
	VX_SOURCE_DEVICE,	/* struct ibv_device_attr */
	VX_SOURCE_DEVICE_EX,	/* struct ibv_device_attr_ex */
	VX_SOURCE_PORT,		/* struct ibv_port_attr */
	VX_SOURCE_CONTEXT,	/* struct ibv_context */
	VX_SOURCES
};

struct vx_limit {
	uint16_t owner;		/* of vx_structs: what the call took */
	vx_name field;		/* in vx_limit_texts, as all names here */
	uint8_t source;		/* enum vx_source */
	uint8_t is_index;	/* the field must be less than the limit, else no more */
	vx_name limit;
	uint32_t number;	/* VX_SOURCE_NUMBER: the limit */
};

struct vx_count {
	uint8_t kind;		/* enum vx_object_kind */
	uint8_t source;
	vx_name limit;
};

struct vx_fault {
	uint16_t owner;
	vx_name text;
	uint16_t rules[VX_SOURCES];	/* of vx_rules, 0: none */
	uint8_t codes[3];		/* errnos; the first 0: any */
};

struct vx_suspect {
	uint16_t owner;
	vx_name field;
	uint32_t usual;			/* flags of it that are none; of an enum the values, each a bit */
};

#define VX_FACTORS 3

struct vx_product {
	uint16_t owner;
	struct vx_factor {
		vx_name field;		/* 0: no more */
		uint32_t usual;		/* its default */
	} factors[VX_FACTORS];
};

/* The QP types that mlx5 has behind IBV_QPT_DRIVER. */
#define VX_QPT_DCI 12
#define VX_QPT_DCT 13

struct vx_transition {
	uint32_t types;		/* bit IBV_QPT_RC and so on, which end at 10 but for IBV_QPT_DRIVER */
	uint8_t from, to;	/* enum ibv_qp_state */
	uint32_t required, optional;	/* enum ibv_qp_attr_mask, without IBV_QP_STATE */
};

extern const struct vx_limit vx_limits[];
extern const uint16_t vx_limit_count;
extern const struct vx_count vx_counts[];
extern const uint16_t vx_count_count;
extern const struct vx_fault vx_faults[];
extern const uint16_t vx_fault_count;
extern const struct vx_fault vx_refusals[];
extern const uint16_t vx_refusal_count;
extern const struct vx_suspect vx_suspects[];
extern const uint16_t vx_suspect_count;
extern const struct vx_product vx_products[];
extern const uint16_t vx_product_count;
extern const char vx_limit_texts[];
extern const struct vx_transition vx_transitions[];
extern const uint16_t vx_transition_count;
extern const uint8_t vx_wq_ways[IBV_WQS_UNKNOWN];	/* by state: the states that follow, as bits */

#endif
