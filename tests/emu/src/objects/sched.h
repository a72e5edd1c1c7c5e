/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Scheduling elements: general objects of DEVX that make a tree of nodes (TSAR), with leaves (queue groups) to which QPs
 * are attached. What they send is held to the bandwidth of each element on the way to the root. Shares are kept, as there
 * is nothing here that QPs would have to share.
 */
#ifndef EMU_SCHED_H
#define EMU_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TYPE_SCHEDULING_ELEMENT 0x26

struct object;
struct qp;

/* See whether an element can be made, and what it hangs on: 0, or a status. */
uint8_t sched_admit(const uint8_t *body, size_t len, struct object **parent);

/* Change what @in selects. */
void sched_modify(uint8_t *body, const uint8_t *in);

/* Attach a QP to a leaf, or to none for 0: 0, or -1 where there is no such leaf. */
int sched_attach(struct qp *q, uint32_t leaf);

/* Whether a QP has to wait, and that it has sent so many bytes. */
bool sched_is_holding(const struct qp *q);
void sched_count(const struct qp *q, uint32_t bytes);

#endif
