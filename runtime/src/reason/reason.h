/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_H
#define VERBSX_SRC_REASON_H

/* Why a call failed, found out after it has, mostly by the tables of gen/lore/limits.toml. */

#include "text/bounds.h"

#define VX_LONGEST_REASON 512

struct vx_node;

/* What a call was asked for. */
struct vx_request {
	int code;		/* negative errno that it returned */
	unsigned int kind;	/* enum vx_object_kind of what it was to make; 0: nothing */
	struct vx_type type;	/* of attr; without desc where the call took no structure */
	const void *attr;
	const struct vx_node *node;	/* that it was to become, with its parent and what else it uses; NULL: nothing */
	bool locks;		/* memory of the process was to be locked for it */
	uint64_t mask;		/* beside the structure: the fields that count; VX_MASK_ALL where there is none */
};

/* What a reason is made of: parts with "; " between them. */
struct vx_reason {
	struct vx_out out;
};

/** Begin a reason in a buffer of @p len bytes. */
void vx_reason_start(struct vx_reason *reason, char *buf, size_t len);

/** Add a part, as for printf(3). */
void vx_reason_add(struct vx_reason *reason, const char *format, ...) VX_PRINTF(2, 3);

/** Where the next part goes, for what no format can say. */
struct vx_out *vx_reason_part(struct vx_reason *reason);

static inline bool vx_reason_is_found(const struct vx_reason *reason)
{
	return vx_out_length(&reason->out) != 0;
}

/** End it. @return whether there is one */
bool vx_reason_finish(struct vx_reason *reason);

/** Add all fields that are beyond a limit, and all that is missing or contradicts itself. */
void vx_reason_of_request(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds);

/** Add what lore refuses before a call, as rdma-core would ignore it. */
void vx_reason_to_refuse(struct vx_reason *reason, const struct vx_request *request);

/** The enum that a field has one value of at a time; NULL where it is of none. */
const struct vx_enum_info *vx_reason_enum(const struct vx_field *f);

/** Add values that only a newer rdma-core than @p running knows, or nobody; 0: it is not known which runs. */
void vx_reason_of_values(struct vx_reason *reason, const struct vx_request *request, unsigned int running);

/** The same for flags that are in no structure. */
void vx_reason_of_flags(struct vx_reason *reason, const struct vx_request *request, unsigned int running, const char *name,
			const struct vx_enum_info *e, uint64_t value);

/**
 * Add that a descriptor is not open, or not of a file with @p part in its name, as what is @p wanted has.
 *
 * @return -EBADF or -EINVAL for these, or 0
 */
int vx_reason_of_fd(struct vx_reason *reason, const char *field, int fd, const char *part, const char *wanted);

/** Add what a provider may not have. */
void vx_reason_of_suspects(struct vx_reason *reason, const struct vx_request *request);

/** Add what the code alone tells, and what a provider may not have: where nothing better was found. */
void vx_reason_of_code(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds);

/** All of it for a request that a context was asked for. @return whether there is a reason in @p buf */
bool vx_find_reason(const struct vx_request *request, struct ibv_context *context, char *buf, size_t len);

/** The port that a structure names, 1 where it names none. */
uint8_t vx_request_port(const struct vx_request *request);

#endif
