/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_POST_COUNTING_H
#define VERBSX_TESTS_UNIT_POST_COUNTING_H

/* A provider that counts, and keeps what it is given: a QP and a CQ of nobody, with handles. */

#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#include "unit/object/toys.h"

extern struct ibv_qp_ex qp_ex;		/* of type RC, in RTS */
extern struct ibv_cq_ex cq_ex;
extern struct ibv_srq srq;
extern struct ibv_wq wq;
extern char raw_object;			/* of all other handles */
extern int count;			/* of calls of the provider */
extern struct ibv_send_wr posted;	/* the last */
extern struct ibv_recv_wr received;
extern int answer;			/* of the provider, to the next calls */
extern void *refused;			/* what it says that it did not take, where it says no; NULL: it does not say */
extern const struct ibv_sge entry;
extern const struct ibv_mw_bind_info bind_to;

extern bool through_a_front;		/* stands before the CQ at whose completion one is */

struct vx_qp *make_qp(void);
/* With ibv_wr_post(3) made of ibv_post_send(3), for 4 requests of 3 entries and 16 bytes inline. */
struct vx_qp *make_qp_by_post(void);
struct vx_cq *make_cq(void);
struct vx_srq *make_srq(void);
struct vx_wq *make_wq(void);
struct vx_ah *handle_ah(void);
struct vx_mw *handle_mw(void);

/* A list that was begun on a new QP, and a completion of a new CQ; the calls up to there are not counted. */
struct vx_wr *begin(void);
struct vx_wr *begin_by_post(void);

/* The same with one builder or setter, shown: what the line of it has, once it is complete. */
struct vx_wr *begin_tapped(size_t pointer, void (*function)(void));
struct vx_wq *make_tapped_wq(void);
const char *what_is_shown(void);
void expect_shown(struct vx_wr *wr, const char *part);
struct vx_wc *at_completion(void);

/* For builders and setters: what one was given, which begins behind the first of the values. */
void note(const char *name, struct ibv_qp_ex *qp, const uint64_t *values, size_t values_count);
void expect_note(const char *name, const uint64_t *values, size_t values_count);

/* The request that was posted has wr_id = 7, send_flags = 9, and these. */
void expect_posted(enum ibv_wr_opcode opcode, const struct ibv_sge *list, int entries);

#endif
