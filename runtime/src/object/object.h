/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OBJECT_H
#define VERBSX_SRC_OBJECT_H

/*
 * The inside of a handle: a node in the graph of what belongs to a context. Behind each node lie its edges, one for
 * each object that it depends on, the parent first; an object heads the list of the edges that lead to it. Everything
 * that depends on an object is younger than it, which is what makes closing in turn of age safe. (The one exception is a
 * memory region that rereg moved to a younger PD; nothing else that it uses has that PD among its users.)
 */

#include <pthread.h>
#include <stdbool.h>

#include <verbsx/object.h>

struct vx_node;
struct vx_unacked;

/* One object depends on another. */
struct vx_edge {
	struct vx_node *user;
	struct vx_node *used;
	struct vx_edge *older, *newer;	/* among the edges to the same object */
};

struct vx_node {
	struct vx_object object;		/* first: all that the public header shows */
	uint32_t kind;				/* of enum vx_object_kind */
	uint32_t uses;				/* how many other objects it depends on */
	int (*destroy)(struct vx_node *node);	/* gives the raw object back; on failure leaves all as it was */
	struct vx_edge *users;			/* the newest of the edges to this one */
};

/* On the way through the edges that lead to a node, from the newest on. */
struct vx_walk {
	struct vx_edge *next;
	struct vx_walk *outer;		/* one that closes things underneath is part of another */
};

/*
 * What a context is: a node without edges, and the lock of the whole graph. The lock is recursive: closing calls what the
 * program has given to trace calls or to free memory, and that may use other objects, or close them.
 */
struct vx_root {
	struct vx_node node;
	pthread_mutex_t lock;
	struct vx_walk *walks;		/* those under way, the innermost first */
	struct vx_unacked *unacked;	/* the events that were taken, newest first */
	struct vx_unacked *spare;	/* for the next event, so that none is taken and then lost for want of memory */
	uint64_t events;		/* taken so far */
};

/*
 * A handle without an object yet, which nobody can see; free() ends it.
 *
 * @param uses   what it will depend on, the parent first; NULLs and second mentions are left out
 * @return NULL with vx_error() filled: no memory, or objects of two contexts
 */
struct vx_node *vx_node_new(uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses, size_t count,
			    const char *call);

/* As vx_node_new(), with so many bytes, all zero, for what only this kind keeps: vx_node_extra(). */
struct vx_node *vx_node_new_with(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses,
				 size_t count, const char *call);
void *vx_node_extra(const struct vx_node *node);

/* A field of what an object was made of, in vx_node_extra() of kinds that keep one. */
struct vx_kept {
	bool known;			/* not of what was adopted */
	unsigned char value[8];
};

void vx_node_keep(struct vx_node *node, const void *field, size_t size);

/* Give a node its object, and put it into the graph. */
void vx_node_link(struct vx_node *node, void *raw);

/* Take it out again; free() ends it. */
void vx_node_unlink(struct vx_node *node);

/* Put a node under another parent of the same context. */
void vx_node_move(struct vx_node *node, struct vx_node *parent);

/* One of the things that a node depends on, from 0; the parent is the first. */
struct vx_node *vx_node_used(const struct vx_node *node, uint32_t index);

/* The object at or below a node that stands for a raw one; a bit of kinds for each kind that it may be. Under the lock. */
struct vx_node *vx_node_find(struct vx_node *top, const void *raw, uint64_t kinds);

/* The context at the top. */
struct vx_root *vx_node_root(const struct vx_node *node);

#endif
