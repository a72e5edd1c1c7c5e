/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What a process tells of its PDs and regions, in the file behind descriptors of its contexts: another that is given such a
 * descriptor can import them.
 */
#ifndef EMU_EXPORTED_H
#define EMU_EXPORTED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bounds.h"

struct mkey;
struct object;

/* An object */
struct exported {
	uint32_t context; /* whose it is: the number of the context, and 1; 0: there is none */
	uint32_t times; /* that there was one, so that another at the same place is not taken for it */
	uint32_t handle, kind;
	uint32_t pd; /* the number of a region's PD */
	uint32_t key, access;
	uint64_t host, start, len;
};

/* All of them, by their numbers */
struct export_table {
	uint32_t version;
	pid_t pid;
	uint32_t place; /* in the fabric */
	uint32_t end; /* above all numbers that there were */
	struct exported objects[MAX_OBJECTS];
};

#define EXPORT_VERSION 1

/* Begin with a file that was just made, in which the table has this memory. */
void exported_start(struct export_table *table);

/* In a forked child: the table is the parent's. */
void exported_forget(void);

/* There is a PD, or a region as it is from now on; or it goes away. */
void exported_pd(const struct object *pd);
void exported_mr(const struct mkey *m);
void exported_end(const struct object *o);

#endif
