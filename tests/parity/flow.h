/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_FLOW_H
#define VERBSX_TESTS_PARITY_FLOW_H

/* Functions in the provider's place that record what flows are made of. */

#include "record.h"

/* What was asked for last. */
extern struct flow_asked {
	struct ibv_qp *qp;
	struct ibv_flow_attr attr;
	unsigned char specs[1024];
} flow_asked;

extern int flows_gone;

void record_flows(void);

#endif
