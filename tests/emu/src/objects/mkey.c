/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/mkey.h"

#include <stdlib.h>
#include <infiniband/verbs.h>

#include "calls/devx_event.h"
#include "objects/cipher.h"
#include "objects/imported.h"
#include "objects/pages.h"
#include "objects/pinned.h"
#include "objects/signature.h"
#include "packets/fabric.h"
#include "trace.h"

/* A key: the place of its process, its index, its variant */
#define PLACE_SHIFT 24
#define INDEX_SHIFT 8

/* A copy on its way through the keys */
struct walk {
	struct object *pd;
	bool to_memory;
	uint8_t *buffer; /* moves on; NULL: nothing is copied */
	int depth;
};

/* What of a list of entries is still to be passed over and to be copied */
struct span {
	uint64_t skip, len;
};

void mkey_release(struct object *o)
{
	free(((struct mkey *)o)->signature);
	cipher_free(((struct mkey *)o)->cipher);
	devx_event_release(o);
}

uint32_t mkey_place(uint32_t place)
{
	return place << PLACE_SHIFT;
}

uint32_t mkey_value(const struct mkey *m)
{
	return m->exported ? m->key : mkey_place(fabric_place()) | m->o.index << INDEX_SHIFT | m->variant;
}

struct mkey *mkey_by_index(uint8_t device, uint32_t key)
{
	bool is_own = (key & mkey_place(UINT32_MAX)) == mkey_place(fabric_place());
	struct object *o = is_own ? object_at(device, key >> INDEX_SHIFT & (MAX_OBJECTS - 1)) : NULL;

	if (!is_own)
		return import_of_key(device, key);
	if (!o || o->imported || (o->kind != MR && o->kind != MKEY && o->kind != MW))
		return NULL;
	return (struct mkey *)o;
}

const struct mkey *mkey_at_host(uint64_t host)
{
	for (uint32_t n = 1; n < MAX_OBJECTS; n++) {
		const struct mkey *m = object_get(MR, n);

		if (m && !m->exported && host - m->host < m->len)
			return m;
	}
	return NULL;
}

bool mkey_is_for_qp(const struct mkey *m, uint32_t qpn)
{
	return !m || !m->qpn || m->qpn == qpn;
}

/* As it is seen from outside, with the signatures that the wire has */
static uint64_t length_of(const struct mkey *m)
{
	return m->signature ? signature_wire_len(m->signature, m->len) : m->len;
}

static const char *refusal(const struct mkey *m, const struct walk *w, uint32_t key, uint64_t address,
			   uint64_t len, uint32_t need)
{
	if (!m || mkey_value(m) != key)
		return "unknown";
	if (w->pd->kind == PD && m->o.pd != w->pd)
		return "of another PD";
	if (m->invalid)
		return "invalid";
	if ((m->access & need) != need)
		return "access denied";
	if (w->depth > MAX_DEPTH)
		return "too deep";
	if (m->incomputable)
		return "of data that cannot be computed";
	if (m->wants_cipher && !m->cipher)
		return "for encrypted data, but it was not told how";
	if (address < m->start || len > length_of(m) || address - m->start > length_of(m) - len)
		return "out of range";
	return NULL;
}

static void copy_pinned(const struct walk *w, uint64_t host, uint64_t len)
{
	void *memory = (void *)(uintptr_t)host;

	if (w->to_memory)
		pinned_write(memory, len, w->buffer);
	else
		pinned_read(memory, len, w->buffer);
}

static int copy_on_demand(const struct walk *w, uint64_t host, uint64_t len)
{
	return w->to_memory ? pages_write(host, len, w->buffer) : pages_read(host, len, w->buffer);
}

static int copy_direct(struct walk *w, const struct mkey *m, uint64_t offset, uint64_t len)
{
	if (!w->buffer)
		return 0;
	if (m->exported) {
		if (import_copy(m, w->to_memory, m->host + offset, len, w->buffer))
			return -1;
	} else if (!(m->access & IBV_ACCESS_ON_DEMAND)) {
		copy_pinned(w, m->host + offset, len);
	} else if (copy_on_demand(w, m->host + offset, len)) {
		TRACE("no page for %llx", (unsigned long long)(m->host + offset));
		return -1;
	}
	w->buffer += len;
	return 0;
}

static int walk_key(struct walk *w, uint32_t key, uint64_t address, uint64_t len, uint32_t need);

/* One entry of a list: the part of it that lies in the span */
static int walk_entry(struct walk *w, struct span *s, uint32_t key, uint64_t address, uint64_t bytes)
{
	uint64_t n = bytes - s->skip;
	int rc;

	if (s->skip >= bytes) {
		s->skip -= bytes;
		return 0;
	}
	n = n < s->len ? n : s->len;
	rc = walk_key(w, key, address + s->skip, n, 0);
	s->skip = 0;
	s->len -= n;
	return rc;
}

static int walk_klms(struct walk *w, struct span *s, const struct mkey *m)
{
	for (const struct klm *k = m->klm; k < m->klm + m->nklm && s->len; k++)
		if (walk_entry(w, s, k->mkey, k->address, k->byte_count))
			return -1;
	return 0;
}

static int walk_repeat_block(struct walk *w, struct span *s, const struct mkey *m)
{
	const struct strided *end = m->strided + m->nstrided;

	for (uint64_t r = 0; r < m->repeat_count && s->len; r++)
		for (const struct strided *e = m->strided; e < end && s->len; e++)
			if (walk_entry(w, s, e->mkey, e->address + r * e->stride, e->bytes))
				return -1;
	return 0;
}

static int walk_indirect(struct walk *w, const struct mkey *m, struct span s)
{
	int rc;

	w->depth++;
	rc = m->repeat_count ? walk_repeat_block(w, &s, m) : walk_klms(w, &s, m);
	w->depth--;
	return rc || s.len ? -1 : 0;
}

int mkey_move_raw(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len, void *buffer)
{
	struct walk w = { .pd = pd, .to_memory = to_memory, .buffer = buffer };

	return walk_indirect(&w, m, (struct span){ at, len });
}

int mkey_move_below(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len,
		    void *buffer)
{
	if (m->cipher && !m->cipher->on_wire)
		return cipher_move(pd, m, to_memory, at, len, buffer);
	return mkey_move_raw(pd, m, to_memory, at, len, buffer);
}

int mkey_move_signed(struct object *pd, struct mkey *m, bool to_memory, uint64_t at, uint64_t len, void *buffer)
{
	if (!m->signature)
		return mkey_move_raw(pd, m, to_memory, at, len, buffer);
	if (to_memory)
		return signature_write(pd, m, at, len, buffer);
	return signature_read(pd, m, at, len, buffer);
}

/* Without signatures there is but one side to encrypt on */
static bool is_encrypted_on_wire(const struct mkey *m)
{
	return m->cipher && (m->cipher->on_wire || !m->signature);
}

/* The data are not in memory as they are on the wire */
static int walk_changed(struct walk *w, struct mkey *m, uint64_t at, uint64_t len)
{
	int rc = 0;

	if (!w->buffer)
		return 0;
	if (!is_encrypted_on_wire(m))
		rc = mkey_move_signed(w->pd, m, w->to_memory, at, len, w->buffer);
	else if (w->to_memory)
		rc = cipher_write(w->pd, m, at, len, w->buffer);
	else
		rc = cipher_read(w->pd, m, at, len, w->buffer);
	w->buffer += len;
	return rc;
}

static int walk_key(struct walk *w, uint32_t key, uint64_t address, uint64_t len, uint32_t need)
{
	struct mkey *m = mkey_by_index(w->pd->device, key);
	const char *why = refusal(m, w, key, address, len, need);

	if (why) {
		TRACE("key %x: %s", key, why);
		return -1;
	}
	address -= m->start;
	if (m->signature || m->cipher)
		return walk_changed(w, m, address, len);
	if (m->indirect)
		return walk_indirect(w, m, (struct span){ address, len });
	return copy_direct(w, m, address, len);
}

int mkey_read(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need, void *to)
{
	struct walk w = { .pd = pd, .buffer = to };

	return walk_key(&w, key, address, len, need);
}

int mkey_check(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need)
{
	struct walk w = { .pd = pd };

	return walk_key(&w, key, address, len, need);
}

int mkey_write(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need,
	       const void *from)
{
	struct walk w = { .pd = pd, .buffer = (uint8_t *)from, .to_memory = true };

	return walk_key(&w, key, address, len, need);
}

const void *mkey_memory(struct object *pd, uint32_t key, uint64_t address, uint64_t len)
{
	const struct mkey *m = mkey_by_index(pd->device, key);
	struct walk w = { .pd = pd };

	if (refusal(m, &w, key, address, len, 0) || m->signature || m->cipher || m->indirect ||
	    m->exported || m->access & IBV_ACCESS_ON_DEMAND)
		return NULL;
	return (const void *)(uintptr_t)(m->host + (address - m->start));
}
