/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FLOW_SPEC_H
#define VERBSX_SRC_FLOW_SPEC_H

/* One spec of a flow, from what a caller writes to what rdma-core wants. */

#include <verbsx/flow.h>

/* Names a field for messages: "specs[1].val.ipv4.dst_ip". */
struct vx_flow_place {
	size_t spec;		/* its place in the list */
	const char *part;	/* "val" or "mask" */
	const char *header;	/* "ipv4" */
	const char *field;	/* "dst_ip" */
};

/* What a field is made of, in the caller's structure and, in network order, in rdma-core's. */
enum vx_flow_form {
	VX_FLOW_MAC,
	VX_FLOW_IPV4,
	VX_FLOW_IPV6,
	VX_FLOW_NUMBER,
};

/* A kind of header: where value and mask lie in rdma-core's structure, and what it is in struct vx_flow_filter. Generated. */
struct vx_flow_header {
	uint16_t type;
	uint16_t size;
	uint8_t val, mask;
	uint8_t from, length;
	uint8_t first, count;	/* its fields */
	char name[8];
};

/* A field of a header. */
struct vx_flow_field {
	uint8_t form;		/* of enum vx_flow_form */
	uint8_t bits;
	uint8_t from, to;	/* where it lies in the caller's filter and in rdma-core's */
	uint8_t width;		/* bytes, in both, of a number */
	char name[14];
};

extern const struct vx_flow_header vx_flow_headers[];
extern const uint8_t vx_flow_header_count;
extern const struct vx_flow_field vx_flow_fields[];

/* Fill a spec. Returns 0, or -EINVAL, recorded. */
int vx_flow_spec_fill(struct ibv_flow_spec *out, const struct vx_flow_spec *spec, size_t index);

/*
 * An address in binary, from text. Of a value, prefix is set to the length of the prefix that follows it, or to -1; a mask
 * has none, and prefix is NULL. Returns 0, or -EINVAL, recorded.
 */
int vx_flow_address(const char *text, enum vx_flow_form form, unsigned char *out, int *prefix,
		    const struct vx_flow_place *place);

/* What is wrong with a field, as for printf(3), behind its name. Returns -EINVAL. */
int vx_flow_fail(const struct vx_flow_place *place, const char *format, ...) VX_PRINTF(2, 3);

#endif
