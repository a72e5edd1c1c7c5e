/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What sysfs tells of ports. By open(2) and opendir(3) alone, which is what simulators of a subnet stand in for. */

#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "end_port.h"
#include "error/fail.h"
#include "path/path.h"
#include "reach/reach.h"

#define CALL "vx_end_ports_get"
#define LONGEST_LINE 128
#define HARDWARE_ADDRESS 20	/* bytes of IP over InfiniBand: the last of them are the port's GID */

/* A port that grows while it is read; what it points to is its own. */
struct made_port {
	struct vx_end_port port;
	char room[VX_ROOM_TO_GROW];
	void *gids, *pkeys;
};

/* ---- files ---- */

/* False: no path is as long. */
static bool path_below_sysfs(char path[PATH_MAX], const char *format, va_list args)
{
	const int root = snprintf(path, PATH_MAX, "%s/class/", vx_sysfs());

	return root > 0 && root < PATH_MAX && (unsigned int)vsnprintf(path + root, PATH_MAX - (size_t)root, format, args) < PATH_MAX - (unsigned int)root;
}

/* The first line of a file below sysfs; false: it is not there, or empty. */
VX_PRINTF(2, 3)
static bool read_line(char line[LONGEST_LINE], const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	bool is_path;

	va_start(args, format);
	is_path = path_below_sysfs(path, format, args);
	va_end(args);
	return is_path && vx_first_line(path, line, LONGEST_LINE);
}

/* "4: ACTIVE", "0x7" */
static unsigned long sysfs_number(const struct vx_end_port *port, const char *file)
{
	char line[LONGEST_LINE];

	return read_line(line, "infiniband/%s/ports/%u/%s", port->device, port->port_num, file) ? strtoul(line, NULL, 0) : 0;
}

/* Groups of four digits. */
static bool bytes_of_hex(const char *text, uint8_t *bytes, size_t count)
{
	unsigned int value;
	size_t i;

	for (i = 0; i < count; i++) {
		text += *text == ':';
		if (sscanf(text, "%2x", &value) != 1)
			return false;
		bytes[i] = (uint8_t)value;
		text += 2;
	}
	return true;
}

/* The entries of a folder below sysfs, sorted as numbers are; to be freed with each. @return how many, or -1 */
VX_PRINTF(2, 3)
static int list_folder(struct dirent ***entries, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int count;

	va_start(args, format);
	errno = ENAMETOOLONG;
	count = path_below_sysfs(path, format, args) ? scandir(path, entries, NULL, versionsort) : -1;
	va_end(args);
	return count;
}

static void free_folder(struct dirent **entries, int count)
{
	while (count > 0)
		free(entries[--count]);
	if (count == 0)
		free(entries);
}

/* ---- a port ---- */

static bool read_port_gid(const char *line, void *gid)
{
	return bytes_of_hex(line, gid, sizeof(union ibv_gid));
}

static bool read_pkey(const char *line, void *pkey)
{
	*(uint16_t *)pkey = (uint16_t)strtoul(line, NULL, 0);
	return true;
}

/* Tables have as many files as entries; what is empty behind the last counts for nothing. @return 0, or -ENOMEM */
static int read_port_table(const struct vx_end_port *port, const char *name, bool (*read_entry)(const char *line, void *entry), size_t size,
		      void **table, size_t *count)
{
	union ibv_gid entry; /* or a P_Key */
	char line[LONGEST_LINE], *more;
	unsigned int i;

	for (i = 0; read_line(line, "infiniband/%s/ports/%u/%s/%u", port->device, port->port_num, name, i) && read_entry(line, &entry); i++) {
		if (!vx_is_set(&entry, size))
			continue;
		more = realloc(*table, (i + 1) * size);
		if (!more)
			return -ENOMEM;
		memset(more + *count * size, 0, (i - *count) * size);
		memcpy(more + i * size, &entry, size);
		*table = more;
		*count = i + 1;
	}
	return 0;
}

bool vx_end_port_has_gid(const struct vx_end_port *port, const void *raw)
{
	size_t i;

	for (i = 0; i < port->gid_count; i++)
		if (!memcmp(port->gids[i].raw, raw, sizeof(port->gids[i])))
			return true;
	return false;
}

/* IP over InfiniBand has the GID of its port in its address. */
static void find_ipoib(struct vx_end_port *port)
{
	uint8_t address[HARDWARE_ADDRESS];
	struct dirent **entries;
	char line[LONGEST_LINE];
	int i, count = list_folder(&entries, "net");

	for (i = 0; i < count && !*port->netdev; i++)
		if (strlen(entries[i]->d_name) < sizeof(port->netdev) && read_line(line, "net/%s/address", entries[i]->d_name) &&
		    strlen(line) == 3 * sizeof(address) - 1 && bytes_of_hex(line, address, sizeof(address)) && vx_end_port_has_gid(port, address + 4))
			strcpy(port->netdev, entries[i]->d_name);
	free_folder(entries, count);
}

static void find_netdev(struct vx_end_port *port)
{
	char line[LONGEST_LINE];
	size_t i;

	for (i = 0; i < port->gid_count && !*port->netdev; i++)
		if (!vx_gid_is_zero(&port->gids[i]) &&
		    read_line(line, "infiniband/%s/ports/%u/gid_attrs/ndevs/%zu", port->device, port->port_num, i) &&
		    strlen(line) < sizeof(port->netdev))
			strcpy(port->netdev, line);
	if (!*port->netdev && port->link_layer == IBV_LINK_LAYER_INFINIBAND)
		find_ipoib(port);
}

static void read_numbers(struct vx_end_port *port)
{
	char line[LONGEST_LINE];

	if (read_line(line, "infiniband/%s/node_guid", port->device))
		bytes_of_hex(line, (uint8_t *)&port->node_guid, sizeof(port->node_guid));
	if (!read_line(line, "infiniband/%s/ports/%u/link_layer", port->device, port->port_num))
		*line = '\0';
	port->link_layer = !strcmp(line, "Ethernet") ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
	port->state = (uint8_t)sysfs_number(port, "state");
	port->phys_state = (uint8_t)sysfs_number(port, "phys_state");
	port->lid = (uint16_t)sysfs_number(port, "lid");
	port->lmc = (uint8_t)sysfs_number(port, "lid_mask_count");
	port->sm_lid = (uint16_t)sysfs_number(port, "sm_lid");
	port->sm_sl = (uint8_t)sysfs_number(port, "sm_sl");
}

static int read_end_port(struct made_port *made)
{
	struct vx_end_port *port = &made->port;
	int rc;

	read_numbers(port);
	rc = read_port_table(port, "gids", read_port_gid, sizeof(*port->gids), &made->gids, &port->gid_count);
	if (rc == 0)
		rc = read_port_table(port, "pkeys", read_pkey, sizeof(*port->pkeys), &made->pkeys, &port->pkey_count);
	port->gids = made->gids;
	port->pkeys = made->pkeys;
	if (port->gid_count)
		memcpy(&port->port_guid, port->gids[0].raw + 8, sizeof(port->port_guid));
	if (rc == 0)
		find_netdev(port);
	return rc;
}

static void free_port(struct vx_end_port *port)
{
	struct made_port *made = (struct made_port *)port;

	free(made->gids);
	free(made->pkeys);
	free(made);
}

/* ---- all ports ---- */

static int add_port(struct vx_end_ports *ports, const char *device, uint32_t port_num)
{
	struct vx_end_port **more = realloc(ports->ports, (ports->count + 1) * sizeof(*more));
	struct made_port *made = calloc(1, sizeof(*made));

	if (more)
		ports->ports = more;
	if (!more || !made) {
		free(made);
		return -ENOMEM;
	}
	memcpy(made->port.device, device, strlen(device));
	made->port.port_num = port_num;
	ports->ports[ports->count++] = &made->port;
	return read_end_port(made);
}

static int add_device_ports(struct vx_end_ports *ports, const char *device)
{
	struct dirent **entries;
	int i, rc = 0, count = list_folder(&entries, "infiniband/%s/ports", device);

	for (i = 0; rc == 0 && i < count; i++)
		if (strtoul(entries[i]->d_name, NULL, 10))
			rc = add_port(ports, device, (uint32_t)strtoul(entries[i]->d_name, NULL, 10));
	free_folder(entries, count);
	return rc;
}

static int add_all(struct vx_end_ports *ports)
{
	struct dirent **entries;
	int i, rc = 0, count = list_folder(&entries, "infiniband");

	if (count < 0)
		return errno == ENOMEM ? vx_fail(-ENOMEM, CALL, NULL, NULL) : vx_class_fail(-errno, CALL, "infiniband");
	for (i = 0; rc == 0 && i < count; i++)
		if (entries[i]->d_name[0] != '.' && strlen(entries[i]->d_name) < sizeof(((struct vx_end_port *)0)->device))
			rc = add_device_ports(ports, entries[i]->d_name);
	free_folder(entries, count);
	return rc < 0 ? vx_fail(rc, CALL, NULL, NULL) : 0;
}

int vx_end_ports_read(struct vx_end_ports **out)
{
	struct vx_end_ports *ports = calloc(1, sizeof(*ports) + VX_ROOM_TO_GROW);
	int rc;

	if (!ports)
		return vx_fail(-ENOMEM, CALL, NULL, NULL);
	rc = add_all(ports);
	if (rc < 0)
		vx_end_ports_free(ports);
	else
		*out = ports;
	return rc;
}

void vx_end_ports_keep(struct vx_end_ports *ports, bool (*matches)(const struct vx_end_port *port, const void *what), const void *what)
{
	size_t i, kept = 0;

	for (i = 0; i < ports->count; i++) {
		if (matches(ports->ports[i], what))
			ports->ports[kept++] = ports->ports[i];
		else
			free_port(ports->ports[i]);
	}
	ports->count = kept;
}

void vx_end_ports_free(struct vx_end_ports *ports)
{
	if (!ports)
		return;
	while (ports->count)
		free_port(ports->ports[--ports->count]);
	free(ports->ports);
	free(ports);
}
