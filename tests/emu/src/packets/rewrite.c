/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/rewrite.h"

#include <string.h>

#include "bounds.h"
#include "calls/prm.h"
#include "packets/frame.h"

#define TAGS_AT 12 /* after the two addresses of a frame, where its Ethertype is if it has none */
#define IPV4_HEADER 20
#define IPV4_TOTAL_LENGTH 2
#define IPV4_CHECKSUM 10
#define IPV6_HEADER 40
#define IPV6_PAYLOAD_LENGTH 4
#define UDP_LENGTH 4

static const struct field ACTION_TYPE = { 0, 4 };
static const struct field ACTION_FIELD = { 4, 12 };
static const struct field ACTION_OFFSET = { 19, 5 }; /* of SET: from the field's last bit */
static const struct field ACTION_LENGTH = { 27, 5 }; /* of SET: 0 is 32 bits */
static const struct field ACTION_DATA = { 32, 32 };

enum {
	TYPE_SET = 1,
	TYPE_ADD = 2
};

#define HEADER(name) offsetof(struct headers, name)

/* The fields that modify-header actions name: where they lie in a header */
static const struct place {
	uint16_t id;
	size_t header;
	uint16_t bit, width;
} places[] = {
	{ 0x01, HEADER(eth), 48, 32 }, /* OUT_SMAC_47_16 */
	{ 0x02, HEADER(eth), 80, 16 }, /* OUT_SMAC_15_0 */
	{ 0x03, HEADER(eth), 96, 16 }, /* OUT_ETHERTYPE */
	{ 0x04, HEADER(eth), 0, 32 }, /* OUT_DMAC_47_16 */
	{ 0x05, HEADER(eth), 32, 16 }, /* OUT_DMAC_15_0 */
	{ 0x06, HEADER(ipv4), 8, 6 }, /* OUT_IP_DSCP */
	{ 0x06, HEADER(ipv6), 4, 6 },	 { 0x07, HEADER(tcp), 103, 9 }, /* OUT_TCP_FLAGS */
	{ 0x08, HEADER(tcp), 0, 16 }, /* OUT_TCP_SPORT */
	{ 0x09, HEADER(tcp), 16, 16 }, /* OUT_TCP_DPORT */
	{ 0x0a, HEADER(ipv4), 64, 8 }, /* OUT_IP_TTL */
	{ 0x0b, HEADER(udp), 0, 16 }, /* OUT_UDP_SPORT */
	{ 0x0c, HEADER(udp), 16, 16 }, /* OUT_UDP_DPORT */
	{ 0x0d, HEADER(ipv6), 64, 32 }, /* OUT_SIPV6, from its upper word on */
	{ 0x0e, HEADER(ipv6), 96, 32 },	 { 0x0f, HEADER(ipv6), 128, 32 },
	{ 0x10, HEADER(ipv6), 160, 32 }, { 0x11, HEADER(ipv6), 192, 32 }, /* OUT_DIPV6 */
	{ 0x12, HEADER(ipv6), 224, 32 }, { 0x13, HEADER(ipv6), 256, 32 },
	{ 0x14, HEADER(ipv6), 288, 32 }, { 0x15, HEADER(ipv4), 96, 32 }, /* OUT_SIPV4 */
	{ 0x16, HEADER(ipv4), 128, 32 }, /* OUT_DIPV4 */
	{ 0x17, HEADER(vlan), 4, 12 }, /* OUT_FIRST_VID */
	{ 0x47, HEADER(ipv6), 56, 8 }, /* OUT_IPV6_HOPLIMIT */
	{ 0x59, HEADER(tcp), 32, 32 }, /* OUT_TCP_SEQ_NUM */
	{ 0x5b, HEADER(tcp), 64, 32 }, /* OUT_TCP_ACK_NUM */
};

void rewrite_begin(struct rewrite *r, const struct frame *f)
{
	r->len = f->len < FRAME_ROOM ? f->len : FRAME_ROOM;
	memmove(r->data, f->data, r->len);
}

bool rewrite_knows(const uint8_t action[8])
{
	uint32_t type = prm_get(action, ACTION_TYPE);

	if (type != TYPE_SET && type != TYPE_ADD)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i].id == prm_get(action, ACTION_FIELD))
			return true;
	return false;
}

static uint32_t get_bits(const uint8_t *bytes, uint32_t at, uint32_t width)
{
	uint32_t value = 0;

	for (uint32_t i = at; i < at + width; i++)
		value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
	return value;
}

static void put_bits(uint8_t *bytes, uint32_t at, uint32_t width, uint32_t value)
{
	for (uint32_t i = at + width; i-- > at; value >>= 1) {
		uint8_t bit = 0x80 >> i % 8;

		bytes[i / 8] = value & 1 ? bytes[i / 8] | bit : bytes[i / 8] & ~bit;
	}
}

static void put_be16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

/* As the device computes it anew for whatever it changes */
static void sum_up(uint8_t *ipv4)
{
	uint32_t sum = 0;

	put_be16(ipv4 + IPV4_CHECKSUM, 0);
	for (int i = 0; i < (ipv4[0] & 15) * 4; i += 2)
		sum += get_be16(ipv4 + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ipv4 + IPV4_CHECKSUM, ~(sum + (sum >> 16)));
}

static void change(uint8_t *header, const struct place *p, const uint8_t *action)
{
	uint32_t data = prm_get(action, ACTION_DATA), length = prm_get(action, ACTION_LENGTH);
	uint32_t from_end = prm_get(action, ACTION_OFFSET);

	if (prm_get(action, ACTION_TYPE) == TYPE_ADD) {
		put_bits(header, p->bit, p->width, get_bits(header, p->bit, p->width) + data);
		return;
	}
	length = length && length < p->width ? length : p->width;
	if (from_end + length <= p->width)
		put_bits(header, p->bit + p->width - from_end - length, length, data);
}

void rewrite_field(struct rewrite *r, const uint8_t action[8])
{
	struct frame f;

	frame_parse(&f, r->data, r->len);
	for (const struct place *p = places; p < places + ARRAY_SIZE(places); p++) {
		const uint8_t *header = *(const uint8_t **)((uint8_t *)&f.outer + p->header);

		if (p->id == prm_get(action, ACTION_FIELD) && header)
			change(r->data + (header - r->data), p, action);
	}
	if (f.outer.ipv4)
		sum_up(r->data + (f.outer.ipv4 - r->data));
}

static void fit_lengths(struct rewrite *r)
{
	struct frame f;
	uint8_t *at;

	frame_parse(&f, r->data, r->len);
	if (f.outer.ipv4) {
		at = r->data + (f.outer.ipv4 - r->data);
		put_be16(at + IPV4_TOTAL_LENGTH, r->data + r->len - at);
		sum_up(at);
	}
	if (f.outer.ipv6) {
		at = r->data + (f.outer.ipv6 - r->data);
		put_be16(at + IPV6_PAYLOAD_LENGTH, r->data + r->len - at - IPV6_HEADER);
	}
	if (f.outer.udp) {
		at = r->data + (f.outer.udp - r->data);
		put_be16(at + UDP_LENGTH, r->data + r->len - at);
	}
}

/* The first bytes by others; false without room */
static bool replace_start(struct rewrite *r, size_t old, const uint8_t *by, size_t size)
{
	uint32_t rest = r->len - old;

	if (size > FRAME_ROOM - rest)
		return false;
	memmove(r->data + size, r->data + old, rest);
	if (size)
		memcpy(r->data, by, size);
	r->len = size + rest;
	return true;
}

static bool encapsulate(struct rewrite *r, size_t old, const uint8_t *headers, size_t size)
{
	if (!replace_start(r, old, headers, size))
		return false;
	fit_lengths(r);
	return true;
}

bool rewrite_encapsulate(struct rewrite *r, const uint8_t *headers, size_t size)
{
	return encapsulate(r, 0, headers, size);
}

bool rewrite_decapsulate(struct rewrite *r)
{
	struct frame f;

	frame_parse(&f, r->data, r->len);
	return f.inner.eth && replace_start(r, f.inner.eth - r->data, NULL, 0);
}

static bool has_tag(const struct rewrite *r, size_t at)
{
	uint16_t type = at + VLAN_HEADER + 2 <= r->len ? get_be16(r->data + at) : 0;

	return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_VLAN;
}

bool rewrite_encapsulate_packet(struct rewrite *r, const uint8_t *headers, size_t size)
{
	size_t at = TAGS_AT;

	while (has_tag(r, at))
		at += VLAN_HEADER;
	return at + 2 <= r->len && encapsulate(r, at + 2, headers, size);
}

bool rewrite_decapsulate_packet(struct rewrite *r, const uint8_t *ethernet, size_t size)
{
	const uint8_t *packet;
	struct frame f;

	frame_parse(&f, r->data, r->len);
	packet = f.inner.ipv4 ? f.inner.ipv4 : f.inner.ipv6;
	return packet && !f.inner.eth && replace_start(r, packet - r->data, ethernet, size);
}

void rewrite_push_vlan(struct rewrite *r, uint32_t tag)
{
	uint8_t start[TAGS_AT + VLAN_HEADER];

	if (r->len < ETHERNET_HEADER)
		return;
	memcpy(start, r->data, TAGS_AT);
	put_be16(start + TAGS_AT, tag >> 16);
	put_be16(start + TAGS_AT + 2, tag);
	replace_start(r, TAGS_AT, start, sizeof(start));
}

void rewrite_pop_vlan(struct rewrite *r)
{
	uint8_t addresses[TAGS_AT];

	if (!has_tag(r, TAGS_AT))
		return;
	memcpy(addresses, r->data, TAGS_AT);
	replace_start(r, TAGS_AT + VLAN_HEADER, addresses, TAGS_AT);
}
