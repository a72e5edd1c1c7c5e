/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FRONT_H
#define VERBSX_SRC_FRONT_H

/*
 * What stands before an object on the data path, in the place of the raw one: struct vx_front of object/object.h lies before it. The
 * inline functions of verbsx/post.h, wr.h and poll.h call it as rdma-core's own would call the raw object, so it begins as that does.
 * Fronts of a QP, CQ, SRQ or WQ are put there before anybody can use it, or by its only user, and stay until it is closed.
 */

#include <infiniband/verbs.h>

#include "object/object.h"

struct vx_cq;
struct vx_qp;

#define VX_SPARE_POINTERS 16

/**
 * Memory for a front, which is to be put before an object; free(vx_front_head(front)) ends it before that.
 *
 * @param size  of what looks like the raw object, and what is behind it; all of it is zero
 * @return NULL with vx_error() filled
 */
void *vx_front_new(size_t size, const char *call);

static inline struct vx_front *vx_front_head(const void *front)
{
	return (struct vx_front *)(uintptr_t)front - 1;
}

/** What a front goes on to. */
static inline void *vx_front_next(const void *front)
{
	return vx_front_head(front)->next;
}

/** That before an object which shows its calls, or checks them; NULL: there is none. */
void *vx_front_find(const struct vx_node *node, enum vx_front_what what);

/** The sizes of a QP, asked for each time. */
bool vx_ask_cap(struct ibv_qp *qp, struct ibv_qp_cap *cap) VX_SELDOM_CALLED;

/** The same of a QP that has a handle, which are remembered, or of an SRQ or a WQ, which receive. @return false: nobody can tell, and there is no end to them */
bool vx_known_cap(const struct vx_node *node, struct ibv_qp_cap *cap) VX_SELDOM_CALLED;

/* ---- before CQs ---- */

/* What programs use comes first: they may have been compiled with headers in which there is more of it. */
struct vx_front_cq {
	struct ibv_cq_ex cq;
	void (*spare[VX_SPARE_POINTERS])(void);
	struct ibv_context context;	/* whose functions ibv_poll_cq(3) and ibv_req_notify_cq(3) call; nobody else is to see it */
	int last;			/* what start_poll or next_poll have returned */
};

/* What the next is at, once it was asked for that. @return the code */
int vx_front_show(struct ibv_cq_ex *front, const struct ibv_cq_ex *next, int rc);

/** Make a front of a CQ that does nothing but go on to the next; its structure, of so many bytes, begins with struct vx_front_cq. */
void *vx_front_cq_new(const struct ibv_cq_ex *next, size_t size, const char *call);

/** What of it is read of a completion. Generated. */
void vx_front_cq_reads(struct ibv_cq_ex *front);

/** end_poll does nothing once next_poll has found no other completion. */
void *vx_mend_end_poll(const struct ibv_cq_ex *next, const char *call);

/* ---- before QPs ---- */

/* Likewise; spare is what only newer headers have, which fails the list that it is called in. */
struct vx_front_qp {
	struct ibv_qp_ex qp;
	void (*spare[VX_SPARE_POINTERS])(void);
	struct ibv_context context;	/* whose functions ibv_post_send(3) and ibv_post_recv(3) call; nobody else is to see it */
};

/**
 * Make a front of a QP that goes on to the next with lists of requests; of ibv_wr_post(3) it has nothing yet.
 *
 * @param size  of what begins with this
 * @param fail  what becomes of calls that only newer headers have
 */
void *vx_front_qp_new(const struct ibv_qp_ex *next, size_t size, void (*fail)(struct ibv_qp_ex *front), const char *call);

/* ---- before ids ---- */

/**
 * Have what an id posts go through what stands before its QP or SRQ, now or soon. Of a new one only the parent is looked at, which may be
 * of any kind; of other raw objects, all ids are, and there may be none.
 *
 * @return 0, or -ENOMEM recorded
 */
int vx_new_goes_through(const struct vx_node *node, const char *call) VX_SELDOM_CALLED;
int vx_id_goes_through(const void *raw, const char *call) VX_SELDOM_CALLED;

/* ---- providers that are wrong ---- */

/**
 * Make what is to stand before a raw object by [mend] of lore. Generated.
 *
 * @param front  NULL where its provider is right; else free(vx_front_head()) ends it until it is put there
 * @return 0, or -ENOMEM recorded
 */
int vx_mend_cq(const struct ibv_cq *raw, const char *call, void **front);
int vx_mend_qp(const struct ibv_qp *raw, const char *call, void **front);

#endif
