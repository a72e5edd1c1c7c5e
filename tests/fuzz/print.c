/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any bytes printed as any structure: nothing beyond them is read, the length is told right, a short buffer is not
 * overrun. Input: 2 bytes that choose the structure, 2 for the style, 2 for the length of a buffer, 8 for the mask,
 * the structure's bytes, as many as there are. Pointers are not followed.
 */

#include <verbsx/print.h>

#include "input.h"
#include "text/table.h"

struct job {
	struct vx_type type;
	const void *bytes;
	uint64_t mask;
	int style;
};

static size_t print(const struct job *job, char *buf, size_t len)
{
	return vx_snprint_mask(buf, len, job->type, job->bytes, job->mask, job->style);
}

static void check_cut(const struct job *job, const char *whole, size_t whole_len, size_t len)
{
	size_t kept = len && len <= whole_len ? len - 1 : whole_len;
	char *buf = malloc(len);

	must(print(job, buf, len) == whole_len);
	must(!len || (!memcmp(buf, whole, kept) && buf[kept] == '\0'));
	free(buf);
}

static void check(const struct job *job, size_t cut)
{
	size_t len = print(job, NULL, 0);
	char *text = malloc(len + 1);

	must(print(job, text, len + 1) == len);
	must(strlen(text) == len);
	check_cut(job, text, len, cut % (len + 2));
	free(text);
}

/* In memory of their own, exactly as long, so that one byte beyond is noticed. */
static void *copy_of(const struct input *in)
{
	void *copy = malloc(in->size);

	if (in->size)
		memcpy(copy, in->bytes, in->size);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };
	const struct vx_struct *s = vx_struct_row(take_number(&in, 2) % vx_struct_count);
	int style = (int)take_number(&in, 2) & ~VX_FOLLOW;
	size_t cut = take_number(&in, 2);
	uint64_t mask = take_number(&in, 8);
	void *rest = copy_of(&in);
	struct job job = { .type = vx_type_of(s, in.size), .bytes = rest, .mask = mask, .style = style };

	if (!(s->flags & VX_STRUCT_FILLED)) /* those print with what they point to */
		check(&job, cut);
	free(rest);
	return 0;
}
