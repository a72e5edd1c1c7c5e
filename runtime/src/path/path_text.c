/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A path as text. */

#include <stdbool.h>

#include <verbsx/enum.h>
#include <verbsx/path_text.h>

#include "gid/gid_choice.h"
#include "object/object.h"
#include "path.h"
#include "path_key.h"
#include "text/form.h"
#include "text/printer.h"

#define LONGEST_NAMED 512	/* flags of which each has a name */

/* ---- values ---- */

static uint64_t number_of(const struct vx_path *path, const struct vx_path_key *key)
{
	const uint64_t number = vx_read_unsigned(vx_path_member(path, key), key->size);

	return key->bits == 1 ? number != 0 : number;
}

static void put_named(struct vx_out *out, const struct vx_path_key *key, uint64_t value)
{
	char text[LONGEST_NAMED];

	vx_enum_snprint(text, sizeof(text), &vx_enums[key->e], (int64_t)value);
	vx_put_string(out, text);
}

/* The smallest, 1, is 256 bytes; numbers that are no MTU stay what they are. */
static uint64_t bytes_of_mtu(uint64_t mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? UINT64_C(128) << mtu : mtu;
}

static const char *name_of_ctx(const struct vx_path *path)
{
	return path->ctx && vx_path_is_here(path) ? vx_ctx_name(path->ctx) : NULL;
}

static void put_key_value(struct vx_out *out, const struct vx_path *path, const struct vx_path_key *key)
{
	uint64_t number = number_of(path, key);

	switch (key->form) {
	case VX_PATH_DECIMAL:
		vx_put_unsigned(out, number);
		break;
	case VX_PATH_HEX:
		vx_put_hex(out, number);
		break;
	case VX_PATH_BYTES:
		vx_put_unsigned(out, bytes_of_mtu(number));
		break;
	case VX_PATH_NAMED:
		put_named(out, key, number);
		break;
	case VX_PATH_GID:
		vx_put_string(out, VX_GID_TEXT(vx_path_member(path, key)));
		break;
	default:
		vx_put_string(out, name_of_ctx(path));
	}
}

/* ---- the whole ---- */

/* Bits of the mask that no 0 stands for: of members that are not 0. */
static uint32_t mask_beside(const struct vx_path *path)
{
	uint32_t told = 0;
	unsigned int i;

	for (i = 0; i < VX_PATH_KEYS; i++)
		if (vx_path_keys[i].mask && !number_of(path, &vx_path_keys[i]))
			told |= vx_path_keys[i].mask;
	return path->mask & ~told;
}

static bool is_to_be_put(const struct vx_path *path, const struct vx_path_key *key)
{
	if (key->form == VX_PATH_END)
		return name_of_ctx(path);
	if (key->offset == offsetof(struct vx_path, port_num) && !name_of_ctx(path))
		return false; /* a port of nobody knows which device */
	if (key->offset == offsetof(struct vx_path, mask))
		return path->mask;
	return vx_is_set(vx_path_member(path, key), key->size) || path->mask & key->mask;
}

static bool is_roce_v2_by_ipv4(const struct vx_path *path)
{
	return path->gid_type == IBV_GID_TYPE_ROCE_V2 && vx_gid_is_ipv4(&path->dgid);
}

/* Returns the members that the address stands for, as bits by their key. */
static uint64_t put_path_peer(struct vx_out *out, const struct vx_path *path)
{
	if (vx_is_set(&path->dgid, sizeof(path->dgid))) {
		if (!is_roce_v2_by_ipv4(path)) {
			vx_put_string(out, VX_GID_TEXT(&path->dgid));
			return 1 << VX_PATH_KEY_DGID;
		}
		vx_gid_put_address(out, &path->dgid);
		return 1 << VX_PATH_KEY_DGID | 1 << VX_PATH_KEY_GID_TYPE;
	}
	if (!vx_lid_is_of_port(path->dlid))
		return 0;
	vx_put_unsigned(out, path->dlid);
	return 1 << VX_PATH_KEY_DLID;
}

/* "%mlx5_0/1", which only an address can have before it. */
static uint64_t put_short(struct vx_out *out, const struct vx_path *path)
{
	uint64_t put = put_path_peer(out, path);
	const char *device = name_of_ctx(path);

	if (!put || !device)
		return put;
	vx_put_char(out, '%');
	vx_put_string(out, device);
	if (path->port_num) {
		vx_put_char(out, '/');
		vx_put_unsigned(out, path->port_num);
	}
	return put | 1 << VX_PATH_KEY_CTX | 1 << VX_PATH_KEY_PORT_NUM;
}

static void put_path_fields(struct vx_out *out, const struct vx_path *path)
{
	struct vx_path rest = *path;
	uint64_t put = put_short(out, path);
	unsigned int i;

	rest.mask = mask_beside(path);
	for (i = 0; i < VX_PATH_KEYS; i++) {
		const struct vx_path_key *key = &vx_path_keys[i];
		const struct vx_path *of = key->offset == offsetof(struct vx_path, mask) ? &rest : path;

		if (put >> i & 1 || !is_to_be_put(of, key))
			continue;
		if (vx_out_length(out))
			vx_put_char(out, ' ');
		vx_put_string(out, key->name);
		vx_put_char(out, '=');
		put_key_value(out, of, key);
	}
	if (vx_is_set(path->reserved_, sizeof(path->reserved_))) /* of a newer release: not to be read as a path without it */
		vx_put_string(out, vx_out_length(out) ? " reserved_" : "reserved_");
}

size_t vx_path_snprint(char *buf, size_t len, const struct vx_path *path)
{
	struct vx_out out = vx_out_in(buf, len);

	if (path)
		put_path_fields(&out, path);
	return vx_out_finish(&out);
}
