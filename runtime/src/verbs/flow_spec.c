/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The specs of flows: which fields each has, and how they get where rdma-core wants them. */

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "flow_spec.h"
#include "object/make.h"

/* ---- numbers ---- */

static uint32_t load(const unsigned char *from, uint8_t width)
{
	uint16_t half;
	uint32_t word;

	switch (width) {
	case sizeof(half):
		memcpy(&half, from, sizeof(half));
		return half;
	case sizeof(word):
		memcpy(&word, from, sizeof(word));
		return word;
	default:
		return *from;
	}
}

/* In network order. */
static void store(unsigned char *to, uint8_t width, uint32_t value)
{
	uint32_t big = htobe32(value << (8 * (sizeof(value) - width)));

	memcpy(to, &big, width);
}

static uint32_t full(const struct vx_flow_field *field)
{
	return UINT32_MAX >> (32 - field->bits);
}

static int set_number(const struct vx_flow_field *field, unsigned char *to, const unsigned char *from,
		      const struct vx_flow_place *place)
{
	uint32_t number = load(from, field->width);

	if (number > full(field))
		return vx_flow_fail(place, "= 0x%x, but has %u bits", number, field->bits);
	store(to, field->width, number);
	return 0;
}

static int fill_number(const struct vx_flow_field *field, unsigned char *val, unsigned char *mask, const unsigned char *from_val,
		       const unsigned char *from_mask, struct vx_flow_place *place)
{
	int rc;

	place->part = "val";
	rc = set_number(field, val, from_val, place);
	place->part = "mask";
	if (rc == 0)
		rc = set_number(field, mask, from_mask, place);
	if (rc == 0 && load(from_val, field->width) && !load(from_mask, field->width))
		store(mask, field->width, full(field));
	return rc;
}

/* ---- addresses ---- */

static void fill_prefix(unsigned char *mask, size_t size, int bits)
{
	size_t i;

	for (i = 0; i < size; i++, bits -= 8)
		mask[i] = bits >= 8 ? 0xff : bits > 0 ? (unsigned char)(0xff << (8 - bits)) : 0;
}

static const char *text_of(const unsigned char *from)
{
	const char *text;

	memcpy(&text, from, sizeof(text));
	return text;
}

static int fill_address(const struct vx_flow_field *field, unsigned char *val, unsigned char *mask, const unsigned char *from_val,
			const unsigned char *from_mask, struct vx_flow_place *place)
{
	const char *text = text_of(from_val), *mask_text = text_of(from_mask);
	int prefix = -1, rc = 0;

	place->part = "val";
	if (text)
		rc = vx_flow_address(text, field->form, val, &prefix, place);
	place->part = "mask";
	if (rc == 0 && mask_text && prefix >= 0)
		return vx_flow_fail(place, "is given, and so is a prefix in val");
	if (rc == 0 && mask_text)
		return vx_flow_address(mask_text, field->form, mask, NULL, place);
	if (rc == 0 && text)
		fill_prefix(mask, field->width, prefix >= 0 ? prefix : 8 * field->width);
	return rc;
}

/* ---- headers ---- */

static int fill_field(const struct vx_flow_header *header, const struct vx_flow_field *field, unsigned char *out,
		      const struct vx_flow_spec *spec, size_t index)
{
	struct vx_flow_place place = { .spec = index, .header = header->name, .field = field->name };
	const unsigned char *from_val = (const unsigned char *)&spec->val + field->from;
	const unsigned char *from_mask = (const unsigned char *)&spec->mask + field->from;
	unsigned char *val = out + header->val + field->to, *mask = out + header->mask + field->to;

	if (field->form == VX_FLOW_NUMBER)
		return fill_number(field, val, mask, from_val, from_mask, &place);
	return fill_address(field, val, mask, from_val, from_mask, &place);
}

static const struct vx_flow_header *header_of_spec(uint32_t type)
{
	size_t i;

	for (i = 0; i < vx_flow_header_count; i++)
		if (vx_flow_headers[i].type == (type & ~(uint32_t)IBV_FLOW_SPEC_INNER))
			return &vx_flow_headers[i];
	return NULL;
}

/* IBV_FLOW_SPEC_IPV4 has no place for what lies behind the addresses. */
static int check_extension(const struct vx_flow_header *header, const struct vx_flow_spec *spec, size_t index)
{
	size_t len = offsetof(struct vx_flow_ipv4, flags) + 1 - offsetof(struct vx_flow_ipv4, proto);

	if (header->type != IBV_FLOW_SPEC_IPV4)
		return 0;
	if (!vx_is_set(&spec->val.ipv4.proto, len) && !vx_is_set(&spec->mask.ipv4.proto, len))
		return 0;
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].type = IBV_FLOW_SPEC_IPV4, but proto, tos, ttl and flags "
		       "need IBV_FLOW_SPEC_IPV4_EXT", index);
}

/* mlx5 refuses a value with bits that its mask lacks, such as 10.0.0.1/24. */
static void drop_masked(const struct vx_flow_header *header, unsigned char *out)
{
	size_t i, size = header->mask - header->val;

	for (i = 0; i < size; i++)
		out[header->val + i] &= out[header->mask + i];
}

static int wrong_type(size_t index, const char *part, const char *name, uint32_t type)
{
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].%s.%s is set, but its type is %s", index, part, name,
		       vx_ibv_flow_spec_type_name(type & ~(uint32_t)IBV_FLOW_SPEC_INNER));
}

/* A program that has the wrong type in mind must not steer what it did not mean to. */
static int check_filter(const struct vx_flow_filter *filter, const char *part, const struct vx_flow_spec *spec, size_t index)
{
	const struct vx_flow_header *own = header_of_spec(spec->type);
	size_t i;

	for (i = 0; i < vx_flow_header_count; i++)
		if ((!own || vx_flow_headers[i].from != own->from) &&
		    vx_is_set((const unsigned char *)filter + vx_flow_headers[i].from, vx_flow_headers[i].length))
			return wrong_type(index, part, vx_flow_headers[i].name, spec->type);
	if (vx_is_set(filter->more, sizeof(filter->more)))
		return wrong_type(index, part, "more", spec->type);
	return 0;
}

static int fill_header(const struct vx_flow_header *header, struct ibv_flow_spec *out, const struct vx_flow_spec *spec, size_t index)
{
	int rc = check_extension(header, spec, index);
	int i;

	out->hdr.size = header->size;
	for (i = header->first; i < header->first + header->count && rc == 0; i++)
		rc = fill_field(header, &vx_flow_fields[i], (unsigned char *)out, spec, index);
	if (rc == 0)
		drop_masked(header, (unsigned char *)out);
	return rc;
}

/* ---- actions ---- */

static int missing(size_t index, const char *field)
{
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].%s is NULL", index, field);
}

static int no_action(const struct vx_flow_spec *spec, size_t index)
{
	const char *outer = vx_ibv_flow_spec_type_name(spec->type & ~(uint32_t)IBV_FLOW_SPEC_INNER);

	if (outer)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].type: IBV_FLOW_SPEC_INNER does not go with %s", index, outer);
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].type = 0x%x, which is none of enum ibv_flow_spec_type",
		       index, spec->type);
}

static int fill_action(struct ibv_flow_spec *out, const struct vx_flow_spec *spec, size_t index)
{
	switch (spec->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		out->hdr.size = sizeof(out->flow_tag);
		out->flow_tag.tag_id = spec->tag_id;
		return 0;
	case IBV_FLOW_SPEC_ACTION_DROP:
		out->hdr.size = sizeof(out->drop);
		return 0;
	case IBV_FLOW_SPEC_ACTION_HANDLE:
		out->hdr.size = sizeof(out->handle);
		if (vx_wrong_field(spec->action, VX_OBJECT_FLOW_ACTION, "vx_flow_create, action"))
			return -EINVAL;
		out->handle.action = spec->action ? vx_flow_action_raw(spec->action) : NULL;
		return spec->action ? 0 : missing(index, "action");
	case IBV_FLOW_SPEC_ACTION_COUNT:
		out->hdr.size = sizeof(out->flow_count);
		if (vx_wrong_field(spec->counters, VX_OBJECT_COUNTERS, "vx_flow_create, counters"))
			return -EINVAL;
		out->flow_count.counters = spec->counters ? vx_counters_raw(spec->counters) : NULL;
		return spec->counters ? 0 : missing(index, "counters");
	default:
		return no_action(spec, index);
	}
}

int vx_flow_spec_fill(struct ibv_flow_spec *out, const struct vx_flow_spec *spec, size_t index)
{
	const struct vx_flow_header *header = header_of_spec(spec->type);
	int rc;

	memset(out, 0, sizeof(*out));
	out->hdr.type = spec->type;
	rc = header ? fill_header(header, out, spec, index) : fill_action(out, spec, index);
	if (rc == 0)
		rc = check_filter(&spec->val, "val", spec, index);
	return rc < 0 ? rc : check_filter(&spec->mask, "mask", spec, index);
}
