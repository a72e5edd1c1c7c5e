/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/counters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>

#include "calls/call.h"

#define MAX_POINTS 8191 /* of the real driver */

/* By the description of a point */
enum {
	PACKETS,
	BYTES,
	DESCRIPTIONS
};

struct counters {
	struct object o;
	uint64_t value[DESCRIPTIONS];
	uint32_t count, room; /* points, and one more than the largest index of one */
	struct mlx5_ib_flow_counters_desc *points;
};

static int create_counters(struct call *c)
{
	struct counters *k;

	if (!call_is_ethernet(c))
		return EOPNOTSUPP;
	k = object_new(c->ctx, COUNTERS, sizeof(*k), NULL);
	if (!k)
		return ENOMEM;
	call_put_handle(c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, k->o.handle);
	return 0;
}

static void forget_points(struct counters *k)
{
	free(k->points);
	k->points = NULL;
	k->count = k->room = 0;
}

void counters_release(struct object *o)
{
	forget_points((struct counters *)o);
}

static int destroy_counters(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, COUNTERS));
}

/* A point that several descriptions are attached to has their sum */
static int read_counters(struct call *c)
{
	struct counters *k = call_object(c, UVERBS_ATTR_READ_COUNTERS_HANDLE, COUNTERS);
	struct ib_uverbs_attr *out = call_attr(c, UVERBS_ATTR_READ_COUNTERS_BUFF);
	uint64_t *values;

	if (!k)
		return ENOENT;
	if (!k->o.users || !out || k->room > out->len / sizeof(*values) ||
	    call_value(c, UVERBS_ATTR_READ_COUNTERS_FLAGS) & ~(uint64_t)IB_UVERBS_READ_COUNTERS_PREFER_CACHED)
		return EINVAL;
	values = calloc(k->room + 1, sizeof(*values));
	if (!values)
		return ENOMEM;
	for (uint32_t i = 0; i < k->count; i++)
		values[k->points[i].index] += k->value[k->points[i].description];
	call_put(c, UVERBS_ATTR_READ_COUNTERS_BUFF, values, k->room * sizeof(*values));
	free(values);
	return 0;
}

static int set_points(struct counters *k, const struct mlx5_ib_flow_counters_data *data)
{
	const struct mlx5_ib_flow_counters_desc *from = (void *)(uintptr_t)data->counters_data;
	uint32_t room = 0;

	if (k->room || data->ncounters > MAX_POINTS)
		return EINVAL;
	for (uint32_t i = 0; i < data->ncounters; i++) {
		if (from[i].description >= DESCRIPTIONS || from[i].index >= MAX_POINTS)
			return EINVAL;
		room = from[i].index >= room ? from[i].index + 1 : room;
	}
	k->points = calloc(data->ncounters + 1, sizeof(*k->points));
	if (!k->points)
		return ENOMEM;
	memcpy(k->points, from, data->ncounters * sizeof(*from));
	k->count = data->ncounters;
	k->room = room;
	return 0;
}

int counters_bind(struct counters *k, const struct mlx5_ib_flow_counters_data *data)
{
	int rc = data ? set_points(k, data) : 0;

	if (rc || !k->room)
		return rc ? rc : EINVAL;
	object_hold(&k->o);
	return 0;
}

void counters_unbind(struct counters *k)
{
	object_drop(&k->o);
	if (!k->o.users)
		forget_points(k);
}

void counters_count(struct counters *k, uint32_t bytes)
{
	k->value[PACKETS]++;
	k->value[BYTES] += bytes;
}

const struct method counters_methods[] = {
	METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, "create_counters", create_counters),
	METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, "destroy_counters", destroy_counters),
	METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, "read_counters", read_counters),
	{ 0 },
};
