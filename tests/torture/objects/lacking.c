/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Kinds that the emulated device lacks: functions in the provider's place make and end one of each. And what its provider
 * does without the kernel: nothing but the provider can refuse that.
 */

#include "torture.h"

static struct ibv_counters raw_counters;
static struct ibv_flow raw_flow;
static struct ibv_flow_action raw_action;

static struct ibv_counters *new_counters(struct ibv_context *context, struct ibv_counters_init_attr *attr)
{
	(void)attr;
	raw_counters.context = context;
	return inject_made(&raw_counters);
}

static int end_counters(struct ibv_counters *counters)
{
	(void)counters;
	return inject_ended();
}

static int read_counters(struct ibv_counters *counters, uint64_t *values, uint32_t count, uint32_t flags)
{
	(void)counters, (void)values, (void)count, (void)flags;
	return inject_refuses();
}

static struct ibv_flow *new_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	(void)attr;
	raw_flow.context = qp->context;
	return inject_made(&raw_flow);
}

static int end_flow(struct ibv_flow *flow)
{
	(void)flow;
	return inject_ended();
}

static struct ibv_flow_action *new_action(struct ibv_context *context, struct ibv_flow_action_esp_attr *attr)
{
	(void)attr;
	raw_action.context = context;
	return inject_made(&raw_action);
}

static int end_action(struct ibv_flow_action *action)
{
	(void)action;
	return inject_ended();
}

static struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *, struct ibv_parent_domain_init_attr *);
static int (*dealloc_td)(struct ibv_td *);
static int (*get_srq_num)(struct ibv_srq *, uint32_t *);

static struct ibv_pd *new_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	return inject_refuses() ? NULL : alloc_parent_domain(context, attr);
}

static int end_td(struct ibv_td *td)
{
	int code = inject_refuses();

	return code ? code : dealloc_td(td);
}

static int number_of_srq(struct ibv_srq *srq, uint32_t *number)
{
	int code = inject_refuses();

	return code ? code : get_srq_num(srq, number);
}

static void stand_before(struct verbs_context *provider)
{
	alloc_parent_domain = provider->alloc_parent_domain;
	dealloc_td = provider->dealloc_td;
	get_srq_num = provider->get_srq_num;
	provider->alloc_parent_domain = new_parent_domain;
	provider->dealloc_td = end_td;
	provider->get_srq_num = number_of_srq;
}

void lacking_install(struct ibv_context *context)
{
	struct verbs_context *provider = verbs_get_ctx(context);

	provider->create_counters = new_counters;
	provider->destroy_counters = end_counters;
	provider->read_counters = read_counters;
	provider->ibv_create_flow = new_flow;
	provider->ibv_destroy_flow = end_flow;
	provider->create_flow_action_esp = new_action;
	provider->destroy_flow_action = end_action;
	stand_before(provider);
}

static int create_counters(void)
{
	return vx_counters_create(stage.ctx, NULL, &made.counters);
}

static int create_flow(void)
{
	const struct vx_flow_spec spec = { .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp.dst_port = 4791 };

	return vx_flow_create(stage.ud, &(struct vx_flow_init){ .specs = &spec, .count = 1 }, &made.flow);
}

static int create_action(void)
{
	return vx_flow_action_create(stage.ctx, NULL, &made.flow_action);
}

static int read_values(void)
{
	uint64_t values[1];

	return vx_counters_read(made.counters, values, 1, 0);
}

const struct kind lacking_kinds[] = {
	{ "counters", create_counters, IN_PLACE(ibv_create_counters), IN_PLACE(ibv_destroy_counters) },
	{ "flow", create_flow, IN_PLACE(ibv_create_flow), IN_PLACE(ibv_destroy_flow) },
	{ "flow_action", create_action, IN_PLACE(ibv_create_flow_action_esp), IN_PLACE(ibv_destroy_flow_action) },
	{ 0 },
};

const struct method lacking_methods[] = {
	{ "reading counters", create_counters, read_values, IN_PLACE(ibv_read_counters) },
	{ 0 },
};
