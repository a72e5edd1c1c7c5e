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

#define MEMBER(name) (uint8_t)sizeof(((struct vx_path *)0)->name), (uint8_t)offsetof(struct vx_path, name)
#define KEY(name, form, bits, mask) { #name, "", VX_PATH_##form, bits, MEMBER(name), mask }
#define NAMED(name, tag, bits) { #name, #tag, VX_PATH_NAMED, bits, MEMBER(name), 0 }

const struct vx_path_key vx_path_keys[] = {
	[VX_PATH_KEY_CTX] = KEY(ctx, END, 0, 0),
	[VX_PATH_KEY_PORT] = KEY(port_num, DECIMAL, 8, 0),
	[VX_PATH_KEY_DGID] = KEY(dgid, GID, 0, 0),
	[VX_PATH_KEY_DLID] = KEY(dlid, DECIMAL, 16, 0),
	[VX_PATH_KEY_GID_TYPE] = NAMED(gid_type, ibv_gid_type, 32),
	KEY(is_global, DECIMAL, 1, 0),
	KEY(sgid, GID, 0, 0),
	KEY(slid, DECIMAL, 16, 0),
	KEY(pkey, HEX, 16, 0),
	KEY(sqpn, HEX, 24, 0),
	KEY(dqpn, HEX, 24, 0),
	KEY(spsn, HEX, 24, VX_PATH_SPSN),
	KEY(dpsn, HEX, 24, VX_PATH_DPSN),
	KEY(qkey, HEX, 32, 0),
	KEY(path_mtu, BYTES, 8, 0),
	KEY(sl, DECIMAL, 4, 0),
	NAMED(static_rate, ibv_rate, 8),
	KEY(flow_label, HEX, 20, 0),
	KEY(traffic_class, HEX, 8, 0),
	KEY(hop_limit, DECIMAL, 8, VX_PATH_HOP_LIMIT),
	KEY(srd_atomic, DECIMAL, 8, VX_PATH_SRD_ATOMIC),
	KEY(drd_atomic, DECIMAL, 8, VX_PATH_DRD_ATOMIC),
	KEY(packet_life_time, DECIMAL, 6, VX_PATH_PACKET_LIFE_TIME),
	KEY(sack_delay, DECIMAL, 5, VX_PATH_SACK_DELAY),
	KEY(dack_delay, DECIMAL, 5, VX_PATH_DACK_DELAY),
	KEY(timeout, DECIMAL, 5, VX_PATH_TIMEOUT),
	KEY(min_rnr_timer, DECIMAL, 5, VX_PATH_MIN_RNR_TIMER),
	KEY(retry_cnt, DECIMAL, 3, VX_PATH_RETRY_CNT),
	KEY(rnr_retry, DECIMAL, 3, VX_PATH_RNR_RETRY),
	NAMED(access, ibv_access_flags, 32),
	NAMED(mask, vx_path_mask, 32),
};

const unsigned int vx_path_key_count = sizeof(vx_path_keys) / sizeof(vx_path_keys[0]);

/* ---- values ---- */

static uint64_t number_of(const struct vx_path *path, const struct vx_path_key *key)
{
	return vx_read_unsigned(vx_path_member(path, key), key->size);
}

static void put_named(struct vx_out *out, const struct vx_path_key *key, uint64_t value)
{
	char text[LONGEST_NAMED];

	vx_enum_snprint(text, sizeof(text), vx_enum_find(key->tag), (int64_t)value);
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

	for (i = 0; i < vx_path_key_count; i++)
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
	if (!path->dlid || path->dlid > VX_LAST_UNICAST_LID)
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
	return put | 1 << VX_PATH_KEY_CTX | 1 << VX_PATH_KEY_PORT;
}

static void put_path_fields(struct vx_out *out, const struct vx_path *path)
{
	struct vx_path rest = *path;
	uint64_t put = put_short(out, path);
	unsigned int i;

	rest.mask = mask_beside(path);
	for (i = 0; i < vx_path_key_count; i++) {
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
