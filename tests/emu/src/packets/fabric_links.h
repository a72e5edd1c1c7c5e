/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Links in the directory of a fabric; for fabric.c alone, which has the directory. */
#ifndef EMU_FABRIC_LINKS_H
#define EMU_FABRIC_LINKS_H

#include <stdbool.h>

#define NAME_SIZE 48
#define SOCKET "socket-%u"

extern int fabric_dir; /* -1: none */
extern char fabric_socket_name[NAME_SIZE]; /* in it, ours */

/* The socket that an address belongs to. */
bool fabric_read_link(const char *name, char target[NAME_SIZE]);

/* Take those away that are ours. Safe in a signal handler. */
void fabric_links_remove(void);

/* They are the parent's. */
void fabric_links_forget(void);

#endif
