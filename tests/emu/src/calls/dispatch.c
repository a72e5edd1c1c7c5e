/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* From the numbers in an ioctl to the function that answers it. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "bounds.h"
#include "calls/call.h"
#include "cm/cm.h"
#include "mad/umad.h"
#include "faults/fault.h"
#include "nearest.h"
#include "trace.h"

/* The name of a call that is in no table */
#define UNKNOWN "unknown"

static const struct method *const tables[] = {
	ah_methods,	     channel_methods,	 context_methods,      counters_methods,    cq_methods,
	device_methods,	     devx_event_methods, devx_fd_methods,      devx_methods,	    dm_methods,
	flow_action_methods, flow_dv_methods,	 flow_matcher_methods, flow_methods,	    mcast_methods,
	mr_methods,	     mw_methods,	 odp_methods,	       pd_methods,	    port_methods,
	pp_methods,	     qp_create_methods,	 qp_methods,	       qp_open_methods,	    rwq_table_methods,
	srq_methods,	     uar_methods,	 umem_methods,	       unsupported_methods, vport_methods,
	wq_methods,	     xrcd_methods,	 steering_anchor_methods,
};

static const struct method *find_method(uint16_t object, uint16_t id, uint16_t command)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct method *m = tables[i]; m->name; m++)
			if (m->object == object && m->id == id && m->command == command)
				return m;
	return NULL;
}

const char *call_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct method *m = tables[i]; m->name; m++)
			if (!strcmp(m->name, name))
				return m->name;
	if (!strcmp(name, UNKNOWN))
		return UNKNOWN;
	return cm_command_name(name) ? cm_command_name(name) : umad_call_name(name);
}

void call_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct method *m = tables[i]; m->name; m++)
			nearest_see(n, m->name);
	cm_command_names(n);
	umad_call_names(n);
}

static int answer(struct call *c, const struct method *m)
{
	if (!m->run)
		return EOPNOTSUPP;
	if (!c->hdr->num_attrs) /* there is no call that needs none */
		return EINVAL;
	return c->in_len < m->in_size ? ENOSPC : m->run(c);
}

static int run_method(struct call *c, uint16_t command, int unknown)
{
	const struct method *m = find_method(c->hdr->object_id, c->hdr->method_id, command);
	int rc = fault_call(m ? m->name : UNKNOWN);

	if (m)
		TRACE("%lu %s", fault_calls(), m->name);
	else
		TRACE("%lu unknown: object %x method %x command %u", fault_calls(), c->hdr->object_id,
		      c->hdr->method_id, command);
	if (!rc)
		rc = m ? answer(c, m) : unknown;
	if (rc)
		TRACE("-> %s", fault_errno_name(rc));
	return rc;
}

static int invoke_write(struct call *c)
{
	uint32_t command = call_value(c, UVERBS_ATTR_WRITE_CMD);
	struct ib_uverbs_attr *in = call_attr(c, UVERBS_ATTR_CORE_IN);

	c->in = attr_data(in);
	c->in_len = in ? in->len : 0;
	c->out = call_attr(c, UVERBS_ATTR_CORE_OUT);
	/* libibverbs probes whether this method is there */
	if (!c->in && !c->out)
		return ENOSPC;
	return run_method(c, command & ~IB_USER_VERBS_CMD_FLAG_EXTENDED, EOPNOTSUPP);
}

int call_dispatch(struct context *ctx, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct call c = { .ctx = ctx, .hdr = hdr };

	if (hdr->object_id == UVERBS_OBJECT_DEVICE && hdr->method_id == UVERBS_METHOD_INVOKE_WRITE)
		return invoke_write(&c);
	return run_method(&c, 0, EPROTONOSUPPORT);
}
