/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/flow_match.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "bounds.h"

#define INNER IBV_FLOW_SPEC_INNER
#define VNI_LIMIT (1u << 24)
#define LABEL_LIMIT (1u << 20)
#define VLAN_OFFSET offsetof(struct ib_uverbs_flow_eth_filter, vlan_tag)

/* Put what the headers say where a filter has it; false where the header is not there */
typedef bool read_fn(const struct headers *h, uint8_t *filter);

static bool read_eth(const struct headers *h, uint8_t *filter)
{
	__be16 type = htobe16(h->ether_type);

	if (!h->eth)
		return false;
	memcpy(filter, h->eth, 12);
	memcpy(filter + offsetof(struct ib_uverbs_flow_eth_filter, ether_type), &type, sizeof(type));
	if (h->vlan)
		memcpy(filter + VLAN_OFFSET, h->vlan, sizeof(__be16));
	return true;
}

static bool read_ipv4(const struct headers *h, uint8_t *filter)
{
	if (!h->ipv4)
		return false;
	memcpy(filter, h->ipv4 + 12, 8);
	filter[offsetof(struct ib_uverbs_flow_ipv4_filter, proto)] = h->protocol;
	filter[offsetof(struct ib_uverbs_flow_ipv4_filter, tos)] = h->ipv4[1];
	return true;
}

static bool read_ipv6(const struct headers *h, uint8_t *filter)
{
	struct ib_uverbs_flow_ipv6_filter f = { .next_hdr = h->protocol };

	if (!h->ipv6)
		return false;
	memcpy(f.src_ip, h->ipv6 + 8, sizeof(f.src_ip));
	memcpy(f.dst_ip, h->ipv6 + 24, sizeof(f.dst_ip));
	f.flow_label = htobe32(get_be32(h->ipv6) & (LABEL_LIMIT - 1));
	f.traffic_class = get_be32(h->ipv6) >> 20;
	memcpy(filter, &f, sizeof(f));
	return true;
}

/* A header has the source first, a filter the destination */
static bool read_ports(const uint8_t *header, uint8_t *filter)
{
	if (!header)
		return false;
	memcpy(filter, header + 2, 2);
	memcpy(filter + 2, header, 2);
	return true;
}

static bool read_tcp(const struct headers *h, uint8_t *filter)
{
	return read_ports(h->tcp, filter);
}

static bool read_udp(const struct headers *h, uint8_t *filter)
{
	return read_ports(h->udp, filter);
}

static bool read_esp(const struct headers *h, uint8_t *filter)
{
	if (h->esp)
		memcpy(filter, h->esp, sizeof(__be32));
	return h->esp;
}

/* The key is there by a flag; a checksum comes before it */
static bool read_gre(const struct headers *h, uint8_t *filter)
{
	struct ib_uverbs_flow_gre_filter f = { 0 };

	if (!h->gre)
		return false;
	memcpy(&f.protocol, h->gre + 2, sizeof(f.protocol));
	if (h->gre[0] & 0x20)
		memcpy(&f.key, h->gre + (h->gre[0] & 0x80 ? 8 : 4), sizeof(f.key));
	memcpy(filter, &f, sizeof(f));
	return true;
}

static bool read_mpls(const struct headers *h, uint8_t *filter)
{
	if (h->mpls)
		memcpy(filter, h->mpls, sizeof(__be32));
	return h->mpls;
}

static bool read_vxlan(const struct headers *h, uint8_t *filter)
{
	__be32 vni = h->vxlan ? htobe32(get_be32(h->vxlan + 4) >> 8) : 0;

	memcpy(filter, &vni, sizeof(vni));
	return h->vxlan;
}

static const struct spec {
	uint32_t type;
	uint8_t size; /* of a filter */
	uint8_t from, to; /* the bytes of it that the device does not look at */
	bool implies; /* the header has to be there, even where nothing is asked of it */
	read_fn *read;
} specs[] = {
	{ IBV_FLOW_SPEC_ETH, sizeof(struct ib_uverbs_flow_eth_filter), 0, 0, false, read_eth },
	{ IBV_FLOW_SPEC_IPV4, sizeof(struct ib_uverbs_flow_ipv4_filter), 10, 12, true, read_ipv4 },
	{ IBV_FLOW_SPEC_IPV6, sizeof(struct ib_uverbs_flow_ipv6_filter), 38, 40, true, read_ipv6 },
	{ IBV_FLOW_SPEC_TCP, sizeof(struct ib_uverbs_flow_tcp_udp_filter), 0, 0, true, read_tcp },
	{ IBV_FLOW_SPEC_UDP, sizeof(struct ib_uverbs_flow_tcp_udp_filter), 0, 0, true, read_udp },
	{ IBV_FLOW_SPEC_ESP, sizeof(struct ib_uverbs_flow_spec_esp_filter), 4, 8, false, read_esp },
	{ IBV_FLOW_SPEC_GRE, sizeof(struct ib_uverbs_flow_gre_filter), 0, 2, true, read_gre },
	{ IBV_FLOW_SPEC_MPLS, sizeof(struct ib_uverbs_flow_mpls_filter), 0, 0, false, read_mpls },
	{ IBV_FLOW_SPEC_VXLAN_TUNNEL, sizeof(struct ib_uverbs_flow_tunnel_filter), 0, 0, false, read_vxlan },
};

static const struct spec *spec_find(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (specs[i].type == (type & ~(uint32_t)INNER))
			return &specs[i];
	return NULL;
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Numbers of fewer bits than their fields */
static bool is_too_large(const struct match *m)
{
	const size_t label = offsetof(struct ib_uverbs_flow_ipv6_filter, flow_label);

	if (m->type == IBV_FLOW_SPEC_VXLAN_TUNNEL)
		return get_be32(m->val) >= VNI_LIMIT || get_be32(m->mask) >= VNI_LIMIT;
	if ((m->type & ~(uint32_t)INNER) == IBV_FLOW_SPEC_IPV6)
		return get_be32(m->val + label) >= LABEL_LIMIT || get_be32(m->mask + label) >= LABEL_LIMIT;
	return false;
}

int matches_add(struct matches *m, uint32_t type, const uint8_t *val, const uint8_t *mask, size_t size)
{
	const struct spec *s = spec_find(type);
	struct match *to = &m->match[m->count];
	size_t known;

	if (!s || !size || size % 4 || type == (INNER | IBV_FLOW_SPEC_VXLAN_TUNNEL))
		return EINVAL;
	if (size > s->size && !is_zero(mask, s->size, size))
		return EINVAL;
	known = size < s->size ? size : s->size;
	*to = (struct match){ .type = type };
	memcpy(to->val, val, known);
	memcpy(to->mask, mask, known);
	if (is_too_large(to))
		return EINVAL;
	if (!is_zero(to->mask, s->from, s->to))
		return EOPNOTSUPP;
	m->count++;
	return 0;
}

static const struct match *find_match(const struct matches *m, uint32_t type)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (m->match[i].type == type)
			return &m->match[i];
	return NULL;
}

/* An EtherType that is asked for is the one of the IP header that is, or of MPLS before it */
static bool ether_type_fits(const struct matches *m, uint32_t inner)
{
	const size_t at = offsetof(struct ib_uverbs_flow_eth_filter, ether_type);
	const struct match *eth = find_match(m, IBV_FLOW_SPEC_ETH | inner);
	bool ipv4 = find_match(m, IBV_FLOW_SPEC_IPV4 | inner), ipv6 = find_match(m, IBV_FLOW_SPEC_IPV6 | inner);
	uint16_t type;

	if (!eth || !get_be16(eth->mask + at) || (!ipv4 && !ipv6))
		return true;
	type = get_be16(eth->val + at);
	return get_be16(eth->mask + at) == 0xffff &&
	       ((ipv4 && type == ETHERTYPE_IPV4) || (ipv6 && type == ETHERTYPE_IPV6) ||
		type == ETHERTYPE_MPLS || type == ETHERTYPE_MPLS_MULTICAST);
}

/* What a specification says that IP carries, with its mask in the upper byte; 0: nothing */
static uint16_t protocol_of(const struct match *m)
{
	const size_t v4 = offsetof(struct ib_uverbs_flow_ipv4_filter, proto);
	const size_t v6 = offsetof(struct ib_uverbs_flow_ipv6_filter, next_hdr);

	switch (m->type & ~(uint32_t)INNER) {
	case IBV_FLOW_SPEC_IPV4:
		return m->mask[v4] << 8 | (m->mask[v4] ? m->val[v4] : 0);
	case IBV_FLOW_SPEC_IPV6:
		return m->mask[v6] << 8 | (m->mask[v6] ? m->val[v6] : 0);
	case IBV_FLOW_SPEC_TCP:
		return 0xff00 | IPPROTO_TCP;
	case IBV_FLOW_SPEC_UDP:
		return 0xff00 | IPPROTO_UDP;
	case IBV_FLOW_SPEC_GRE:
		return 0xff00 | IPPROTO_GRE;
	default:
		return 0;
	}
}

static bool protocols_agree(const struct matches *m, uint32_t inner)
{
	uint16_t protocol = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		uint16_t p = (m->match[i].type & INNER) == inner ? protocol_of(&m->match[i]) : 0;

		if (p && protocol && p != protocol)
			return false;
		protocol = protocol ? protocol : p;
	}
	return true;
}

int matches_check(const struct matches *m)
{
	return ether_type_fits(m, 0) && ether_type_fits(m, INNER) && protocols_agree(m, 0) &&
			       protocols_agree(m, INNER) ?
		       0 :
		       EINVAL;
}

bool matches_are_multicast(const struct matches *m)
{
	const struct match *first = &m->match[0];
	const size_t dst = offsetof(struct ib_uverbs_flow_ipv4_filter, dst_ip);

	if (!m->count)
		return false;
	if (first->type == IBV_FLOW_SPEC_IPV4)
		return (first->val[dst] & 0xf0) == 0xe0;
	return first->type == IBV_FLOW_SPEC_ETH && first->val[0] & first->mask[0] & 1;
}

bool matches_equal(const struct matches *a, const struct matches *b)
{
	return a->count == b->count && !memcmp(a->match, b->match, a->count * sizeof(a->match[0]));
}

static bool is_met(const struct match *m, const struct frame *f)
{
	const struct headers *h = m->type & INNER ? &f->inner : &f->outer;
	const struct spec *s = spec_find(m->type);
	uint8_t found[MAX_FILTER] = { 0 };

	if (!s->read(h, found))
		return !s->implies && is_zero(m->mask, 0, MAX_FILTER);
	/* A tag of 0 is asked of frames that have one */
	if (s->read == read_eth && !h->vlan && !is_zero(m->mask, VLAN_OFFSET, VLAN_OFFSET + 2))
		return false;
	for (size_t i = 0; i < MAX_FILTER; i++)
		if ((found[i] ^ m->val[i]) & m->mask[i])
			return false;
	return true;
}

bool matches_frame(const struct matches *m, const struct frame *f)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (!is_met(&m->match[i], f))
			return false;
	return true;
}
