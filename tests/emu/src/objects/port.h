/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The ports of the device and their addresses. */
#ifndef EMU_PORT_H
#define EMU_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bounds.h"
#include "objects/gid.h"

/* What passed, with its headers, since the process began or somebody set it to 0 */
struct port_counts {
	uint64_t xmit_packets, xmit_bytes, rcv_packets, rcv_bytes;
};

struct port {
	uint8_t number; /* from 1, counted through all devices */
	uint8_t device; /* from 0 */
	uint8_t local; /* its number on its device, from 1 */
	bool ethernet;
	bool grh_required; /* each address has GIDs */
	uint8_t state, mtu; /* IBV_PORT_..., IBV_MTU_... */
	uint8_t phys_state, width, speed; /* as in struct ibv_port_attr */
	uint16_t lid, sm_lid; /* 0 on Ethernet */
	uint8_t ipv4[IPV4_SIZE]; /* the first; on InfiniBand that of IPoIB */
	int npkeys;
	uint16_t pkeys[MAX_PKEYS];
	uint16_t bad_pkeys, bad_qkeys; /* packets that had the wrong one */
	struct port_counts counts;
	bool has_sm; /* a program says that it is the subnet manager */
	int gid_room, ngids; /* the GIDs that are there come first */
	struct gid gids[MAX_GIDS];
};

/**
 * Give the ports what the configuration says.
 *
 * @param place  of this process in its fabric: the first, 0, has the addresses of the
 *               configuration, and from one to the next they count up
 */
void ports_set_up(unsigned int place);

/* NULL for none */
struct port *port_get(uint32_t number);

/* How many there are, of all devices together. */
uint32_t port_total(void);

/* The number of a port that a device, and who calls it, knows by @local; 0 for none. And back again; 0 stays 0. */
uint8_t port_number(uint8_t device, uint32_t local);
uint8_t port_local(uint8_t number);
const struct gid *port_gid(const struct port *p, uint32_t index);

/* The GUID of a device, which counts up as well: those of its ports come after it. */
uint64_t port_node_guid(uint8_t device);

/* All devices are on one card, with one such GUID. */
uint64_t port_system_guid(void);

/* What the node is called in the subnet. */
const char *port_node_description(uint8_t device);

/* CapabilityMask of PortInfo, which verbs tell as well. */
uint32_t port_cap_mask(const struct port *p);

/* The port with this address, or NULL. */
const struct port *port_by_lid(uint16_t lid);
const struct port *port_by_gid(const uint8_t gid[GID_SIZE]);

/*
 * The other end's addresses, by its IP address in form of a GID, or by its GID. On InfiniBand
 * that is reckoned by the place of its process. False where no process has such a one.
 */
bool port_peer(const struct port *p, const uint8_t address[GID_SIZE], uint8_t gid[GID_SIZE], uint16_t *lid);

/* The P_Key of that index; 0, with which nobody talks, for none. */
uint16_t port_pkey(const struct port *p, uint32_t index);

/* A packet came with a wrong key: one of the two counters goes up, as far as it goes. */
void port_count(uint16_t *counter);

/* Packets that leave the process, or have come from another one; NULL: of no port of ours. */
void port_count_xmit(const struct port *p, uint32_t packets, uint64_t payload);
void port_count_rcv(const struct port *p, uint32_t packets, uint64_t payload);

/* The network interface beside a port; that of the loopback is one that a program can find. */
#define PORT_LOOPBACK "lo"
const char *port_netdev(const struct port *p);
bool port_is_on_loopback(const struct port *p);

/* Bytes in the largest packet. */
uint32_t port_mtu_bytes(const struct port *p);

/* 0 where a path may begin at the port that it names, else why not: the rules and the codes of the kernel. */
int port_check_path(uint8_t number, bool is_global, uint8_t sgid_index);
/* Of such a path, whether a kernel finds the MAC of the other end: by IP addresses of one family, unless one GID tells it. */
bool port_finds_mac(uint8_t number, uint8_t sgid_index, const uint8_t dgid[GID_SIZE]);

#endif
