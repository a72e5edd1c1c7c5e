/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Handshakes of QPs: in one call, through a descriptor, or as handles that programs have, which take steps. */

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include <verbsx/calls.h>
#include <verbsx/enums.h>
#include <verbsx/handshake.h>

#include "error/fail.h"
#include "handshake.h"
#include "kinds.h"
#include "object/make.h"
#include "path/asked.h"

#define USUAL_TIMEOUT_MS 5000

/* A handshake of QPs that there are. */
struct shake_qps {
	struct vx_shake shake;			/* first */
	struct vx_shake_ops ops;		/* no table that would need relocations */
	struct vx_asked here;			/* of the device, once for all QPs */
};

/* One that programs have. With what init points to: behind it are the QPs, the numbers of SRQs, and the data. */
struct vx_handshake_state {
	struct vx_kept_handshake kept;
	struct shake_qps of;
	struct vx_connect_init init;
	struct vx_path path;
	struct vx_qp *qps[];
};

/* ---- what is done with QPs ---- */

static struct vx_asked *here_of(struct vx_shake *shake)
{
	return &((struct shake_qps *)(void *)shake)->here;
}

static int fill_from_qp(struct vx_shake *shake, uint32_t index, struct vx_wire_entry *entry)
{
	struct vx_asked *here = here_of(shake);
	int rc = vx_path_fill_all(&entry->path, shake->qps[index], false, here);

	if (rc == 0)
		rc = vx_asked_pkey(here, &entry->path); /* of a partition that the port is not in the peer would be told first */
	if (rc < 0)
		return rc;
	entry->qp_type = (uint8_t)vx_qp_raw(shake->qps[index])->qp_type;
	entry->link_layer = here->port.link_layer ? here->port.link_layer : IBV_LINK_LAYER_INFINIBAND;
	return 0;
}

static int move_qp(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	return vx_qp_move_to_rts(shake->qps[index], path, here_of(shake));
}

static int reset_qp(struct vx_shake *shake, uint32_t index)
{
	return vx_qp_reset(shake->qps[index]);
}

/* A handle that connects a QP, and has not ended: each would take it to its own peer, and back if that fails. Under the lock. */
static const struct vx_node *find_handshake(const struct vx_qp *qp)
{
	const struct vx_edge *edge;

	for (edge = ((const struct vx_node *)qp)->users; edge; edge = edge->older)
		if (edge->user->kind == VX_OBJECT_HANDSHAKE && edge->user->state == VX_NODE_LIVE &&
		    ((const struct vx_handshake_state *)vx_node_extra(edge->user))->of.shake.state < VX_SHAKEN)
			return edge->user;
	return NULL;
}

static int check_no_other(const struct vx_qp *qp, const char *call)
{
	const struct vx_node *other;
	char name[VX_LONGEST_NAME];

	vx_graph_lock();
	other = find_handshake(qp);
	if (other)
		vx_name_in(name, other);
	vx_graph_unlock();
	return other ? vx_fail(-EBUSY, call, VX_NAME(qp), "%s connects it as well, and has not ended", name) : 0;
}

/* One that sends already, or has failed, is not to be connected. */
static int check_qp(struct vx_qp *qp, const char *call)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc;

	if (vx_wrong(qp, VX_OBJECT_QP, call, "a QP"))
		return -EINVAL;
	rc = check_no_other(qp, call);
	if (rc == 0)
		rc = vx_qp_query(qp, &attr, IBV_QP_STATE, &init);
	if (rc < 0 || attr.qp_state == IBV_QPS_RESET || attr.qp_state == IBV_QPS_INIT)
		return rc;
	return vx_fail(-EINVAL, call, VX_NAME(qp), "it is in %s, and has to be in RESET or INIT: vx_qp_reset() it first",
		       vx_ibv_qp_state_name(attr.qp_state));
}

static int by_address(const void *a, const void *b)
{
	uintptr_t one = (uintptr_t)**(void *const *const *)a, other = (uintptr_t)**(void *const *const *)b;

	return (one > other) - (one < other);
}

/* One that is there twice would be moved for its first peer, and told to the second. */
static int check_twice(const struct vx_shake *shake)
{
	uint32_t twice[2];
	int rc = vx_shake_find_twice(shake->qps, sizeof(*shake->qps), shake->count, by_address, twice);

	if (rc < 0)
		return vx_fail(rc, shake->call, NULL, "for %u QPs", shake->count);
	return rc == 0 ? 0 : vx_fail(-EINVAL, shake->call, VX_NAME(shake->qps[twice[0]]), "it is one of the QPs twice");
}

static int check_qps(const struct vx_shake *shake)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < shake->count; i++)
		rc = check_qp(shake->qps[i], shake->call);
	return rc == 0 && shake->count > 1 ? check_twice(shake) : rc;
}

/*
 * Begin, with what is there in of->shake: call, qps, count and init, which have to live as long. Its time begins, too. Where it fails no byte is
 * said: a QP is none, or is connected, or is there twice; vx_shake_end() in either case.
 */
static int begin_qps(struct shake_qps *of, bool connects)
{
	const struct vx_connect_init *init = of->shake.init;
	int rc = vx_shake_check_init(of->shake.count, init->private_data, init->private_data_len, of->shake.call);

	if (rc == 0)
		rc = check_qps(&of->shake);
	if (rc < 0)
		return rc;
	of->ops = (struct vx_shake_ops){ fill_from_qp, move_qp, reset_qp };
	of->shake.ops = &of->ops;
	of->shake.timeout_ms = init->timeout_ms ? init->timeout_ms : USUAL_TIMEOUT_MS;
	of->shake.start = vx_now_ms();
	return vx_shake_begin(&of->shake, connects);
}

/* ---- in one call ---- */

/* Nobody waits for room for it: of what cannot be sent now the peer will find out by itself. */
static VX_COLD void refuse_at_once(struct vx_shake *shake, int code)
{
	vx_shake_refuse_as_recorded(shake, code);
	shake->timeout_ms = 0;
}

struct waiting {
	struct vx_shake *shake;
	int fd;
	int cancelling;		/* as the program has it */
};

/* The thread ends. Who waits for the answer reads nothing behind that, and so is told nothing. */
static VX_COLD void end_cancelled(void *of)
{
	const struct waiting *waiting = of;
	struct vx_shake *shake = waiting->shake;

	if (shake->state <= VX_WAIT_ANSWER) {
		vx_shake_refuse(shake, -ECANCELED, "its thread was cancelled while %s", vx_shake_waiting_for(shake));
		shake->timeout_ms = 0;
		vx_shake_step(shake, waiting->fd);
	}
	vx_shake_abandon(shake);
	vx_shake_end(shake);
}

/* A thread may be cancelled here, and not in the midst of a step. */
static void wait_for_peer(struct waiting *waiting)
{
	struct pollfd one = { .fd = waiting->fd, .events = vx_shake_events(waiting->shake) };

	pthread_cleanup_push(end_cancelled, waiting);
	pthread_setcancelstate(waiting->cancelling, NULL);
	poll(&one, 1, vx_shake_left_ms(waiting->shake));
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cleanup_pop(0);
}

static int shake_all(struct shake_qps *of, bool connects, int fd, struct vx_peer *peer)
{
	struct waiting waiting = { .shake = &of->shake, .fd = fd };
	int rc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &waiting.cancelling);
	rc = begin_qps(of, connects);
	if (rc < 0)
		refuse_at_once(&of->shake, rc);
	while ((rc = vx_shake_step(&of->shake, fd)) == -EAGAIN)
		wait_for_peer(&waiting);
	if (rc == 0)
		vx_shake_tell_peer(&of->shake, peer);
	vx_shake_end(&of->shake);
	pthread_setcancelstate(waiting.cancelling, NULL);
	return rc;
}

/* Where that goes which the other side tells of itself: room for private data needs a buffer. */
static int take_peer(struct vx_peer *own, const struct vx_peer *peer, size_t size, const char *call)
{
	const int rc = vx_take_in(own, sizeof(*own), peer, size, call, "peer", "srqns");

	return rc == 0 && own->private_data_room && !own->private_data ? vx_null_fail(call, "peer.private_data") : rc;
}

/* What crosses the border, and what both sides do alike. */
static int meet(const char *call, bool connects, struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init,
		size_t init_size, struct vx_peer *peer, size_t peer_size)
{
	struct vx_connect_init own;
	struct shake_qps of = { .shake = { .call = call, .qps = qps, .count = count, .init = &own } };
	struct vx_peer own_peer;
	int rc;

	if (!qps)
		return vx_null_fail(call, "qps");
	rc = vx_take_in(&own, sizeof(own), init, init_size, call, "init", "srqns");
	if (rc == 0)
		rc = take_peer(&own_peer, peer, peer_size, call);
	if (rc < 0)
		return rc;
	if (own.comp_mask)
		return vx_unknown_bits(call, "comp_mask", own.comp_mask, 0);
	rc = shake_all(&of, connects, fd, &own_peer);
	if (rc == 0)
		vx_give_out(peer, peer_size, &own_peer, sizeof(own_peer));
	return rc;
}

int vx_connect_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			  struct vx_peer *peer, size_t peer_size)
{
	return meet(count == 1 ? "vx_connect" : "vx_connect_many", true, qps, count, fd, init, init_size, peer, peer_size);
}

int vx_accept_many_sized(struct vx_qp *const *qps, uint32_t count, int fd, const struct vx_connect_init *init, size_t init_size,
			 struct vx_peer *peer, size_t peer_size)
{
	return meet(count == 1 ? "vx_accept" : "vx_accept_many", false, qps, count, fd, init, init_size, peer, peer_size);
}

/* ---- handles: making and ending ---- */

static int end_handshake(struct vx_node *node)
{
	struct vx_handshake_state *h = vx_node_extra(node);

	vx_shake_abandon(&h->of.shake);
	vx_shake_end(&h->of.shake);
	return 0;
}

static size_t room_for(const struct vx_handshake_init *init)
{
	return sizeof(struct vx_handshake_state) + init->count * (sizeof(struct vx_qp *) + sizeof(uint32_t)) + init->private_data_len;
}

static void keep_init(struct vx_handshake_state *h, const struct vx_handshake_init *init)
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

static int begin_handshake(struct vx_node *node, void *parent, const void *of)
{
	const struct vx_handshake_init *init = of;
	struct vx_handshake_state *h = vx_node_extra(node);
	int rc;

	(void)parent;
	h->kept = (struct vx_kept_handshake){ true, init->accepts, init->count, init->timeout_ms, init->private_data_len };
	keep_init(h, init);
	h->of.shake.call = "vx_handshake_create";
	h->of.shake.qps = h->qps;
	h->of.shake.count = init->count;
	h->of.shake.init = &h->init;
	rc = begin_qps(&h->of, !init->accepts);
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
	return vx_make_using(&(struct vx_own_making){ .call = "vx_handshake_create", .init = &own, .parent_kind = VX_OBJECT_QP,
						      .kind = VX_OBJECT_HANDSHAKE, .extra = room_for(&own), .begin = begin_handshake,
						      .end = end_handshake }, (void *const *)(uintptr_t)own.qps, own.count, out);
}

/* ---- going on ---- */

static struct vx_shake *shake_of(const struct vx_handshake *handshake)
{
	return &vx_handshake_state_of(handshake)->of.shake;
}

static int failed_before(const struct vx_shake *shake)
{
	return vx_fail(shake->rc, shake->call, VX_NAME(shake->qps[0]), "the handshake had failed before: vx_close() it, and begin another");
}

int vx_handshake_step(struct vx_handshake *handshake, int fd)
{
	struct vx_shake *shake;
	bool before;
	int rc;

	if (vx_is_no_handshake(handshake, "vx_handshake_step"))
		return -EINVAL;
	shake = shake_of(handshake);
	before = shake->state == VX_NOT_SHAKEN;
	rc = fd == -1 ? vx_shake_look_at_time(shake) : vx_shake_step(shake, fd);
	return before ? failed_before(shake) : shake->rc ? shake->rc : rc;
}

int vx_handshake_events(const struct vx_handshake *handshake)
{
	return vx_is_no_handshake(handshake, "vx_handshake_events") ? 0 : vx_shake_events(shake_of(handshake));
}

int vx_handshake_left_ms(const struct vx_handshake *handshake)
{
	return vx_is_no_handshake(handshake, "vx_handshake_left_ms") ? 0 : vx_shake_left_ms(shake_of(handshake));
}

int vx_handshake_feed(struct vx_handshake *handshake, const void *bytes, size_t size, size_t *used)
{
	struct vx_shake *shake;

	if (vx_is_no_handshake(handshake, "vx_handshake_feed"))
		return -EINVAL;
	if (!used || (!bytes && size))
		return vx_null_fail("vx_handshake_feed", used ? "bytes" : "used");
	*used = 0;
	shake = shake_of(handshake);
	if (shake->state == VX_NOT_SHAKEN)
		return failed_before(shake);
	return vx_shake_feed(shake, bytes, size, used);
}

size_t vx_handshake_take(struct vx_handshake *handshake, void *bytes, size_t size)
{
	const unsigned char *ready;
	size_t there;

	if (vx_is_no_handshake(handshake, "vx_handshake_take") || !bytes)
		return 0;
	ready = vx_shake_ready(shake_of(handshake), &there);
	if (there > size)
		there = size;
	if (there)
		memcpy(bytes, ready, there);
	vx_shake_sent(shake_of(handshake), there);
	return there;
}

int vx_handshake_peer_sized(const struct vx_handshake *handshake, struct vx_peer *peer, size_t size)
{
	const struct vx_shake *shake;
	struct vx_peer own;
	int rc;

	if (vx_is_no_handshake(handshake, "vx_handshake_peer") || vx_no_place(peer, size, "vx_handshake_peer", "peer"))
		return -EINVAL;
	rc = take_peer(&own, peer, size, "vx_handshake_peer");
	if (rc < 0)
		return rc;
	shake = shake_of(handshake);
	if (shake->state == VX_NOT_SHAKEN)
		return failed_before(shake);
	if (!vx_shake_is_over(shake))
		return vx_fail(-EAGAIN, "vx_handshake_peer", VX_NAME(handshake), "it is not done yet");
	vx_shake_tell_peer(shake, &own);
	vx_give_out(peer, size, &own, sizeof(own));
	return 0;
}
