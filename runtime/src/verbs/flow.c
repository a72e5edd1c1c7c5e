/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A flow as rdma-core wants it: specs, whose fields are put where it has them, behind the attributes without a gap; and what it uses: QP,
 * actions, counters.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "flow_spec.h"
#include "steps.h"
#include "text/printer.h"

/* Names a field for messages: "specs[1].val.ipv4.dst_ip". */
struct flow_place {
	size_t spec;		/* its place in the list */
	const char *part;	/* "val." or "mask.", or "" */
	const char *field;
};

/* What is wrong with a field, as for printf(3), behind its name. Returns -EINVAL. */
VX_PRINTF(2, 3)
static int fail_flow(const struct flow_place *place, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].%s%s %s", place->spec, place->part, place->field, what);
}

static const char *type_name(uint32_t type)
{
	return vx_ibv_flow_spec_type_name(type & ~(uint32_t)IBV_FLOW_SPEC_INNER);
}

/* ---- numbers ---- */

static uint32_t most_of(const struct vx_flow_field *field)
{
	return UINT32_MAX >> (32 - field->bits);
}

static int take_number(const struct vx_flow_field *field, unsigned char *to, uint32_t number, const struct flow_place *place)
{
	if (number > most_of(field))
		return fail_flow(place, "= 0x%x, but has %u bits", number, field->bits);
	vx_bits_put(to, 0, 8u * field->width, number);
	return 0;
}

static int fill_number(const struct vx_flow_field *field, unsigned char *val, unsigned char *mask, const unsigned char *spec,
		       struct flow_place *place)
{
	uint32_t number = (uint32_t)vx_read_unsigned(spec + field->from_val, field->width);
	uint32_t bits = (uint32_t)vx_read_unsigned(spec + field->from_mask, field->width);
	int rc = take_number(field, val, number, place);

	place->part = "mask.";
	return rc < 0 ? rc : take_number(field, mask, number && !bits ? most_of(field) : bits, place);
}

/* ---- addresses ---- */

#define MAC_LENGTH 6

/* By form: what messages call one, which family it is of, its bits, and what one looks like. */
static const struct {
	char value[13], mask[10];
	int family, bits;
	char such_as[18], such_a_mask[18];
} forms[] = {
	[VX_FLOW_MAC] = { "MAC", "MAC", 0, 48, "02:00:0a:00:00:01", "ff:ff:ff:00:00:00" },
	[VX_FLOW_IPV4] = { "IPv4 address", "IPv4 mask", AF_INET, 32, "10.0.0.1", "255.255.255.0" },
	[VX_FLOW_IPV6] = { "IPv6 address", "IPv6 mask", AF_INET6, 128, "fe80::1", "ffff:ffff::" },
};

static bool parse_mac(const char *text, unsigned char *out)
{
	int i;

	if (strlen(text) != MAC_LENGTH * 3 - 1)
		return false;
	for (i = 0; i < MAC_LENGTH; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) || (text[2] && !strchr(":-", text[2])))
			return false;
		out[i] = (unsigned char)strtoul(text, NULL, 16);
	}
	return true;
}

static bool parse(const char *text, size_t length, int family, unsigned char *out)
{
	char address[INET6_ADDRSTRLEN] = "";

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	return family ? inet_pton(family, address, out) == 1 : parse_mac(address, out);
}

static bool parse_prefix(const char *digits, int longest, int *prefix)
{
	char *end;
	long length = strtol(digits, &end, 10);

	*prefix = (int)length;
	return isdigit((unsigned char)*digits) && !*end && length <= longest;
}

/*
 * An address in binary, from text. Of a value, the length of the prefix that follows it is told, or that of the whole; a mask
 * has none, and @p prefix is NULL.
 */
static int take_address(const char *text, enum vx_flow_form form, unsigned char *out, int *prefix, const struct flow_place *place)
{
	const char *slash = prefix && forms[form].family ? strchr(text, '/') : NULL;

	if (!parse(text, slash ? (size_t)(slash - text) : strlen(text), forms[form].family, out))
		return fail_flow(place, "= \"%.60s\", which is no %s, such as %s", text,
				    prefix ? forms[form].value : forms[form].mask,
				    prefix ? forms[form].such_as : forms[form].such_a_mask);
	if (prefix)
		*prefix = forms[form].bits;
	if (slash && !parse_prefix(slash + 1, forms[form].bits, prefix))
		return fail_flow(place, "= \"%.60s\", whose prefix is not of 0 to %d bits", text, forms[form].bits);
	return 0;
}

static void fill_prefix(unsigned char *mask, size_t size, int bits)
{
	size_t i;

	for (i = 0; i < size; i++, bits -= 8)
		mask[i] = bits >= 8 ? 0xff : bits > 0 ? (unsigned char)(0xff << (8 - bits)) : 0;
}

static int fill_address(const struct vx_flow_field *field, unsigned char *val, unsigned char *mask, const unsigned char *spec,
			struct flow_place *place)
{
	const char *text = vx_read_pointer(spec + field->from_val), *mask_text = vx_read_pointer(spec + field->from_mask);
	int rc = 0, prefix = 0;

	if (text)
		rc = take_address(text, (enum vx_flow_form)field->form, val, &prefix, place);
	place->part = "mask.";
	if (rc < 0 || !mask_text)
		fill_prefix(mask, field->width, prefix);
	else if (text && strchr(text, '/'))
		return fail_flow(place, "is given, and so is a prefix in val");
	else
		rc = take_address(mask_text, (enum vx_flow_form)field->form, mask, NULL, place);
	return rc;
}

/* ---- fields ---- */

static int fill_object(const struct vx_flow_field *field, unsigned char *to, const unsigned char *spec,
		       const struct flow_place *place)
{
	const struct vx_object *object = vx_read_pointer(spec + field->from_val);

	if (!object)
		return fail_flow(place, "is NULL");
	if (vx_wrong(object, field->bits, "vx_flow_create", field->name))
		return fail_flow(place, "is wrong: %s", vx_error()->reason);
	memcpy(to, &object->raw, sizeof(object->raw));
	return 0;
}

static int fill_field(const struct vx_flow_field *field, unsigned char *out, const unsigned char *spec, size_t index)
{
	struct flow_place place = { index, field->from_mask ? "val." : "", field->name };
	unsigned char *val = out + field->val, *mask = out + field->mask;
	size_t i;
	int rc;

	if (field->form == VX_FLOW_OBJECT)
		return fill_object(field, val, spec, &place);
	if (field->form == VX_FLOW_TAG) {
		memcpy(val, spec + field->from_val, field->width);
		return 0;
	}
	rc = (field->form == VX_FLOW_NUMBER ? fill_number : fill_address)(field, val, mask, spec, &place);
	/* mlx5 refuses a value with bits that its mask lacks, such as 10.0.0.1/24. */
	for (i = 0; i < field->width; i++)
		val[i] &= mask[i];
	return rc;
}

/* ---- specs ---- */

static const struct vx_flow_type *find_type(uint32_t type, size_t index)
{
	const struct flow_place place = { index, "", "type" };
	size_t i;

	for (i = 0; i < vx_flow_type_count; i++) {
		if (vx_flow_types[i].type != (type & ~(uint32_t)IBV_FLOW_SPEC_INNER))
			continue;
		if (!(type & IBV_FLOW_SPEC_INNER) || vx_flow_types[i].has_inner)
			return &vx_flow_types[i];
		fail_flow(&place, "has IBV_FLOW_SPEC_INNER, which does not go with %s", type_name(type));
		return NULL;
	}
	fail_flow(&place, "= 0x%x, which is none of enum ibv_flow_spec_type", type);
	return NULL;
}

/* Types may share a field of the caller's structure. */
static bool has_field(uint32_t type, const struct vx_flow_field *field)
{
	size_t i;

	for (i = 0; i < vx_flow_field_count; i++)
		if (vx_flow_fields[i].type == type && vx_flow_fields[i].from_val == field->from_val)
			return true;
	return false;
}

/* Which part of a field is set; NULL: none. */
static const char *part_set(const struct vx_flow_field *field, const unsigned char *spec)
{
	if (vx_is_set(spec + field->from_val, field->from_width))
		return field->from_mask ? "val." : "";
	return field->from_mask && vx_is_set(spec + field->from_mask, field->from_width) ? "mask." : NULL;
}

/* A program that has the wrong type in mind must not steer what it did not mean to. */
static int check_rest(uint32_t type, const struct vx_flow_spec *spec, size_t index)
{
	const bool val = vx_is_set(spec->val.more, sizeof(spec->val.more));
	size_t i;

	for (i = 0; i < vx_flow_field_count; i++) {
		const struct vx_flow_field *f = &vx_flow_fields[i];
		const char *part = part_set(f, (const unsigned char *)spec);

		if (part && !has_field(type, f))
			return fail_flow(&(struct flow_place){ index, part, f->name },
					    "is set, which %s has, but the type is %s", type_name(f->type),
					    type_name(type));
	}
	if (val || vx_is_set(spec->mask.more, sizeof(spec->mask.more)))
		return fail_flow(&(struct flow_place){ index, val ? "val." : "mask.", "more" },
				    "is set, which no type has");
	return 0;
}

static int fill_spec(struct ibv_flow_spec *out, const struct vx_flow_spec *spec, size_t index)
{
	const struct vx_flow_type *type = find_type(spec->type, index);
	int rc = type ? check_rest(type->type, spec, index) : -EINVAL;
	size_t i;

	if (rc < 0)
		return rc;
	memset(out, 0, sizeof(*out));
	out->hdr.type = spec->type;
	out->hdr.size = type->size;
	for (i = 0; i < vx_flow_field_count && rc == 0; i++)
		if (vx_flow_fields[i].type == type->type)
			rc = fill_field(&vx_flow_fields[i], (unsigned char *)out, (const unsigned char *)spec,
					index);
	return rc;
}

/* ---- all of them ---- */

/* What programs have that were compiled with the first release; specs only grow. */
#define SHORTEST_SPEC (offsetof(struct vx_flow_spec, counters) + sizeof(struct vx_counters *))

struct draft {
	struct ibv_flow_attr attr;
	unsigned char specs[VX_FLOW_MAX_SPECS * sizeof(struct ibv_flow_spec)];
};

_Static_assert(offsetof(struct draft, specs) == sizeof(struct ibv_flow_attr), "no gap");

/* The attributes' own size is there already. */
static int add_spec(struct vx_gathered *gathered, const struct vx_flow_spec *spec, size_t index)
{
	struct draft *draft = gathered->raw;
	struct ibv_flow_spec raw;
	const char *lack;
	int rc = fill_spec(&raw, spec, index);

	if (rc < 0)
		return rc;
	lack = spec->counters ? vx_counters_lack(spec->counters) : NULL;
	if (lack)
		return fail_flow(&(struct flow_place){ index, "", "counters" }, "%s", lack);
	memcpy(draft->specs + draft->attr.size - sizeof(draft->attr), &raw, raw.hdr.size);
	gathered->size = draft->attr.size = (uint16_t)(draft->attr.size + raw.hdr.size);
	draft->attr.num_of_specs++;
	if (spec->action)
		gathered->uses[gathered->used++] = spec->action;
	if (spec->counters)
		gathered->uses[gathered->used++] = spec->counters;
	return 0;
}

static int take_specs(struct vx_gathered *gathered, const struct vx_flow_init *init, size_t spec_size)
{
	const char *theirs = (const char *)init->specs;
	struct vx_flow_spec own;
	size_t i;
	int rc = 0;

	for (i = 0; i < init->count && rc == 0; i++) {
		rc = vx_take_in(&own, sizeof(own), theirs + i * spec_size, spec_size, "vx_flow_create", "an element of specs", "counters");
		if (rc == 0)
			rc = add_spec(gathered, &own, i);
	}
	return rc;
}

int vx_flow_gather(struct vx_gathered *gathered, struct vx_qp *parent, struct vx_flow_init *init, size_t spec_size)
{
	struct draft *draft;

	if (init->count > VX_FLOW_MAX_SPECS)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "count = %zu, which is more than %d", init->count,
			       VX_FLOW_MAX_SPECS);
	if (init->count && spec_size < SHORTEST_SPEC)
		return vx_fail(-EINVAL, "vx_flow_create", NULL,
			       "elements of specs have %zu bytes, and those of the first libverbsx had %zu", spec_size, SHORTEST_SPEC);
	if (init->count && !init->specs)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs is NULL, but count = %zu", init->count);
	if (vx_gather_begin(gathered, (void *[]){ parent }, 1, init->count, sizeof(*draft), "vx_flow_create") < 0)
		return -ENOMEM;
	draft = gathered->raw;
	if (!init->port_num)
		init->port_num = 1;
	draft->attr = (struct ibv_flow_attr){
		.type = init->type, .size = sizeof(draft->attr), .priority = init->priority,
		.port = (uint8_t)init->port_num, .flags = init->flags,
	};
	gathered->size = draft->attr.size;
	return take_specs(gathered, init, spec_size);
}
