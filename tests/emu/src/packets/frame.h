/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The headers of an Ethernet frame. */
#ifndef EMU_FRAME_H
#define EMU_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ETHERNET_HEADER = 14,
	VLAN_HEADER = 4
};

enum {
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_VLAN = 0x8100,
	ETHERTYPE_SERVICE_VLAN = 0x88a8,
	ETHERTYPE_TEB = 0x6558, /* Ethernet in GRE */
	ETHERTYPE_MPLS = 0x8847,
	ETHERTYPE_MPLS_MULTICAST = 0x8848
};

/* Of the headers of one nesting: each is NULL where there is none */
struct headers {
	const uint8_t *eth, *vlan, *ipv4, *ipv6;
	uint16_t ether_type; /* after the VLAN */
	uint8_t protocol; /* that IP carries */
	const uint8_t *tcp, *udp, *esp, *gre, *mpls, *vxlan;
};

struct frame {
	const uint8_t *data;
	uint32_t len;
	struct headers outer, inner; /* those after VXLAN or GRE */
};

/* Find the headers, each of which is there in full or not at all. */
void frame_parse(struct frame *f, const uint8_t *data, uint32_t len);

bool frame_is_multicast(const struct frame *f);

uint16_t get_be16(const uint8_t *at);
uint32_t get_be32(const uint8_t *at);

#endif
