/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Making objects by rows. */

#include <string.h>

#include <verbsx/objects.h>

#include "error/fail.h"
#include "kinds.h"
#include "make_by_row.h"
#include "object/make.h"
#include "reason/reason.h"
#include "steps.h"
#include "text/printer.h"

/* What is looked at so far. */
struct looking {
	const char *call;
	void *uses[VX_MOST_USED];
	size_t used;
};

static const void *pointer_in(const struct vx_making *m, unsigned int at)
{
	const void *found;

	memcpy(&found, (const char *)m->init + at, sizeof(found));
	return found;
}

/* What has to be there, and is NULL; NULL where nothing is. */
static bool lacks_pointer(const struct vx_making *m, const struct vx_step *step)
{
	const unsigned char *init = m->init;

	if (pointer_in(m, step->at))
		return false;
	if (step->op == VX_STEP_MASKED) /* the mask comes first */
		return vx_read_unsigned(init, step->size) & step->bits;
	return step->op == VX_STEP_NULL || vx_read_unsigned(init + step->other, step->size);
}

static int look_at_pointer(const struct vx_making *m, const struct vx_step *step, const char *call)
{
	const char *name = vx_making_text(step->text);

	if (!lacks_pointer(m, step))
		return 0;
	return step->op == VX_STEP_MASKED ? vx_wrong_null(call, name, vx_making_text(step->other)) : vx_null_fail(call, name);
}

static int look_at_value(const struct vx_making *m, const struct vx_step *step, const char *call)
{
	const unsigned char *at = (const unsigned char *)m->init + step->at;
	const char *text = vx_making_text(step->text);

	if (step->op == VX_STEP_NONE)
		return vx_read_unsigned(at, step->size) == VX_NONE ? vx_none_fail(call, text) : 0;
	if (vx_is_set(at, step->size) == (step->op == VX_STEP_ZERO))
		return 0;
	return step->op == VX_STEP_ZERO ? vx_wrong_init(call, text) : vx_later_fail(call, text);
}

static int look_at_handle(const struct vx_making *m, const struct vx_step *step, struct looking *looking)
{
	const void *handle = pointer_in(m, step->at);

	if (step->bits)
		looking->uses[looking->used++] = (void *)(uintptr_t)handle;
	return vx_wrong_field(handle, step->other, vx_making_text(step->text)) ? -EINVAL : 0;
}

static int look_at_step(struct vx_making *m, const struct vx_made *row, vx_asked ask, const struct vx_step *step, struct looking *looking)
{
	uint64_t unknown;

	switch (step->op) {
	case VX_STEP_PARENT:
		if (!row->parent_kind)
			return m->out ? 0 : vx_null_fail(looking->call, "out");
		return vx_refuses(m->parent, row->parent_kind, m->out, looking->call) ? -EINVAL : 0;
	case VX_STEP_BITS:
		unknown = vx_read_unsigned((const unsigned char *)m->init + step->at, step->size) & ~(uint64_t)step->bits;
		return unknown ? vx_unknown_bits(looking->call, vx_making_text(step->text), unknown, step->other) : 0;
	case VX_STEP_HANDLE:
		return look_at_handle(m, step, looking);
	case VX_STEP_LOOK:
		ask(m);
		return m->rc;
	case VX_STEP_LATER:
	case VX_STEP_ZERO:
	case VX_STEP_NONE:
		return look_at_value(m, step, looking->call);
	default:
		return look_at_pointer(m, step, looking->call);
	}
}

static int ask_for(struct vx_making *m, const struct vx_made *row, vx_asked ask)
{
	void *raw;

	m->asking = VX_ASK;
	errno = 0;
	raw = ask(m);
	if (!raw && !m->rc) {
		m->asking = VX_ASK_WHY;
		m->code = vx_code_of_refusal();
		ask(m);
	}
	if (!raw)
		return m->rc;
	vx_node_link(m->node, raw, m->out);
	if (row->after) {
		m->asking = VX_ASK_AFTER;
		ask(m);
	}
	return m->rc;
}

static int make_of_row(struct vx_making *m, const struct vx_made *row, vx_asked ask, int (*destroy)(struct vx_node *))
{
	struct looking looking = { .call = vx_making_text(row->call), .uses = { m->parent }, .used = 1 };
	const struct vx_step *step;
	int rc;

	if (row->provider && vx_wrong_or_foreign(m->parent, row->parent_kind, looking.call, "the parent", vx_making_text(row->provider)) < 0)
		return vx_error()->code;
	for (step = (const struct vx_step *)(row + 1); step->op; step++) {
		rc = look_at_step(m, row, ask, step, &looking);
		if (rc < 0)
			return rc;
	}
	m->node = vx_node_new(row->extra, row->kind, destroy, looking.uses, looking.used, looking.call);
	if (!m->node)
		return vx_error()->code;
	m->kept = vx_node_extra(m->node);
	return ask_for(m, row, ask);
}

int vx_make_by_row(const struct vx_made *row, vx_asked ask, int (*destroy)(struct vx_node *), void *parent, const void *init, size_t size,
		   void *out)
{
	VX_ROOM(own, VX_MOST_INIT);
	struct vx_making m;
	int rc;

	m.asking = VX_ASK_LOOK;
	m.rc = 0;
	m.parent = parent;
	m.init = init;
	m.out = out;
	if (!init || size != row->size) {
		rc = vx_take_in(&own, row->size, init, size, vx_making_text(row->call), "init", vx_making_text(row->last));
		if (rc < 0)
			return rc;
		m.init = &own;
	}
	return make_of_row(&m, row, ask, destroy);
}

void *vx_made_wrong(struct vx_making *m, const char *call, const char *why)
{
	m->rc = vx_wrong_init(call, why);
	return NULL;
}

void *vx_made_refused(struct vx_making *m, const char *call, unsigned int row, const uint64_t *args)
{
	m->rc = vx_create_refused(m->code, call, row, m->node, args);
	return NULL;
}
