/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "objects/pinned.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "calls/real.h"
#include "faults/tap.h"
#include "objects/pages.h"
#include "trace.h"

struct copy {
	uint8_t *memory; /* the program's */
	uint64_t len;
	uint8_t *buffer; /* the device's */
	bool to_memory;
};

/* A copy that a fault ends */
struct attempt {
	const struct copy *copy;
	sigjmp_buf failed;
};

/* In the memory of the thread from its beginning: a handler looks there */
#define THREAD static _Thread_local __attribute__((tls_model("initial-exec")))

THREAD struct attempt *volatile attempt; /* the one that is made */
THREAD bool is_prepared;

/* Of a thread that blocks the signal of a fault, the kernel ends the process */
static void prepare(void)
{
	sigset_t faults;

	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	is_prepared = true;
}

void pinned_recover(const siginfo_t *info, const void *context)
{
	struct attempt *a = attempt;

	if (!a || (uintptr_t)info->si_addr - (uintptr_t)a->copy->memory >= a->copy->len)
		return;
	attempt = NULL;
	pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
	siglongjmp(a->failed, 1);
}

/* False where a page does not let us */
static __attribute__((noinline)) bool copy_at_once(const struct copy *c)
{
	struct attempt a;

	a.copy = c;
	if (sigsetjmp(a.failed, 0))
		return false;
	attempt = &a;
	atomic_signal_fence(memory_order_seq_cst);
	if (c->to_memory)
		memcpy(c->memory, c->buffer, c->len);
	else
		memcpy(c->buffer, c->memory, c->len);
	atomic_signal_fence(memory_order_seq_cst);
	attempt = NULL;
	return true;
}

/* It counts what is left of the page that it begins in */
static uint64_t first_page(const struct copy *c)
{
	uint64_t n = DEVICE_PAGE - (uintptr_t)c->memory % DEVICE_PAGE;

	return n < c->len ? n : c->len;
}

/* The kernel minds what is mapped there, not what mprotect() said of it since */
static bool copy_by_force(int mem, const struct copy *c)
{
	off_t at = (uintptr_t)c->memory;

	return (c->to_memory ? pwrite(mem, c->buffer, c->len, at) : pread(mem, c->buffer, c->len, at)) ==
	       (ssize_t)c->len;
}

static void complain_of(const void *page)
{
	static bool complained;

	if (!complained)
		complain("the program has unmapped %p, which is registered: what is written there is lost, and zeros are read "
			 "from it. A real device still has the page",
			 page);
	complained = true;
}

static void copy_what_is_left(const struct copy *whole)
{
	int mem = REAL(open)("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct copy c = *whole;

	for (uint64_t left = whole->len; left; left -= c.len, c.memory += c.len, c.buffer += c.len) {
		c.len = left;
		c.len = first_page(&c);
		if (copy_by_force(mem, &c))
			continue;
		complain_of(c.memory);
		tap_unmapped(c.memory, c.len, c.to_memory);
		if (!c.to_memory)
			memset(c.buffer, 0, c.len);
	}
	if (mem >= 0)
		REAL(close)(mem);
}

static void copy(const struct copy *c)
{
	if (!is_prepared)
		prepare();
	if (!copy_at_once(c))
		copy_what_is_left(c);
}

void pinned_read(const void *memory, uint64_t len, void *to)
{
	copy(&(struct copy){ .memory = (uint8_t *)memory, .len = len, .buffer = to });
}

void pinned_write(void *memory, uint64_t len, const void *from)
{
	copy(&(struct copy){ .memory = memory, .len = len, .buffer = (uint8_t *)from, .to_memory = true });
}
