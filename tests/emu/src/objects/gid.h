/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* GIDs: what addresses they stand for. */
#ifndef EMU_GID_H
#define EMU_GID_H

#include <stdbool.h>
#include <stdint.h>

#define GID_SIZE 16
#define MAC_SIZE 6
#define IPV4_SIZE 4

struct gid {
	uint8_t raw[GID_SIZE];
	uint8_t type; /* IB_UVERBS_GID_TYPE_... */
};

/* Link local: of an InfiniBand port, of an Ethernet address. */
void gid_from_guid(uint8_t gid[GID_SIZE], uint64_t guid);
void gid_from_mac(uint8_t gid[GID_SIZE], const uint8_t mac[MAC_SIZE]);

/* An IPv4 address is mapped into IPv6. */
void gid_from_ipv4(uint8_t gid[GID_SIZE], const uint8_t ipv4[IPV4_SIZE]);
bool gid_is_ipv4(const uint8_t gid[GID_SIZE]);

bool gid_is_link_local(const uint8_t gid[GID_SIZE]);
bool gid_is_multicast(const uint8_t gid[GID_SIZE]);

/* The Ethernet address behind a GID; nobody has to be asked, as ports have theirs from it. */
void gid_to_mac(uint8_t mac[MAC_SIZE], const uint8_t gid[GID_SIZE]);

#endif
