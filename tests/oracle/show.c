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

static void show(const struct vx_struct *s, int dense)
{
	unsigned char *bytes = malloc(s->size);
	size_t i;

	printf("%s ", vx_struct_names + s->name);
	for (i = 0; i < s->size; i++) {
		bytes[i] = dense || next_byte() % 5 == 0 ? next_byte() : 0;
		printf("%02x", bytes[i]);
	}
	putchar(' ');
	vx_fprint(stdout, vx_type_of(s, s->size), bytes, VX_JSON | VX_ALL);
	putchar('\n');
	free(bytes);
}

/* The headers that are the witness tell nothing of libverbsx's own. */
static int is_of_rdma_core(const struct vx_struct *s)
{
	return strncmp(vx_struct_names + s->name, "vx_", 3) != 0;
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
			if (vx_structs[i].size && !(vx_structs[i].flags & VX_STRUCT_NESTED) && is_of_rdma_core(&vx_structs[i]))
				show(&vx_structs[i], round & 1);
	return 0;
}
