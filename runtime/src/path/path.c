/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdbool.h>

#include "error/fail.h"
#include "ids.h"
#include "kinds.h"
#include "object/make.h"
#include "path.h"
#include "path_key.h"
#include "text/printer.h"
#include "text/table.h"

/*
 * What follows from a path alone: no device is asked.
 */

#define LONGEST_TIMER 31	/* what five bits hold */
#define FARTHEST 255		/* routers */

/* The last bit, and all before it. */
#define ALL_OF_MASK (2 * VX_PATH_HOP_LIMIT - 1)

/* But for those that a device may pass over. */
static uint64_t nameless_access(const struct vx_path *path)
{
	const struct vx_enum_info *flags = &vx_enums[ENUM_ibv_access_flags];
	uint64_t bits = (uint32_t)path->access & ~(uint32_t)IBV_ACCESS_OPTIONAL_RANGE, found = 0;

	for (; bits; bits &= bits - 1)
		if (!vx_enum_name(flags, (int64_t)(bits & -bits)))
			found |= bits & -bits;
	return found;
}

static int check_known(const struct vx_path *path, const char *call)
{
	const uint32_t strange = path->mask & ~(uint32_t)ALL_OF_MASK;
	const uint64_t access = nameless_access(path);
	struct vx_path own;

	if (strange)
		return vx_unknown_bits(call, "mask", strange, 1 + ENUM_vx_path_mask);
	if (access)
		return vx_unknown_bits(call, "access", access, 1 + ENUM_ibv_access_flags);
	if (!vx_is_rate(path->static_rate))
		return vx_fail(-EINVAL, call, NULL, "static_rate = %u is none of enum ibv_rate", path->static_rate);
	if (path->gid_type > IBV_GID_TYPE_ROCE_V2)
		return vx_fail(-EINVAL, call, NULL, "gid_type = %u is none of enum ibv_gid_type", path->gid_type);
	return vx_take_in(&own, offsetof(struct vx_path, reserved_), path, sizeof(*path), call, "the path", "mask");
}

static VX_COLD int too_much(const struct vx_path_key *key, uint64_t number, const char *call)
{
	const char *format = key->form == VX_PATH_BYTES ? "%s = %llu is none of enum ibv_mtu" :
			     key->form == VX_PATH_HEX ? "%s = 0x%llx, but the most is 0x%llx" : "%s = %llu, but the most is %llu";

	return vx_fail(-EINVAL, call, NULL, format, key->name, (unsigned long long)number, (1ull << key->bits) - 1);
}

/* What is a truth is any number. */
int vx_path_check(const struct vx_path *path, const char *call)
{
	const struct vx_path_key *key;
	uint64_t number;
	int rc = check_known(path, call);

	for (key = vx_path_keys; rc == 0 && key < vx_path_keys + VX_PATH_KEYS; key++) {
		if (key->bits <= 1)
			continue;
		number = vx_read_unsigned(vx_path_member(path, key), key->size);
		if (number >> key->bits || (key->form == VX_PATH_BYTES && number > IBV_MTU_4096))
			rc = too_much(key, number, call);
	}
	return rc;
}

void vx_path_copy(const struct vx_path *path, struct ibv_qp_attr *out)
{
	const struct vx_path_key *key;

	for (key = vx_path_keys; key < vx_path_keys + VX_PATH_KEYS; key++)
		if (key->form == VX_PATH_GID && key->attr_size)
			memcpy((char *)out + key->attr_offset, vx_path_member(path, key), key->attr_size);
		else if (key->attr_size)
			vx_store((char *)out + key->attr_offset, key->attr_size, (uint32_t)vx_read_unsigned(vx_path_member(path, key), key->size));
}

bool vx_path_is_here(const struct vx_path *path)
{
	const struct vx_node *node;

	vx_graph_lock();
	node = vx_graph.contexts;
	while (node && node != (const struct vx_node *)path->ctx)
		node = node->next;
	vx_graph_unlock();
	return node;
}

static VX_COLD int of_another_process(const void *object, const char *call)
{
	return vx_fail(-EINVAL, call, VX_NAME(object), "ctx of the path is no context that is open in this process; of a path that a peer "
		       "has filled set ctx and port_num to those of this side");
}

int vx_path_check_ctx(const struct vx_path *path, const char *call)
{
	if (!path->ctx)
		return vx_null_fail(call, "ctx of the path");
	return vx_path_is_here(path) ? 0 : of_another_process(NULL, call);
}

VX_COLD int vx_path_elsewhere(const struct vx_path *path, const void *object, const char *call)
{
	if (!vx_path_is_here(path))
		return of_another_process(object, call);
	return vx_fail(-EINVAL, call, VX_NAME(object), "the path begins at %s", VX_NAME(path->ctx));
}

void vx_path_reverse(struct vx_path *path)
{
	const struct vx_path was = *path;
	const struct vx_path_key *key, *twin;

	for (key = vx_path_keys; key < vx_path_keys + VX_PATH_KEYS; key++) {
		if (!key->twin)
			continue;
		twin = &vx_path_keys[key->twin - 1];
		memcpy(vx_path_member(path, key), vx_path_member(&was, twin), key->size);
		path->mask = (path->mask & ~(uint32_t)key->mask) | (was.mask & twin->mask ? key->mask : 0);
	}
}

void vx_path_reply(struct vx_path *path)
{
	vx_path_reverse(path);
	if (path->is_global)
		path->hop_limit = FARTHEST;
}

static uint64_t units(uint8_t timer)
{
	return UINT64_C(1) << (timer < LONGEST_TIMER ? timer : LONGEST_TIMER);
}

/* The smallest timer that is not shorter. In whole numbers: logarithms are off by one for some powers of two. */
static uint8_t timer_of(uint64_t wanted)
{
	uint8_t timer = 0;

	while (timer < LONGEST_TIMER && units(timer) < wanted)
		timer++;
	return timer;
}

uint8_t vx_path_timeout(const struct vx_path *path)
{
	bool known = path->dack_delay || path->mask & VX_PATH_DACK_DELAY;

	if (path->timeout || path->mask & VX_PATH_TIMEOUT)
		return path->timeout;
	return timer_of(2 * units(path->packet_life_time) + units(known ? path->dack_delay : path->sack_delay));
}

uint16_t vx_path_udp_sport(const struct vx_path *path)
{
	uint32_t label = path->flow_label & 0xfffff;

	return (uint16_t)(0xc000 | ((label ^ label >> 14) & 0x3fff));
}
