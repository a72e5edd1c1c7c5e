/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a call was given: by the names of its parameters, as structures, and as fields of these; and what is allowed. */

#include "reason.h"

static const struct vx_field *param_of(const struct vx_failure *failure, unsigned int index)
{
	return vx_field_of(vx_struct_of_call(failure->call), index);
}

/* ---- structures ---- */

bool vx_argument_view(const struct vx_failure *failure, unsigned int index, struct vx_view *out)
{
	const struct vx_field *param = param_of(failure, index);
	bool is_handle = param->kind == VX_KIND_POINTER;
	const struct vx_struct *s = vx_struct_row(is_handle ? vx_raw_handles[param->ref].desc : param->ref);
	const void *at = (const void *)(uintptr_t)failure->args[index];

	if (at)
		*out = vx_view_of(vx_type_of(s, s->size), at);
	return at;
}

static struct vx_subject given(const struct vx_failure *failure, unsigned int index)
{
	struct vx_subject subject = {
		.owner = param_of(failure, index)->ref,
		.mask = vx_mask_of_args(failure->call, failure->args),
	};

	vx_argument_view(failure, index, &subject.view);
	return subject;
}

struct vx_subject vx_subject_of_call(const struct vx_failure *failure)
{
	return (struct vx_subject){
		.owner = (uint16_t)(VX_OF_CALL | (failure->call - vx_signatures)),
		.mask = VX_MASK_ALL,
		.view = vx_view_of_args(failure->call, failure->args),
	};
}

bool vx_subject_at(const struct vx_failure *failure, unsigned int index, struct vx_subject *out)
{
	unsigned int i;

	for (i = 0; failure->call->given >> i; i++) {
		if (!(failure->call->given >> i & 1) || !failure->args[i] || !vx_struct_row(param_of(failure, i)->ref)->size || index--)
			continue;
		*out = given(failure, i);
		return true;
	}
	*out = vx_subject_of_call(failure);
	return !index;
}

/* ---- fields ---- */

/* An argument, or a field of the structure that it points to. */
static bool find_of_call(const struct vx_failure *failure, const struct vx_view *args, const char *path,
			 struct vx_place *out)
{
	const size_t len = strcspn(path, ".");
	const struct vx_field *param = vx_field_named(args->s, path, len);
	struct vx_subject inner;
	unsigned int index;

	if (!param || !path[len])
		return vx_place_find(args, path, VX_MASK_ALL, out);
	index = (unsigned int)(param - vx_field_of(args->s, 0));
	inner = given(failure, index);
	return failure->args[index] && vx_place_find(&inner.view, path + len + 1, inner.mask, out);
}

bool vx_subject_find(const struct vx_failure *failure, const struct vx_subject *subject, const char *path, struct vx_place *out)
{
	if (subject->owner & VX_OF_CALL)
		return find_of_call(failure, &subject->view, path, out);
	return vx_place_find(&subject->view, path, subject->mask, out);
}

bool vx_argument_find(const struct vx_failure *failure, const char *path, struct vx_place *out)
{
	struct vx_subject subject;
	unsigned int i;

	for (i = 0; vx_subject_at(failure, i, &subject); i++)
		if (vx_subject_find(failure, &subject, path, out))
			return true;
	return false;
}

uint64_t vx_argument(const struct vx_failure *failure, const char *name)
{
	struct vx_place place;

	return vx_argument_find(failure, name, &place) ? vx_place_value(&place) : 0;
}

/* ---- what is allowed ---- */

const void *vx_bounds_ask(struct vx_bounds *bounds, unsigned int source)
{
	if (!bounds->asked[source] && bounds->context) {
		bounds->known[source] = vx_source_ask(bounds, source);
		bounds->asked[source] = true;
	}
	return bounds->known[source];
}
