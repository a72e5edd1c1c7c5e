/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_OUT_H
#define VERBSX_SRC_OUT_H

/*
 * Where text goes: a buffer that keeps what fits and counts on past its end, or a stream behind a small
 * chunk of the caller's stack. Nothing here allocates memory or fails: a stream's error waits in the sink
 * until the end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/export.h>

struct vx_out {
	char *start;
	char *pos;		/* where the next byte goes */
	char *end;		/* a buffer keeps one byte beyond it for the NUL */
	size_t past;		/* bytes that are no longer in the buffer: written out, or past its end */
	FILE *stream;		/* NULL: a buffer */
	int error;		/* of the stream: errno, or 0 */
	bool terminate;
};

/** A sink that keeps up to @p len bytes with the NUL; @p buf may be NULL when @p len is 0. */
struct vx_out vx_out_in(char *buf, size_t len);

/** A sink that collects @p len bytes in @p chunk before it writes them to @p stream. */
void vx_out_stream(struct vx_out *out, FILE *stream, char *chunk, size_t len);

/** End the text: the NUL, or the rest to the stream. @return the length of the whole text */
size_t vx_out_finish(struct vx_out *out);

/** The part of vx_put() for a text that does not fit. */
void vx_out_full(struct vx_out *out, const char *text, size_t len);

static inline size_t vx_out_length(const struct vx_out *out)
{
	return out->past + (size_t)(out->pos - out->start);
}

/* Where it is not worth a copy, that of out.c is called: each file would have one of its own. */
inline void vx_put(struct vx_out *out, const char *text, size_t len)
{
	if (len > (size_t)(out->end - out->pos)) {
		vx_out_full(out, text, len);
		return;
	}
	memcpy(out->pos, text, len);
	out->pos += len;
}

static inline void vx_put_char(struct vx_out *out, char c)
{
	vx_put(out, &c, 1);
}

/* As vx_put_string(), faster and larger: for what stands in most lines. */
#define vx_put_literal(out, text) vx_put(out, "" text, sizeof(text) - 1)

void vx_put_string(struct vx_out *out, const char *text);

#define VX_EACH(byte) (UINT64_MAX / 255 * (byte)) /* of eight */

/*
 * Write a name of the generated tables, whose letters are all ASCII, eight at a time: names are short, and behind the last of a pool is
 * VX_POOL_END. @return behind it; NULL: eight at a time it would go beyond @p end, before which anything may have been written
 */
static inline char *vx_write_name(char *to, const char *end, const char *name)
{
	const size_t room = (size_t)(end - to);
	uint64_t eight, nul;
	size_t at;

	for (at = 0; at + sizeof(eight) <= room; at += sizeof(eight)) {
		memcpy(&eight, name + at, sizeof(eight));
		memcpy(to + at, &eight, sizeof(eight));
		nul = (VX_EACH(0x80) - eight) & VX_EACH(0x80); /* a bit in each that is 0 */
		if (nul)
			return to + at + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_clzll(nul) : __builtin_ctzll(nul)) / 8;
	}
	return NULL;
}

/** A name of the generated tables. */
void vx_put_known(struct vx_out *out, const char *name);

/** What printf(3) makes of it, of which 511 characters are kept; not for text of unknown length. */
void vx_put_format(struct vx_out *out, const char *format, ...) VX_PRINTF(2, 3);

void vx_put_spaces(struct vx_out *out, size_t count);

/** The decimal digits of a value, without a NUL. @return how many */
#define VX_MOST_DIGITS 20
size_t vx_write_unsigned(char *to, uint64_t value);
void vx_put_unsigned(struct vx_out *out, uint64_t value);
void vx_put_signed(struct vx_out *out, int64_t value);

/** "0x1f". */
size_t vx_write_hex(char *to, uint64_t value);
void vx_put_hex(struct vx_out *out, uint64_t value);

/** A blob as two hexadecimal digits a byte, ':' between groups of so many: 1, 2, 4...; 0: of all. */
void vx_put_hex_bytes(struct vx_out *out, const unsigned char *bytes, size_t count, size_t group);

/* ---- text from outside, whatever bytes it holds, made safe for a terminal, a log line or a JSON reader ---- */

/** For VX_TEXT: what cannot be shown, or is not UTF-8, becomes \xNN. */
void vx_put_plain(struct vx_out *out, const char *text, size_t len);

/** For VX_COMPACT: in quotes, where "\ and the like are escaped, unless it is one plain word. */
void vx_put_word(struct vx_out *out, const char *text, size_t len);

/** A JSON string: always valid UTF-8; a byte that is not part of a valid character becomes \u00NN. */
void vx_put_json_string(struct vx_out *out, const char *text, size_t len);

/** Whether any byte is not 0. */
bool vx_is_set(const void *part, size_t size);

/* Several entries in a row, such as A|B. */
struct vx_join {
	struct vx_out *out;
	const char *between;	/* of a byte or two */
	bool quoted;
	size_t entries;
};

/** Write what stands before the next entry. */
static inline void vx_join_next(struct vx_join *join)
{
	const char *at;

	for (at = join->entries++ ? join->between : ""; *at; at++)
		vx_put_char(join->out, *at);
}

#endif
