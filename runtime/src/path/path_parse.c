/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A path from text, which may come from anywhere: token by token, without recursion or memory of its own.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enum.h>
#include <verbsx/path_text.h>

#include "error/fail.h"
#include "object/object.h"
#include "path.h"
#include "path_key.h"
#include "text/nearest.h"
#include "text/table.h"

#define CALL "vx_path_parse"
#define LONGEST_TEXT 4096
#define LONGEST_TOKEN 512	/* as long as all flags of one member */
#define LONGEST_QUOTE 64
#define SEPARATORS " ,"

struct path_reader {
	const char *text;
	const char *token;	/* where it begins in the text */
	size_t len;
	uint64_t seen;		/* keys, by their bits */
	struct vx_ctx *ctx;	/* the only one that may be named; NULL: any */
	struct vx_path path;
};

/* A piece of the text. */
struct span {
	const char *start;
	size_t len;
};

static int token_fail(const struct path_reader *r, int code, const char *what)
{
	bool cut = r->len > LONGEST_QUOTE;

	return vx_fail(code, CALL, NULL, "\"%.*s%s\" at column %zu %s", (int)(cut ? LONGEST_QUOTE : r->len), r->token, cut ? "..." : "",
		       (size_t)(r->token - r->text) + 1, what);
}

/* As a string, of which only addresses and names that are shorter than the buffer are taken. */
static bool copy_span(char *buf, size_t len, struct span span)
{
	if (span.len >= len)
		return false;
	memcpy(buf, span.start, span.len);
	buf[span.len] = '\0';
	return true;
}

static bool is_equal(struct span span, const char *name)
{
	return strlen(name) == span.len && !memcmp(name, span.start, span.len);
}

/* ---- numbers ---- */

/* A leading 0 would be octal to some, decimal to others, and binary before a b to newer C libraries: none is taken. */
static int number_in(struct span span, uint64_t *value)
{
	char text[LONGEST_TOKEN + 1], *end;

	if (!copy_span(text, sizeof(text), span) || !isdigit((unsigned char)text[0]) || (text[0] == '0' && text[1] && !strchr("xX", text[1])))
		return -EINVAL;
	*value = strtoull(text, &end, 0);
	return *end ? -EINVAL : 0;
}

static void store(struct path_reader *r, const struct vx_path_key *key, uint32_t value)
{
	vx_store(vx_path_member(&r->path, key), key->size, value);
	if (!value)
		r->path.mask |= key->mask;
}

static int read_path_number(struct path_reader *r, const struct vx_path_key *key, struct span span)
{
	char what[40];
	uint64_t value;

	if (number_in(span, &value) < 0)
		return token_fail(r, -EINVAL, "needs a number, decimal or with 0x");
	snprintf(what, sizeof(what), "has more than %u bit%s", key->bits, key->bits > 1 ? "s" : "");
	if (value >> key->bits)
		return token_fail(r, -ERANGE, what);
	store(r, key, (uint32_t)value);
	return 0;
}

static int read_mtu(struct path_reader *r, const struct vx_path_key *key, struct span span)
{
	uint64_t bytes, mtu;

	if (number_in(span, &bytes) < 0)
		return token_fail(r, -EINVAL, "needs a number of bytes");
	for (mtu = IBV_MTU_256; mtu < IBV_MTU_4096 && UINT64_C(128) << mtu < bytes; mtu++)
		continue;
	if (bytes && UINT64_C(128) << mtu != bytes)
		return token_fail(r, -EINVAL, "is no MTU: those are 256, 512, 1024, 2048 and 4096 bytes");
	store(r, key, bytes ? (uint32_t)mtu : 0);
	return 0;
}

/* Blanks stand for all that is before the value, so that the columns in what is wrong with it are those of the text. */
static int read_named(struct path_reader *r, const struct vx_path_key *key, struct span span)
{
	size_t column = (size_t)(span.start - r->text);
	char text[LONGEST_TEXT + 1];
	uint32_t value = 0;
	int rc;

	memset(text, ' ', column);
	memcpy(text + column, span.start, span.len);
	text[column + span.len] = '\0';
	rc = vx_enum_parse_as(&vx_enums[key->e], text, &value, key->size, CALL);
	if (rc < 0)
		return rc;
	if (key->offset == offsetof(struct vx_path, mask))
		r->path.mask |= value;
	else
		memcpy(vx_path_member(&r->path, key), &value, key->size);
	return 0;
}

/* ---- addresses ---- */

static bool ipv4_in(const char *text, union ibv_gid *gid)
{
	*gid = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff } };
	return inet_pton(AF_INET, text, gid->raw + 12) == 1;
}

/* Four groups of hexadecimal digits, of the port's own subnet. */
static bool guid_in(const char *text, union ibv_gid *gid)
{
	char whole[sizeof("fe80::") + INET6_ADDRSTRLEN];
	unsigned int colons = 0;
	const char *c;

	for (c = text; *c; c++)
		colons += *c == ':';
	snprintf(whole, sizeof(whole), "fe80::%s", text);
	return colons == 3 && !strchr(text, '.') && inet_pton(AF_INET6, whole, gid->raw) == 1;
}

static bool gid_of_text(const char *text, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	return inet_pton(AF_INET6, text, gid->raw) == 1 || guid_in(text, gid);
}

static int read_gid(struct path_reader *r, const struct vx_path_key *key, struct span span)
{
	char text[INET6_ADDRSTRLEN];
	union ibv_gid gid;

	if (!copy_span(text, sizeof(text), span) || (!gid_of_text(text, &gid) && !ipv4_in(text, &gid)))
		return token_fail(r, -EINVAL, "needs a GID");
	memcpy(vx_path_member(&r->path, key), &gid, sizeof(gid));
	return 0;
}

static int read_lid(struct path_reader *r, struct span span)
{
	uint64_t lid;

	if (number_in(span, &lid) < 0)
		return token_fail(r, -EINVAL, "begins with no GID, IPv4 address, GUID or LID, and is no key=value");
	if (!vx_lid_is_of_port(lid))
		return token_fail(r, -ERANGE, "is no LID of a port: those are from 1 to 0xbfff");
	r->path.dlid = (uint16_t)lid;
	r->seen |= 1 << VX_PATH_KEY_DLID;
	return 0;
}

/* The type may be said otherwise by a field. */
static int read_address(struct path_reader *r, struct span span)
{
	char text[INET6_ADDRSTRLEN];
	union ibv_gid gid;
	bool ipv4;

	if (!copy_span(text, sizeof(text), span))
		return token_fail(r, -EINVAL, "is longer than any address");
	ipv4 = ipv4_in(text, &gid);
	if (!ipv4 && !gid_of_text(text, &gid))
		return read_lid(r, span);
	r->path.dgid = gid;
	if (ipv4)
		r->path.gid_type = IBV_GID_TYPE_ROCE_V2;
	r->seen |= 1 << VX_PATH_KEY_DGID;
	return 0;
}

/* ---- the device ---- */

/* Under the lock, under which nothing may be checked. */
static bool is_ctx_named(const struct vx_node *node, struct span name)
{
	const struct ibv_context *raw = node->object.raw;

	return node->state == VX_NODE_LIVE && is_equal(name, raw->device->name);
}

/* Of several that are open, the one that was opened first. */
static struct vx_ctx *open_ctx(struct span name)
{
	struct vx_node *node, *found = NULL;

	vx_graph_lock();
	for (node = vx_graph.contexts; node; node = node->next)
		if (is_ctx_named(node, name))
			found = node;
	vx_graph_unlock();
	return (struct vx_ctx *)found;
}

static int read_device(struct path_reader *r, struct span name)
{
	if (!name.len)
		return token_fail(r, -EINVAL, "lacks the name of a device");
	if (r->ctx && !is_equal(name, vx_ctx_name(r->ctx)))
		return token_fail(r, -ENODEV, "names another device than that of ctx");
	r->path.ctx = r->ctx ? r->ctx : open_ctx(name);
	return r->path.ctx ? 0 : token_fail(r, -ENODEV, "names a device that is not open");
}

/* A name is told once, by an end or by its own key. */
static int mark_seen(struct path_reader *r, unsigned int key)
{
	if (r->seen >> key & 1)
		return token_fail(r, -EINVAL, "says something that was said before");
	r->seen |= UINT64_C(1) << key;
	return 0;
}

static int read_port(struct path_reader *r, struct span span)
{
	int rc = mark_seen(r, VX_PATH_KEY_PORT_NUM);

	return rc < 0 ? rc : read_path_number(r, &vx_path_keys[VX_PATH_KEY_PORT_NUM], span);
}

static int read_end(struct path_reader *r, struct span span)
{
	const char *slash = memchr(span.start, '/', span.len);
	size_t name = slash ? (size_t)(slash - span.start) : span.len;
	int rc = read_device(r, (struct span){ span.start, name });

	if (rc == 0 && slash)
		rc = read_port(r, (struct span){ slash + 1, span.len - name - 1 });
	return rc;
}

/* ---- tokens ---- */

static int read_short(struct path_reader *r)
{
	const char *percent = memchr(r->token, '%', r->len);
	size_t address = percent ? (size_t)(percent - r->token) : r->len;
	int rc;

	if (r->seen)
		return token_fail(r, -EINVAL, "is no key=value");
	rc = read_address(r, (struct span){ r->token, address });
	if (rc < 0 || !percent)
		return rc;
	rc = mark_seen(r, VX_PATH_KEY_CTX);
	return rc < 0 ? rc : read_end(r, (struct span){ percent + 1, r->len - address - 1 });
}

static int read_value(struct path_reader *r, const struct vx_path_key *key, struct span value)
{
	switch (key->form) {
	case VX_PATH_BYTES:
		return read_mtu(r, key, value);
	case VX_PATH_NAMED:
		return read_named(r, key, value);
	case VX_PATH_GID:
		return read_gid(r, key, value);
	case VX_PATH_END:
		return read_end(r, value);
	default:
		return read_path_number(r, key, value);
	}
}

static unsigned int find_key(struct span name)
{
	unsigned int i;

	if (is_equal(name, "port"))
		return VX_PATH_KEY_PORT_NUM;
	for (i = 0; i < VX_PATH_KEYS && !is_equal(name, vx_path_keys[i].name); i++)
		continue;
	return i;
}

static VX_COLD int fail_unknown_key(const struct path_reader *r, struct span name)
{
	const char *best = NULL;
	struct vx_nearest nearest = { .wanted = name.start, .len = name.len, .names = &best, .max = 1 };
	char what[128];
	unsigned int i;

	for (i = 0; i < VX_PATH_KEYS; i++)
		vx_nearest_try(&nearest, vx_path_keys[i].name, 0);
	snprintf(what, sizeof(what), "has a key that is no member of struct vx_path%s%s%s", best ? "; did you mean " : "", best ? best : "",
		 best ? "?" : "");
	return token_fail(r, -EINVAL, what);
}

static int read_field(struct path_reader *r, const char *equals)
{
	struct span name = { r->token, (size_t)(equals - r->token) }, value = { equals + 1, r->len - name.len - 1 };
	unsigned int key = find_key(name);
	int rc;

	if (key == VX_PATH_KEYS)
		return fail_unknown_key(r, name);
	rc = mark_seen(r, key);
	return rc < 0 ? rc : read_value(r, &vx_path_keys[key], value);
}

static int read_token(struct path_reader *r)
{
	const char *equals = memchr(r->token, '=', r->len);

	if (r->len > LONGEST_TOKEN)
		return token_fail(r, -EINVAL, "is longer than any field");
	return equals ? read_field(r, equals) : read_short(r);
}

static int read_tokens(struct path_reader *r)
{
	const char *at = r->text;
	int rc = 0;

	while (rc == 0 && *(at += strspn(at, SEPARATORS))) {
		r->token = at;
		r->len = strcspn(at, SEPARATORS);
		rc = read_token(r);
		at += r->len;
	}
	return rc;
}

int vx_path_parse(const char *text, struct vx_ctx *ctx, struct vx_path *out)
{
	struct path_reader r = { .text = text, .ctx = ctx, .path.ctx = ctx };
	int rc;

	if (!text || !out)
		return vx_null_fail(CALL, text ? "out" : "text");
	if (ctx && vx_wrong(ctx, VX_OBJECT_CTX, CALL, "ctx"))
		return -EINVAL;
	if (strnlen(text, LONGEST_TEXT + 1) > LONGEST_TEXT)
		return vx_fail(-EINVAL, CALL, NULL, "the text is longer than %d bytes", LONGEST_TEXT);
	rc = read_tokens(&r);
	if (rc == 0)
		*out = r.path;
	return rc;
}
