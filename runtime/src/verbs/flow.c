/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A flow as rdma-core wants it: specs, whose fields are put where it has them, behind the attributes without a gap; and what it uses: QP,
 * actions, counters.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enums.h>

#include "error/fail.h"
#include "flow_spec.h"
#include "ids.h"
#include "steps.h"
#include "text/printer.h"

/* ---- numbers ---- */

static uint32_t most_of(const struct vx_element_row *row)
{
	return UINT32_MAX >> (32 - row->bits);
}

static int take_number(const struct vx_reading *r, const struct vx_element_row *row, unsigned char *to, uint32_t number)
{
	if (number > most_of(row))
		return vx_element_fail(r, row, "= 0x%x, but has %u bits", number, row->bits);
	vx_bits_put(to, 0, 8u * row->width, number);
	return 0;
}

static int fill_number(struct vx_reading *r, const struct vx_element_row *row, unsigned char *val, unsigned char *mask)
{
	uint32_t number = (uint32_t)vx_read_unsigned(r->own.bytes + row->from, row->size);
	uint32_t bits = (uint32_t)vx_read_unsigned(r->own.bytes + row->mask_from, row->size);
	int rc = take_number(r, row, val, number);

	r->part = "mask.";
	return rc < 0 ? rc : take_number(r, row, mask, number && !bits ? most_of(row) : bits);
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
static int take_address(const struct vx_reading *r, const struct vx_element_row *row, const char *text, unsigned char *out, int *prefix)
{
	const uint8_t form = row->form;
	const char *slash = prefix && forms[form].family ? strchr(text, '/') : NULL;

	if (!parse(text, slash ? (size_t)(slash - text) : strlen(text), forms[form].family, out))
		return vx_element_fail(r, row, "= \"%.60s\", which is no %s, such as %s", text,
				    prefix ? forms[form].value : forms[form].mask,
				    prefix ? forms[form].such_as : forms[form].such_a_mask);
	if (prefix)
		*prefix = forms[form].bits;
	if (slash && !parse_prefix(slash + 1, forms[form].bits, prefix))
		return vx_element_fail(r, row, "= \"%.60s\", whose prefix is not of 0 to %d bits", text, forms[form].bits);
	return 0;
}

static void fill_prefix(unsigned char *mask, size_t size, int bits)
{
	size_t i;

	for (i = 0; i < size; i++, bits -= 8)
		mask[i] = bits >= 8 ? 0xff : bits > 0 ? (unsigned char)(0xff << (8 - bits)) : 0;
}

static int fill_address(struct vx_reading *r, const struct vx_element_row *row, unsigned char *val, unsigned char *mask)
{
	const char *text = vx_read_pointer(r->own.bytes + row->from), *mask_text = vx_read_pointer(r->own.bytes + row->mask_from);
	int rc = 0, prefix = 0;

	if (text)
		rc = take_address(r, row, text, val, &prefix);
	r->part = "mask.";
	if (rc < 0 || !mask_text)
		fill_prefix(mask, row->width, prefix);
	else if (text && strchr(text, '/'))
		return vx_element_fail(r, row, "is given, and so is a prefix in val");
	else
		rc = take_address(r, row, mask_text, mask, NULL);
	return rc;
}

/* ---- specs ---- */

static int fill_field(struct vx_reading *r, const struct vx_element_row *row, unsigned char *raw)
{
	unsigned char *val = raw + row->into, *mask = raw + row->mask_into;
	const char *lack;
	size_t i;
	int rc;

	if (row->form == VX_FLOW_COUNTERS) {
		lack = vx_counters_lack(vx_read_pointer(r->own.bytes + row->from));
		return lack ? vx_element_fail(r, row, "%s", lack) : 0;
	}
	rc = (row->form == VX_FLOW_NUMBER ? fill_number : fill_address)(r, row, val, mask);
	/* mlx5 refuses a value with bits that its mask lacks, such as 10.0.0.1/24. */
	for (i = 0; i < row->width; i++)
		val[i] &= mask[i];
	return rc;
}

/* They lie behind each other without a gap, aligned for nothing. */
static int begin_spec(struct vx_reading *r, unsigned char *raw)
{
	const struct vx_flow_type *t = vx_flow_types, *end = t + vx_flow_type_count;

	r->type &= ~(uint32_t)IBV_FLOW_SPEC_INNER;
	while (t < end && t->type != r->type)
		t++;
	if (t == end)
		return vx_element_fail(r, NULL, "= 0x%x, which is none of enum ibv_flow_spec_type", r->own.type);
	if (r->own.type != r->type && !t->has_inner)
		return vx_element_fail(r, NULL, "has IBV_FLOW_SPEC_INNER, which does not go with %s", vx_ibv_flow_spec_type_name(r->type));
	memcpy(raw + offsetof(struct ibv_flow_spec, hdr.size), &t->size, sizeof(t->size));
	return t->size;
}

/* ---- all of them ---- */

/* What programs have that were compiled with the first release; specs only grow. */
#define SHORTEST_SPEC (offsetof(struct vx_flow_spec, counters) + sizeof(struct vx_counters *))

struct draft {
	struct ibv_flow_attr attr;
	unsigned char specs[VX_FLOW_MAX_SPECS * sizeof(struct ibv_flow_spec)];
};

_Static_assert(offsetof(struct draft, specs) == sizeof(struct ibv_flow_attr), "no gap");

int vx_flow_gather(struct vx_gathered *gathered, struct vx_qp *parent, struct vx_flow_init *init, size_t spec_size)
{
	struct vx_reading r = {
		.gathered = gathered, .of = &vx_flow_elements, .rows = vx_flow_rows, .call = "vx_flow_create",
		.types = &vx_enums[ENUM_ibv_flow_spec_type], .begin = begin_spec, .fill = fill_field,
	};
	struct draft *draft;
	int rc;

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
		.type = init->type, .priority = init->priority, .num_of_specs = (uint8_t)init->count,
		.port = (uint8_t)init->port_num, .flags = init->flags,
	};
	gathered->size = sizeof(draft->attr);
	rc = vx_take_elements(&r, (char *)draft->specs, init->specs, init->count, spec_size);
	draft->attr.size = (uint16_t)gathered->size;
	return rc;
}
