/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the code of a failure tells, where nothing in the request does. */

#include <errno.h>
#include <sys/resource.h>

#include <verbsx/objects.h>

#include "object/make.h"
#include "verbs/memlock.h"
#include "reason.h"
#include "text/scale.h"

#define LONGEST_NAME 128

/* ---- suspects ---- */

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
	if (place->field->kind == VX_KIND_FLAGS)
		put_part(out, place, vx_place_value(place) & ~(uint64_t)suspect->usual);
	else
		vx_put_place(out, place);
}

/*
 * An enumerator that all devices have is none where a value was found to be wrong, but one that is refused as such may be on
 * a device like no other.
 */
static bool is_suspect(const struct vx_suspect *suspect, const struct vx_place *place, int code)
{
	uint64_t value = vx_place_value(place);

	if (place->field->kind != VX_KIND_ENUM)
		return value & ~(uint64_t)suspect->usual;
	return value && !(code == -EINVAL && value < 32 && suspect->usual & UINT32_C(1) << value);
}

void vx_reason_of_suspects(struct vx_reason *reason, const struct vx_request *request)
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
		    !is_suspect(suspect, &place, request->code))
			continue;
		if (!out)
			vx_reason_add(reason, "the device or its provider may not support ");
		else
			vx_put_literal(out, ", ");
		out = &reason->out;
		put_suspect(out, suspect, &place);
	}
}

/* ---- what multiplies ---- */

/* Find the factors that are not 0. @return whether any is more than usual */
static bool find_factors(const struct vx_product *product, const struct vx_request *request, struct vx_place places[VX_FACTORS])
{
	struct vx_view view = vx_view_of(request->type, request->attr);
	bool large = false;
	size_t i;

	for (i = 0; i < VX_FACTORS; i++) {
		const struct vx_factor *factor = &product->factors[i];

		if (!factor->field || !vx_place_find(&view, vx_limit_texts + factor->field, request->mask, &places[i]) ||
		    !vx_place_value(&places[i]))
			places[i].at = NULL;
		else if (vx_place_value(&places[i]) > factor->usual)
			large = true;
	}
	return large;
}

static void add_product(struct vx_reason *reason, const struct vx_product *product, const struct vx_place places[VX_FACTORS])
{
	static const char before[][7] = { "", " with ", " and " };
	struct vx_out *out = vx_reason_part(reason);
	size_t i, put = 0;

	for (i = 0; i < VX_FACTORS; i++) {
		if (!places[i].at)
			continue;
		vx_put_string(out, before[put++]);
		vx_put_string(out, vx_limit_texts + product->factors[i].field);
		vx_put_literal(out, " = ");
		vx_put_place(out, &places[i]);
	}
	vx_put_literal(out, " may be more than the provider can lay out");
}

static void add_products(struct vx_reason *reason, const struct vx_request *request)
{
	struct vx_place places[VX_FACTORS];
	size_t i;

	for (i = 0; i < vx_product_count; i++)
		if (request->type.desc == &vx_structs[vx_products[i].owner] && find_factors(&vx_products[i], request, places))
			add_product(reason, &vx_products[i], places);
}

/* ---- by code ---- */

static void add_unsupported(struct vx_reason *reason, const struct vx_request *request)
{
	vx_reason_of_suspects(reason, request);
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

static void add_memlock(struct vx_reason *reason, const struct vx_request *request)
{
	uint64_t limit = vx_memlock_limit();
	struct vx_out *out;

	if (!request->locks || limit == VX_MEMLOCK_NONE)
		return;
	out = vx_reason_part(reason);
	vx_put_literal(out, "RLIMIT_MEMLOCK is ");
	vx_put_bytes_scaled(out, limit);
	vx_put_literal(out, " (ulimit -l)");
}

/* What an object's memory is taken from, with what the program gave it to do so, is not told by rdma-core. */
static void add_allocator(struct vx_reason *reason, const struct vx_request *request)
{
	char name[LONGEST_NAME];
	uint32_t i;

	for (i = 0; request->locks && request->node && i < request->node->uses; i++) {
		const struct vx_node *used = vx_node_used(request->node, i);

		if (used->kind != VX_OBJECT_PARENT_DOMAIN)
			continue;
		vx_object_name(name, sizeof(name), used);
		vx_reason_add(reason, "alloc of %s, if it has one, may have given no memory", name);
	}
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
		vx_reason_of_suspects(reason, request);
		add_products(reason, request);
		add_allocator(reason, request);
		break;
	case EOPNOTSUPP:
	case ENOSYS:
		add_unsupported(reason, request);
		break;
	case ENOMEM:
		add_count(reason, request, bounds);
		add_memlock(reason, request);
		add_allocator(reason, request);
		if (!vx_reason_is_found(reason))
			vx_reason_of_suspects(reason, request);
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
