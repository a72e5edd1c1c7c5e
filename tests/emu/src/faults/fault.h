/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What was asked to go wrong: vx_emu_fault() in emu.h has the grammar. */
#ifndef EMU_FAULT_H
#define EMU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;
struct qp;

enum fault_action {
	/* Counted: they wait for the Nth occasion */
	FAULT_CALL,
	FAULT_SEND,
	FAULT_RECV,
	FAULT_DROP,
	FAULT_DROP_ANSWER,
	FAULT_DELAY,
	FAULT_CORRUPT,
	FAULT_CM_DROP,
	FAULT_CM_DELAY,
	FAULT_CM_REJECT,
	FAULT_MAD_DROP,
	FAULT_MAD_DELAY,
	/* Timed: they happen by themselves */
	FAULT_EVENT,
	FAULT_DEVX_EVENT,
	FAULT_PORT_STATE,
	FAULT_PORT_FLAP,
	FAULT_LID,
	FAULT_SPEED,
	FAULT_CM_EVENT,
	FAULT_ACTIONS
};

/* Of a message that says why a list is refused, with its end */
#define MAX_WHY 640

/* At most, of each of the two sorts */
#define MAX_FAULTS 64

struct fault {
	enum fault_action action;
	const char *call; /* NULL: every call counts */
	int value; /* errno, syndrome, event, port state, LID, Gb/s, type of a DEVX event, reason of a REJ */
	uint32_t number; /* of the QP, or of what the event is about, or a message of the CM, or a MAD; 0: any */
	unsigned long first, last, seen;
	uint64_t ms;
	char text[48]; /* as it was asked for */
	bool of_environment; /* rather than of a test, which sees for itself what came of it */
	struct met {
		unsigned long times;
		unsigned long call; /* of the first time: which one it was, */
		const char *name; /* and of what; NULL: it is about no call */
		uint32_t qpn; /* 0: about no QP */
	} met;
};

/**
 * Read a list of faults.
 *
 * @param why  a message that names the column, where it is refused
 * @return how many there are, or -1
 */
int fault_parse(const char *list, struct fault *faults, int max, char *why, size_t size);

/* Ask for what a list says, all of it or, with -1 and a message, nothing. */
int fault_add(const char *list, char *why, size_t size);

/* The same for a list from a program's environment or file: the message goes to stderr. */
int fault_add_from(const char *source, const char *list);

/* Of one that is left. */
void fault_tell_unmet(const struct fault *f);

/* Say on stderr which ones never happened and, of those from outside the program, what the others have hit. */
void fault_report(void);

/* Nothing is to go wrong any more. */
void fault_clear(void);

/* Count a call of that name; the errno that it has to fail with, or 0. */
int fault_call(const char *name);

/* Count an occasion at a QP; the fault that it meets, or NULL. */
const struct fault *fault_meet(enum fault_action action, const struct qp *q);

/* Likewise, for a message of the CM, or a MAD. */
const struct fault *fault_meet_mad(enum fault_action action, uint32_t type);

/* Whether @number means that object. */
bool fault_is_about(uint32_t number, const struct object *o);

/* How many calls there were. */
unsigned long fault_calls(void);

/* "ENOMEM" */
const char *fault_errno_name(int err);

#endif
