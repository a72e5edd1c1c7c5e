/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>

#include "error/fail.h"
#include "making.h"
#include "reach/reach.h"

#define VX_TRACE_ASIDE
#include "traced.h"

bool vx_is_provided_by(const void *object, const char *library)
{
	/* Every provider has one of its own. */
	return object && vx_function_is_of((uintptr_t)vx_context_of(object)->ops.poll_cq, library);
}

bool vx_is_infiniband(const void *object, uint8_t port_num)
{
	struct ibv_port_attr port;

	return !ibv_query_port(vx_context_of(object), port_num ? port_num : 1, &port) && port.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

int vx_needs_provider(const char *call, const void *object, const char *library)
{
	if (!object || vx_is_provided_by(object, library))
		return 0;
	return vx_fail(-EOPNOTSUPP, call, VX_NAME(object), "the device is none of %s", library);
}
