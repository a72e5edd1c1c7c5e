/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a process is found by in a fabric: a symbolic link to its socket for each address, and for each claim. */
#include "packets/fabric_links.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "packets/fabric.h"
#include "packets/packet.h"
#include "trace.h"

#define MAX_CLAIMS 4096

struct address address_of_place(unsigned int of)
{
	return (struct address){ .kind = ADDRESS_PLACE, .number = of };
}

struct address address_of_lid(uint16_t lid)
{
	return (struct address){ .kind = ADDRESS_LID, .number = lid };
}

struct address address_of_gid(const uint8_t gid[GID_SIZE])
{
	struct address a = { .kind = ADDRESS_GID };

	memcpy(a.gid, gid, GID_SIZE);
	return a;
}

/* On one host, processes differ by their QP numbers alone */
struct address address_of_dest(const struct packet *p)
{
	if (config.one_host && packet_port(p))
		return address_of_place(qp_number_place(p->dest_qpn));
	return p->ethernet ? address_of_gid(p->dgid) : address_of_lid(p->dlid);
}

static void name_gid(char name[NAME_SIZE], const uint8_t gid[GID_SIZE])
{
	int n = snprintf(name, NAME_SIZE, "gid-");

	for (int i = 0; i < GID_SIZE; i++)
		n += snprintf(name + n, NAME_SIZE - n, "%02x", gid[i]);
}

static void name_lid(char name[NAME_SIZE], uint16_t lid)
{
	snprintf(name, NAME_SIZE, "lid-%u", lid);
}

bool fabric_read_link(const char *name, char target[NAME_SIZE])
{
	ssize_t n = readlinkat(fabric_dir, name, target, NAME_SIZE - 1);

	if (n < 0)
		return false;
	target[n] = 0;
	return true;
}

/* The links that are ours: taking them away must not need any memory */
static char links[MAX_PORTS * MAX_GIDS + MAX_CLAIMS][NAME_SIZE];
static int nlinks;

static bool make_link(const char *name)
{
	if (nlinks == (int)ARRAY_SIZE(links) || symlinkat(fabric_socket_name, fabric_dir, name))
		return false;
	snprintf(links[nlinks++], NAME_SIZE, "%s", name);
	return true;
}

static void publish(const char *name)
{
	if (!make_link(name))
		complain("another process of the fabric has the address %s", name);
}

/* By signals, two threads may be here at once */
void fabric_links_remove(void)
{
	for (int n = nlinks; n > 0; n--)
		unlinkat(fabric_dir, links[n - 1], 0);
	nlinks = 0;
}

void fabric_links_forget(void)
{
	nlinks = 0;
}

/* Those of RoCE v1 come again as v2 */
static void publish_gids(const struct port *p)
{
	char name[NAME_SIZE];

	for (int i = 0; i < p->ngids; i += 2) {
		name_gid(name, p->gids[i].raw);
		publish(name);
	}
}

void fabric_publish(void)
{
	char name[NAME_SIZE];
	const struct port *p;

	if (fabric_socket() < 0 || config.one_host)
		return;
	fabric_links_remove();
	for (uint32_t n = 1; (p = port_get(n)); n++) {
		if (p->ethernet) {
			publish_gids(p);
		} else {
			name_lid(name, p->lid);
			publish(name);
		}
	}
}

/* The place that a link leads to, or -1 */
static int place_of(const char *name)
{
	char target[NAME_SIZE];
	unsigned int n;

	return fabric_read_link(name, target) && sscanf(target, SOCKET, &n) == 1 ? (int)n : -1;
}

/* What the dead had is free once they are swept away */
bool fabric_claim(const char *name)
{
	if (fabric_socket() < 0 || !config.one_host || make_link(name) || place_of(name) == (int)fabric_place())
		return true;
	fabric_sweep();
	return make_link(name);
}

void fabric_waive(const char *name)
{
	for (int i = 0; i < nlinks; i++) {
		if (strcmp(links[i], name))
			continue;
		unlinkat(fabric_dir, name, 0);
		memmove(links[i], links[--nlinks], NAME_SIZE);
		return;
	}
}

int fabric_owner(const char *name)
{
	return fabric_socket() < 0 ? -1 : place_of(name);
}

int fabric_find(const struct address *a)
{
	char name[NAME_SIZE];

	if (fabric_socket() < 0)
		return -1;
	if (a->kind == ADDRESS_PLACE)
		return a->number;
	if (a->kind == ADDRESS_GID)
		name_gid(name, a->gid);
	else
		name_lid(name, a->number);
	return place_of(name);
}
