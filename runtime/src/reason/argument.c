/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a call was given: by the names of its parameters, as structures, and as fields of these; and what is allowed. */

#include "reason.h"

static const struct vx_param *param_of(const struct vx_failure *failure, unsigned int index)
{
	return &vx_params[failure->call->param + index];
}

static const char *name_of(const struct vx_param *param)
{
	return vx_struct_names + param->name;
}

static bool has_name(const struct vx_param *param, const char *path, size_t length)
{
	return !strncmp(name_of(param), path, length) && !name_of(param)[length];
}

/* The parameter that a path begins with; its count where there is none. */
static unsigned int index_of(const struct vx_failure *failure, const char *path)
{
	unsigned int i;

	for (i = 0; i < failure->call->params; i++)
		if (has_name(param_of(failure, i), path, strcspn(path, ".")))
			break;
	return i;
}

/* ---- structures ---- */

/* One that was given: not one that is there to be filled, and not an array. */
static bool is_given(const struct vx_param *param, uint64_t arg)
{
	return param->kind == VX_KIND_STRUCT_POINTER && arg && vx_structs[param->ref].size && !(param->flags & VX_PARAM_COUNTED) &&
	       (!(param->flags & VX_PARAM_OUT) || param->flags & VX_PARAM_ASKS);
}

bool vx_argument_view(const struct vx_failure *failure, unsigned int index, struct vx_view *out)
{
	const struct vx_param *param = param_of(failure, index);
	const struct vx_struct *s = &vx_structs[param->flags & VX_PARAM_HANDLE ? vx_raw_handles[param->ref].desc : param->ref];
	const void *at = (const void *)(uintptr_t)failure->args[index];

	if (at)
		*out = vx_view_of(vx_type_of(s, s->size), at);
	return at;
}

static struct vx_subject given(const struct vx_failure *failure, unsigned int index)
{
	const struct vx_param *param = param_of(failure, index);
	struct vx_subject subject = {
		.owner = param->ref,
		.mask = param->flags & VX_PARAM_MASKED ? failure->args[param->other - 1] : VX_MASK_ALL,
	};

	vx_argument_view(failure, index, &subject.view);
	return subject;
}

static struct vx_subject call_itself(const struct vx_failure *failure)
{
	return (struct vx_subject){
		.owner = (uint16_t)(VX_OF_CALL | (failure->call - vx_signatures)),
		.mask = VX_MASK_ALL,
		.view = {
			.bytes = (const unsigned char *)failure->args,
			.size = failure->call->params * sizeof(failure->args[0]),
		},
	};
}

bool vx_subject_at(const struct vx_failure *failure, unsigned int index, struct vx_subject *out)
{
	unsigned int i;

	for (i = 0; i < failure->call->params; i++) {
		if (!is_given(param_of(failure, i), failure->args[i]) || index--)
			continue;
		*out = given(failure, i);
		return true;
	}
	*out = call_itself(failure);
	return !index;
}

/* ---- fields ---- */

void vx_spot_of_argument(const struct vx_failure *failure, unsigned int index, struct vx_spot *out)
{
	out->place.field = &out->argument;
	out->argument = vx_field_of_argument(param_of(failure, index), &failure->args[index], &out->place.at);
}

static bool find_of_call(const struct vx_failure *failure, const char *path, struct vx_spot *out)
{
	unsigned int index = index_of(failure, path);
	const char *rest = strchr(path, '.');
	struct vx_subject inner;

	if (index == failure->call->params)
		return false;
	if (!rest) {
		vx_spot_of_argument(failure, index, out);
		return true;
	}
	inner = given(failure, index);
	return failure->args[index] && vx_place_find(&inner.view, rest + 1, inner.mask, &out->place);
}

bool vx_subject_find(const struct vx_failure *failure, const struct vx_subject *subject, const char *path, struct vx_spot *out)
{
	if (subject->owner & VX_OF_CALL)
		return find_of_call(failure, path, out);
	return vx_place_find(&subject->view, path, subject->mask, &out->place);
}

bool vx_spot_find(const struct vx_failure *failure, const char *path, struct vx_spot *out)
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
	struct vx_spot spot;

	return vx_spot_find(failure, name, &spot) ? vx_place_value(&spot.place) : 0;
}

/* ---- what is allowed ---- */

const void *vx_bounds_ask(struct vx_bounds *bounds, unsigned int source)
{
	if (!bounds->asked[source] && bounds->context)
		bounds->known[source] = vx_source_ask(bounds, source);
	bounds->asked[source] = true;
	return bounds->known[source];
}

bool vx_bounds_view(struct vx_bounds *bounds, unsigned int source, struct vx_view *out)
{
	const struct vx_struct *s = &vx_structs[vx_sources[source].desc];
	const void *known = vx_bounds_ask(bounds, source);

	if (known)
		*out = vx_view_of(vx_type_of(s, s->size), known);
	return known;
}

bool vx_bounds_find(struct vx_bounds *bounds, unsigned int source, const char *path, struct vx_place *out)
{
	struct vx_view view;

	return vx_bounds_view(bounds, source, &view) && vx_place_find(&view, path, VX_MASK_ALL, out);
}
