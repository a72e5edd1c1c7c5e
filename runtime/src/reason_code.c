/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* What the code of a failure tells, where nothing in the request does. */

#include <errno.h>
#include <sys/resource.h>

#include "reason.h"
#include "scale.h"

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
		const char *name = vx_limit_texts + vx_suspects[i].field;

		if (request->type.desc != &vx_structs[vx_suspects[i].owner] ||
		    !vx_place_find(&view, name, request->mask, &place) || !vx_place_value(&place))
			continue;
		if (!out)
			vx_reason_add(reason, "the device or its provider may not support ");
		else
			vx_put_literal(out, ", ");
		out = &reason->out;
		vx_put_string(out, name);
		vx_put_literal(out, " = ");
		vx_put_place(out, &place);
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
