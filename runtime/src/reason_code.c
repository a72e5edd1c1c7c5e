/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* What the code of a failure tells, where nothing in the request does. */

#include <errno.h>
#include <sys/resource.h>

#include "reason.h"
#include "scale.h"

/* Some of the flags in a place, of 4 or 8 bytes. */
static void put_part(struct vx_out *out, const struct vx_place *place, uint64_t part)
{
	const uint32_t u32 = (uint32_t)part;
	const void *copy = place->field->size == sizeof(part) ? (const void *)&part : (const void *)&u32;

	vx_put_place(out, &(struct vx_place){ place->field, copy });
}

static void put_suspect(struct vx_out *out, const struct vx_suspect *suspect, const struct vx_place *place)
{
	vx_put_string(out, vx_limit_texts + suspect->field);
	vx_put_literal(out, " = ");
	if (suspect->usual)
		put_part(out, place, vx_place_value(place) & ~(uint64_t)suspect->usual);
	else
		vx_put_place(out, place);
}

/* What a provider may not have, as far as the request asks for it. */
static void add_suspects(struct vx_reason *reason, const struct vx_request *request)
{
	struct vx_view view;
	struct vx_place place;
	struct vx_out *out = NULL;
	size_t i;

	if (!request->type.desc)
		return;
	view = vx_view_of(request->type, request->attr);
	for (i = 0; i < vx_suspect_count; i++) {
		const struct vx_suspect *suspect = &vx_suspects[i];

		if (request->type.desc != &vx_structs[suspect->owner] ||
		    !vx_place_find(&view, vx_limit_texts + suspect->field, request->mask, &place) ||
		    !(vx_place_value(&place) & ~(uint64_t)suspect->usual))
			continue;
		if (!out)
			vx_reason_add(reason, "the device or its provider may not support ");
		else
			vx_put_literal(out, ", ");
		out = &reason->out;
		put_suspect(out, suspect, &place);
	}
}

static void add_unsupported(struct vx_reason *reason, const struct vx_request *request)
{
	add_suspects(reason, request);
	if (!vx_reason_is_found(reason))
		vx_reason_add(reason, "the device or its provider does not support this call");
}

static void add_count(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds)
{
	struct vx_place most;
	size_t i;

	for (i = 0; i < vx_count_count; i++) {
		const struct vx_count *count = &vx_counts[i];
		const char *name = vx_limit_texts + count->limit;

		if (count->kind != request->kind || !vx_bounds_find(bounds, count->source, name, &most))
			continue;
		vx_reason_add(reason, "the device allows %s = ", name);
		vx_put_place(&reason->out, &most);
		vx_put_literal(&reason->out, " for all programs together");
	}
}

static void add_memlock(struct vx_reason *reason)
{
	struct rlimit limit;
	struct vx_out *out;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	out = vx_reason_part(reason);
	vx_put_literal(out, "RLIMIT_MEMLOCK is ");
	vx_put_bytes_scaled(out, limit.rlim_cur);
	vx_put_literal(out, " (ulimit -l)");
}

static void add_files(struct vx_reason *reason)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit))
		vx_reason_add(reason, "RLIMIT_NOFILE is %llu (ulimit -n)", (unsigned long long)limit.rlim_cur);
}

void vx_reason_of_code(struct vx_reason *reason, const struct vx_request *request, const struct vx_bounds *bounds)
{
	if (vx_reason_is_found(reason))
		return;
	switch (-request->code) {
	case EINVAL:
		add_suspects(reason, request);
		break;
	case EOPNOTSUPP:
	case ENOSYS:
		add_unsupported(reason, request);
		break;
	case ENOMEM:
		add_count(reason, request, bounds);
		add_memlock(reason);
		break;
	case ENOSPC:
		add_count(reason, request, bounds);
		break;
	case EMFILE:
		add_files(reason);
		break;
	case EIO:
	case ENODEV:
		vx_reason_add(reason, "the device was removed or reset: close the context and open it again");
		break;
	}
}
