/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The library opened and closed by a program whose threads live longer than it. */

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <verbsx/error.h>

struct library {
	void *handle;
	void (*clear)(void);
	int (*count)(const char *call, uint64_t *count);
	const char *(*text)(void);
	pthread_barrier_t barrier;
};

static void *symbol(const struct library *library, const char *name)
{
	void *found = dlsym(library->handle, name);

	cr_assert_not_null(found, "%s", name);
	return found;
}

static void open_library(struct library *library)
{
	library->handle = dlopen(VERBSX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(library->handle, "%s", dlerror());
	*(void **)&library->clear = symbol(library, "vx_error_clear");
	*(void **)&library->count = symbol(library, "vx_trace_count");
	*(void **)&library->text = symbol(library, "vx_error_text");
}

static void *fail_and_wait(void *data)
{
	struct library *library = data;
	uint64_t count;

	library->count("no_such_call", &count);
	cr_expect_not_null(strstr(library->text(), "no_such_call"));
	pthread_barrier_wait(&library->barrier);
	pthread_barrier_wait(&library->barrier);
	return NULL;
}

Test(unload, leaves_threads_with_failures_to_end_in_peace)
{
	struct library library;
	pthread_t thread;

	open_library(&library);
	pthread_barrier_init(&library.barrier, NULL, 2);
	cr_assert_eq(pthread_create(&thread, NULL, fail_and_wait, &library), 0);
	pthread_barrier_wait(&library.barrier);
	cr_assert_eq(dlclose(library.handle), 0);
	cr_assert_null(dlopen(VERBSX_LIBRARY, RTLD_NOW | RTLD_NOLOAD), "it is still there: this tests nothing");
	pthread_barrier_wait(&library.barrier);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	pthread_barrier_destroy(&library.barrier);
}

/* Each opening takes a key, of which a process has 1024. */
Test(unload, gives_all_back)
{
	struct library library;
	uint64_t count;
	int i;

	for (i = 0; i < 2000; i++) {
		open_library(&library);
		cr_assert_lt(library.count("no_such_call", &count), 0);
		cr_assert_not_null(strstr(library.text(), "no_such_call"), "round %d: %s", i, library.text());
		dlclose(library.handle);
	}
}
