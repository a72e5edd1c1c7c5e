/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_H
#define VERBSX_SRC_REASON_H

/*
 * Why a call of rdma-core failed, found out after it has: by the tables of gen/lore/limits.toml, which know the call's
 * parameters by the rows that tracing has too, and by functions of verbs/ and other rooms for what tables cannot say (verbs/reason_by_hand.h).
 */

#include <infiniband/verbs.h>

#include "error/fail.h"
#include "reason_tables.h"
#include "signatures.h"
#include "text/out.h"
#include "text/printer.h"
#include "text/signature.h"

#define VX_LONGEST_REASON 512

struct vx_node;

/* The arguments of a call, in its order: pointers by (uintptr_t), numbers in the order of bytes of this machine. */
#define VX_ARGS(...) ((const uint64_t[]){ __VA_ARGS__ })
#define VX_ARG(pointer) ((uintptr_t)(pointer))

/* ---- for who has called (refused.c) ---- */

/**
 * A call has failed: record why.
 *
 * @param code    negative errno
 * @param call    the function of libverbsx that refused it without making it; NULL: the row's call did
 * @param row     SIGNATURE_ibv_resize_cq
 * @param object  the handle that messages name; NULL: the device
 * @param args    what the call was given
 * @return @p code, or another where that was no errno of its own
 */
int vx_call_refused(int code, const char *call, unsigned int row, const void *object, const uint64_t *args);

/**
 * The same where the call was to make an object: end its handle as well.
 *
 * @param call  its name, where that is not the row's; NULL: the row's
 */
int vx_create_refused(int code, const char *call, unsigned int row, struct vx_node *node, const uint64_t *args) VX_COLD;

/**
 * Whether lore refuses a call before it is made, as rdma-core would crash.
 *
 * @return -EINVAL, recorded, or 0
 */
int vx_call_check(const char *function, unsigned int row, const uint64_t *args);

/* ---- for who explains ---- */

/* What a device, a port or the object of a call allows: each asked for when the first row wants to know, after a failure. */
struct vx_bounds {
	struct ibv_context *context;
	void *object;			/* that the call was made on */
	uint8_t port;
	bool asked[VX_SOURCES];
	const void *known[VX_SOURCES];	/* NULL: would not tell */
	struct vx_answers answers;
};

/** Have a source tell; NULL where it would not. */
const void *vx_bounds_ask(struct vx_bounds *bounds, unsigned int source);

/* What asks. Generated. */
const void *vx_source_ask(struct vx_bounds *bounds, unsigned int source);

/* A call that has failed, and what was found so far. */
struct vx_failure {
	int code;			/* negative errno that it returned */
	const struct vx_signature *call;
	const uint64_t *args;
	const struct vx_node *node;	/* what it was to make, with what that depends on; NULL: nothing */
	struct vx_bounds bounds;
	char change[64];		/* behind the name of the object: ", INIT -> RTR" */
	struct vx_out out;		/* the reason: parts with "; " between them */
};

/* What rows are about: the call with its arguments, or a structure that one of them points to. */
struct vx_subject {
	uint16_t owner;
	uint64_t mask;			/* beside the structure: the fields that count; VX_MASK_ALL where there is none */
	struct vx_view view;
};

/** Add a part, as for printf(3). */
void vx_reason_add(struct vx_failure *failure, const char *format, ...) VX_PRINTF(2, 3);

/** Where the next part goes, for what no format can say. */
struct vx_out *vx_reason_part(struct vx_failure *failure);

static inline bool vx_reason_is_found(const struct vx_failure *failure)
{
	return vx_out_length(&failure->out) != 0;
}

/** Find the reason of a failure whose code, call, args, and node are set. @return whether there is one in @p buf */
bool vx_explain(struct vx_failure *failure, char *buf, size_t len);

/** What a call was given for a parameter or a field of a structure, 0 where it has none of this name. */
uint64_t vx_argument(const struct vx_failure *failure, const char *name);

/** What a parameter points to, an object or a structure; false where that is NULL. */
bool vx_argument_view(const struct vx_failure *failure, unsigned int index, struct vx_view *out);

/** The structures that a call takes, each with the mask beside it, from 0; the last is the call. False where no more are. */
bool vx_subject_at(const struct vx_failure *failure, unsigned int index, struct vx_subject *out);

/** That last one. */
struct vx_subject vx_subject_of_call(const struct vx_failure *failure);

/** A place by its path. */
bool vx_subject_find(const struct vx_failure *failure, const struct vx_subject *subject, const char *path, struct vx_place *out);

/** The same in any of them. */
bool vx_argument_find(const struct vx_failure *failure, const char *path, struct vx_place *out);

/** Add what rows say in a phase; in the usual one all that is beyond a limit comes first. */
void vx_reason_of_rows(struct vx_failure *failure, enum vx_phase phase);
void vx_reason_of_subject(struct vx_failure *failure, const struct vx_subject *subject, enum vx_phase phase);

/** The enum that a field has one value of at a time; NULL where it is of none. */
const struct vx_enum_info *vx_reason_enum(const struct vx_field *f);

/** Add values that only a newer rdma-core than @p running knows, or nobody; 0: it is not known which runs. */
void vx_reason_of_values(struct vx_failure *failure, const struct vx_subject *subject, unsigned int running);

/**
 * Add that a descriptor is not open, or not of a file with @p part in its name, as what is @p wanted has.
 *
 * @return -EBADF or -EINVAL for these, or 0
 */
int vx_reason_of_fd(struct vx_failure *failure, const char *field, int fd, const char *part, const char *wanted);

/** RLIMIT_MEMLOCK in bytes; VX_MEMLOCK_NONE where there is none, or kernels do not mind it of this process. */
#define VX_MEMLOCK_NONE UINT64_MAX
uint64_t vx_memlock_limit(void);

/** Whether the provider of an object's context is a library, such as "libmlx5"; not where there is no object. */
bool vx_is_provided_by(const void *object, const char *library);

/** Add what a provider may not have. */
void vx_reason_of_suspects(struct vx_failure *failure);

/** Add what the code alone tells, and what a provider may not have: where nothing better was found. */
void vx_reason_of_code(struct vx_failure *failure);

/* What verbs/ knows of a call, before the tables are looked through and after. Generated: gen/lore/limits.toml, [explain]. */
void vx_explain_first(struct vx_failure *failure, unsigned int row);
void vx_explain_then(struct vx_failure *failure, unsigned int row);

/* ---- the state machines of QPs and WQs, of generated/src/transitions.c (transition.c) ---- */

/** The type that a QP has in the table; 0 where the table does not know it. */
unsigned int vx_transition_type(const struct ibv_qp *qp);

/** What a QP of that type is ever told, of enum ibv_qp_attr_mask: the rest of what ibv_query_qp(3) gives means nothing. */
uint32_t vx_transition_mask(const struct ibv_qp *qp);

/** "RC" and so on. */
const char *vx_transition_type_name(unsigned int type);

/** "INIT" and so on, of VX_QPT_WQ too; where there is no such state, in memory of the block that asks for it. */
#define VX_STATE(type, state) vx_state_in((char[VX_LONGEST_STATE]){ "" }, type, state)
#define VX_LONGEST_STATE 32
const char *vx_state_in(char *buf, unsigned int type, unsigned int state);

/** What the masks of a transition are; NULL where a QP of this type cannot take it. */
const struct vx_transition *vx_transition_find(unsigned int type, unsigned int from, unsigned int to);

/** Add that the caller takes it for being in another state. @param field  "cur_qp_state" */
void vx_reason_of_state(struct vx_failure *failure, unsigned int type, const char *field, unsigned int said, unsigned int is);

/** Add which state it cannot reach from where it is, or the bits that a mask lacks and those that it must not have. */
void vx_reason_of_transition(struct vx_failure *failure, unsigned int type, unsigned int from, unsigned int to, int attr_mask);

#endif
