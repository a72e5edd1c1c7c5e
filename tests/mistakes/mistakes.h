/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_MISTAKES_H
#define VERBSX_TESTS_MISTAKES_H

/*
 * Mistakes that people make, each a row: what it is, how to make it, what is returned, and the words that the sentence must
 * have for somebody to find it.
 */

#include <errno.h>
#include <stddef.h>

#include <verbsx/verbsx.h>

#define LONGEST_SENTENCE 1536

/* Where a mistake is made: the emulated device on InfiniBand or on Ethernet, or a kernel's soft-RoCE device. */
enum bed {
	EMU = 1,
	EMU_ROCE = 2,
	SOFT_ROCE = 4,
	ROCE = EMU_ROCE | SOFT_ROCE,
};

/* What each mistake finds ready. */
struct bench {
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	const struct mistake *mistake;
	char sentence[LONGEST_SENTENCE];	/* "": that of vx_error_text() */
	char raw[64];				/* "": by the call that failed */
};

struct mistake {
	const char *what;
	int (*make)(struct bench *);
	int code;		/* negative errno that is returned; 0 for what is no call */
	const char *names;	/* what the sentence must contain */
	const char *answer;	/* what a kernel answers where the emulated device does not mind: "modify_qp:EINVAL" */
	enum bed bed;		/* 0: EMU */
};

struct chapter {
	const char *title;
	const struct mistake *mistakes;
	size_t count;
};

#define CHAPTER(name, title) \
	const struct chapter name = { title, mistakes, sizeof(mistakes) / sizeof(mistakes[0]) }

extern const struct chapter opening, creating_qps, creating, changing, states, dynamic, values, memory, posting, completions, closing,
	roce, steering, changing_wqs, flows, subnet, connecting, connecting_queues, connecting_addresses, connecting_servers, connecting_values, vendor, vendor_objects,
	vendor_abilities, vendor_logins, vendor_requests, vendor_rules, vendor_direct;

/* Have the emulated device give the answer of the mistake from here on. */
void expect_answer(const struct bench *bench);

/* Have a fault of the emulated device happen: "port_down". */
void cause(const char *fault);

/* Until the port of a device is in a state that was caused. */
void wait_for_port(struct bench *bench, enum ibv_port_state state);

/* A QP of a type in a state, or the end of the program. */
struct vx_qp *qp_in(struct bench *bench, enum ibv_qp_type type, enum ibv_qp_state state);

/* The masks of the usual ways up, and attributes that suit them. */
#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_INIT_UD (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define TO_RTR_UC (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define TO_RTR (TO_RTR_UC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS \
	(IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

struct ibv_qp_attr usual_attr(struct bench *bench, enum ibv_qp_state state);

/*
 * Open a device of this name, "import" one, or connect by "another port", in a process of its own, with a variable set in
 * its environment if there is one. What it says goes into the bench; its code is returned.
 */
int alone(struct bench *bench, const char *action, const char *variable, const char *value);
int do_alone(const char *action);
int login_alone(struct bench *bench, const char *action); /* "login" and how */
int stream_alone(struct bench *bench);

/*
 * What comes of an action of do_alone() that may crash, or never come back: the line that it prints, or how it ends. Nothing where nobody
 * reads that.
 */
void outcome_alone(const char *action, char *out, size_t size);
int post_unchecked(const char *name);
extern bool recording;

/* What comes of what was posted has come, however busy the machine is: what is posted to other QPs later has ended. */
void settle(const struct bench *bench);

/* Of a program that does one thing. */
void end_what_waits_for_ever(void);

/* Set raw to what the call has returned that vx_error() names, if it is not set. */
void name_raw_result(struct bench *bench, int code);

/* Ask what must not fail. */
void must(int rc);

#endif
