/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/gid.h"

#include <endian.h>
#include <string.h>
#include <linux/types.h>

#define LOCALLY_ADMINISTERED 2

/* Where the parts lie in a GID */
enum {
	INTERFACE_ID = 8,
	IPV4 = 12
};

static const uint8_t link_local[INTERFACE_ID] = { 0xfe, 0x80 };
static const uint8_t ipv4_prefix[IPV4] = { [10] = 0xff, [11] = 0xff };

void gid_from_guid(uint8_t gid[GID_SIZE], uint64_t guid)
{
	__be64 id = htobe64(guid);

	memcpy(gid, link_local, sizeof(link_local));
	memcpy(gid + INTERFACE_ID, &id, sizeof(id));
}

/* As an EUI-64: the address around ff:fe */
void gid_from_mac(uint8_t gid[GID_SIZE], const uint8_t mac[MAC_SIZE])
{
	memcpy(gid, link_local, sizeof(link_local));
	memcpy(gid + INTERFACE_ID, mac, 3);
	memcpy(gid + INTERFACE_ID + 5, mac + 3, 3);
	gid[INTERFACE_ID] ^= LOCALLY_ADMINISTERED;
	gid[INTERFACE_ID + 3] = 0xff;
	gid[INTERFACE_ID + 4] = 0xfe;
}

void gid_from_ipv4(uint8_t gid[GID_SIZE], const uint8_t ipv4[IPV4_SIZE])
{
	memcpy(gid, ipv4_prefix, sizeof(ipv4_prefix));
	memcpy(gid + IPV4, ipv4, IPV4_SIZE);
}

bool gid_is_ipv4(const uint8_t gid[GID_SIZE])
{
	return !memcmp(gid, ipv4_prefix, sizeof(ipv4_prefix));
}

bool gid_is_link_local(const uint8_t gid[GID_SIZE])
{
	return !memcmp(gid, link_local, sizeof(link_local));
}

bool gid_is_multicast(const uint8_t gid[GID_SIZE])
{
	return gid[0] == 0xff || (gid_is_ipv4(gid) && gid[IPV4] >> 4 == 0xe);
}

static void multicast_mac(uint8_t mac[MAC_SIZE], const uint8_t gid[GID_SIZE])
{
	static const uint8_t ipv4_group[] = { 0x01, 0x00, 0x5e }, ipv6_group[] = { 0x33, 0x33 };

	memcpy(mac + 2, gid + IPV4, IPV4_SIZE);
	if (gid_is_ipv4(gid)) {
		memcpy(mac, ipv4_group, sizeof(ipv4_group));
		mac[3] &= 0x7f;
	} else {
		memcpy(mac, ipv6_group, sizeof(ipv6_group));
	}
}

void gid_to_mac(uint8_t mac[MAC_SIZE], const uint8_t gid[GID_SIZE])
{
	if (gid_is_multicast(gid)) {
		multicast_mac(mac, gid);
	} else if (gid_is_link_local(gid)) {
		memcpy(mac, gid + INTERFACE_ID, 3);
		memcpy(mac + 3, gid + INTERFACE_ID + 5, 3);
		mac[0] ^= LOCALLY_ADMINISTERED;
	} else {
		mac[0] = LOCALLY_ADMINISTERED;
		mac[1] = 0;
		memcpy(mac + 2, gid + IPV4, IPV4_SIZE);
	}
}
