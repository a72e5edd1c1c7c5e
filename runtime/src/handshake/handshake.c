/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Connecting QPs with those of a peer: who says what when. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/fail.h"
#include "handshake.h"
#include "object/make.h"

#define MOST_DATA (64u << 10)
#define MOST_QPS ((VX_WIRE_LONGEST - MOST_DATA) / VX_WIRE_ENTRY)

/* ---- what is sent ---- */

/* Room for a message behind what is not sent yet: a refusal may follow an offer. */
static unsigned char *add_message(struct vx_shake *shake, enum vx_wire_type type, uint32_t count, size_t rest)
{
	const struct vx_wire_header header = {
		.version = VX_WIRE_VERSION, .type = type, .count = (uint16_t)count, .entry = count ? VX_WIRE_ENTRY : 0,
		.length = (uint32_t)(count * VX_WIRE_ENTRY + rest),
	};
	struct vx_shake_bytes *out = &shake->out;
	unsigned char *bytes = realloc(out->bytes, out->size + VX_WIRE_HEADER + header.length);

	if (!bytes)
		return NULL;
	out->bytes = bytes;
	bytes += out->size;
	out->size += VX_WIRE_HEADER + header.length;
	vx_wire_put_header(bytes, &header);
	return bytes + VX_WIRE_HEADER;
}

static int say_entries(struct vx_shake *shake, enum vx_wire_type type)
{
	unsigned char *bytes = add_message(shake, type, shake->count, shake->init->private_data_len);
	uint32_t i;

	if (!bytes)
		return vx_fail(-ENOMEM, shake->call, VX_NAME(vx_shake_first_qp(shake)), "for a message about %u QPs", shake->count);
	for (i = 0; i < shake->count; i++, bytes += VX_WIRE_ENTRY)
		vx_wire_put_entry(bytes, &shake->pairs[i].own);
	if (shake->init->private_data_len)
		memcpy(bytes, shake->init->private_data, shake->init->private_data_len);
	return 0;
}

void vx_shake_say_refusal(struct vx_shake *shake, int code, const char *sentence)
{
	size_t length = strnlen(sentence, VX_LONGEST_SENTENCE);
	unsigned char *bytes = add_message(shake, VX_WIRE_REFUSE, 0, 4 + length);

	if (!bytes)
		return;
	vx_wire_put(bytes, 4, (uint32_t)-code);
	memcpy(bytes + 4, sentence, length);
}

const unsigned char *vx_shake_ready(const struct vx_shake *shake, size_t *size)
{
	*size = shake->out.size - shake->out.done;
	return shake->out.bytes ? shake->out.bytes + shake->out.done : NULL;
}

void vx_shake_sent(struct vx_shake *shake, size_t size)
{
	shake->out.done += size;
}

/* ---- this side ---- */

static int fill_own(struct vx_shake *shake, uint32_t index, const struct vx_wire_entry *theirs)
{
	struct vx_wire_entry *own = &shake->pairs[index].own;

	*own = (struct vx_wire_entry){ .srqn = shake->init->srqns ? shake->init->srqns[index] : 0 };
	if (shake->init->path)
		own->path = *shake->init->path;
	if (theirs)
		own->path.dgid = theirs->path.sgid;
	return shake->ops->fill(shake, index, own);
}

/* ---- messages ---- */

/* Numbers of QPs are those of a port. */
static int by_qp(const void *a, const void *b)
{
	const struct vx_path *one = &(*(struct vx_shake_pair *const *)a)->theirs.path, *other = &(*(struct vx_shake_pair *const *)b)->theirs.path;
	const int ports = memcmp(&one->sgid, &other->sgid, sizeof(one->sgid));

	return ports ? ports : one->slid != other->slid ? one->slid - other->slid : (one->sqpn > other->sqpn) - (one->sqpn < other->sqpn);
}

int vx_shake_find_twice(const void *list, size_t size, uint32_t count, int (*compare)(const void *, const void *), uint32_t twice[2])
{
	const char **sorted = malloc(count * sizeof(*sorted)), *const first = list;
	uint32_t i;
	int found = 0;

	for (i = 0; sorted && i < count; i++)
		sorted[i] = first + i * size;
	if (!sorted)
		return -ENOMEM;
	qsort(sorted, count, sizeof(*sorted), compare);
	for (i = 1; i < count && !found; i++)
		found = !compare(&sorted[i - 1], &sorted[i]);
	if (found) {
		twice[0] = (uint32_t)((size_t)(sorted[i - 2] - first) / size);
		twice[1] = (uint32_t)((size_t)(sorted[i - 1] - first) / size);
	}
	free(sorted);
	return found;
}

/* Each of two that are the same would be told to be the peer of another one. */
static int check_told_twice(struct vx_shake *shake)
{
	uint32_t twice[2];
	int rc = vx_shake_find_twice(shake->pairs, sizeof(*shake->pairs), shake->count, by_qp, twice);

	if (rc < 0)
		return vx_shake_refuse(shake, rc, "no memory for %u QPs", shake->count);
	return rc == 0 ? 0 : vx_shake_refuse(shake, -EINVAL, "QPs %u and %u of %u there are the same, qp %u: each is one peer's",
					     1 + twice[twice[0] > twice[1]], 1 + twice[twice[0] < twice[1]], shake->count,
					     shake->pairs[twice[0]].theirs.path.sqpn);
}

/* A QP that is its own peer begins to send where it expects what it sends: with the number of the offer. */
static void join_itself(struct vx_path *own, const struct vx_path *theirs)
{
	if (own->sqpn != theirs->sqpn || own->slid != theirs->slid || memcmp(&own->sgid, &theirs->sgid, sizeof(own->sgid)))
		return;
	own->spsn = theirs->spsn;
	own->mask |= VX_PATH_SPSN;
}

static int agree_on_pair(struct vx_shake *shake, uint32_t index)
{
	struct vx_shake_pair *pair = &shake->pairs[index];
	char why[VX_LONGEST_SENTENCE];
	int rc = shake->filled ? 0 : fill_own(shake, index, &pair->theirs);

	if (rc < 0)
		return vx_shake_refuse_as_recorded(shake, rc);
	if (!vx_shake_fits(&pair->own, &pair->theirs, why, sizeof(why)))
		return vx_shake_refuse(shake, -EINVAL, "QP %u of %u: %s", index + 1, shake->count, why);
	join_itself(&pair->own.path, &pair->theirs.path);
	pair->path = pair->own.path;
	vx_shake_join(&pair->path, &pair->theirs.path, shake->init->path);
	return 0;
}

/* Of all QPs, before one is moved. Entries are of the size that the other side gives them. */
static int agree(struct vx_shake *shake)
{
	uint32_t i;
	int rc;

	if (shake->header.count != shake->count)
		return vx_shake_refuse(shake, -EINVAL, "%u QPs here and %u there: each needs a peer", shake->count, shake->header.count);
	for (i = 0; i < shake->count; i++)
		vx_wire_get_entry(shake->in.bytes + (size_t)i * shake->header.entry, shake->header.entry, &shake->pairs[i].theirs);
	for (i = 0, rc = 0; i < shake->count && rc == 0; i++)
		rc = agree_on_pair(shake, i);
	shake->filled = true;
	return rc < 0 ? rc : check_told_twice(shake);
}

static int move_all(struct vx_shake *shake)
{
	uint32_t i;
	int rc;

	shake->moved = true;
	for (i = 0; i < shake->count; i++) {
		rc = shake->ops->move(shake, i, &shake->pairs[i].path);
		if (rc < 0)
			return vx_shake_refuse_as_recorded(shake, rc);
	}
	return 0;
}

/* A datagram needs the key of whom it is for; a QP has its own. */
static void take_qkeys(struct vx_shake *shake)
{
	struct vx_shake_pair *pair;

	for (pair = shake->pairs; pair < shake->pairs + shake->count; pair++)
		if (pair->theirs.qp_type == IBV_QPT_UD)
			pair->path.qkey = pair->theirs.path.qkey;
}

static int keep_data(struct vx_shake *shake)
{
	size_t entries = (size_t)shake->header.count * shake->header.entry, size = shake->header.length - entries;

	if (size > MOST_DATA)
		return vx_shake_refuse(shake, -EPROTO, "%zu bytes of data, and the most is %u", size, MOST_DATA);
	shake->data = malloc(size ? size : 1);
	if (!shake->data)
		return vx_shake_refuse(shake, -ENOMEM, "no memory for %zu bytes of data", size);
	memcpy(shake->data, shake->in.bytes + entries, size);
	shake->size = (uint32_t)size;
	return 0;
}

static int take_entries(struct vx_shake *shake)
{
	int rc = agree(shake);

	if (rc == 0)
		rc = keep_data(shake);
	if (rc == 0)
		rc = move_all(shake);
	if (rc == 0)
		take_qkeys(shake);
	return rc;
}

/* What is said to the last one who spoke. */
static int answer(struct vx_shake *shake)
{
	int rc = take_entries(shake);

	if (rc < 0)
		return rc;
	if (shake->state == VX_WAIT_OFFER) {
		rc = say_entries(shake, VX_WIRE_ANSWER);
		shake->state = VX_WAIT_READY;
	} else {
		rc = add_message(shake, VX_WIRE_READY, 0, 0) ? 0 : vx_fail(-ENOMEM, shake->call, NULL, "for a message");
		shake->state = VX_SHAKEN;
	}
	return rc < 0 ? vx_shake_refuse_as_recorded(shake, rc) : 0;
}

static enum vx_wire_type expected(const struct vx_shake *shake)
{
	return shake->state == VX_WAIT_OFFER ? VX_WIRE_OFFER : shake->state == VX_WAIT_ANSWER ? VX_WIRE_ANSWER : VX_WIRE_READY;
}

static int take_message(struct vx_shake *shake)
{
	if (shake->header.type == VX_WIRE_REFUSE)
		return vx_shake_was_refused(shake);
	if (shake->state != VX_WAIT_READY)
		return answer(shake);
	shake->state = VX_SHAKEN;
	return 0;
}

/* ---- what comes ---- */

static bool listens(const struct vx_shake *shake)
{
	return shake->state < VX_SHAKEN;
}

/* All of the header is there: what is to come can be judged before there is room made for it. */
static int take_start(struct vx_shake *shake)
{
	char why[VX_LONGEST_SENTENCE];
	int rc = vx_wire_get_header(shake->head, &shake->header, why, sizeof(why));

	if (rc == 0 && shake->header.type != VX_WIRE_REFUSE && shake->header.type != expected(shake)) {
		rc = -EPROTO;
		snprintf(why, sizeof(why), "byte 5 is %u, and this side was %s, %u; do both sides %s?", shake->header.type, vx_shake_waiting_for(shake),
			 expected(shake), shake->state == VX_WAIT_OFFER ? "accept" : "connect");
	}
	if (rc < 0) /* who was answered listens no more: it would be for its program to read */
		return shake->state == VX_WAIT_READY ? vx_shake_fail_by(shake, rc, why) : vx_shake_refuse(shake, rc, "%s", why);
	shake->in = (struct vx_shake_bytes){ .bytes = malloc(shake->header.length + 1), .size = shake->header.length };
	return shake->in.bytes ? 0 : vx_shake_refuse(shake, -ENOMEM, "no memory for a message of %u bytes", shake->header.length);
}

static int end_message(struct vx_shake *shake)
{
	int rc = take_message(shake);

	free(shake->in.bytes);
	shake->in = (struct vx_shake_bytes){ .size = VX_WIRE_HEADER };
	return rc;
}

size_t vx_shake_wants(const struct vx_shake *shake)
{
	return listens(shake) ? shake->in.size - shake->in.done : 0;
}

int vx_shake_feed(struct vx_shake *shake, const void *bytes, size_t size, size_t *used)
{
	size_t wanted, taken;
	int rc = 0;

	*used = 0;
	while (rc == 0 && *used < size && (wanted = vx_shake_wants(shake))) {
		taken = wanted < size - *used ? wanted : size - *used;
		memcpy((shake->in.bytes ? shake->in.bytes : shake->head) + shake->in.done, (const char *)bytes + *used, taken);
		shake->in.done += taken;
		*used += taken;
		while (rc == 0 && listens(shake) && shake->in.done == shake->in.size)
			rc = shake->in.bytes ? end_message(shake) : take_start(shake);
	}
	return rc;
}

void vx_shake_tell_peer(const struct vx_shake *shake, struct vx_peer *peer)
{
	uint32_t i;

	peer->private_data_len = shake->size;
	if (peer->private_data)
		memcpy(peer->private_data, shake->data, shake->size < peer->private_data_room ? shake->size : peer->private_data_room);
	for (i = 0; peer->paths && i < shake->count; i++)
		peer->paths[i] = shake->pairs[i].path;
	for (i = 0; peer->srqns && i < shake->count; i++)
		peer->srqns[i] = shake->pairs[i].theirs.srqn;
}

/* ---- beginning and end ---- */

int vx_shake_check_init(uint32_t count, const void *data, size_t size, const char *call)
{
	if (!count || count > MOST_QPS)
		return vx_fail(-EINVAL, call, NULL, "count is %u: there may be 1 to %u QPs", count, MOST_QPS);
	if (size > MOST_DATA)
		return vx_fail(-EINVAL, call, NULL, "init.private_data_len is %zu, and the most is %u", size, MOST_DATA);
	return size && !data ? vx_null_fail(call, "init.private_data") : 0;
}

static int offer(struct vx_shake *shake)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < shake->count; i++)
		rc = fill_own(shake, i, NULL);
	shake->filled = true;
	return rc < 0 ? rc : say_entries(shake, VX_WIRE_OFFER);
}

/* Who answers does that when it is known who asks; what is wrong with its own path is told before, as of who asks. */
static int look_at_path(struct vx_shake *shake)
{
	return shake->init->path ? fill_own(shake, 0, NULL) : 0;
}

int vx_shake_begin(struct vx_shake *shake, bool connects)
{
	int rc = vx_shake_check_init(shake->count, shake->init->private_data, shake->init->private_data_len, shake->call);

	if (rc < 0)
		return rc;
	shake->state = connects ? VX_WAIT_ANSWER : VX_WAIT_OFFER;
	shake->in.size = VX_WIRE_HEADER;
	shake->pairs = calloc(shake->count, sizeof(*shake->pairs));
	if (!shake->pairs)
		return vx_fail(-ENOMEM, shake->call, VX_NAME(vx_shake_first_qp(shake)), "for %u QPs", shake->count);
	return connects ? offer(shake) : look_at_path(shake);
}

void vx_shake_end(struct vx_shake *shake)
{
	free(shake->pairs);
	free(shake->in.bytes);
	free(shake->out.bytes);
	free(shake->data);
}
