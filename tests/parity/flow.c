/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "flow.h"

struct flow_asked flow_asked;
int flows_gone;

static struct ibv_flow raw;

static struct ibv_flow *create(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	flow_asked.qp = qp;
	flow_asked.attr = *attr;
	memcpy(flow_asked.specs, attr + 1, attr->size - sizeof(*attr));
	raw = (struct ibv_flow){ .context = qp->context };
	return &raw;
}

static int destroy(struct ibv_flow *flow)
{
	cr_expect_eq(flow, &raw);
	flows_gone++;
	return 0;
}

void record_flows(void)
{
	provider()->ibv_create_flow = create;
	provider()->ibv_destroy_flow = destroy;
}
