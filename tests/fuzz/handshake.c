/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any bytes from a peer that wants to connect. Input: a byte for the role, the number of QPs and which of them cannot be moved; a
 * byte for how many bytes come at a time; the bytes. What is said to them must be messages, and nothing is taken behind the end.
 */

#include <verbsx/error.h>

#include "handshake/handshake.h"
#include "input.h"

#define MOST_QPS 4

static unsigned int moved, put_back, unmovable;

static int fill(struct vx_shake *shake, uint32_t index, struct vx_wire_entry *entry)
{
	struct vx_path *path = &entry->path;

	(void)shake;
	path->path_mtu = IBV_MTU_1024;
	path->srd_atomic = path->drd_atomic = 16;
	path->sqpn = path->spsn = index;
	entry->qp_type = IBV_QPT_RC;
	entry->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

static int move(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	must(path->path_mtu <= IBV_MTU_1024 && path->srd_atomic <= 16 && path->drd_atomic <= 16);
	must(index < shake->count);
	if (index + 1 == unmovable)
		return vx_shake_begin(&(struct vx_shake){ .init = shake->init }, true); /* fails, and tells */
	moved++;
	return 0;
}

static int reset(struct vx_shake *shake, uint32_t index)
{
	must(index < shake->count);
	put_back++;
	return 0;
}

/* All that is said are whole messages of this version. */
static void look_at_messages(const struct vx_shake *shake)
{
	size_t size;
	const unsigned char *bytes = vx_shake_ready(shake, &size);
	struct vx_wire_header header;
	char why[VX_LONGEST_SENTENCE];

	while (size) {
		must(size >= VX_WIRE_HEADER && !vx_wire_get_header(bytes, &header, why, sizeof(why)));
		must(header.length <= size - VX_WIRE_HEADER);
		bytes += VX_WIRE_HEADER + header.length;
		size -= VX_WIRE_HEADER + header.length;
	}
}

static void look_at_the_end(const struct vx_shake *shake)
{
	if (shake->state < VX_SHAKEN)
		must(vx_shake_wants(shake) && !shake->rc);
	else
		must(!vx_shake_wants(shake));
	if (shake->state == VX_SHAKEN)
		must(!shake->rc && moved == shake->count && !put_back);
	if (shake->state == VX_NOT_SHAKEN)
		must(shake->rc < 0 && vx_error()->code == shake->rc && put_back >= moved);
}

static void feed(struct vx_shake *shake, struct input *in, size_t step)
{
	size_t wanted, used, size;

	while (in->size && (wanted = vx_shake_wants(shake))) {
		size = step && step < in->size ? step : in->size;
		must(!vx_shake_feed(shake, in->bytes, size, &used) || shake->rc < 0);
		must(used && used <= size);
		in->bytes += used;
		in->size -= used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct vx_shake_ops ops = { fill, move, reset };
	static struct vx_qp *none[MOST_QPS];
	static const struct vx_connect_init init;
	struct input in = { bytes, size };
	unsigned int how = (unsigned int)take_number(&in, 1);
	size_t step = take_number(&in, 1);
	struct vx_shake shake = { .ops = &ops, .call = "vx_connect", .qps = none, .count = 1 + (how >> 1) % MOST_QPS, .init = &init };

	moved = put_back = 0;
	unmovable = how >> 4;
	must(!vx_shake_begin(&shake, how & 1));
	feed(&shake, &in, step);
	look_at_messages(&shake);
	look_at_the_end(&shake);
	vx_shake_end(&shake);
	return 0;
}
