/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Threads that name, print, read and fail at the same time; each sees its own texts and its own errors. */

#define _POSIX_C_SOURCE 200809L	/* pthread_barrier_t */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/enum.h>
#include <verbsx/error.h>

#include "torture.h"

#define THREADS 4
#define ROUNDS 60
#define LONGEST 65536

static pthread_barrier_t start;

static void check(int holds, const char *text, unsigned int thread)
{
	if (holds)
		return;
	fprintf(stderr, "thread %u: does not hold: %s\n", thread, text);
	exit(1);
}

#define CHECK(holds) check(holds, #holds, thread)

static void name_all(unsigned int thread)
{
	char text[LONGEST];
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	int64_t back;
	size_t i, j;

	for (i = 0; (e = vx_enum_at(i)); i++)
		for (j = 0; vx_enumerator_at(e, j, &at); j++) {
			vx_enum_snprint(text, sizeof(text), e, at.value);
			CHECK(vx_enum_parse(e, text, &back) == 0 && back == at.value);
		}
}

static void print_all(unsigned int thread)
{
	char text[LONGEST];
	void *bytes = calloc(1, UINT16_MAX);
	size_t i;

	CHECK(bytes != NULL);
	memset(bytes, (int)thread, UINT16_MAX);
	for (i = 0; i < vx_struct_count; i++)
		if (!(vx_struct_row(i)->flags & VX_STRUCT_FILLED)) /* whose texts are always followed */
			vx_snprint(text, sizeof(text), vx_type_of(vx_struct_row(i), vx_struct_row(i)->size), bytes,
				   (int)(thread % 3) | VX_ALL);
	free(bytes);
}

/* What another thread fails at must not show here. */
static void fail(unsigned int thread)
{
	char text[32];
	int64_t value;

	snprintf(text, sizeof(text), "thread_%u_was_here", thread);
	CHECK(vx_enum_parse(vx_enum_at(0), text, &value) == -EINVAL);
	CHECK(vx_error()->code == -EINVAL);
	CHECK(strstr(vx_error_text(), text) != NULL);
}

static void *work(void *arg)
{
	unsigned int thread = *(unsigned int *)arg, round;

	pthread_barrier_wait(&start);
	CHECK(vx_error()->code == 0);
	for (round = 0; round < ROUNDS; round++) {
		fail(thread);
		name_all(thread);
		print_all(thread);
		CHECK(vx_error()->code == -EINVAL);
	}
	vx_error_clear();
	CHECK(vx_error()->code == 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned int numbers[THREADS], i;

	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		check(!pthread_create(&threads[i], NULL, work, &numbers[i]), "a thread begins", i);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
	printf("cases: %d\n", THREADS);
	return 0;
}
