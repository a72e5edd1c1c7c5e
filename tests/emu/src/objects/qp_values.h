/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The values of a QP's attributes: which are refused, and what is left of those that are too large. */
#ifndef EMU_QP_VALUES_H
#define EMU_QP_VALUES_H

#include <rdma/ib_user_verbs.h>

struct qp;

/* 0, or the errno by which the kernel refuses what is in the mask. */
int qp_values_check(const struct qp *q, const struct ib_uverbs_modify_qp *m);

/*
 * Neither the kernel nor the device refuses a timeout of 99: a field has the bits that the QP's
 * context has for it (PRM), and what is above is lost. A program that means so much finds another
 * value when it asks.
 */
void qp_values_cut(struct ib_uverbs_modify_qp *m);

#endif
