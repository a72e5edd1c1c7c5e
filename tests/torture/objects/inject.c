/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The emulated device fails calls into the kernel, the loader functions of rdma-core, the linker allocations. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "reach/loader.h"
#include "torture.h"

#define LONGEST 64

static struct injection injected = { .point = POINTS };
static unsigned long asked, kernel_start;
static int mappings; /* of libverbsx; sanitizers do not look for them */
static const char *refused; /* how the name of the first allocation that failed begins, in an error */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t length);
int __wrap_munmap(void *addr, size_t length);

/* The emulated device's function of this name. */
static void find(const char *name, void *function, size_t size)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	if (!symbol) {
		fprintf(stderr, "no %s: the emulated device is not there\n", name);
		exit(2);
	}
	memcpy(function, &symbol, size);
}

int live_objects(void)
{
	int (*live)(const char *);

	find("vx_emu_live", &live, sizeof(live));
	return live(NULL) + standing + mappings;
}

static unsigned long kernel_calls(void)
{
	unsigned long (*ioctls)(void);

	find("vx_emu_ioctls", &ioctls, sizeof(ioctls));
	return ioctls();
}

static void fail_kernel_calls(const char *list)
{
	void (*fail)(const char *);

	find("vx_emu_fail", &fail, sizeof(fail));
	fail(list);
}

/* Whether this one, which counts, is to fail. */
static bool is_due(void)
{
	asked++;
	return asked == injected.number || (injected.on && asked > injected.number);
}

static bool memory_is_short(const char *named)
{
	if (injected.point != MEMORY || !is_due())
		return false;
	if (!refused)
		refused = named;
	return true;
}

const char *inject_refused(void)
{
	return refused;
}

void *__wrap_calloc(size_t count, size_t size)
{
	if (!memory_is_short("vx_"))
		return __real_calloc(count, size);
	errno = ENOMEM;
	return NULL;
}

void *__wrap_malloc(size_t size)
{
	if (!memory_is_short("vx_"))
		return __real_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	void *mapping;

	if (memory_is_short("mmap")) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	mapping = __real_mmap(addr, length, prot, flags, fd, offset);
	mappings += mapping != MAP_FAILED;
	return mapping;
}

int __wrap_munmap(void *addr, size_t length)
{
	int rc = __real_munmap(addr, length);

	mappings -= rc == 0;
	return rc;
}

int inject_refuses(void)
{
	if (injected.point != RDMA_CORE || injected.call->how != BY_PROVIDER || !is_due())
		return 0;
	return errno = injected.code;
}

int standing;

void *inject_made(void *object)
{
	if (inject_refuses())
		return NULL;
	standing++;
	return object;
}

int inject_ended(void)
{
	int code = inject_refuses();

	standing -= code == 0;
	return code;
}

#if VERBSX_LOADER

/* Once only: the next call finds the true one. */
static int refuse(void)
{
	asked++;
	if (!injected.on)
		vx_loader_replace(injected.call->slot, NULL);
	return errno = injected.code;
}

static void *by_null(void)
{
	refuse();
	return NULL;
}

static int by_code(void)
{
	return refuse();
}

/* As wide as the widest result, a number of bytes. */
static long by_minus_one(void)
{
	refuse();
	return -1;
}

static int by_negative(void)
{
	return -refuse();
}

static void replace(void)
{
	static const vx_function functions[] = {
		[BY_NULL] = (vx_function)by_null,
		[BY_CODE] = (vx_function)by_code,
		[BY_MINUS_ONE] = (vx_function)by_minus_one,
		[BY_NEGATIVE] = (vx_function)by_negative,
		[BY_WAITING] = (vx_function)by_minus_one,
		[BY_WAITING_CODE] = (vx_function)by_code,
	};

	if (vx_loader_replace(injected.call->slot, functions[injected.call->how]) < 0) {
		fprintf(stderr, "%s\n", vx_error_text());
		exit(2);
	}
}

static void put_back(void)
{
	vx_loader_replace(injected.call->slot, NULL);
}

#else

static void replace(void)
{
}

static void put_back(void)
{
}

#endif

static const char *code_name(int code)
{
	return strerrorname_np(code);
}

static void inject_kernel(void)
{
	char list[LONGEST];

	snprintf(list, sizeof(list), "call#%lu%s:%s", injected.number, injected.on ? "-" : "", code_name(injected.code));
	kernel_start = kernel_calls();
	fail_kernel_calls(list);
}

void inject(const struct injection *what)
{
	injected = *what;
	asked = 0;
	refused = NULL;
	if (what->point == KERNEL)
		inject_kernel();
	else if (what->point == RDMA_CORE && what->call->slot)
		replace();
}

unsigned long inject_end(void)
{
	if (injected.point == KERNEL) {
		asked = kernel_calls() - kernel_start;
		fail_kernel_calls(NULL);
	} else if (injected.point == RDMA_CORE && injected.call->slot) {
		put_back();
	}
	injected.point = POINTS;
	return asked;
}
