/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <limits.h>
#include <string.h>

#include "nearest.h"

#define LONGEST 64	/* a longer text is compared no further */
#define SHORTEST_PART 3	/* of a text that is looked for within names */
#define LETTERS_A_TYPO 8	/* that a name has beyond the text it contains count as one wrong letter */

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

/* The letters to insert, drop or change to come from one text to the other (Levenshtein), whatever their case. */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[LONGEST + 1];
	unsigned int diagonal, above, changed;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			above = row[j];
			changed = diagonal + (upper(a[i - 1]) != upper(b[j - 1]));
			row[j] = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
			row[j] = changed < row[j] ? changed : row[j];
			diagonal = above;
		}
	}
	return row[b_len];
}

static bool contains(const char *name, const char *part, size_t len)
{
	size_t i, room = strlen(name);

	for (i = 0; i + len <= room; i++)
		if (vx_same_start(part, len, name + i))
			return true;
	return false;
}

/* UINT_MAX: it is not meant. */
static unsigned int distance_to(const struct vx_nearest *n, const char *spelling)
{
	size_t wanted = n->len < LONGEST ? n->len : LONGEST, len = strlen(spelling);
	unsigned int limit = 2 + (unsigned int)wanted / 4, d;

	if (n->len >= SHORTEST_PART && contains(spelling, n->wanted, n->len))
		return 1 + (unsigned int)(len - n->len) / LETTERS_A_TYPO;
	if (len == 0 || len > LONGEST)
		return UINT_MAX;
	d = distance(n->wanted, wanted, spelling, len);
	return d < limit && d < wanted ? d : UINT_MAX;
}

static bool is_listed(const struct vx_nearest *n, const char *name)
{
	size_t i;

	for (i = 0; i < n->count; i++)
		if (!strcmp(n->names[i], name))
			return true;
	return false;
}

/* Keep the list sorted; of equals the one that came first stays in front. */
static void insert(struct vx_nearest *n, const char *name, unsigned int d)
{
	size_t at = n->count < n->max ? n->count++ : n->max - 1;

	for (; at > 0 && n->distances[at - 1] > d; at--) {
		n->names[at] = n->names[at - 1];
		n->distances[at] = n->distances[at - 1];
	}
	n->names[at] = name;
	n->distances[at] = d;
}

void vx_nearest_try(struct vx_nearest *n, const char *name, size_t prefix)
{
	unsigned int d = distance_to(n, name);
	unsigned int without = prefix < strlen(name) ? distance_to(n, name + prefix) : UINT_MAX;

	if (without < d)
		d = without;
	if (d == UINT_MAX || (n->count == n->max && d >= n->distances[n->count - 1]))
		return;
	if (!is_listed(n, name))
		insert(n, name, d);
}
