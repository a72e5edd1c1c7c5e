/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_VERBS_RECORD_FLOW_H
#define VERBSX_TESTS_VERBS_RECORD_FLOW_H

#include "unit/device.h"

/* What rdma-core was asked to create last. */
extern struct flow_request {
	struct ibv_flow_attr attr;
	unsigned char specs[4096];
} flow_request;

extern struct vx_qp *flow_qp;

/* Open the device, with functions in the place of the provider's that record what flows are made of. */
void record_flows(void);

#endif
