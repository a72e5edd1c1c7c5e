/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/frame.h"

#include <netinet/in.h>
#include <string.h>

enum {
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	TCP_HEADER = 20,
	UDP_HEADER = 8,
	ESP_HEADER = 8,
	GRE_HEADER = 4,
	MPLS_LABEL = 4,
	VXLAN_HEADER = 8
};

enum {
	PORT_VXLAN = 4789,
	PORT_MPLS = 6635
};

enum {
	GRE_CHECKSUM = 0x80,
	GRE_KEY = 0x20,
	GRE_SEQUENCE = 0x10
};

#define FRAGMENT_OFFSET 0x1fff

/* What is left of a frame */
struct rest {
	const uint8_t *at, *end;
};

uint16_t get_be16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

uint32_t get_be32(const uint8_t *at)
{
	return (uint32_t)get_be16(at) << 16 | get_be16(at + 2);
}

/* The next @size bytes, or NULL where there are not so many */
static const uint8_t *next(struct rest *r, size_t size)
{
	const uint8_t *at = r->at;

	if ((size_t)(r->end - at) < size)
		return NULL;
	r->at += size;
	return at;
}

static void parse_network(struct headers *h, struct headers *inner, struct rest r);

static void parse_ethernet(struct headers *h, struct headers *inner, struct rest r)
{
	h->eth = next(&r, ETHERNET_HEADER);
	if (!h->eth)
		return;
	h->ether_type = get_be16(h->eth + 12);
	if (h->ether_type == ETHERTYPE_VLAN) {
		h->vlan = next(&r, VLAN_HEADER);
		if (!h->vlan)
			return;
		h->ether_type = get_be16(h->vlan + 2);
	}
	parse_network(h, inner, r);
}

/* What a tunnel carries; in a second tunnel nobody looks */
static void parse_gre(struct headers *h, struct headers *inner, struct rest r)
{
	uint16_t type;

	h->gre = next(&r, GRE_HEADER);
	if (!h->gre)
		return;
	for (uint8_t flags = h->gre[0] & (GRE_CHECKSUM | GRE_KEY | GRE_SEQUENCE); flags; flags &= flags - 1)
		if (!next(&r, 4)) {
			h->gre = NULL;
			return;
		}
	type = get_be16(h->gre + 2);
	if (type == ETHERTYPE_MPLS)
		h->mpls = next(&r, MPLS_LABEL);
	if (!inner)
		return;
	if (type == ETHERTYPE_TEB) {
		parse_ethernet(inner, NULL, r);
	} else {
		inner->ether_type = type;
		parse_network(inner, NULL, r);
	}
}

static void parse_udp(struct headers *h, struct headers *inner, struct rest r)
{
	h->udp = next(&r, UDP_HEADER);
	if (!h->udp)
		return;
	if (get_be16(h->udp + 2) == PORT_MPLS)
		h->mpls = next(&r, MPLS_LABEL);
	if (get_be16(h->udp + 2) == PORT_VXLAN)
		h->vxlan = next(&r, VXLAN_HEADER);
	if (h->vxlan && inner)
		parse_ethernet(inner, NULL, r);
}

static void parse_transport(struct headers *h, struct headers *inner, struct rest r)
{
	if (h->protocol == IPPROTO_TCP)
		h->tcp = next(&r, TCP_HEADER);
	else if (h->protocol == IPPROTO_UDP)
		parse_udp(h, inner, r);
	else if (h->protocol == IPPROTO_ESP)
		h->esp = next(&r, ESP_HEADER);
	else if (h->protocol == IPPROTO_GRE)
		parse_gre(h, inner, r);
}

/* Only the first fragment has the header after it */
static bool skip_ipv4(struct headers *h, struct rest *r)
{
	h->ipv4 = next(r, IPV4_HEADER);
	if (!h->ipv4)
		return false;
	h->protocol = h->ipv4[9];
	return (h->ipv4[0] & 15) * 4 >= IPV4_HEADER && next(r, (h->ipv4[0] & 15) * 4 - IPV4_HEADER) &&
	       !(get_be16(h->ipv4 + 6) & FRAGMENT_OFFSET);
}

static bool skip_ipv6(struct headers *h, struct rest *r)
{
	h->ipv6 = next(r, IPV6_HEADER);
	if (!h->ipv6)
		return false;
	h->protocol = h->ipv6[6];
	return true;
}

static void parse_network(struct headers *h, struct headers *inner, struct rest r)
{
	bool more = false;

	if (h->ether_type == ETHERTYPE_IPV4)
		more = skip_ipv4(h, &r);
	else if (h->ether_type == ETHERTYPE_IPV6)
		more = skip_ipv6(h, &r);
	else if (h->ether_type == ETHERTYPE_MPLS || h->ether_type == ETHERTYPE_MPLS_MULTICAST)
		h->mpls = next(&r, MPLS_LABEL);
	if (more)
		parse_transport(h, inner, r);
}

void frame_parse(struct frame *f, const uint8_t *data, uint32_t len)
{
	*f = (struct frame){ .data = data, .len = len };
	parse_ethernet(&f->outer, &f->inner, (struct rest){ data, data + len });
}

bool frame_is_multicast(const struct frame *f)
{
	return f->outer.eth && f->outer.eth[0] & 1;
}
