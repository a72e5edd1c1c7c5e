/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <errno.h>
#include <stdarg.h>

#include "give.h"
#include "out.h"

struct vx_out vx_out_in(char *buf, size_t len)
{
	static char nowhere[1];

	if (len == 0)
		buf = nowhere;
	return (struct vx_out){
		.start = buf,
		.pos = buf,
		.end = len ? buf + len - 1 : buf,
		.terminate = len != 0,
	};
}

void vx_out_stream(struct vx_out *out, FILE *stream, char *chunk, size_t len)
{
	*out = (struct vx_out){ .start = chunk, .pos = chunk, .end = chunk + len, .stream = stream };
}

static void write_out(struct vx_out *out, const char *text, size_t len)
{
	if (len == 0 || out->error)
		return;
	errno = 0;
	if (fwrite(text, 1, len, out->stream) != len)
		out->error = errno ? errno : EIO;
}

static void flush(struct vx_out *out)
{
	size_t held = (size_t)(out->pos - out->start);

	write_out(out, out->start, held);
	out->past += held;
	out->pos = out->start;
}

extern inline void vx_put(struct vx_out *out, const char *text, size_t len);

void vx_out_full(struct vx_out *out, const char *text, size_t len)
{
	size_t room = (size_t)(out->end - out->pos);

	if (out->stream) {
		flush(out);
		write_out(out, text, len);
		out->past += len;
		return;
	}
	memcpy(out->pos, text, room);
	out->pos = out->end;
	out->past += len - room;
}

size_t vx_out_finish(struct vx_out *out)
{
	if (out->stream)
		flush(out);
	else if (out->terminate)
		*out->pos = '\0';
	return vx_out_length(out);
}

void vx_put_string(struct vx_out *out, const char *text)
{
	vx_put(out, text, strlen(text));
}

void vx_put_known(struct vx_out *out, const char *name)
{
	char *end = vx_write_name(out->pos, out->end, name);

	if (end)
		out->pos = end;
	else
		vx_put_string(out, name);
}

void vx_put_format(struct vx_out *out, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	vx_put_string(out, text);
}

void vx_put_spaces(struct vx_out *out, size_t count)
{
	static const char spaces[] = "                                ";

	for (; count > sizeof(spaces) - 1; count -= sizeof(spaces) - 1)
		vx_put(out, spaces, sizeof(spaces) - 1);
	vx_put(out, spaces, count);
}

bool vx_is_set(const void *part, size_t size)
{
	const unsigned char *bytes = part;

	return size && (bytes[0] || memcmp(bytes, bytes + 1, size - 1)); /* each byte with the next */
}

bool vx_give_out(void *theirs, size_t their_size, const void *own, size_t own_size)
{
	const size_t both = their_size < own_size ? their_size : own_size;

	if (!theirs)
		return true;
	memcpy(theirs, own, both);
	if (their_size > both)
		memset((char *)theirs + both, 0, their_size - both);
	return true;
}
