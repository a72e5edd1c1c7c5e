/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * General objects of DEVX, of any type: what is created is kept and read back, and nothing
 * is done with it, but for keys that data are encrypted with, and elements that QPs are held to.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/devx_event.h"
#include "calls/prm.h"
#include "objects/crypto.h"
#include "objects/devx_object.h"
#include "objects/sched.h"

#define TYPES 64 /* as many as there are bits for in the capabilities */

struct general {
	struct object o;
	struct object *parent; /* that it hangs on, or NULL */
	uint64_t busy_until; /* ns */
	uint16_t type;
	size_t len;
	uint8_t body[]; /* what follows the header in a mailbox */
};

void general_release(struct object *o)
{
	object_drop(((struct general *)o)->parent);
	devx_event_release(o);
}

uint64_t *general_busy_until(uint32_t id)
{
	return &((struct general *)object_get(GENERAL, id))->busy_until;
}

const uint8_t *general_body(uint32_t id, uint16_t type)
{
	const struct general *g = object_get(GENERAL, id);

	return g && g->type == type ? g->body : NULL;
}

bool general_exists(const struct context *ctx, uint16_t type)
{
	const struct general *g;

	for (uint32_t i = 1; i < MAX_OBJECTS; i++) {
		g = object_get(GENERAL, i);
		if (g && g->type == type && g->o.ctx == ctx)
			return true;
	}
	return false;
}

int general_create(struct call *c, struct mailboxes *m)
{
	uint16_t type = prm_get(m->in, GENERAL_OBJ_TYPE);
	size_t len = m->in_len - MAILBOX_HEADER;
	struct general *g;
	uint8_t status;

	if (type >= TYPES)
		return devx_refuse(m, STATUS_BAD_PARAM);
	g = object_new(c->ctx, GENERAL, sizeof(*g) + len, NULL);
	if (!g)
		return ENOMEM;
	g->type = type;
	g->len = len;
	memcpy(g->body, m->in + MAILBOX_HEADER, len);
	status = type == TYPE_SCHEDULING_ELEMENT ? sched_admit(g->body, len, &g->parent) :
						   crypto_admit(c->ctx, type, g->body, len);
	if (status) {
		object_free(&g->o);
		return devx_refuse(m, status);
	}
	object_hold(g->parent);
	prm_set(m->out, GENERAL_OBJ_ID, g->o.number);
	devx_made(c, &g->o);
	return 0;
}

/* The mailbox names the object too */
static bool is_about(const struct general *g, const struct mailboxes *m)
{
	return prm_get(m->in, GENERAL_OBJ_TYPE) == g->type && prm_get(m->in, GENERAL_OBJ_ID) == g->o.number;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

int general_modify(struct call *c, struct mailboxes *m)
{
	struct general *g = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, GENERAL);
	size_t len;

	if (!g)
		return ENOENT;
	if (!is_about(g, m))
		return EINVAL;
	len = smaller(g->len, m->in_len - MAILBOX_HEADER);
	if (g->type != TYPE_SCHEDULING_ELEMENT)
		memcpy(g->body, m->in + MAILBOX_HEADER, len);
	else if (len == g->len)
		sched_modify(g->body, m->in + MAILBOX_HEADER);
	return 0;
}

int general_query_object(const struct call *c, uint64_t handle, struct mailboxes *m)
{
	const struct general *g = call_find(c, GENERAL, handle);
	uint8_t status;
	size_t len;

	if (!g)
		return ENOENT;
	if (!is_about(g, m))
		return EINVAL;
	len = smaller(g->len, m->out_len - MAILBOX_HEADER);
	prm_set(m->out, GENERAL_OBJ_ID, g->o.number);
	memcpy(m->out + MAILBOX_HEADER, g->body, len);
	status = crypto_conceal(g->o.ctx, g->type, m->out + MAILBOX_HEADER, len);
	return status ? devx_refuse(m, status) : 0;
}

int general_query(struct call *c, struct mailboxes *m)
{
	return general_query_object(c, call_value(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE), m);
}
