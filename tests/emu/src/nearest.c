/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MAX_LENGTH 63
#define BEGINNING 3 /* letters by which a name is known that was not written to its end */

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters to add, leave out or change */
static unsigned int count_edits(const char *from, size_t nfrom, const char *to, size_t nto)
{
	unsigned int row[MAX_LENGTH + 1];

	for (size_t j = 0; j <= nto; j++)
		row[j] = j;
	for (size_t i = 0; i < nfrom; i++) {
		unsigned int before = row[0]++;

		for (size_t j = 0; j < nto; j++) {
			unsigned int changed = before + !is_same_letter(from[i], to[j]);

			before = row[j + 1];
			row[j + 1] = least(row[j + 1] + 1, row[j] + 1, changed);
		}
	}
	return row[nto];
}

void nearest_see(struct nearest *n, const char *name)
{
	size_t nword = strlen(n->word), nname = strlen(name);
	unsigned int distance;

	if (!nword || nword > MAX_LENGTH || nname > MAX_LENGTH)
		return;
	distance = nword >= BEGINNING && !strncasecmp(n->word, name, nword) ? 1 : count_edits(n->word, nword, name, nname);
	if (distance > 1 + nword / 5 || distance >= nname || (n->name && distance >= n->distance))
		return;
	n->name = name;
	n->distance = distance;
}
