/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_PATH_H
#define VERBSX_SRC_PATH_H

/* What the parts of paths share. */

#include <stdbool.h>

#include <verbsx/path.h>

#include "gid/gid.h"
#include "object/event.h"

/* Numbers of QPs and packets. */
#define VX_24_BITS 0xffffffu

/* The P_Key by which everybody is reached that is in a subnet, if only as a limited member; and the bit of one that is no limited member. */
#define VX_EVERYBODY 0xffff
#define VX_FULL_MEMBER 0x8000

/* Whether a LID is that of a port: others are of groups, or of nobody. */
static inline bool vx_lid_is_of_port(uint64_t lid)
{
	return lid && lid <= 0xbfff;
}

/* A number into a member of 1, 2 or 4 bytes. */
static inline void vx_store(void *member, size_t size, uint32_t value)
{
	if (size == 1)
		*(uint8_t *)member = (uint8_t)value;
	else if (size == 2)
		*(uint16_t *)member = (uint16_t)value;
	else
		*(uint32_t *)member = value;
}

/**
 * Whether a path has nothing that this library does not know, as a newer one's member would else be passed over, and no number that packets
 * have no room for, of which devices would make something else, or the peer be told: 0, or -EINVAL or -E2BIG with vx_error() filled (path.c).
 */
int vx_path_check(const struct vx_path *path, const char *call);

/** All that a path and what ibv_modify_qp(3) is told have in common (path.c). */
void vx_path_copy(const struct vx_path *path, struct ibv_qp_attr *out);

/** Whether the context of a path is one that is open here: it is looked for, not at, as a peer's path has the peer's pointer (path.c). */
bool vx_path_is_here(const struct vx_path *path);

/** 0 where it is, or -EINVAL with vx_error() filled, also where the path has none. */
int vx_path_check_ctx(const struct vx_path *path, const char *call);

/** A path cannot be of this object: its context is another, or none of this process. -EINVAL, with vx_error() filled. */
int vx_path_elsewhere(const struct vx_path *path, const void *object, const char *call);

struct vx_asked;

/**
 * Fill what this side knows, as vx_path_fill(); but spsn stays as it is, as the peer has been told, and addresses may (fill.c).
 *
 * @param here  what was asked for and is, of the device
 */
int vx_path_fill_here(struct vx_path *path, struct vx_qp *qp, bool addresses, struct vx_asked *here, const char *call);

/** Of that, what can be known without a QP: addresses, and what packets are like (fill.c). */
int vx_path_fill_wire(struct vx_path *path, struct vx_asked *here, const char *call);

/** vx_path_fill() of many QPs (fill.c). @param any_sqpn  it may be another one's */
int vx_path_fill_all(struct vx_path *path, struct vx_qp *qp, bool any_sqpn, struct vx_asked *here);

/** vx_qp_to_rts() of many QPs (qp_state.c). */
int vx_qp_move_to_rts(struct vx_qp *qp, const struct vx_path *path, struct vx_asked *here);

#endif
