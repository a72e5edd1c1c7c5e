/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FLOW_SPEC_H
#define VERBSX_SRC_FLOW_SPEC_H

/* The specs of a flow, from what a caller writes to what rdma-core wants, as rows of elements: the tables for flow.c. */

#include "object/make.h"

/* What a member is made of, in the caller's structure and in rdma-core's; the others are alike in both. */
enum vx_flow_form {
	VX_FLOW_MAC = 1,	/* text, and bytes */
	VX_FLOW_IPV4,
	VX_FLOW_IPV6,
	VX_FLOW_NUMBER,		/* in the byte order of the host, and of the network */
	VX_FLOW_COUNTERS,	/* a handle that may lack something */
};

/* A type of specs: a header, or an action. Generated, as its rows are: gen/lore/verbs.toml, [flow]. */
struct vx_flow_type {
	uint16_t type;
	uint16_t size;		/* of rdma-core's structure */
	uint8_t has_inner;	/* whether IBV_FLOW_SPEC_INNER goes with it */
};

extern const struct vx_flow_type vx_flow_types[];
extern const uint8_t vx_flow_type_count;
extern const struct vx_element_row vx_flow_rows[];
extern const struct vx_elements vx_flow_elements;

#endif
