/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <inttypes.h>
#include <string.h>

#include "mad.h"
#include "text/form.h"
#include "text/printer.h"

#define GID_BITS 128
#define STATUS_OF_ALL 0x1f	/* bits that all classes have alike */
#define STATUS_OF_CLASS 0x7f00
#define SMALL 9999		/* numbers that are read in decimals, unless they are keys */

uint64_t vx_mad_get(const uint8_t *bytes, enum vx_mad_field field)
{
	return vx_bits_get(bytes, vx_mad_fields[field].offset, vx_mad_fields[field].width);
}

void vx_mad_put(uint8_t *bytes, enum vx_mad_field field, uint64_t value)
{
	vx_bits_put(bytes, vx_mad_fields[field].offset, vx_mad_fields[field].width, value);
}

union ibv_gid vx_mad_gid(const uint8_t *bytes, enum vx_mad_field field)
{
	union ibv_gid gid;

	memcpy(gid.raw, bytes + vx_mad_fields[field].offset / 8, sizeof(gid));
	return gid;
}

static void add_to_mask(struct vx_mad *mad, enum vx_mad_field field)
{
	uint64_t mask = vx_mad_get(mad->bytes, VX_SA_HEADER_COMPONENT_MASK);

	vx_mad_put(mad->bytes, VX_SA_HEADER_COMPONENT_MASK, mask | UINT64_C(1) << vx_mad_fields[field].component);
}

void vx_mad_ask(struct vx_mad *mad, enum vx_mad_field field, uint64_t value)
{
	vx_mad_put(mad->bytes + VX_MAD_RECORD, field, value);
	add_to_mask(mad, field);
}

void vx_mad_ask_gid(struct vx_mad *mad, enum vx_mad_field field, const union ibv_gid *gid)
{
	memcpy(mad->bytes + VX_MAD_RECORD + vx_mad_fields[field].offset / 8, gid->raw, sizeof(*gid));
	add_to_mask(mad, field);
}

/* ---- as text ---- */

static void put_asked_field(struct vx_out *out, const struct vx_mad *mad, enum vx_mad_field field)
{
	const char *name = vx_mad_names + vx_mad_fields[field].name;
	uint64_t value;

	vx_put_format(out, "%s = ", name);
	if (vx_mad_fields[field].width == GID_BITS) {
		vx_put_string(out, VX_GID_TEXT(mad->bytes + VX_MAD_RECORD + vx_mad_fields[field].offset / 8));
		return;
	}
	value = vx_mad_of_record(mad, field);
	vx_put_format(out, value <= SMALL && !strstr(name, "_Key") ? "%" PRIu64 : "0x%" PRIx64, value);
}

void vx_mad_put_asked(struct vx_out *out, const struct vx_mad *mad)
{
	const struct vx_mad_attribute *record = &vx_mad_records[mad->record];
	uint64_t mask = vx_mad_get(mad->bytes, VX_SA_HEADER_COMPONENT_MASK);
	const char *between = " with ";
	unsigned int field;

	vx_put_format(out, "%s", vx_mad_names + record->name);
	for (field = record->first; field <= record->last; field++) {
		uint8_t component = vx_mad_fields[field].component;

		if (component == VX_MAD_NO_COMPONENT || !(mask >> component & 1))
			continue;
		vx_put_format(out, "%s", between);
		put_asked_field(out, mad, (enum vx_mad_field)field);
		between = ", ";
	}
}

void vx_mad_put_status(struct vx_out *out, uint16_t status)
{
	uint16_t part = status & STATUS_OF_CLASS ? status & STATUS_OF_CLASS : status & STATUS_OF_ALL;
	const char *word = vx_code_word(vx_mad_status_code, part);

	vx_put_format(out, "%s (0x%04x)", word ? word : "a status that no specification has", status);
}
