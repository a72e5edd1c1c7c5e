/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdbool.h>

#include "error/fail.h"
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

/* Bits and values without a name, but for bits that a device may pass over. */
static int check_named(const struct vx_path_key *key, uint64_t number, const char *call)
{
	const struct vx_enum_info *e = &vx_enums[key->e];
	const uint64_t ignored = key == &vx_path_keys[VX_PATH_KEY_ACCESS] ? IBV_ACCESS_OPTIONAL_RANGE : 0;
	uint64_t bits, strange = 0;

	if (e->kind != VX_ENUM_FLAGS)
		return !number || vx_enum_name(e, (int64_t)number) ? 0 :
		       vx_fail(-EINVAL, call, NULL, "%s = %u is none of enum %s", key->name, (uint32_t)number, vx_enum_tag(e));
	for (bits = number & ~ignored; bits; bits &= bits - 1)
		if (!vx_enum_name(e, (int64_t)(bits & -bits)))
			strange |= bits & -bits;
	return strange ? vx_unknown_bits(call, key->name, strange, 1 + key->e) : 0;
}

/* What is a truth is any number. */
static int check_bits(const struct vx_path_key *key, uint64_t number, const char *call)
{
	if (key->bits <= 1 || !(number >> key->bits))
		return 0;
	return vx_fail(-EINVAL, call, NULL, key->form == VX_PATH_HEX ? "%s = 0x%llx, but the most is 0x%llx" : "%s = %llu, but the most is %llu",
		       key->name, (unsigned long long)number, (1ull << key->bits) - 1);
}

int vx_path_check(const struct vx_path *path, const char *call)
{
	const struct vx_path_key *key;
	struct vx_path own;
	uint64_t number;
	int rc = 0;

	for (key = vx_path_keys; key < vx_path_keys + VX_PATH_KEYS && rc == 0; key++) {
		number = key->bits ? vx_read_unsigned(vx_path_member(path, key), key->size) : 0;
		rc = key->form == VX_PATH_NAMED || key->form == VX_PATH_BYTES ? check_named(key, number, call) : check_bits(key, number, call);
	}
	return rc < 0 ? rc : vx_take_in(&own, offsetof(struct vx_path, reserved_), path, sizeof(*path), call, "the path", "mask");
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
