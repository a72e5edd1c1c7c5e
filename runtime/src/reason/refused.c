/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The way of every call that has failed: who asked for what, why it may have failed, the record of it. */

#include <errno.h>
#include <stdio.h>

#include <verbsx/objects.h>
#include <verbsx/version.h>

#include "error/fail.h"
#include "know/tables.h"
#include "object/make.h"
#include "reason.h"
#include "reason_tables.h"

/* ---- where ---- */

/* A context is one itself; an object has it where its row says. */
static struct ibv_context *context_behind(const struct vx_field *param, uint64_t arg)
{
	const struct vx_handle *handle = &vx_raw_handles[param->ref];
	const unsigned char *raw = (const unsigned char *)(uintptr_t)arg;
	const struct vx_field *f;

	if (param->kind != VX_KIND_POINTER || !param->ref || !raw || param->ref > vx_raw_handle_count)
		return NULL;
	if (param->ref == vx_raw_handle_count)
		return (struct ibv_context *)(uintptr_t)arg;
	f = vx_handle_field(handle, handle->context);
	return f ? (struct ibv_context *)(uintptr_t)vx_read_pointer(raw + f->offset) : NULL;
}

static void find_context(struct vx_failure *failure)
{
	const struct vx_struct *s = vx_struct_of_call(failure->call);
	struct vx_bounds *bounds = &failure->bounds;
	unsigned int i;

	for (i = 0; i < s->fields - 1u && !bounds->context; i++)
		bounds->context = context_behind(vx_field_of(s, i), failure->args[i]);
	if (s->fields > 1) /* a call may have no arguments */
		bounds->object = (void *)(uintptr_t)failure->args[0];
}

/* The port that is asked for, 1 where none is named. */
static void find_port(struct vx_failure *failure)
{
	struct vx_place place;

	failure->bounds.port = 1;
	if (vx_argument_find(failure, "port_num", &place) || vx_argument_find(failure, "port", &place))
		failure->bounds.port = vx_place_value(&place) > UINT8_MAX ? UINT8_MAX : (uint8_t)vx_place_value(&place);
}

/* ---- why ---- */

static void explain_by_tables(struct vx_failure *failure, unsigned int row)
{
	struct vx_subject subject;
	unsigned int i;

	for (i = 0; vx_subject_at(failure, i, &subject); i++)
		if (!(subject.owner & VX_OF_CALL))
			vx_reason_of_values(failure, &subject, vx_release_running());
	vx_reason_of_rows(failure, VX_PHASE_USUAL);
	vx_explain_then(failure, row);
	vx_reason_of_rows(failure, VX_PHASE_OTHERWISE);
	vx_reason_of_code(failure);
}

bool vx_explain(struct vx_failure *failure, char *buf, size_t len)
{
	unsigned int row = (unsigned int)(failure->call - vx_signatures);
	struct vx_subject subject;

	failure->out = vx_out_in(buf, len);
	find_context(failure);
	find_port(failure);
	subject = vx_subject_of_call(failure);
	vx_reason_of_values(failure, &subject, vx_release_running());
	if (!vx_reason_is_found(failure))
		vx_reason_of_rows(failure, VX_PHASE_AT_ONCE);
	vx_explain_first(failure, row);
	/* Values of structures make sense only where the call itself does. */
	if (!vx_reason_is_found(failure))
		explain_by_tables(failure, row);
	return vx_out_finish(&failure->out) != 0;
}

/* ---- the record ---- */

static int record(struct vx_failure *failure, const char *call, const void *object)
{
	char name[VX_LONGEST_NAME] = "", reason[VX_LONGEST_REASON];
	bool found = vx_explain(failure, reason, sizeof(reason));
	size_t used;

	if (object) {
		used = vx_object_name(name, sizeof(name), object);
		snprintf(name + used, sizeof(name) - used, "%s", failure->change);
	} else if (failure->bounds.context) {
		failure->out = vx_out_in(name, sizeof(name));
		vx_put_name_of(&failure->out, failure->bounds.context, "context");
		vx_out_finish(&failure->out);
	}
	call = call ? call : vx_call_names + vx_calls[failure->call->call].name;
	return vx_call_fail(failure->code, call, name[0] ? name : NULL, found ? "%s" : NULL, reason);
}

/* What messages name of the parent: the device, unless that itself is what something was to be made of. */
static const struct vx_node *maker_of(const struct vx_node *node)
{
	const struct vx_node *parent = node->uses ? vx_node_used(node, 0) : node;

	return parent->kind == VX_OBJECT_QP || parent->kind == VX_OBJECT_OPENED_QP ? parent : NULL;
}

int vx_call_refused(int code, const char *call, unsigned int row, const void *object, const uint64_t *args)
{
	struct vx_failure failure = { .code = code, .call = &vx_signatures[row], .args = args };

	return record(&failure, call, object);
}

int vx_create_refused(int code, const char *call, unsigned int row, struct vx_node *node, const uint64_t *args)
{
	struct vx_failure failure = { .code = code, .call = &vx_signatures[row], .args = args, .node = node };
	int rc = record(&failure, call, maker_of(node));

	vx_node_drop(node);
	return rc;
}

/* What rows say of a subject, or of all that a call was given: -EINVAL, recorded, or 0. */
static int refuse(const char *function, struct vx_failure *failure, const struct vx_subject *subject)
{
	char text[VX_LONGEST_REASON];

	failure->out = vx_out_in(text, sizeof(text));
	if (subject)
		vx_reason_of_subject(failure, subject, VX_PHASE_BEFORE);
	else
		vx_reason_of_rows(failure, VX_PHASE_BEFORE);
	return vx_out_finish(&failure->out) ? vx_fail(-EINVAL, function, NULL, "%s", text) : 0;
}

int vx_call_check(const char *function, unsigned int row, const uint64_t *args)
{
	return refuse(function, &(struct vx_failure){ .call = &vx_signatures[row], .args = args }, NULL);
}

int vx_refuse(const char *call, struct vx_node *node, struct vx_type type, const void *attr)
{
	const struct vx_subject subject = {
		.owner = vx_struct_index(type.desc), .mask = VX_MASK_ALL, .view = vx_view_of(type, attr),
	};
	int rc = refuse(call, &(struct vx_failure){ 0 }, &subject);

	if (rc < 0)
		vx_node_drop(node);
	return rc;
}

/* ---- exclusions ---- */

int vx_exclusion_check(const struct vx_part *parts, uint32_t used, const char *call)
{
	uint32_t left, excluded;
	int i;

	for (left = used; left; left &= left - 1) {
		i = __builtin_ctz(left);
		excluded = parts[i].excludes & used;
		if (excluded)
			return vx_fail(-EINVAL, call, NULL, "%s and %s exclude each other", parts[i].name,
				       parts[__builtin_ctz(excluded)].name);
	}
	return 0;
}
