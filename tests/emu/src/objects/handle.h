/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Handles: by which a program names what it has made to the kernel, which counts them for each context. Those of two contexts
 * are equal and mean different things.
 */
#ifndef EMU_HANDLE_H
#define EMU_HANDLE_H

#include <stdint.h>

#define NO_HANDLE UINT32_MAX

struct context;
struct object;

/* Those of a context, all zero to begin with */
struct handles {
	struct object **objects;
	uint32_t room; /* for so many */
	uint32_t lowest; /* below it none is free */
	uint32_t first; /* 0: the first of all */
};

/**
 * Give an object one of its context: the lowest that is free, as the kernel does, from 1.
 *
 * @return 0, or -1 when memory is used up
 */
int handle_give(struct object *o);

/* Give it another one, which nothing has: 0, or -1 when memory is used up. */
int handle_name(struct object *o, uint32_t handle);

/* Take it back, if it still has one: it is the next object's. */
void handle_take(struct object *o);

/* What has that handle in a context, or NULL. */
struct object *handle_object(const struct context *ctx, uint64_t handle);

void handles_free(struct handles *h);

#endif
