/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_HANDSHAKE_H
#define VERBSX_SRC_HANDSHAKE_H

/*
 * Connecting QPs with those of a peer: who says what when, without input or output of its own.
 *
 *	connect                                      accept
 *	 |            --- OFFER, an entry a QP --->      WAIT_OFFER
 *	WAIT_ANSWER   <-- ANSWER, an entry a QP ---       |  moves its QPs
 *	 |  moves its QPs   --- READY --->               WAIT_READY
 *	DONE                                         DONE
 *
 * Either side sends REFUSE instead of what it should, and both fail. Once something was moved, what fails puts all back to RESET.
 */

#include <verbsx/connect.h>

#include "error/fail.h"
#include "handshake_wire.h"

#define VX_LONGEST_SENTENCE 512

enum vx_shake_state {
	VX_WAIT_OFFER,
	VX_WAIT_ANSWER,
	VX_WAIT_READY,
	VX_SHAKEN,		/* all is said, but perhaps not taken yet */
	VX_NOT_SHAKEN,		/* it failed, with the code in rc */
};

struct vx_shake;

/* What is done with the QPs, by their place. Each returns 0 or a negative errno, recorded. */
struct vx_shake_ops {
	/* fill what this side knows, of the path and beside it */
	int (*fill)(struct vx_shake *shake, uint32_t index, struct vx_wire_entry *entry);
	/* ready to receive and to send */
	int (*move)(struct vx_shake *shake, uint32_t index, const struct vx_path *path);
	int (*reset)(struct vx_shake *shake, uint32_t index);
};

/* What is known of a QP and of its peer. */
struct vx_shake_pair {
	struct vx_wire_entry own, theirs;	/* as each side tells of itself */
	struct vx_path path;			/* as it was agreed on */
};

/* A message on its way, or what has come of one. */
struct vx_shake_bytes {
	unsigned char *bytes;
	size_t size, done;
};

struct vx_shake {
	const struct vx_shake_ops *ops;
	const char *call;			/* for messages */
	struct vx_qp *const *qps;
	uint32_t count;
	const struct vx_connect_init *init;	/* its data must live as long */
	int timeout_ms;				/* of all of it; negative: it has all the time */
	int64_t start;				/* of vx_now_ms() */
	enum vx_shake_state state;
	int rc;
	int unsent;				/* errno of what could not be sent */
	bool moved;
	bool filled;				/* what this side tells */
	struct vx_shake_pair *pairs;		/* one a QP */
	struct vx_wire_header header;		/* of what is coming, once that is there */
	unsigned char head[VX_WIRE_HEADER];
	struct vx_shake_bytes in;		/* of the header, as long as there are no bytes, then of what is behind it */
	struct vx_shake_bytes out;
	unsigned char *data;			/* of the peer */
	uint32_t size;
};

/** What a program may ask for. @return 0 or -EINVAL, recorded */
int vx_shake_check_init(uint32_t count, const void *data, size_t size, const char *call);

/**
 * Begin; the rest of what @p shake has is zero. Fails with what it can of a program's mistakes before a byte is sent.
 *
 * @return 0, or a negative errno, recorded; vx_shake_end() in either case
 */
int vx_shake_begin(struct vx_shake *shake, bool connects);
void vx_shake_end(struct vx_shake *shake);

/** How many bytes it wants next, so that nothing is taken of what comes behind the handshake; 0: none. */
size_t vx_shake_wants(const struct vx_shake *shake);

/**
 * Hand it bytes that have come.
 *
 * @param used  how many it took
 * @return 0, or a negative errno, recorded, where it failed
 */
int vx_shake_feed(struct vx_shake *shake, const void *bytes, size_t size, size_t *used);

/** What is to be sent, and that so much of it was. */
const unsigned char *vx_shake_ready(const struct vx_shake *shake, size_t *size);
void vx_shake_sent(struct vx_shake *shake, size_t size);

/** "while waiting for the answer": something else ends it, such as the time. Returns the code. */
int vx_shake_fail(struct vx_shake *shake, int code, const char *why);

/** It is not to go on: what it has moved is put back, unless it is over. */
void vx_shake_abandon(struct vx_shake *shake);

/** What the other side has told of itself. */
void vx_shake_tell_peer(const struct vx_shake *shake, struct vx_peer *peer);

static inline bool vx_shake_is_over(const struct vx_shake *shake)
{
	return shake->state >= VX_SHAKEN && shake->out.done == shake->out.size;
}

/** The object that messages are about; NULL: none. */
static inline const void *vx_shake_first_qp(const struct vx_shake *shake)
{
	return shake->count ? shake->qps[0] : NULL;
}

/** Tell the other side why it is over; without memory for that it hears nothing. */
void vx_shake_say_refusal(struct vx_shake *shake, int code, const char *sentence);

/** Whether two of a list are the same, and the places of these: 1, 0 or -ENOMEM. compare() is given pointers to pointers to them. */
int vx_shake_find_twice(const void *list, size_t size, uint32_t count, int (*compare)(const void *, const void *), uint32_t twice[2]);

/* ---- failing (handshake_fail.c): each ends it, puts back what was moved, and returns the code, recorded ---- */

/* The two do not fit together, or something failed here: the peer gets the same sentence. */
int vx_shake_refuse(struct vx_shake *shake, int code, const char *format, ...) VX_COLD VX_PRINTF(3, 4);

/* A call has failed, and is recorded: that is the reason for both. */
int vx_shake_refuse_as_recorded(struct vx_shake *shake, int code);

/* The other side is not told. */
int vx_shake_fail_by(struct vx_shake *shake, int code, const char *sentence);

/* The other side has refused: what came is why. */
int vx_shake_was_refused(struct vx_shake *shake);

/* "waiting for the answer" */
const char *vx_shake_waiting_for(const struct vx_shake *shake);

/* ---- through a descriptor (handshake_step.c) ---- */

/**
 * All that can be done without waiting: what is ready is sent, and what has come is taken.
 *
 * @return what it ended with; or -EAGAIN, of which nothing is recorded, where it is not over: vx_shake_events(), vx_shake_left_ms()
 */
int vx_shake_step(struct vx_shake *shake, int fd);

/** What time does to it, the same without a descriptor. */
int vx_shake_look_at_time(struct vx_shake *shake);

/** POLLIN and POLLOUT, as it is now; 0: it is over. */
short vx_shake_events(const struct vx_shake *shake);

/** For poll(2): 0 when the time is up, -1 for ever. */
int vx_shake_left_ms(const struct vx_shake *shake);

/* ---- what both sides agree on (handshake_agree.c) ---- */

/* Whether two QPs can be each other's peer; says why not. */
bool vx_shake_fits(const struct vx_wire_entry *own, const struct vx_wire_entry *theirs, char *why, size_t len);

/* Both sides reckon the same: what is ours there is theirs here. @param asked  what the program here wants to be so; NULL: nothing */
void vx_shake_join(struct vx_path *path, const struct vx_path *theirs, const struct vx_path *asked);

#endif
