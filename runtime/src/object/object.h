/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OBJECT_H
#define VERBSX_SRC_OBJECT_H

/*
 * The inside of a handle: a node in the graph of who depends on whom. Behind each node lie its edges, one for each object
 * that it depends on, the parent first; an object heads the list of the edges that lead to it. What depends on an object is
 * younger than that edge, which is what makes closing in turn of age safe. A node without edges is a root: a context, or
 * whatever else can be made of nothing. Edges may lead from one root's objects to another's.
 *
 * One lock of the process guards all of it: edges, states, counts, events, and the registry of raw objects. It is held for
 * some instructions at a time, never while rdma-core or the program is called. What takes longer is told by a node's state;
 * only the thread that made a node MAKING or CLOSING ends that, and others wait for it or fail.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <verbsx/object.h>

#include "error/fail.h"

#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 11
#define pthread_self() ((pthread_t)__builtin_thread_pointer()) /* the same, without a call */
#endif

struct vx_comp_channel;
struct vx_comp_event;
struct vx_out;
struct vx_event;
struct vx_node;

/* One object depends on another. */
struct vx_edge {
	struct vx_node *user;
	struct vx_node *used;
	struct vx_edge *older, *newer;	/* among the edges to the same object */
};

enum vx_node_state {
	VX_NODE_MAKING,		/* rdma-core is asked for the object; what it will depend on cannot go meanwhile */
	VX_NODE_LIVE,
	VX_NODE_CLOSING,	/* nothing new may depend on it, and its events are acknowledged as they come */
	VX_NODE_ENDING,		/* nor does anything; rdma-core may have freed the raw object, and made another there */
};

#define VX_NODE_MAGIC 0x76786e64u

/* The raw object of a handle that is no more, for inline functions that do not ask: it leads nowhere, where another would lead to freed memory. */
#define VX_RAW_GONE ((void *)1)

struct vx_node {
	struct vx_object object;		/* first: all that the public header shows */
	uint32_t magic;				/* VX_NODE_MAGIC as long as this is a handle */
	uint16_t kind;				/* of enum vx_object_kind */
	uint16_t type;				/* the kind as which it is used */
	uint8_t state;				/* of enum vx_node_state */
	unsigned int cancelling : 2;		/* how its maker can be cancelled else */
	unsigned int leans : 1;			/* a method had it depend on something: vx_node_depend() */
	unsigned int looked : 1;		/* whoever closes something above has been here */
	unsigned int lends : 1;			/* of a context: something on it that is librdmacm's has, or had, a handle */
	unsigned int lent : 1;			/* by librdmacm, which ends it with the last id of its device */
	unsigned int found : 1;			/* not made here: imported, taken over or borrowed. Of a context: others may have its objects */
	uint16_t calling;			/* so many functions of the program, which it calls or which use it, have not returned */
	bool unblocked;				/* reading an event of it does not wait */
	bool counted;				/* the kernel may have its number for others as well */
	uint8_t list;				/* where its memory waits for the next; 0: nowhere */
	bool lost;				/* of a context: the device was removed */
	uint32_t serial;			/* of its kind; a context's: of its device, among those that are open */
	uint32_t uses;				/* how many other objects it depends on */
	uint32_t room;				/* for so many edges */
	uint32_t given;				/* how often the program got it, and has to close it */
	uint32_t owners;			/* how often with the raw object; 0: that stays with somebody else */
	unsigned int completions;		/* events of a CQ that were taken and not acknowledged */
	struct vx_event *events;		/* the same of other events; of a context, those about strangers */
	int (*destroy)(struct vx_node *node);	/* gives the raw object back; on failure leaves all as it was */
	struct vx_edge *users;			/* the newest of the edges to this one */
	struct vx_node *next;			/* in the registry or, before that, among those that are MAKING */
	pthread_t busy;				/* the thread that is making or closing it */
};

/* One of the things that a node depends on, from 0; the parent is the first. */
static inline struct vx_node *vx_node_used(const struct vx_node *node, uint32_t index)
{
	return __atomic_load_n(&((const struct vx_edge *)(node + 1))[index].used, __ATOMIC_RELAXED);
}

/* What only its kind keeps. For anything: behind a node and its edges, 32-bit machines may have the place of a pointer only. */
static inline size_t vx_extra_at(uint32_t room)
{
	const size_t align = _Alignof(max_align_t);

	return (sizeof(struct vx_node) + room * sizeof(struct vx_edge) + align - 1) / align * align;
}

static inline void *vx_node_extra(const struct vx_node *node)
{
	return (char *)node + vx_extra_at(node->room);
}

/* ---- the lock ---- */

/* A thread that waits, on its stack. Once something has changed it looks again, and its waiting counts no more. */
struct vx_wait {
	struct vx_wait *next;
	pthread_t waits, on;
	unsigned int seen;
};

/* The lock, and what all who make or close an object look at under it: a line of a cache. */
struct vx_graph {
	unsigned int lock;		/* FREE, HELD or WANTED */
	unsigned int changes;		/* of the state of any node, counted */
	bool strangers_came;		/* a context ever kept an event about what had no handle, and may have got one since */
	bool is_watched;		/* by what looks for races: the lock is another one */
	bool lends;			/* something that is librdmacm's has, or had, a handle; set under the lock, read without as well */
	bool fronts_came;		/* something ever stood before an object; set and read without the lock as well */
	bool reuses;			/* the memory of handles that are no more; not where something looks for who uses that */
	struct vx_node *makings;	/* all that are MAKING and are not adopted */
	struct vx_walk *walks;		/* all that are under way */
	struct vx_wait *waits;		/* likewise: threads, for the state of some node or for another one */
	struct vx_node **lists;		/* of the registry; NULL: some few, whose address would need a relocation here */
	size_t last;			/* of the lists, which are a power of two */
	size_t count;			/* of nodes in them */
	struct vx_node *contexts;	/* that are open, the newest first */
	bool (*runs_in)(const struct vx_node *route, pthread_t *thread); /* whether a thread is in its function; NULL: no route was ever made */
	void (*follow)(const struct vx_node *node, bool is_there); /* vx_registry_follow() */
};

extern struct vx_graph vx_graph;

void vx_graph_lock(void) VX_HOT;
void vx_graph_unlock(void) VX_HOT;

/** Do something under it. It is not left but by its end. */
#define VX_LOCKED(...) do { vx_graph_lock(); __VA_ARGS__; vx_graph_unlock(); } while (0)

/*
 * Under the lock, which is let go of: wait until the state of some node has changed, not to be cancelled. Returns false, at once, where the
 * thread that has to go on waits for this one, through whatever others.
 */
#define VX_ANY_THREAD ((pthread_t)0)
bool vx_graph_wait_for(pthread_t thread) VX_SELDOM_CALLED;

/* Tell those who wait. */
void vx_graph_wake_all(void) VX_SELDOM_CALLED;

static inline void vx_graph_wake(void)
{
	vx_graph.changes++;
	if (VX_SELDOM(vx_graph.waits))
		vx_graph_wake_all();
}

/* Whether a thread does. What closing a route fails with then. */
bool vx_waits_for_this(pthread_t thread) VX_SELDOM_CALLED;
int vx_route_would_wait(const struct vx_node *route) VX_COLD;

/* Another thread runs the function of a QP, and waits meanwhile until that returns which this one is in: -EDEADLK, recorded. Else 0. */
int vx_route_check(const struct vx_node *route) VX_COLD;

/* Whether another thread that closes a node, or something below, waits for a function of the program that this one is in; who says so. */
bool vx_node_waits_for_this(const struct vx_node *node) VX_SELDOM_CALLED;
int vx_node_waits_fail(const struct vx_node *node, const char *call) VX_COLD;

/* What is just being made or closed can be neither used nor closed: -EBUSY, recorded. */
int vx_node_busy_fail(const struct vx_node *node, const char *call) VX_COLD;

/* Whether another thread is making or closing a node. Under the lock. */
bool vx_node_is_busy_elsewhere(const struct vx_node *node);

/* Whether the raw object may be looked at: not before it is made, nor while another thread ends it. */
bool vx_node_has_raw(const struct vx_node *node);

/* ---- what stands before an object on the data path ---- */

/*
 * An object's front is the raw object itself, or what looks like it and has other functions: each goes on to the next, and the last to
 * the raw object. This lies before each that is not the raw object.
 */
enum vx_front_what {
	VX_FRONT_GOES_ON,	/* also what mends a provider */
	VX_FRONT_SHOWS,
	VX_FRONT_CHECKS,
};

struct vx_front {
	_Alignas(max_align_t) void *next;
	const struct vx_node *node;		/* whose front it is */
	void (*end)(void *front);		/* before it is freed, if that is not NULL */
	bool (*inside)(void *front, bool leave);	/* whether this thread is in the midst of what would have to be ended first,
						   and is to end it; NULL: of nothing */
	uint32_t what;				/* of enum vx_front_what: one of each before an object at most */
	uint32_t left;				/* of what shows calls: how many more */
};

/* That of a CQ may be put there by another thread, which makes the first QP of it that is checked. */
static inline void *vx_front_now(const struct vx_node *node)
{
	return __atomic_load_n(&node->object.front, __ATOMIC_ACQUIRE);
}

/* Put a front before what has been an object's front so far: it is the next of this. */
void vx_front_put(struct vx_node *node, void *front);

/* End a chain of fronts, down to the raw object; of what was not put anywhere, to NULL. */
void vx_fronts_free(void *front, const void *raw);

/* Whether this thread is in the midst of what a front has begun; left where all that could go on with it goes. Under the lock. */
bool vx_fronts_ask(const struct vx_node *node, bool leave) VX_SELDOM_CALLED;

static inline bool vx_fronts_inside(const struct vx_node *node, bool leave)
{
	return VX_SELDOM(vx_front_now(node) != node->object.raw) && vx_fronts_ask(node, leave);
}

/* The CQ that this thread is in a loop of among what a node uses: its provider holds a lock meanwhile. NULL: none. */
const struct vx_node *vx_node_used_inside(const struct vx_node *node);

/* ---- making ---- */

/*
 * A handle that is MAKING: nobody can see it but those who would close what it depends on. vx_node_link() makes it a handle,
 * vx_node_drop() ends it.
 *
 * @param extra  so many bytes, all zero, are for what only this kind keeps: vx_node_extra()
 * @param uses   what it will depend on, the parent first; NULLs and second mentions are left out. Nothing: it is a root
 * @return NULL with vx_error() filled: no memory, something that is being closed, or objects of two contexts
 */
struct vx_node *vx_node_new(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), void *const *uses, size_t count,
			    const char *call) VX_HOT;
void vx_node_drop(struct vx_node *node);

/* given of what stays with its PD or its pool, however often a program closes it; under the lock. No program gets a handle half as often. */
#define VX_GIVEN_FOR_EVER (1u << 30)

/* Give a node its object: it is LIVE, found by vx_node_of(), and in @p out. Returns 0. */
int vx_node_link(struct vx_node *node, void *raw, void *out) VX_HOT;

/* Put a node under another parent of the same context. */
void vx_node_move(struct vx_node *node, struct vx_node *parent);

/*
 * Have room for objects that a node may come to depend on, if it has none yet. Returns 0, or -ENOMEM, recorded: only then vx_node_depend()
 * can be called, with as many; that has it depend on these, and no more on those that it did. NULLs are left out.
 */
int vx_node_make_room(struct vx_node *node, size_t count, const char *call);
void vx_node_depend(struct vx_node *node, void *const *uses, size_t count);

/* ---- asking ---- */

/* The first of them that is used as a kind, and is the handle of a raw object (NULL: of any); NULL: there is none. */
struct vx_node *vx_node_used_as(const struct vx_node *node, uint32_t type, const void *raw);

/* The same of what vx_node_depend() has added; NULL behind the last. */
struct vx_node *vx_node_used_later(const struct vx_node *node, uint32_t index);

/* The nearest context upwards, or the node itself; NULL where there is none (yet). */
struct vx_node *vx_node_ctx(const struct vx_node *node) VX_HOT;

/* The newest handle of a raw object that is used as a kind (0: any), or NULL. Under the lock. */
struct vx_node *vx_node_of(const void *raw, uint32_t type);

/* vx_node_of() of what rdma-core was given, or NULL, which is none; not under the lock. */
void *vx_handle_of(const void *raw, uint32_t type);

/* vx_object_name(), for messages: in memory of the block that asks for it. */
#define VX_NAME(object) vx_name_in((char[VX_LONGEST_NAME]){ "" }, object)
#define VX_LONGEST_NAME 128
const char *vx_name_in(char *buf, const void *object);

/* What the name of an object is made of. */
struct vx_name {
	char device[64];	/* "": of none */
	uint32_t device_serial;	/* 0: it goes without saying */
	uint32_t kind, serial;
	bool has_serial;
	int64_t number;		/* of rdma-core; negative: none */
};

/* That of a handle, for when it is asked for, as the object may be gone by then. False: its number alone does not tell it. */
bool vx_name_find(struct vx_name *name, const void *object);
/* @param node  NULL: it may be gone, and has a number */
void vx_put_name(struct vx_out *out, const struct vx_name *name, const struct vx_node *node);

/* What is wrong with a handle, by the text of a message for it; NULL: nothing. */
const char *vx_put_wrong(char *text, size_t len, const struct vx_node *node, uint32_t kind, const char *what);

/* What vx_wrong() does when it is true: record why, or end the program in builds that check handles. */
void vx_handle_fail(const void *object, uint32_t kind, const char *function, const char *what) VX_COLD;

/* In line also where code is to be small: it takes hardly more than a call. */
inline __attribute__((always_inline)) bool vx_is_handle(const void *object, uint32_t kind)
{
	const struct vx_node *node = object;

	return VX_USUALLY(node && node->magic == VX_NODE_MAGIC && (!kind || node->type == kind));
}

/*
 * Whether an object is no handle of a kind (0: of any), or is closed: then -EINVAL is recorded for a function.
 *
 * @param what  how a message calls it, where it is NULL or none: "the parent", "send_cq"; NULL records nothing, for what prints
 */
inline bool vx_wrong(const void *object, uint32_t kind, const char *function, const char *what)
{
	if (vx_is_handle(object, kind))
		return false;
	vx_handle_fail(object, kind, function, what);
	return true;
}

/* ---- inside of the graph, all under the lock ---- */

struct vx_node *vx_node_alloc(size_t extra, uint32_t kind, int (*destroy)(struct vx_node *), uint32_t room, const char *call)
	VX_SELDOM_CALLED;
/* The end of its memory, which the next of its size may get. */
void vx_node_free(struct vx_node *node) VX_HOT;
/* Have a node depend on some things more, for which it has room; on failure, on some of them. */
int vx_node_reserve(struct vx_node *node, void *const *uses, size_t count, const char *call) VX_SELDOM_CALLED;
void vx_node_publish(struct vx_node *node, void *raw) VX_SELDOM_CALLED;
void vx_node_unlink(struct vx_node *node) VX_HOT;

/* Out of a list by next; false: it was not there. */
static inline bool vx_node_take_out(struct vx_node **link, const struct vx_node *node)
{
	while (*link && *link != node)
		link = &(*link)->next;
	if (!*link)
		return false;
	*link = node->next;
	return true;
}

/* On the way through the edges that lead to a node, from the newest on; no walk stands still at an edge that is no more. */
struct vx_walk {
	struct vx_edge *next;
	struct vx_walk *other;
};

void vx_walk_begin(struct vx_walk *walk, struct vx_node *node);
void vx_walk_end(struct vx_walk *walk);

void vx_registry_add(struct vx_node *node) VX_HOT;
void vx_registry_remove(struct vx_node *node) VX_HOT;

/*
 * Have a function told, under the lock, of each handle that comes, goes or changes from now on; of those that are there, at once. One
 * function: later calls of this do nothing.
 */
void vx_registry_follow(void (*follow)(const struct vx_node *node, bool is_there));
/* What a raw object of a handle says of itself is another thing now. */
void vx_registry_changed(const struct vx_node *node);

/* Whether there is a handle of a kind that a function says yes to, nearest to a raw object first. Under the lock. */
bool vx_registry_any(uint32_t type, bool (*is)(const struct vx_node *node, const void *raw), const void *raw);

/* Whether a pointer of any origin is that of a handle: it is looked for, not followed. */
bool vx_registry_has(const void *handle);

/* The end of a handle in builds that check handles, which know it again for a while. @param top  what vx_close() was called for; NULL: it is given back */
void vx_closed_keep(struct vx_node *node, const struct vx_node *top) VX_SELDOM_CALLED;

/*
 * Close the handle of what the end of another object frees, with all that depends on it, however often it was given. Returns 0, also
 * where it has none, or a negative errno, recorded.
 *
 * @param choose  which it is, of another thing, under the lock in which it begins to be closed as well; NULL: it is @p of. NULL of both: nothing is
 */
typedef int vx_lent_does(const void *(*choose)(const void *of), const void *of);
vx_lent_does vx_lent_end;

/* What that would be refused for before anything is closed, recorded likewise: who ends several asks for all of them first. */
vx_lent_does vx_lent_look;

/*
 * A function of the program is called by a node, or to use it, and cannot close it: until as many have returned. Such a function may
 * have come to where this is said again.
 */
void vx_node_call_begins(struct vx_node *node);
void vx_node_call_ends(void *node); /* or the thread does, which is cancelled: for pthread_cleanup_push(3) */
bool vx_node_is_calling(const struct vx_node *node);

/** Do that: call such a function, or sleep for one. The thread may be cancelled in it. It is not left but by its end. */
#define VX_CALLING(node, ...) do {					\
		vx_node_call_begins(node);				\
		pthread_cleanup_push(vx_node_call_ends, node);		\
		__VA_ARGS__;						\
		pthread_cleanup_pop(1);					\
	} while (0)

/* ---- events (event.c) ---- */

/*
 * Events that rdma-core has given and not got back. Destroying their object would wait for that for ever, so a node keeps
 * those about it; they are acknowledged at the latest when it is closed.
 */

/* What an event is about beside objects, which have their kind. */
#define VX_ABOUT_UNKNOWN 0
#define VX_ABOUT_PORT 0xfe
#define VX_ABOUT_DEVICE 0xff

/* By value of enum ibv_event_type. Generated. */
extern const uint8_t vx_event_abouts[];
extern const unsigned int vx_event_about_count;

/* vx_comp_channel_get_event() of what is there, without waiting for it. */
int vx_comp_event_take(struct vx_comp_channel *channel, struct vx_comp_event *event);

/* How many events were taken that are about ports and devices: what was known of these before may be no more. */
unsigned int vx_port_event_count(void);

/* Under the lock, which is let go of: acknowledge what is left of a node that is about to go. */
void vx_events_settle(struct vx_node *node);

#endif
