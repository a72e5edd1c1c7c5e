/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Each rank with each other, in messages of all sizes, and all together. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LARGEST = 1 << 18
};

static char sent[LARGEST], received[LARGEST];

static int swap(int me, int peer, int size)
{
	memset(sent, me + size, size);
	MPI_Sendrecv(sent, size, MPI_CHAR, peer, 0, received, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	memset(sent, peer + size, size);
	return memcmp(sent, received, size);
}

int main(int argc, char **argv)
{
	int me, ranks, wrong = 0, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int size = 1; size <= LARGEST; size *= 8)
		for (int i = 0; i < ranks; i++) {
			int peer = (ranks + i - me) % ranks; /* the pairs of a round */

			wrong += !!swap(me, peer, size);
		}
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	wrong += sum != ranks * (ranks - 1) / 2;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (wrong)
		fprintf(stderr, "rank %d: %d mistakes\n", me, wrong);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
