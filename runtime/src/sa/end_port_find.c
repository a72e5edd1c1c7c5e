/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which ports are meant by a name, a number or an address. */

#define _GNU_SOURCE
#include <ctype.h>
#include <endian.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/path_text.h>

#include "end_port.h"
#include "error/fail.h"
#include "gid/gid_choice.h"
#include "path/path.h"
#include "text/form.h"

#define CALL "vx_end_ports_get"
#define LONGEST_LIST 400
#define GUID_DIGITS 16

/* What a text means; several may be right, of which the first that some port has is taken. */
typedef bool (*match_function)(const struct vx_end_port *port, const void *what);

/* ---- by what ---- */

static bool has_name(const struct vx_end_port *port, const void *what)
{
	const char *spec = what;
	size_t length = strlen(port->device);
	char *end;

	if (strncmp(spec, port->device, length))
		return false;
	if (!spec[length])
		return true;
	return spec[length] == '/' && isdigit((unsigned char)spec[length + 1]) && strtoul(spec + length + 1, &end, 10) == port->port_num && !*end;
}

static bool has_netdev(const struct vx_end_port *port, const void *what)
{
	return *port->netdev && !strcmp(port->netdev, what);
}

static bool has_guid(const struct vx_end_port *port, const void *what)
{
	return !memcmp(&port->node_guid, what, sizeof(port->node_guid)) || !memcmp(&port->port_guid, what, sizeof(port->port_guid));
}

static bool has_lid(const struct vx_end_port *port, const void *what)
{
	unsigned int lid = *(const uint16_t *)what, first = port->lid;

	return first && lid >= first && lid < first + (1u << (port->lmc & 7));
}

/* ---- what a text may be ---- */

/* As people copy them: 0x0002c90300a1b2c4 */
static bool guid_of_digits(const char *spec, __be64 *guid)
{
	const char *digits = !strncmp(spec, "0x", 2) ? spec + 2 : spec;

	if (strlen(digits) != GUID_DIGITS || strspn(digits, "0123456789abcdefABCDEF") != GUID_DIGITS)
		return false;
	*guid = htobe64(strtoull(digits, NULL, 16));
	return true;
}

/* A GID, GUID, LID or address of IPv4, as paths are written. */
static bool read_as_path(const char *spec, struct vx_path *path)
{
	int rc;

	if (strpbrk(spec, "=%, "))
		return false;
	VX_QUIETLY(rc = vx_path_parse(spec, NULL, path));
	return rc == 0;
}

static bool is_same_address(const struct sockaddr *address, const union ibv_gid *gid)
{
	union ibv_gid own;

	return vx_gid_of_address(address, &own) && !memcmp(&own, gid, sizeof(own));
}

/* The network device that has an address. */
static bool netdev_of(const union ibv_gid *gid, char netdev[16])
{
	struct ifaddrs *all, *one;

	if (getifaddrs(&all) < 0)
		return false;
	for (one = all; one && !is_same_address(one->ifa_addr, gid); one = one->ifa_next)
		continue;
	if (one)
		snprintf(netdev, 16, "%s", one->ifa_name);
	freeifaddrs(all);
	return one;
}

/* ---- finding ---- */

static bool some_match(const struct vx_end_ports *ports, match_function matches, const void *what)
{
	size_t i;

	for (i = 0; i < ports->count; i++)
		if (matches(ports->ports[i], what))
			return true;
	return false;
}

static bool narrow(struct vx_end_ports *ports, match_function matches, const void *what)
{
	if (!some_match(ports, matches, what))
		return false;
	vx_end_ports_keep(ports, matches, what);
	return true;
}

static bool is_of_own_subnet(const union ibv_gid *gid)
{
	return gid->global.subnet_prefix == htobe64(0xfe80000000000000);
}

/* Of a GUID the parser makes a GID of the own subnet, which may be another by now; and a node's is no port's. */
static bool find_by_gid(struct vx_end_ports *ports, const union ibv_gid *gid)
{
	char netdev[16];

	return narrow(ports, vx_end_port_has_gid, gid) || (is_of_own_subnet(gid) && narrow(ports, has_guid, &gid->global.interface_id)) ||
	       (netdev_of(gid, netdev) && narrow(ports, has_netdev, netdev));
}

static bool find_ports(struct vx_end_ports *ports, const char *spec)
{
	struct vx_path path;
	__be64 guid;

	if (narrow(ports, has_name, spec) || narrow(ports, has_netdev, spec))
		return true;
	if (guid_of_digits(spec, &guid))
		return narrow(ports, has_guid, &guid);
	if (!read_as_path(spec, &path))
		return false;
	if (path.dlid)
		return narrow(ports, has_lid, &path.dlid);
	return !vx_gid_is_zero(&path.dgid) && find_by_gid(ports, &path.dgid);
}

/* "mlx5_0/1 (LID 7, fe80::2:c903:a1:b2c4, ib0)" */
static void put_end_port(struct vx_out *out, const struct vx_end_port *port)
{
	vx_put_format(out, "%s/%u (", port->device, port->port_num);
	if (port->lid)
		vx_put_format(out, "LID %u, ", port->lid);
	if (port->gid_count)
		vx_put_format(out, "%s, ", VX_GID_TEXT(&port->gids[port->gid_count - 1]));
	vx_put_format(out, "%s)", *port->netdev ? port->netdev : port->link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand");
}

/* Whose address it is instead; rdma_cm may serve one that no network device here has, such as in another network namespace. */
static void put_address_owner(struct vx_out *out, const char *spec)
{
	struct vx_path path;
	char netdev[16];

	if (!spec || !read_as_path(spec, &path) || path.dlid || vx_gid_is_zero(&path.dgid) || is_of_own_subnet(&path.dgid))
		return;
	if (netdev_of(&path.dgid, netdev))
		vx_put_format(out, " (it is no GID, and %s, which has this address, is on no port)", netdev);
	else
		vx_put_string(out, " (it is no GID, and no network device has this address)");
}

static int not_found(const struct vx_end_ports *ports, const char *spec)
{
	char list[LONGEST_LIST];
	size_t i;
	struct vx_out out = vx_out_in(list, sizeof(list));

	if (ports->count) {
		put_address_owner(&out, spec);
		vx_put_string(&out, "; there are: ");
	}
	for (i = 0; i < ports->count; i++) {
		vx_put_string(&out, i ? ", " : "");
		put_end_port(&out, ports->ports[i]);
	}
	vx_out_finish(&out);
	return vx_fail(-ENODEV, CALL, spec, "%s%s", ports->count ? "neither name, GUID, GID, LID, network device nor address of a port" :
		       "this machine has no RDMA device, or its driver is not loaded", list);
}

static int get_ports(const char *spec, struct vx_end_ports **out)
{
	struct vx_end_ports *ports;
	int rc = vx_end_ports_read(&ports);

	if (rc < 0)
		return rc;
	if (spec ? !find_ports(ports, spec) : !ports->count)
		rc = not_found(ports, spec);
	if (rc == 0)
		*out = ports;
	else
		vx_end_ports_free(ports);
	return rc;
}

int vx_end_ports_get(const char *spec, struct vx_end_ports **out)
{
	int rc;

	if (!out)
		return vx_null_fail(CALL, "out");
	VX_NOT_CANCELLED(rc = get_ports(spec, out)); /* files are open meanwhile, and ports are nobody's yet */
	return rc;
}
