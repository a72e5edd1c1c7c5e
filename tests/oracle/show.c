/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Every structure of random bytes, and what it prints as: a line "TAG BYTES JSON" each; usage: show SEED ROUNDS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/print.h>

#include "text/table.h"

static uint64_t state;

/* Small numbers now and then, as values of enums mostly are. */
static unsigned char next_byte(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 62 ? (unsigned char)(state >> 40) : (unsigned char)(state >> 40 & 1);
}

/* Pointers in what libverbsx fills are valid, so that they are followed. */
static void no_pointers(const struct vx_struct *s, unsigned char *bytes)
{
	const struct vx_field *f = vx_field_row(s->field);
	const struct vx_field *end = f + s->fields;

	for (; f < end; f++)
		if (f->kind >= VX_KIND_POINTER)
			memset(bytes + f->offset, 0, f->size * (f->count ? f->count : 1U));
}

static void show(const struct vx_struct *s, int dense)
{
	unsigned char *bytes = malloc(s->size);
	size_t i;

	for (i = 0; i < s->size; i++)
		bytes[i] = dense || next_byte() % 5 == 0 ? next_byte() : 0;
	if (s->flags & VX_STRUCT_FILLED)
		no_pointers(s, bytes);
	printf("%s ", vx_struct_text(s->name));
	for (i = 0; i < s->size; i++)
		printf("%02x", bytes[i]);
	putchar(' ');
	vx_fprint(stdout, vx_type_of(s, s->size), bytes, VX_JSON | VX_ALL);
	putchar('\n');
	free(bytes);
}

int main(int argc, char **argv)
{
	unsigned long round, rounds = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	size_t i;

	if (!rounds)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	for (round = 0; round < rounds; round++)
		for (i = 0; i < vx_struct_count; i++)
			if (vx_struct_row(i)->size && !(vx_struct_row(i)->flags & VX_STRUCT_NESTED))
				show(vx_struct_row(i), round & 1);
	return 0;
}
