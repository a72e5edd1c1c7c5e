/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The lock of all graphs, and which handle a raw object has. */

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include <verbsx/objects.h>

#include "object.h"

#define FEWEST 64
#define SPINS 40 /* looks at a lock that another thread has */

_Alignas(64) struct vx_graph vx_graph = { .last = FEWEST - 1 };

/*
 * A mutex of pthread(3) does the same, but is of many kinds: to tell them apart takes longer than to lock. The word has who holds
 * it, of an address that ends in zeros, and whether somebody waits.
 */
enum { FREE, WANTED, HELD };

static VX_SELDOM_CALLED void futex(unsigned int *word, int op, unsigned int value)
{
	int saved = errno;

	syscall(SYS_futex, word, op, value, NULL);
	errno = saved;
}

/* What looks for races in a program knows the locks of pthread(3) alone: two of valgrind's tools, and ThreadSanitizer in the program. */
static pthread_mutex_t watched_lock = PTHREAD_MUTEX_INITIALIZER;
extern void __tsan_init(void) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));

static unsigned int held_by_this(void)
{
	return (unsigned int)(uintptr_t)pthread_self() | HELD;
}

/* Who has it is through in some instructions, unless it does not run: going to sleep and being woken takes a hundred times as long. */
static bool lock_soon(unsigned int mine)
{
	unsigned int is, tries;

	for (tries = 0; tries < SPINS; tries++) {
		is = __atomic_load_n(&vx_graph.lock, __ATOMIC_RELAXED);
		if (is == FREE && __atomic_compare_exchange_n(&vx_graph.lock, &is, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
	}
	return false;
}

/* Another thread has it, or something watches. */
static VX_SELDOM_CALLED void lock_slowly(unsigned int mine)
{
	unsigned int is = FREE;

	if (vx_graph.is_watched) {
		pthread_mutex_lock(&watched_lock);
		return;
	}
	if (lock_soon(mine))
		return;
	mine |= WANTED;
	while (!__atomic_compare_exchange_n(&vx_graph.lock, &is, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (is & WANTED || __atomic_compare_exchange_n(&vx_graph.lock, &is, is | WANTED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			futex(&vx_graph.lock, FUTEX_WAIT_PRIVATE, is | WANTED);
		is = FREE;
	}
}

static VX_SELDOM_CALLED void unlock_slowly(void)
{
	if (vx_graph.is_watched)
		pthread_mutex_unlock(&watched_lock);
	else
		futex(&vx_graph.lock, FUTEX_WAKE_PRIVATE, 1);
}

void vx_graph_lock(void)
{
	unsigned int mine = held_by_this(), is = FREE;

	if (vx_graph.is_watched ||
	    !__atomic_compare_exchange_n(&vx_graph.lock, &is, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		lock_slowly(mine);
}

void vx_graph_unlock(void)
{
	if (vx_graph.is_watched || __atomic_exchange_n(&vx_graph.lock, FREE, __ATOMIC_RELEASE) & WANTED)
		unlock_slowly();
}

/* Forks by a thread that has the lock, in a handler of a signal. */
static unsigned int forks_inside;

static VX_SELDOM_CALLED void before_fork(void)
{
	if ((__atomic_load_n(&vx_graph.lock, __ATOMIC_RELAXED) & ~WANTED) == held_by_this())
		forks_inside++;
	else
		vx_graph_lock();
}

static VX_SELDOM_CALLED void behind_fork(void)
{
	if (forks_inside)
		forks_inside--;
	else
		vx_graph_unlock();
}

/* Only the thread goes on that forked: nobody else waits, or walks. */
static VX_SELDOM_CALLED void in_child(void)
{
	vx_graph.waits = NULL;
	vx_graph.walks = NULL;
	behind_fork();
}

static bool is_preloaded(const char *part)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, part);
}

__attribute__((constructor)) static void begin_graph(void)
{
	vx_graph.is_watched = __tsan_init || is_preloaded("vgpreload_helgrind") || is_preloaded("vgpreload_drd");
	vx_graph.reuses = !vx_graph.is_watched && !__asan_init && !is_preloaded("vgpreload_memcheck");
	pthread_atfork(before_fork, behind_fork, in_child);
}

bool vx_waits_for_this(pthread_t thread)
{
	const struct vx_wait *wait = vx_graph.waits;

	while (wait && (wait->seen != vx_graph.changes || !pthread_equal(wait->waits, thread)))
		wait = wait->next;
	return wait ? vx_waits_for_this(wait->on) : pthread_equal(thread, pthread_self());
}

bool vx_graph_wait_for(pthread_t thread)
{
	struct vx_wait wait = { vx_graph.waits, pthread_self(), thread, vx_graph.changes }, **link = &vx_graph.waits;

	if (vx_waits_for_this(thread))
		return false;
	vx_graph.waits = &wait;
	vx_graph_unlock();
	futex(&vx_graph.changes, FUTEX_WAIT_PRIVATE, wait.seen);
	vx_graph_lock();
	while (*link && *link != &wait)
		link = &(*link)->next;
	if (*link)
		*link = wait.next;
	return true;
}

void vx_graph_wake_all(void)
{
	futex(&vx_graph.changes, FUTEX_WAKE_PRIVATE, INT_MAX);
}

bool vx_node_is_busy_elsewhere(const struct vx_node *node)
{
	return node->state != VX_NODE_LIVE && !pthread_equal(node->busy, pthread_self());
}

bool vx_node_has_raw(const struct vx_node *node)
{
	return node->object.raw && (__atomic_load_n(&node->state, __ATOMIC_RELAXED) == VX_NODE_LIVE ||
				    pthread_equal(__atomic_load_n(&node->busy, __ATOMIC_RELAXED), pthread_self()));
}

/* ---- raw -> handle ---- */

static struct vx_node *few[FEWEST];

static struct vx_node **all_lists(void)
{
	return vx_graph.lists ? vx_graph.lists : few;
}

/* What lies side by side is so here, too: many that are closed in turn pass through the caches once. */
static struct vx_node **list_of(const void *raw)
{
	const uintptr_t at = (uintptr_t)raw;

	return &all_lists()[(at >> 4 ^ (at >> 16) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & vx_graph.last];
}

/* What has no raw object of its own has that of what it was made of, which many may share, and is not found by it. */
static bool has_its_own(const struct vx_node *node)
{
	return !node->uses || vx_node_used(node, 0)->object.raw != node->object.raw;
}

/* The few contexts have a list of their own. Once, for who comes and who goes. */
static __attribute__((hot, noinline)) struct vx_node **list_with(const struct vx_node *node)
{
	return node->kind == VX_OBJECT_CTX ? &vx_graph.contexts : list_of(has_its_own(node) ? node->object.raw : node);
}

/* The older ones stay behind the newer: each goes to the end. */
static VX_SELDOM_CALLED void put(struct vx_node *list)
{
	struct vx_node *next, **to;

	for (; list; list = next) {
		next = list->next;
		list->next = NULL;
		for (to = list_with(list); *to; to = &(*to)->next)
			continue;
		*to = list;
	}
}

/* Without the memory for it, lists get longer; that is all. */
static VX_SELDOM_CALLED void grow(void)
{
	const size_t count = vx_graph.last + 1;
	struct vx_node **old = all_lists(), **lists = calloc(2 * count, sizeof(*lists));
	size_t i;

	if (!lists)
		return;
	vx_graph.lists = lists;
	vx_graph.last += count;
	for (i = 0; i < count; i++)
		put(old[i]);
	if (old != few)
		free(old);
}

void vx_registry_add(struct vx_node *node)
{
	struct vx_node **list;

	if (vx_graph.count > vx_graph.last)
		grow();
	list = list_with(node);
	node->next = *list;
	*list = node;
	vx_graph.count++;
	if (VX_SELDOM(vx_graph.follow))
		vx_graph.follow(node, true);
}

void vx_registry_remove(struct vx_node *node)
{
	vx_graph.count -= vx_node_take_out(list_with(node), node);
	if (VX_SELDOM(vx_graph.follow))
		vx_graph.follow(node, false);
}

/* ---- somebody who is told ---- */

VX_SELDOM_CALLED void vx_registry_follow(void (*follow)(const struct vx_node *node, bool is_there))
{
	const struct vx_node *node;
	size_t i;

	vx_graph_lock();
	for (i = 0; i <= vx_graph.last && !vx_graph.follow; i++)
		for (node = all_lists()[i]; node; node = node->next)
			if (node->state != VX_NODE_ENDING)
				follow(node, true);
	vx_graph.follow = follow;
	vx_graph_unlock();
}

VX_SELDOM_CALLED void vx_registry_changed(const struct vx_node *node)
{
	vx_graph_lock();
	if (vx_graph.follow) {
		vx_graph.follow(node, false);
		vx_graph.follow(node, true);
	}
	vx_graph_unlock();
}

static bool is_of(const struct vx_node *node, const void *raw, uint32_t type)
{
	return node->object.raw == raw && (!type || node->type == type) && has_its_own(node);
}

static VX_HOT struct vx_node *find_in(struct vx_node *list, const void *raw, uint32_t type)
{
	while (list && !is_of(list, raw, type))
		list = list->next;
	return list;
}

VX_HOT struct vx_node *vx_node_of(const void *raw, uint32_t type)
{
	struct vx_node *found = type == VX_OBJECT_CTX ? NULL : find_in(*list_of(raw), raw, type);

	return found || (type && type != VX_OBJECT_CTX) ? found : find_in(vx_graph.contexts, raw, type);
}

void *vx_handle_of(const void *raw, uint32_t type)
{
	struct vx_node *node;

	VX_LOCKED(node = raw ? vx_node_of(raw, type) : NULL);
	return node;
}

static bool is_in(const struct vx_node *list, const void *handle)
{
	while (list && list != handle)
		list = list->next;
	return list;
}

/*
 * In the list where its raw object has it, or itself. Which that is the kernel reads, for which a pointer that leads nowhere is no crash;
 * where a filter of system calls forbids that, all lists are looked through.
 */
VX_SELDOM_CALLED bool vx_registry_has(const void *handle)
{
	void *raw = NULL;
	const struct iovec to = { &raw, sizeof(raw) };
	const struct iovec from = { (char *)(uintptr_t)handle + offsetof(struct vx_node, object.raw), sizeof(raw) };
	const int saved = errno;
	const bool is_blind = syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) < 0 && errno != EFAULT;
	bool found = is_in(vx_graph.contexts, handle) || is_in(*list_of(raw), handle) || is_in(*list_of(handle), handle);
	size_t i;

	errno = saved;
	for (i = 0; is_blind && !found && i <= vx_graph.last; i++)
		found = is_in(all_lists()[i], handle);
	return found;
}

VX_SELDOM_CALLED bool vx_registry_any(uint32_t type, bool (*is)(const struct vx_node *node, const void *raw), const void *raw)
{
	const size_t first = (size_t)(list_of(raw) - all_lists());
	const struct vx_node *node;
	size_t i;

	for (i = 0; i <= vx_graph.last; i++)
		for (node = all_lists()[(first + i) & vx_graph.last]; node; node = node->next)
			if (node->type == type && is(node, raw))
				return true;
	return false;
}
