/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The fabric: a directory in which each process has a place, a socket, and a link to that
 * for each address of its ports. What is locked is alive; nobody has to keep order.
 */
#ifndef EMU_FABRIC_H
#define EMU_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct packet;

#define FABRIC_NAME_SIZE 48

/**
 * Join a fabric.
 *
 * @param name  NULL: the user's own one; "none": no other process can be reached
 * @return the place of this process, the lowest that is free; 0 without a fabric
 */
unsigned int fabric_join(const char *name);
unsigned int fabric_place(void);

/* Be found at the addresses that the ports have now. */
void fabric_publish(void);

/* Take away what dead processes have left. */
void fabric_sweep(void);

/* Take away what the process has there. Safe in a signal handler. */
void fabric_leave(void);

/* What was inherited is the parent's. */
void fabric_forget(void);

/* The socket, or -1. */
int fabric_socket(void);

/* The names under which messages reach who a packet is for, and the process at a place. */
void fabric_name_dest(char name[FABRIC_NAME_SIZE], const struct packet *p);
void fabric_name_gid(char name[FABRIC_NAME_SIZE], const uint8_t gid[16]);
void fabric_name_lid(char name[FABRIC_NAME_SIZE], uint16_t lid);
void fabric_name_place(char name[FABRIC_NAME_SIZE], unsigned int place);

/* Call @fn with the name of each other process. */
void fabric_each(void (*fn)(const char *name, void *arg), void *arg);

enum fabric_result {
	FABRIC_SENT,
	FABRIC_FULL, /* the other one has to read first */
	FABRIC_DEAD /* there is nobody of that name */
};

enum fabric_result fabric_send(const char *name, const struct iovec *parts, int n);

/* The bytes of the next message, 0 if there is none. */
size_t fabric_receive(void *buffer, size_t size);

#endif
