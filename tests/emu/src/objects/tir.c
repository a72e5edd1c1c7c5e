/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/tir.h"

#include <infiniband/verbs.h>
#include <rdma/mlx5-abi.h>
#include <string.h>

#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_rx.h"

/* Each has one of two protocols: IPv4 and IPv6, TCP and UDP */
static const struct selection {
	uint32_t selected;
	uint64_t fields[2];
} layer3[] = {
	{ SELECTED_SRC_IP, { MLX5_RX_HASH_SRC_IPV4, MLX5_RX_HASH_SRC_IPV6 } },
	{ SELECTED_DST_IP, { MLX5_RX_HASH_DST_IPV4, MLX5_RX_HASH_DST_IPV6 } },
}, layer4[] = {
	{ SELECTED_L4_SPORT, { MLX5_RX_HASH_SRC_PORT_TCP, MLX5_RX_HASH_SRC_PORT_UDP } },
	{ SELECTED_L4_DPORT, { MLX5_RX_HASH_DST_PORT_TCP, MLX5_RX_HASH_DST_PORT_UDP } },
};

static uint64_t pick(const struct selection layer[2], uint32_t selected, uint32_t protocol)
{
	return (selected & layer[0].selected ? layer[0].fields[protocol] : 0) |
	       (selected & layer[1].selected ? layer[1].fields[protocol] : 0);
}

/* As verbs would ask for the same hash */
static uint64_t fields_of(const uint8_t *in)
{
	uint32_t selected = prm_get(in, TIRC_SELECTED_FIELDS);

	return pick(layer3, selected, prm_get(in, TIRC_L3_PROT_TYPE)) |
	       pick(layer4, selected, prm_get(in, TIRC_L4_PROT_TYPE));
}

/* The outer headers are those that are hashed, by Toeplitz or, without any field, not at all */
static bool hash_is_known(const uint8_t *in)
{
	uint32_t function = prm_get(in, TIRC_RX_HASH_FN);

	return !prm_get(in, TIRC_SELECTED_FIELDS_INNER) && prm_get(in, TIRC_SELECTED_FIELDS) <= SELECTED_ALL &&
	       (function == RX_HASH_TOEPLITZ || (function == RX_HASH_NONE && !prm_get(in, TIRC_SELECTED_FIELDS)));
}

static bool describe(const struct call *c, struct tir *t, const uint8_t *in)
{
	bool indirect = prm_get(in, TIRC_DISP_TYPE) == DISP_INDIRECT;

	if (prm_get(in, TIRC_DISP_TYPE) > DISP_INDIRECT || prm_get(in, TIRC_LRO_TIMEOUT) || !hash_is_known(in))
		return false;
	t->domain = call_numbered(c, TRANSPORT_DOMAIN, prm_get(in, TIRC_TRANSPORT_DOMAIN));
	t->table = indirect ? call_numbered(c, RWQ_TABLE, prm_get(in, TIRC_INDIRECT_TABLE)) : NULL;
	t->rq = indirect ? NULL : call_numbered(c, WQ, prm_get(in, TIRC_INLINE_RQN));
	t->rss.fields = fields_of(in);
	memcpy(t->rss.key, in + TIRC_TOEPLITZ_KEY_AT, sizeof(t->rss.key));
	return t->domain && (t->table || t->rq);
}

int tir_create(struct call *c, struct mailboxes *m)
{
	struct tir wanted = { .rq = NULL }, *t;

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (!describe(c, &wanted, m->in))
		return devx_refuse(m, STATUS_BAD_PARAM);
	t = object_new(c->ctx, TIR, sizeof(*t), NULL);
	if (!t)
		return devx_refuse(m, STATUS_LIM);
	wanted.o = t->o;
	*t = wanted;
	object_hold(t->domain);
	object_hold(t->table);
	object_hold((struct object *)t->rq);
	prm_set(m->out, CREATED_NUMBER, t->o.number);
	devx_made(c, &t->o);
	return 0;
}

void tir_release(struct object *o)
{
	struct tir *t = (struct tir *)o;

	object_drop(t->domain);
	object_drop(t->table);
	object_drop((struct object *)t->rq);
}

struct wq *tir_pick(const struct tir *t, const struct headers *h)
{
	return t->table ? rwq_table_pick(t->table, rss_hash(&t->rss, h)) : t->rq;
}
