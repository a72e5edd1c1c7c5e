/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <netinet/in.h>
#include <string.h>

#include "header.h"

#define IPV4_AT 20
#define IPV4_SIZE 20
#define IPV4_FIRST 0x45 /* version 4, and no options, of which RoCE has none */

static union ibv_gid mapped(const unsigned char *address)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	memcpy(gid.raw + 12, address, 4);
	return gid;
}

static bool is_sum_right(const unsigned char *ipv4)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < IPV4_SIZE; i += 2)
		sum += (uint32_t)(ipv4[i] << 8 | ipv4[i + 1]);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

/* Nobody sets the bytes before a header of IPv4: they may look like the beginning of IPv6. Its sum tells. */
static bool has_ipv4(const unsigned char *bytes)
{
	const unsigned char *ipv4 = bytes + IPV4_AT;

	return ipv4[0] == IPV4_FIRST && (bytes[0] >> 4 != 6 || is_sum_right(ipv4));
}

static void read_ipv4(const unsigned char *ipv4, struct vx_header *out)
{
	*out = (struct vx_header){
		.sgid = mapped(ipv4 + 12), .dgid = mapped(ipv4 + 16),
		.traffic_class = ipv4[1], .hop_limit = ipv4[8], .udp = ipv4[9] == IPPROTO_UDP,
	};
}

static void read_ipv6(const unsigned char *ipv6, struct vx_header *out)
{
	*out = (struct vx_header){
		.traffic_class = (uint8_t)(ipv6[0] << 4 | ipv6[1] >> 4),
		.flow_label = (uint32_t)((ipv6[1] & 0xf) << 16 | ipv6[2] << 8 | ipv6[3]),
		.hop_limit = ipv6[7], .udp = ipv6[6] == IPPROTO_UDP,
	};
	memcpy(out->sgid.raw, ipv6 + 8, sizeof(out->sgid));
	memcpy(out->dgid.raw, ipv6 + 24, sizeof(out->dgid));
}

bool vx_header_read(const void *bytes, struct vx_header *out)
{
	const unsigned char *first = bytes;

	if (has_ipv4(first))
		read_ipv4(first + IPV4_AT, out);
	else if (first[0] >> 4 == 6)
		read_ipv6(first, out);
	else
		return false;
	return true;
}
