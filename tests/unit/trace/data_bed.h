/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A QP that sends to itself, and the lines that a trace has of it: numbers of three digits or more are "#". */

#ifndef UNIT_TRACE_DATA_BED_H
#define UNIT_TRACE_DATA_BED_H

#include "unit/device.h"

#define LINES 32

extern char lines[LINES][1024];
extern unsigned int count;
extern struct vx_cq *cq;
extern struct vx_qp *qp;
extern struct vx_mr *mr;
extern struct ibv_sge entry;

/* @param most  how many objects of a kind are shown; @param wc_flags  of the CQ */
void make_all(unsigned int most, uint64_t wc_flags);
void connect_to_itself(void);

void begin(void);
void end(void);

void expect_line(const char *expected);
void expect_begins(const char *line, const char *expected);

void wait_for_one(void);

#endif
