/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAD_H
#define VERBSX_SRC_MAD_H

/* MADs as bytes, and the fields in them, by the tables of generated/src/mad_fields.c. */

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "mad_fields.h"
#include "text/out.h"

#define VX_MAD_SIZE 256
#define VX_MAD_RECORD 56		/* behind the headers of the subnet administrator: where the record is */
#define VX_MAD_NO_COMPONENT 0xff

struct vx_mad_place {
	uint16_t offset;	/* in bits */
	uint8_t width;		/* in bits: a number has 64 at most, a GID 128 */
	uint8_t component;	/* its bit of the ComponentMask; VX_MAD_NO_COMPONENT: none */
	uint16_t name;		/* in vx_mad_names */
};

struct vx_mad_attribute {
	uint16_t id;		/* AttributeID */
	uint16_t name;		/* in vx_mad_names */
	uint8_t first, last;	/* of its fields */
	uint8_t size;		/* bytes that these take */
};

extern const struct vx_mad_place vx_mad_fields[];
extern const struct vx_mad_attribute vx_mad_records[];
extern const char vx_mad_names[];
extern const uint16_t vx_mad_status_code;	/* of vx_codes */

/* A field of a header, or of a record where @p bytes are the record's. */
uint64_t vx_mad_get(const uint8_t *bytes, enum vx_mad_field field);
void vx_mad_put(uint8_t *bytes, enum vx_mad_field field, uint64_t value);
union ibv_gid vx_mad_gid(const uint8_t *bytes, enum vx_mad_field field);

/* A question, or its answer. */
struct vx_mad {
	enum vx_mad_record record;
	uint8_t bytes[VX_MAD_SIZE];
};

/* Say what a record that is asked for, or set, has: the field, and its bit of the ComponentMask. */
void vx_mad_ask(struct vx_mad *mad, enum vx_mad_field field, uint64_t value);
void vx_mad_ask_gid(struct vx_mad *mad, enum vx_mad_field field, const union ibv_gid *gid);

static inline uint64_t vx_mad_of_record(const struct vx_mad *mad, enum vx_mad_field field)
{
	return vx_mad_get(mad->bytes + VX_MAD_RECORD, field);
}

/* "PathRecord with SGID = fe80::1, DLID = 7" */
void vx_mad_put_asked(struct vx_out *out, const struct vx_mad *mad);

/* What a Status that is not 0 means: "there is no such record (0x0300)". */
void vx_mad_put_status(struct vx_out *out, uint16_t status);

#endif
