/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Every object that a program can create: one table, whose index is its number. */
#ifndef EMU_OBJECT_H
#define EMU_OBJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;

enum kind {
	NONE,
	PD,
	DM,
	MR,
	MKEY,
	MW,
	CHANNEL,
	CQ,
	SRQ,
	QP,
	OPENED_QP,
	AH,
	XRCD,
	WQ,
	RWQ_TABLE,
	TRANSPORT_DOMAIN,
	TIR,
	FLOW,
	FLOW_ACTION,
	FLOW_COUNTER,
	FLOW_ENTRY,
	FLOW_GROUP,
	FLOW_TABLE,
	FLOW_MATCHER,
	STEERING_ANCHOR,
	COUNTERS,
	UAR,
	VAR,
	PP,
	UMEM,
	PSV,
	GENERAL,
	KINDS
};

struct object {
	enum kind kind;
	uint32_t number; /* its place in the one table, what numbers of queues are made of */
	uint32_t index; /* its place among those of its device, what keys are made of: two devices give the same */
	uint32_t handle; /* by which its context knows it, see handle.h */
	uint32_t serial; /* place among those of its kind in the order of creation, from 1 */
	uint8_t device; /* of its context */
	bool by_devx; /* made by a mailbox */
	bool imported; /* it stands for one of another process */
	bool inherited; /* it was there at a fork, and is the parent's to free */
	int users; /* other objects that need this one */
	int async_events; /* async events written minus those taken back */
	bool leaving; /* being destroyed, which the program has been told how many there were for: there are no more */
	struct context *ctx;
	struct object *pd;
	uint64_t user_handle;
};

/* The one lock: held by every call and by every step of the engine. */
extern pthread_mutex_t device_lock;

/**
 * Take it in a call of the program's. No call of a kernel is cancelled that does not wait, and whoever was so here would have it for ever.
 *
 * @return for device_leave()
 */
int device_enter(void);
void device_leave(int cancelling);

/**
 * Make an object of @size bytes, zeroed, that begins with struct object.
 *
 * @param pd  the PD that it uses, or NULL
 * @return NULL when memory, the table or the kind's limit is used up
 */
void *object_new(struct context *ctx, enum kind kind, size_t size, struct object *pd);

/* NULL where @number is of no object of that kind. */
void *object_get(enum kind kind, uint64_t number);

/* The object of whatever kind that a device has at an index, or NULL. */
struct object *object_at(uint8_t device, uint32_t index);

/* Both take NULL. */
void object_hold(struct object *o);
void object_drop(struct object *o);

/* Free it, whoever uses it, and let go what it uses itself. */
void object_free(struct object *o);

/* It stands for one of another process, which has to free it: nobody here has left it. */
void object_lend(struct object *o);

/* Say so to who wants to change it or to have it freed: EOPNOTSUPP. */
int object_refuse(const struct object *o);

/**
 * Destroy an object as a program asks for it.
 *
 * @return 0, ENOENT for NULL, EBUSY while others use it
 */
int object_destroy(struct object *o);

/* In a forked child: what there is, is the parent's to free, and no leak here. */
void object_inherit(void);

/* Free what a context that is going away has left, and count it as leaked. */
void object_free_all(struct context *ctx);

/* How many there are, of the kind of that name or, for NULL, of all but UARs. */
int object_count(const char *kind_name);
int object_live(enum kind kind);

/* "pd" */
const char *object_kind_name(enum kind kind);

/* Print what was never destroyed, counting also the contexts still open. */
void object_report_leaks(int contexts);

#endif
