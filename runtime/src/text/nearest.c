/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <limits.h>
#include <string.h>

#include "nearest.h"

#define LONGEST 64	/* a longer text is compared no further */

/* Not toupper(3): names of C do not depend on the locale. */
static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool vx_same_start(const char *piece, size_t len, const char *text)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!text[i] || upper(piece[i]) != upper(text[i]))
			return false;
	return true;
}

bool vx_same_letters(const char *piece, size_t len, const char *text)
{
	return vx_same_start(piece, len, text) && !text[len];
}

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[LONGEST + 1];
	unsigned int diagonal, above;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			above = row[j];
			row[j] = least(above + 1, row[j - 1] + 1,
				       diagonal + (upper(a[i - 1]) != upper(b[j - 1])));
			diagonal = above;
		}
	}
	return row[b_len];
}

unsigned int vx_distance(const char *wanted, size_t len, const char *spelling)
{
	size_t spelling_len = strlen(spelling);

	if (spelling_len == 0 || spelling_len > LONGEST)
		return UINT_MAX;
	return distance(wanted, len < LONGEST ? len : LONGEST, spelling, spelling_len);
}

void vx_nearest_start(struct vx_nearest *nearest, const char *wanted, size_t len)
{
	*nearest = (struct vx_nearest){ .wanted = wanted, .len = len < LONGEST ? len : LONGEST };
	nearest->distance = 2 + (unsigned int)nearest->len / 4;
}

void vx_nearest_try(struct vx_nearest *nearest, const char *spelling, const char *name)
{
	unsigned int d = vx_distance(nearest->wanted, nearest->len, spelling);

	if (d < nearest->distance && d < nearest->len) {
		nearest->distance = d;
		nearest->best = name;
	}
}
