/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Programs that were compiled with headers of another libverbsx, in which a structure is smaller or larger. */

#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/describe.h>

#define ROOM 256
#define MORE 24 /* bytes that a newer structure has behind the one of today */

/* Everything that fills a structure of libverbsx's own, by one shape. */
static bool enum_at(void *out, size_t size)
{
	return vx_enumerator_at_sized(vx_enum_find("ibv_wc_status"), 1, out, size);
}

static bool enumerator_find(void *out, size_t size)
{
	const struct vx_enum_info *e;

	return vx_enumerator_find_sized("IBV_WC_RETRY_EXC_ERR", &e, out, size);
}

static bool struct_describe(void *out, size_t size)
{
	vx_struct_describe_sized(vx_struct_find("ibv_port_attr"), out, size);
	return true;
}

static bool struct_field_at(void *out, size_t size)
{
	return vx_struct_field_at_sized(vx_struct_find("ibv_port_attr"), 1, out, size);
}

static bool meaning_of(void *out, size_t size)
{
	return vx_meaning_of_sized("IBV_WC_RETRY_EXC_ERR", out, size);
}

static bool errno_at(void *out, size_t size)
{
	return vx_errno_at_sized(0, out, size);
}

static bool errno_of(void *out, size_t size)
{
	return vx_errno_of_sized(12, out, size);
}

static bool errno_find(void *out, size_t size)
{
	return vx_errno_find_sized("ENOMEM", out, size);
}

static bool call_at(void *out, size_t size)
{
	return vx_call_at_sized(0, out, size);
}

static bool call_find(void *out, size_t size)
{
	return vx_call_find_sized("ibv_create_qp", out, size);
}

static const struct {
	const char *name;
	bool (*fill)(void *out, size_t size);
	size_t size;
} fillers[] = {
	{ "enum_at", enum_at, sizeof(struct vx_enumerator) },
	{ "enumerator_find", enumerator_find, sizeof(struct vx_enumerator) },
	{ "struct_describe", struct_describe, sizeof(struct vx_struct_info) },
	{ "struct_field_at", struct_field_at, sizeof(struct vx_field_info) },
	{ "meaning_of", meaning_of, sizeof(struct vx_meaning) },
	{ "errno_at", errno_at, sizeof(struct vx_errno_info) },
	{ "errno_of", errno_of, sizeof(struct vx_errno_info) },
	{ "errno_find", errno_find, sizeof(struct vx_errno_info) },
	{ "call_at", call_at, sizeof(struct vx_call_info) },
	{ "call_find", call_find, sizeof(struct vx_call_info) },
};

#define FILLERS (sizeof(fillers) / sizeof(fillers[0]))

Test(older, a_smaller_structure_is_not_overrun)
{
	unsigned char whole[ROOM] = { 0 }, part[ROOM];
	size_t i, size, at;

	for (i = 0; i < FILLERS; i++) {
		cr_assert(fillers[i].fill(whole, fillers[i].size), "%s", fillers[i].name);
		for (size = 0; size < fillers[i].size; size += sizeof(void *)) {
			memset(part, 0xa5, sizeof(part));
			cr_assert(fillers[i].fill(part, size), "%s", fillers[i].name);
			cr_expect_eq(memcmp(part, whole, size), 0, "%s of %zu bytes", fillers[i].name, size);
			for (at = size; at < ROOM; at++)
				cr_expect_eq(part[at], 0xa5, "%s: byte %zu of %zu", fillers[i].name, at, size);
		}
	}
}

Test(older, a_larger_structure_ends_in_zeros)
{
	unsigned char whole[ROOM];
	size_t i, at;

	for (i = 0; i < FILLERS; i++) {
		memset(whole, 0xa5, sizeof(whole));
		cr_assert(fillers[i].fill(whole, fillers[i].size + MORE), "%s", fillers[i].name);
		for (at = fillers[i].size; at < ROOM; at++)
			cr_expect_eq(whole[at], at < fillers[i].size + MORE ? 0 : 0xa5, "%s: byte %zu",
				     fillers[i].name, at);
	}
}
