/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* CREATE_MKEY: indirect keys, free for a UMR to fill or filled with the entries in the mailbox. */
#include <errno.h>
#include <infiniband/verbs.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm.h"
#include "config.h"
#include "objects/crypto.h"
#include "objects/mkey.h"

#define ANY_QP 0xffffff

/* access_mode_1_0; the upper bits are of others */
enum {
	ACCESS_MODE_KLMS = 2,
	ACCESS_MODE_KSM = 3 /* entries of one size */
};

static uint32_t access_of(const uint8_t *in)
{
	return (prm_get(in, CREATE_MKEY_LW) ? IBV_ACCESS_LOCAL_WRITE : 0) |
	       (prm_get(in, CREATE_MKEY_RR) ? IBV_ACCESS_REMOTE_READ : 0) |
	       (prm_get(in, CREATE_MKEY_RW) ? IBV_ACCESS_REMOTE_WRITE : 0) |
	       (prm_get(in, CREATE_MKEY_A) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

static void fill(struct mkey *key, const uint8_t *in)
{
	bool fixed = prm_get(in, CREATE_MKEY_ACCESS_MODE_1_0) == ACCESS_MODE_KSM;
	const uint8_t *klm = in + CREATE_MKEY_SIZE;

	key->invalid = false;
	key->access = access_of(in);
	key->start = prm_get64(in, CREATE_MKEY_START_ADDR);
	key->len = prm_get64(in, CREATE_MKEY_LEN);
	key->nklm = prm_get(in, CREATE_MKEY_TRANSLATIONS_ACTUAL);
	for (int i = 0; i < key->nklm; i++, klm += KLM_SIZE)
		key->klm[i] = (struct klm){
			.byte_count = fixed ? 1u << prm_get(in, CREATE_MKEY_LOG_ENTITY_SIZE) :
					      prm_get(klm, KLM_BYTE_COUNT),
			.mkey = prm_get(klm, KLM_MKEY),
			.address = prm_get64(klm, KLM_ADDRESS),
		};
}

/* libmlx5 sends but the context of one that is free */
static bool is_free(const struct mailboxes *m)
{
	return m->in_len < CREATE_MKEY_SIZE || prm_get(m->in, CREATE_MKEY_FREE) ||
	       !prm_get(m->in, CREATE_MKEY_TRANSLATIONS_ACTUAL);
}

static bool is_known(const struct mailboxes *m)
{
	uint32_t mode = prm_get(m->in, CREATE_MKEY_ACCESS_MODE_1_0);
	uint32_t entries;

	if (is_free(m))
		return true;
	entries = prm_get(m->in, CREATE_MKEY_TRANSLATIONS_ACTUAL);
	return !prm_get(m->in, CREATE_MKEY_ACCESS_MODE_4_2) && mode >= ACCESS_MODE_KLMS &&
	       entries <= MAX_KLM && m->in_len >= CREATE_MKEY_SIZE + entries * KLM_SIZE;
}

int mkey_create(struct call *c, struct mailboxes *m)
{
	struct object *pd = call_numbered(c, PD, prm_get(m->in, CREATE_MKEY_PD));
	struct mkey *key;

	if (!pd || (prm_get(m->in, CREATE_MKEY_BSF_EN) && !config.signature && !crypto_is_offered()) ||
	    (prm_get(m->in, CREATE_MKEY_CRYPTO_EN) && !crypto_is_offered()) || !is_known(m))
		return devx_refuse(m, STATUS_BAD_PARAM);
	key = object_new(c->ctx, MKEY, sizeof(*key), pd);
	if (!key)
		return ENOMEM;
	key->indirect = key->invalid = true;
	key->wants_cipher = prm_get(m->in, CREATE_MKEY_CRYPTO_EN);
	key->variant = prm_get(m->in, CREATE_MKEY_MKEY_7_0);
	if (prm_get(m->in, CREATE_MKEY_QPN) != ANY_QP)
		key->qpn = prm_get(m->in, CREATE_MKEY_QPN);
	if (!is_free(m))
		fill(key, m->in);
	prm_set(m->out, CREATE_MKEY_INDEX, mkey_value(key) >> 8);
	devx_made(c, &key->o);
	return 0;
}
