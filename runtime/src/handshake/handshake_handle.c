/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handshakes that programs have: they come and go, and take steps. */

#include <verbsx/handshake.h>

#include "error/fail.h"
#include "handshake_qps.h"
#include "kinds.h"
#include "object/make.h"

/* With what init points to: behind it are the QPs, the numbers of SRQs, and the data. */
struct handshake {
	struct vx_kept_handshake kept;
	struct vx_shake_qps of;
	struct vx_connect_init init;
	struct vx_path path;
	struct vx_qp *qps[];
};

static struct handshake *handshake_of(const struct vx_handshake *handshake)
{
	return vx_node_extra((const struct vx_node *)handshake);
}

static bool is_none(const struct vx_handshake *handshake, const char *call)
{
	return vx_wrong(handshake, VX_OBJECT_HANDSHAKE, call, "handshake");
}

/* ---- making and ending ---- */

static int end_handshake(struct vx_node *node)
{
	struct handshake *h = vx_node_extra(node);

	vx_shake_abandon(&h->of.shake);
	vx_shake_end(&h->of.shake);
	return 0;
}

static size_t room_for(const struct vx_handshake_init *init)
{
	return sizeof(struct handshake) + init->count * (sizeof(struct vx_qp *) + sizeof(uint32_t)) + init->private_data_len;
}

static void keep_init(struct handshake *h, const struct vx_handshake_init *init)
{
	uint32_t *srqns = (uint32_t *)(void *)(h->qps + init->count);

	h->init = (struct vx_connect_init){ .timeout_ms = init->timeout_ms, .private_data = srqns + init->count,
					   .private_data_len = init->private_data_len };
	memcpy(h->qps, init->qps, init->count * sizeof(*h->qps));
	memcpy(srqns + init->count, init->private_data_len ? init->private_data : "", init->private_data_len);
	if (init->srqns)
		h->init.srqns = memcpy(srqns, init->srqns, init->count * sizeof(*srqns));
	if (!init->path)
		return;
	h->path = *init->path;
	h->init.path = &h->path;
}

static int begin_handshake(struct handshake *h, const struct vx_handshake_init *init)
{
	int rc;

	h->kept = (struct vx_kept_handshake){ true, init->accepts, init->count, init->timeout_ms, init->private_data_len };
	keep_init(h, init);
	h->of.shake.call = "vx_handshake_create";
	h->of.shake.qps = h->qps;
	h->of.shake.count = init->count;
	h->of.shake.init = &h->init;
	rc = vx_shake_qps_begin(&h->of, !init->accepts);
	h->of.shake.call = "vx_handshake_step";
	if (rc < 0)
		vx_shake_end(&h->of.shake);
	return rc;
}

/* What begins a handshake looks at, before there is memory for it. */
static int check_handshake(const struct vx_handshake_init *init, const struct vx_qp *parent)
{
	uint32_t i;

	if (vx_shake_check_init(init->count, init->private_data, init->private_data_len, "vx_handshake_create") < 0)
		return -EINVAL;
	if (init->qps[0] != parent)
		return vx_fail(-EINVAL, "vx_handshake_create", VX_NAME(parent), "the parent is to be the first of qps");
	for (i = 0; i < init->count; i++)
		if (vx_wrong(init->qps[i], VX_OBJECT_QP, "vx_handshake_create", "a QP"))
			return -EINVAL;
	return 0;
}

int vx_handshake_create_sized(struct vx_qp *parent, const struct vx_handshake_init *init, size_t size, struct vx_handshake **out)
{
	struct vx_handshake_init own;
	struct vx_node *node;
	int rc;

	rc = vx_take_init(&own, sizeof(own), init, size, "srqns", "vx_handshake_create", parent, VX_OBJECT_QP, out);
	if (rc < 0)
		return rc;
	if (!own.qps && own.count > 1)
		return vx_null_fail("vx_handshake_create", "qps");
	if (!own.qps) {
		own.qps = &parent;
		own.count = 1;
	}
	if (check_handshake(&own, parent) < 0)
		return -EINVAL;
	node = vx_node_new(room_for(&own), VX_OBJECT_HANDSHAKE, end_handshake, (void *const *)(uintptr_t)own.qps, own.count,
			   "vx_handshake_create");
	if (!node)
		return vx_error()->code;
	rc = begin_handshake(vx_node_extra(node), &own);
	if (rc == 0)
		return vx_node_link(node, vx_qp_raw(parent), out);
	vx_node_drop(node);
	return rc;
}

/* ---- going on ---- */

static int failed_before(const struct vx_shake *shake)
{
	return vx_fail(shake->rc, shake->call, VX_NAME(shake->qps[0]), "the handshake had failed before: vx_close() it, and begin another");
}

int vx_handshake_step(struct vx_handshake *handshake, int fd)
{
	struct vx_shake *shake;
	bool before;
	int rc;

	if (is_none(handshake, "vx_handshake_step"))
		return -EINVAL;
	shake = &handshake_of(handshake)->of.shake;
	before = shake->state == VX_NOT_SHAKEN;
	rc = fd == -1 ? vx_shake_look_at_time(shake) : vx_shake_step(shake, fd);
	return before ? failed_before(shake) : shake->rc ? shake->rc : rc;
}

int vx_handshake_events(const struct vx_handshake *handshake)
{
	return is_none(handshake, "vx_handshake_events") ? 0 : vx_shake_events(&handshake_of(handshake)->of.shake);
}

int vx_handshake_left_ms(const struct vx_handshake *handshake)
{
	return is_none(handshake, "vx_handshake_left_ms") ? 0 : vx_shake_left_ms(&handshake_of(handshake)->of.shake);
}

int vx_handshake_feed(struct vx_handshake *handshake, const void *bytes, size_t size, size_t *used)
{
	struct vx_shake *shake;

	if (is_none(handshake, "vx_handshake_feed"))
		return -EINVAL;
	if (!used || (!bytes && size))
		return vx_null_fail("vx_handshake_feed", used ? "bytes" : "used");
	*used = 0;
	shake = &handshake_of(handshake)->of.shake;
	if (shake->state == VX_NOT_SHAKEN)
		return failed_before(shake);
	return vx_shake_feed(shake, bytes, size, used);
}

size_t vx_handshake_take(struct vx_handshake *handshake, void *bytes, size_t size)
{
	const unsigned char *ready;
	size_t there;

	if (is_none(handshake, "vx_handshake_take") || !bytes)
		return 0;
	ready = vx_shake_ready(&handshake_of(handshake)->of.shake, &there);
	if (there > size)
		there = size;
	if (there)
		memcpy(bytes, ready, there);
	vx_shake_sent(&handshake_of(handshake)->of.shake, there);
	return there;
}

int vx_handshake_peer_sized(const struct vx_handshake *handshake, struct vx_peer *peer, size_t size)
{
	const struct vx_shake *shake;
	struct vx_peer own;
	int rc;

	if (is_none(handshake, "vx_handshake_peer") || vx_no_place(peer, size, "vx_handshake_peer", "peer"))
		return -EINVAL;
	rc = vx_shake_take_peer(&own, peer, size, "vx_handshake_peer");
	if (rc < 0)
		return rc;
	shake = &handshake_of(handshake)->of.shake;
	if (shake->state == VX_NOT_SHAKEN)
		return failed_before(shake);
	if (!vx_shake_is_over(shake))
		return vx_fail(-EAGAIN, "vx_handshake_peer", VX_NAME(handshake), "it is not done yet");
	vx_shake_tell_peer(shake, &own);
	vx_give_out(peer, size, &own, sizeof(own));
	return 0;
}
