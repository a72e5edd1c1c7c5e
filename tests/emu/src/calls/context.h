/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One opened device. */
#ifndef EMU_CONTEXT_H
#define EMU_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "calls/event_pipe.h"
#include "objects/handle.h"

struct import;

struct context {
	LIST_ENTRY(context) link;
	unsigned int number; /* in the order of opening, from 0 */
	uint8_t device; /* from 0 */
	int command_fds; /* descriptors of the device node */
	bool inherited; /* from the parent of this process */
	bool lent; /* librdmacm has opened it and keeps it, whatever the program does */
	bool has_async;
	struct event_pipe async;
	struct handles handles; /* of its objects */
	struct import *import; /* of another process, or NULL */
};

/* One is there while it has either kind of descriptor. */
LIST_HEAD(context_list, context);
extern struct context_list context_list;

/* The node of a device that there is; and its number as of a character device. */
bool context_is_node(const char *path);
dev_t context_node_number(uint8_t device);

/* In a forked child: those that there are, are the parent's to close. */
void context_inherit(void);

/* Open it: a descriptor, or -1 with errno. */
int context_open(const char *path, int flags);

/* Take in a descriptor of a context that another process has opened, if it is one. */
bool context_import(int fd);

/* Whether that descriptor is still one of the context. */
bool context_is_behind(const struct context *ctx, int fd);

/* A descriptor of the node, or that of async events, was closed: with the last of each goes what it stands for. */
void context_drop_command(struct context *ctx);
void context_drop_async(struct context *ctx);

/* How many are open; and how many of them the program has left so, each told if that is wanted. */
int context_count(void);
int context_leaks(void);

#endif
