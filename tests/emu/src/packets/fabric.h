/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The fabric: a directory in which each process has a place, a socket, and a symbolic link to that
 * for each address of its ports. What is locked is alive; nobody has to keep order.
 */
#ifndef EMU_FABRIC_H
#define EMU_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/gid.h"

struct packet;

/* Who a message is for; what is not of its kind is 0 */
struct address {
	enum {
		ADDRESS_PLACE,
		ADDRESS_LID,
		ADDRESS_GID
	} kind;
	uint32_t number;
	uint8_t gid[GID_SIZE];
};

/**
 * Join a fabric.
 *
 * @param name  NULL: the user's own one; "none": no other process can be reached
 * @return the place of this process, the lowest that is free; 0 without a fabric
 */
unsigned int fabric_join(const char *name);
unsigned int fabric_place(void);

/* How many processes can be one host: so many share the QP numbers. */
#define MAX_PLACES_A_HOST 128

/* Be found at the addresses that the ports have now. */
void fabric_publish(void);

/* On one host, what only one of its processes can have, by a name: false where another has it, or has no room for more. */
bool fabric_claim(const char *name);
void fabric_waive(const char *name);

/* The place of the process that has claimed it, or -1. */
int fabric_owner(const char *name);

/* What a process tells all others, as a whole; what the one of a place has told, if it is of that size. */
void fabric_tell(const void *data, size_t size);
bool fabric_hear(unsigned int place, void *data, size_t size);

/* Take away what dead processes have left. */
void fabric_sweep(void);

/* Take away what the process has there. Safe in a signal handler. */
void fabric_leave(void);

/* What was inherited is the parent's. */
void fabric_forget(void);

/* The socket that others connect with, or -1. */
int fabric_socket(void);

struct address address_of_place(unsigned int place);
struct address address_of_lid(uint16_t lid);
struct address address_of_gid(const uint8_t gid[GID_SIZE]);
struct address address_of_dest(const struct packet *p);

/* The place of the process that has an address, or -1. */
int fabric_find(const struct address *a);

/* A socket that is connected with the one of that place, or -1 with errno. */
int fabric_connect(unsigned int place);

/* Call @fn with the place of each other process. */
void fabric_each(void (*fn)(unsigned int place, void *arg), void *arg);

#endif
