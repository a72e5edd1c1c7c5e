/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What must hold of any text that is printed. */

#define _POSIX_C_SOURCE 200809L	/* open_memstream(3) */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torture.h"

#define LONGEST_CUT 600		/* texts up to this long are printed into buffers of every length */

/* One call of vx_snprint_mask(), but for the buffer. */
struct job {
	struct vx_type type;
	const unsigned char *bytes;
	uint64_t mask;
	int style;
};

static size_t print(const struct job *job, char *buf, size_t len)
{
	return vx_snprint_mask(buf, len, job->type, job->bytes, job->mask, job->style);
}

static bool is_text(const char *text, size_t len, bool lines)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && !(lines && text[i] == '\n'))
			return false;
	return true;
}

static void check_cut(const struct job *job, const char *whole, size_t whole_len, size_t len)
{
	char *buf = torture_exactly(len);
	size_t kept = len && len <= whole_len ? len - 1 : whole_len;

	torture_check(print(job, buf, len) == whole_len);
	torture_check(!len || (!memcmp(buf, whole, kept) && buf[kept] == '\0'));
	free(buf);
}

static void check_cuts(const struct job *job, const char *whole, size_t whole_len)
{
	size_t len;

	for (len = 0; len <= whole_len + 2; len++)
		check_cut(job, whole, whole_len, len);
}

static void check_stream(const struct job *job, const char *whole, size_t whole_len)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);

	torture_check(stream != NULL);
	torture_check(vx_fprint_mask(stream, job->type, job->bytes, job->mask, job->style) == 0);
	fclose(stream);
	torture_check(len == whole_len && !memcmp(text, whole, len));
	free(text);
}

static void check_job(const struct job *job)
{
	size_t len = print(job, NULL, 0);
	char *text = torture_exactly(len + 1);
	int base = job->style & VX_STYLE_MASK;

	torture_check(print(job, text, len + 1) == len);
	torture_check(strlen(text) == len);
	torture_check(is_text(text, len, base != VX_COMPACT && base != VX_JSON));
	if (len <= LONGEST_CUT && torture_below(16) == 0)
		check_cuts(job, text, len);
	else
		check_cut(job, text, len, torture_below(len + 2));
	if (torture_below(4) == 0)
		check_stream(job, text, len);
	free(text);
}

static int any_style(int base)
{
	int style = base | (int)torture_below(4) * VX_INDENT;

	if (torture_below(2))
		style |= VX_ALL;
	return style;
}

static uint64_t any_mask(void)
{
	return torture_below(2) ? VX_MASK_ALL : torture_number();
}

void torture_print(struct vx_type type, const void *bytes, int style)
{
	struct job job = { .type = type, .bytes = bytes, .mask = any_mask(), .style = any_style(style) };

	torture_doing("%s, %zu of %u bytes, style 0x%x, mask 0x%llx", vx_struct_text(type.desc->name), type.size,
		      type.desc->size, (unsigned int)job.style, (unsigned long long)job.mask);
	check_job(&job);
}
