/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FLOW_SPEC_H
#define VERBSX_SRC_FLOW_SPEC_H

/* One spec of a flow, from what a caller writes to what rdma-core wants: the tables for flow.c. */

#include <verbsx/flow.h>

/* What a field is made of, in the caller's structure and in rdma-core's. */
enum vx_flow_form {
	VX_FLOW_MAC,		/* text, and bytes */
	VX_FLOW_IPV4,
	VX_FLOW_IPV6,
	VX_FLOW_NUMBER,		/* in the byte order of the host, and of the network */
	VX_FLOW_TAG,		/* in that of the host */
	VX_FLOW_OBJECT,		/* a handle, and its raw object */
};

/* A type of specs: a header, or an action. Generated, as its fields are: gen/lore/verbs.toml, [flow]. */
struct vx_flow_type {
	uint16_t type;
	uint16_t size;		/* of rdma-core's structure */
	uint8_t has_inner;	/* whether IBV_FLOW_SPEC_INNER goes with it */
};

struct vx_flow_field {
	uint16_t type;		/* that has it: those of a type stand together */
	uint8_t form;		/* of enum vx_flow_form */
	uint8_t bits;		/* of a number; of an object its kind */
	uint8_t from_width, width; /* bytes, in the caller's structure and in rdma-core's */
	uint16_t from_val, from_mask; /* where it lies in struct vx_flow_spec; an action has no mask, which is 0 then */
	uint8_t val, mask;	/* and in rdma-core's structure */
	char name[20];		/* "ipv4.dst_ip" */
};

extern const struct vx_flow_type vx_flow_types[];
extern const uint8_t vx_flow_type_count;
extern const struct vx_flow_field vx_flow_fields[];
extern const uint8_t vx_flow_field_count;

#endif
