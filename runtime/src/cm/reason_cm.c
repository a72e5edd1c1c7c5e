/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why calls of librdmacm fail, where no table can say it. */

#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include <verbsx/end_port.h>

#include "cm/cm.h"
#include "cm/reason_cm.h"
#include "error/fail.h"
#include "gid/gid_choice.h"
#include "traced.h"

/* ---- addresses ---- */

static void put_address(struct vx_out *out, const struct vx_end_port *port, const union ibv_gid *gid)
{
	vx_put_char(out, ' ');
	vx_gid_put_address(out, gid);
	vx_put_format(out, " (%s/%u)", port->device, port->port_num);
}

/* Nothing that is behind an address ends with zeros: an empty entry does, and the one of iWARP, which is an address of Ethernet. */
static bool is_address(const union ibv_gid *gid)
{
	return gid->global.interface_id && gid->global.subnet_prefix != htobe64(0xfe80000000000000);
}

/* Of RoCE, addresses are GIDs; each is there once a version. Those of a link alone lead nowhere by themselves. */
static void put_gids(struct vx_out *out, const struct vx_end_port *port)
{
	const union ibv_gid none = { { 0 } }, *gid, *last = &none;
	size_t i;

	for (i = 0; i < port->gid_count; i++, last = gid) {
		gid = &port->gids[i];
		if (memcmp(gid, last, sizeof(*gid)) && is_address(gid))
			put_address(out, port, gid);
	}
}

/* Of InfiniBand, they are those of IP over InfiniBand; of iWARP, those of the network device as well. */
static void put_interface(struct vx_out *out, const struct vx_end_port *port, const struct ifaddrs *all)
{
	const struct ifaddrs *one;
	union ibv_gid gid;

	for (one = all; one; one = one->ifa_next)
		if (!strcmp(one->ifa_name, port->netdev) && vx_gid_of_address(one->ifa_addr, &gid) && is_address(&gid))
			put_address(out, port, &gid);
}

static void put_port(struct vx_out *out, const struct vx_end_port *port, const struct ifaddrs *all)
{
	const size_t before = vx_out_length(out);

	if (port->link_layer == IBV_LINK_LAYER_ETHERNET)
		put_gids(out, port);
	if (vx_out_length(out) == before)
		put_interface(out, port, all);
	if (vx_out_length(out) == before)
		vx_put_format(out, " %s/%u without an address", port->device, port->port_num);
}

void vx_put_cm_addresses(struct vx_out *out)
{
	struct vx_end_ports *ports;
	struct ifaddrs *all = NULL;
	size_t i;
	int rc;

	VX_QUIETLY(rc = vx_end_ports_get(NULL, &ports));
	if (rc < 0)
		return;
	vx_put_string(out, "; there are");
	if (getifaddrs(&all) < 0)
		all = NULL;
	for (i = 0; i < ports->count; i++) {
		if (i)
			vx_put_char(out, ',');
		put_port(out, ports->ports[i], all);
	}
	freeifaddrs(all);
	vx_end_ports_free(ports);
}

void vx_explain_cm_address(struct vx_failure *failure)
{
	if (failure->code != -ENODEV && failure->code != -EADDRNOTAVAIL)
		return;
	vx_reason_add(failure, failure->code == -ENODEV ? "no RDMA device is behind the address" : "the address is none of this host that an RDMA device has");
	vx_put_cm_addresses(&failure->out);
}

/* Nothing that it was given need say which device it would be of: where there is one alone, its limits are looked at. */
void vx_explain_cm_ep(struct vx_failure *failure)
{
	struct ibv_context **contexts;

	if (failure->code != -EINVAL || vx_reason_is_found(failure) || failure->bounds.context)
		return;
	contexts = rdma_get_devices(NULL);
	if (!contexts)
		return;
	if (contexts[0] && !contexts[1])
		failure->bounds.context = contexts[0];
	vx_reason_of_rows(failure, VX_PHASE_USUAL);
	if (!vx_reason_is_found(failure))
		failure->bounds.context = NULL; /* else it is only named from here on, by its handle where it has one */
	rdma_free_devices(contexts); /* may close that of a device that is gone */
}

/* ---- groups ---- */

static bool is_of_group(const struct sockaddr *addr)
{
	union ibv_gid gid;

	return !vx_gid_of_address(addr, &gid) || vx_gid_is_group(&gid); /* what is a GID is the subnet's to judge */
}

/* By what tables know, it could join: then it is in no state for it, if the kernel does not refuse the group itself. */
static const char *why_not_joined(const struct vx_node *node)
{
	const struct vx_kept_cm_id *kept = vx_node_extra(node);
	const struct rdma_cm_id *id = node->object.raw;

	if (kept->asked)
		return "the id is of a request: one of the program's own joins, which is bound or whose address is resolved";
	if (id->route.num_paths)
		return "the route of the id is resolved, and groups are joined before that: its address is all that it needs";
	if (!id->route.addr.dst_addr.sa_family)
		return "does the id listen? groups are joined before that, or by another one";
	return "is its address just being resolved? its event ADDR_RESOLVED comes before";
}

void vx_explain_cm_group(struct vx_failure *failure)
{
	const struct sockaddr *addr = (const struct sockaddr *)(uintptr_t)vx_argument(failure, "addr");

	if (failure->code != -EINVAL || vx_reason_is_found(failure) || !addr)
		return;
	if (is_of_group(addr))
		vx_reason_add(failure, "%s", why_not_joined(vx_node_used(failure->node, 0)));
	else
		vx_reason_add(failure, "addr is no group's: those are 224.0.0.0 to 239.255.255.255, and ff00::/8");
}

/* ---- names ---- */

int vx_cm_name_code(int rc)
{
	static const int codes[][2] = {
		{ EAI_SYSTEM, 0 }, { EAI_MEMORY, ENOMEM }, { EAI_AGAIN, EAGAIN }, { EAI_FAMILY, EAFNOSUPPORT }, { EAI_NONAME, ENOENT },
		{ EAI_SERVICE, ENOENT }, { EAI_FAIL, EIO },
	};
	size_t i;

	if (rc == -1 && errno) /* EAI_BADFLAGS is -1 as well */
		return -errno;
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i][0] == rc)
			return -(codes[i][1] ? codes[i][1] : errno);
	return -EINVAL;
}

/* What getaddrinfo(3) itself says, as a code has more meanings than an errno. */
static int ask_again(const char *node, const char *service, const struct rdma_addrinfo *hints)
{
	const struct addrinfo asked = { .ai_flags = hints && hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0,
					.ai_family = hints ? hints->ai_family : AF_UNSPEC };
	struct addrinfo *found = NULL;
	int rc = getaddrinfo(node, service, &asked, &found);

	if (rc == 0)
		freeaddrinfo(found);
	return rc;
}

/* What is empty would not be seen. */
static const char *shown(const char *word)
{
	return !word ? "NULL" : *word ? word : "\"\"";
}

void vx_explain_cm_names(struct vx_failure *failure)
{
	const char *node = (const char *)(uintptr_t)failure->args[0], *service = (const char *)(uintptr_t)failure->args[1];
	const struct rdma_addrinfo *hints = (const struct rdma_addrinfo *)(uintptr_t)failure->args[2];
	int eai;

	if (!node && !service && !hints)
		vx_reason_add(failure, "node, service and hints are all NULL: nothing is asked for");
	else if ((eai = ask_again(node, service, hints)))
		vx_reason_add(failure, "%s, of node %s and service %s%s", gai_strerror(eai), shown(node), shown(service),
			      eai == EAI_SERVICE ? ": the service is no number, and not in /etc/services" : "");
}
