/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The interfaces that InfiniBand ports would have of IPoIB. Their addresses are rdma_cm's: who looks for one finds interface
 * and port, but nothing can be sent there by IP.
 */
#define _GNU_SOURCE
#include "sysfs/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "calls/real.h"
#include "objects/object.h"
#include "objects/port.h"
#include "process.h"

#define NETMASK_BITS 16
#define FLAGS (IFF_UP | IFF_RUNNING | IFF_BROADCAST | IFF_MULTICAST)

/* A sockaddr_ll, with room for as much of an address as InfiniBand has */
struct hardware {
	unsigned short family, protocol;
	int index;
	unsigned short type;
	unsigned char packet, length, address[IPOIB_ADDRESS + 4];
};

/* Never freed: the C library's freeifaddrs() frees the block that its own are in */
static struct interface {
	struct ifaddrs link, ip;
	struct hardware hardware;
	struct sockaddr_in address, mask, broadcast;
	char name[IF_NAMESIZE];
} interfaces[MAX_PORTS];

bool interface_is_there(const struct port *p)
{
	return !p->ethernet && !port_is_on_loopback(p);
}

void interface_name(char name[IF_NAMESIZE], const struct port *p)
{
	snprintf(name, IF_NAMESIZE, "%s%u", INTERFACE, p->number - 1u);
}

/* Flags and the number of a QP, of which there is none, and the GID of the port */
void interface_address(uint8_t address[IPOIB_ADDRESS], const struct port *p)
{
	static const uint8_t begin[IPOIB_ADDRESS - GID_SIZE] = { 0x80 };

	memcpy(address, begin, sizeof(begin));
	memcpy(address + sizeof(begin), p->gids[0].raw, GID_SIZE);
}

static struct sockaddr_in inet(uint32_t address)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
}

static struct interface *describe(const struct port *p)
{
	struct interface *i = &interfaces[p->number - 1];
	uint32_t hosts = UINT32_MAX >> NETMASK_BITS, address;

	memcpy(&address, p->ipv4, sizeof(address));
	address = ntohl(address);
	interface_name(i->name, p);
	i->hardware = (struct hardware){ .family = AF_PACKET, .type = ARPHRD_INFINIBAND, .length = IPOIB_ADDRESS };
	interface_address(i->hardware.address, p);
	i->address = inet(address);
	i->mask = inet(~hosts);
	i->broadcast = inet(address | hosts);
	i->link = (struct ifaddrs){ &i->ip, i->name, FLAGS, (struct sockaddr *)&i->hardware, NULL, { NULL }, NULL };
	i->ip = (struct ifaddrs){ NULL,
				  i->name,
				  FLAGS,
				  (struct sockaddr *)&i->address,
				  (struct sockaddr *)&i->mask,
				  { (struct sockaddr *)&i->broadcast },
				  NULL };
	return i;
}

/* Once in a process, as another thread may be reading them; NULL: there are none */
static struct ifaddrs *describe_all(void)
{
	static struct ifaddrs *first;
	static pid_t described;
	struct ifaddrs **next = &first;
	const struct port *p;

	if (described == getpid())
		return first;
	described = getpid();
	for (uint32_t n = 1; (p = port_get(n)); n++) {
		struct interface *i;

		if (!interface_is_there(p))
			continue;
		i = describe(p);
		*next = &i->link;
		next = &i->ip.ifa_next;
	}
	return first;
}

/* Only for who has looked for devices: others need not know that there are any */
INTERPOSED int getifaddrs(struct ifaddrs **list)
{
	int rc = REAL(getifaddrs)(list);
	struct ifaddrs *last = rc ? NULL : *list;

	if (!last || !process_has_discovered())
		return rc;
	while (last->ifa_next)
		last = last->ifa_next;
	pthread_mutex_lock(&device_lock);
	last->ifa_next = describe_all();
	pthread_mutex_unlock(&device_lock);
	return 0;
}
