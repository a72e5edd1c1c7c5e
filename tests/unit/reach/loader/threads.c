/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>

#include "know/tables.h"
#include "fake.h"
#include "reach/loader.h"

#define THREADS 8

struct thread {
	pthread_t id;
	pthread_barrier_t *start;
	int answer, rate, error;
};

static void *call_at_once(void *arg)
{
	struct thread *t = arg;

	pthread_barrier_wait(t->start);
	t->answer = ibv_fork_init();
	t->rate = ibv_rate_to_mult((enum ibv_rate)7);
	t->error = vx_error()->code;
	return NULL;
}

static void run(struct thread threads[THREADS])
{
	pthread_barrier_t start;
	int i;

	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .start = &start };
		pthread_create(&threads[i].id, NULL, call_at_once, &threads[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	pthread_barrier_destroy(&start);
}

/* How often the library was brought in, as it tells itself. */
static int loads(void)
{
	void *handle = vx_loader_open("libibverbs.so.1");
	void *symbol = dlsym(handle, "fake_loads");
	int (*fake_loads)(void);

	memcpy(&fake_loads, &symbol, sizeof(fake_loads));
	return fake_loads();
}

Test(loader_threads, that_call_at_once_all_reach_the_function)
{
	struct thread threads[THREADS];
	int i;

	use_libibverbs(FAKE_44);
	run(threads);
	for (i = 0; i < THREADS; i++) {
		cr_expect_eq(threads[i].answer, FAKE_ANSWER);
		cr_expect_eq(threads[i].rate, 8);
		cr_expect_eq(threads[i].error, 0);
	}
	cr_expect_eq(loads(), 1);
}

Test(loader_threads, that_fail_at_once_each_have_their_own_record)
{
	struct thread threads[THREADS];
	int i;

	use_libibverbs(NO_LIBRARY);
	run(threads);
	for (i = 0; i < THREADS; i++) {
		cr_expect_eq(threads[i].answer, ENOSYS);
		cr_expect_eq(threads[i].rate, -1);
		cr_expect_eq(threads[i].error, -ENOSYS);
	}
	cr_expect_eq(vx_error()->code, 0, "the failures were of other threads");
}
