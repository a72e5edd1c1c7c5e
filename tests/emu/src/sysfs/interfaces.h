/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_INTERFACES_H
#define EMU_INTERFACES_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct port;

/* What their names begin with; no host has such. */
#define INTERFACE "emuib"

#define IPOIB_ADDRESS 20 /* bytes */

/* Whether a port has one, what it is called, and its address of the link. */
bool interface_is_there(const struct port *p);
void interface_name(char name[IF_NAMESIZE], const struct port *p);
void interface_address(uint8_t address[IPOIB_ADDRESS], const struct port *p);

#endif
