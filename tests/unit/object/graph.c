/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph and threads, roots that are no context, and the registry; of nodes that stand for nothing. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "object/make.h"

static struct ibv_device device = { .name = "toy" };
static struct ibv_context context = { .device = &device };

static int destroy(struct vx_node *node)
{
	(void)node;
	return 0;
}

static struct vx_node *make_with(uint32_t kind, void *raw, void *const *uses, size_t count)
{
	struct vx_node *node = vx_node_new(0, kind, destroy, uses, count, "make");

	cr_assert_not_null(node, "%s", vx_error_text());
	vx_node_link(node, raw);
	return node;
}

static struct vx_node *make_root(void)
{
	return make_with(VX_OBJECT_CTX, &context, NULL, 0);
}

static struct vx_node *make(struct vx_node *parent, void *raw)
{
	void *uses[] = { parent };

	return make_with(VX_OBJECT_TD, raw, uses, 1);
}

/* ---- slow ones ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held: a slow one is not destroyed */
static atomic_int inside; /* slow ones that are being destroyed */
static int outcome;

static int destroy_slowly(struct vx_node *node)
{
	(void)node;
	inside++;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return outcome;
}

static struct vx_node *make_slow_of(struct vx_node *const *of, size_t count, void *raw)
{
	struct vx_node *node = vx_node_new(0, VX_OBJECT_TD, destroy_slowly, (void *const *)of, count, "make");

	vx_node_link(node, raw);
	return node;
}

static struct vx_node *make_slow(struct vx_node *const *of, size_t count)
{
	return make_slow_of(of, count, NULL);
}

static struct vx_node *handle_of(const void *raw, uint32_t type);

static void *close_it(void *node)
{
	return (void *)(intptr_t)vx_close(node);
}

static pthread_t begin_closing(struct vx_node *node)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, close_it, node), 0);
	return thread;
}

static void wait_for_destroy(void)
{
	while (!inside)
		usleep(100);
}

static int end_closing(pthread_t thread)
{
	void *rc;

	pthread_join(thread, &rc);
	return (int)(intptr_t)rc;
}

TestSuite(graph, .timeout = 20);

/* A thread that waited for the other would never let it go on. */
Test(graph, goes_on_while_an_object_is_slowly_destroyed)
{
	struct vx_node *root = make_root(), *pd = make(root, NULL), *slow = make_slow(&pd, 1), *other;
	pthread_t thread;

	pthread_mutex_lock(&gate);
	thread = begin_closing(slow);
	wait_for_destroy();
	other = make(pd, NULL);
	cr_expect_eq(vx_close(other), 0);
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), 0);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, refuses_to_make_something_of_what_is_being_closed)
{
	struct vx_node *root = make_root(), *pd = make(root, NULL);
	void *uses[] = { pd };
	pthread_t thread;

	make_slow(&pd, 1);
	pthread_mutex_lock(&gate);
	thread = begin_closing(pd);
	wait_for_destroy();
	cr_expect_null(vx_node_new(0, VX_OBJECT_TD, destroy, uses, 1, "vx_td_create"));
	cr_expect_str_eq(vx_error_text(), "vx_td_create: Device or resource busy: the td is being closed");
	cr_expect_eq(vx_close(pd), -EBUSY, "it is another thread's to close");
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), 0);
	cr_expect_eq(vx_close(root), 0);
}

/* rdma-core frees an object before its handle is gone, and may make another one at the same address. */
static void *adopt_it(void *arg)
{
	const struct vx_adopting *it = arg;
	struct vx_node *node = vx_adopt(it);

	return node ? node : (void *)(intptr_t)vx_error()->code;
}

Test(graph, takes_over_what_has_the_address_of_one_that_is_just_gone)
{
	char raw;
	struct vx_node *root = make_root(), *slow = make_slow_of(&root, 1, &raw);
	struct vx_adopting it = {
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_adopt", .owned = true, .parent = root, .raw = &raw,
	};
	pthread_t closer, adopter;
	void *node;

	pthread_mutex_lock(&gate);
	closer = begin_closing(slow);
	wait_for_destroy();
	cr_assert_eq(pthread_create(&adopter, NULL, adopt_it, &it), 0);
	usleep(20000);
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(closer), 0);
	pthread_join(adopter, &node);
	cr_assert_gt((intptr_t)node, 4096, "error %d", (int)(intptr_t)node);
	cr_expect_eq(handle_of(&raw, VX_OBJECT_TD), node);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, does_not_take_over_what_is_only_about_to_be_closed)
{
	char raw;
	struct vx_node *root = make_root(), *pd = make(root, &raw);
	struct vx_adopting it = {
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_adopt", .owned = true, .parent = root, .raw = &raw,
	};
	pthread_t thread;

	make_slow(&pd, 1);
	pthread_mutex_lock(&gate);
	thread = begin_closing(pd);
	wait_for_destroy();
	cr_expect_null(vx_adopt(&it));
	cr_expect_str_eq(vx_error_text(), "vx_td_adopt: Device or resource busy: the td is being closed");
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), 0);
	cr_expect_eq(vx_close(root), 0);
}

/* Both take along the same object: the second waits for it, and has nothing more to do. */
static void close_two_that_overlap(int rc)
{
	struct vx_node *root = make_root(), *both[] = { make(root, NULL), make(root, NULL) };
	pthread_t threads[2];

	outcome = rc;
	make_slow(both, 2);
	pthread_mutex_lock(&gate);
	threads[0] = begin_closing(both[0]);
	wait_for_destroy();
	threads[1] = begin_closing(both[1]);
	usleep(10000);
	cr_expect_eq(inside, 1);
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(threads[0]), rc);
	cr_expect_eq(end_closing(threads[1]), rc);
	outcome = 0;
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, of_which_two_threads_close_overlapping_parts)
{
	close_two_that_overlap(0);
	cr_expect_eq(inside, 1, "it was destroyed once");
}

Test(graph, of_which_two_threads_cannot_close_overlapping_parts)
{
	close_two_that_overlap(-EIO);
	cr_expect_eq(inside, 3, "each of them tried, and so did closing the root");
}

/* What is being made keeps its parent until it is there. */
Test(graph, waits_for_what_another_thread_is_making)
{
	struct vx_node *root = make_root(), *pd = make(root, NULL), *node;
	void *uses[] = { pd };
	pthread_t thread;

	node = vx_node_new(0, VX_OBJECT_TD, destroy_slowly, uses, 1, "make");
	thread = begin_closing(pd);
	usleep(10000);
	cr_expect_eq(inside, 0);
	vx_node_link(node, NULL);
	cr_expect_eq(end_closing(thread), 0);
	cr_expect_eq(inside, 1, "it was closed with its parent");
	node = vx_node_new(0, VX_OBJECT_TD, destroy_slowly, (void *[]){ root }, 1, "make");
	cr_expect_eq(vx_close(root), -EBUSY, "this thread cannot wait for itself");
	cr_expect_str_eq(vx_error_text(), "vx_close: Device or resource busy: the td is being made");
	vx_node_drop(node);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, survives_that_a_thread_that_closes_is_cancelled)
{
	struct vx_node *root = make_root(), *slow = make_slow(&root, 1);
	pthread_t thread;

	pthread_mutex_lock(&gate);
	thread = begin_closing(slow);
	wait_for_destroy();
	pthread_cancel(thread);
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), 0, "it came to its end first");
	cr_expect_eq(vx_close(root), 0);
}

static struct ibv_context another_context = { .device = &device };

/* One of them could not be closed, while the other came. */
Test(graph, has_no_two_contexts_of_one_name)
{
	struct vx_node *root = make_root(), *other;
	pthread_t thread;

	outcome = -EBUSY;
	make_slow(&root, 1);
	pthread_mutex_lock(&gate);
	thread = begin_closing(root);
	wait_for_destroy();
	other = make_with(VX_OBJECT_CTX, &another_context, NULL, 0);
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), -EBUSY);
	cr_expect_str_eq(VX_NAME(root), "toy");
	cr_expect_str_eq(VX_NAME(other), "toy#2");
	outcome = 0;
	cr_expect_eq(vx_close(root) + vx_close(other), 0);
}

/* ---- roots ---- */

/* As an event channel of librdmacm, and an id that comes to its device later. */
Test(graph, may_begin_with_what_is_no_context)
{
	struct vx_node *channel = make_with(VX_OBJECT_COMP_CNTR, NULL, NULL, 0), *root, *id, *pd, *qp;
	void *uses[] = { channel, VX_USED_LATER }, *both[2];
	char name[64];

	id = make_with(VX_OBJECT_TD, NULL, uses, 2);
	cr_expect_null(vx_node_ctx(id));
	cr_expect_null(vx_context_of(channel));
	vx_object_name(name, sizeof(name), id);
	cr_expect_str_eq(name, "td #1");

	root = make_root();
	cr_expect_eq(vx_node_use(id, root, "resolve"), 0);
	cr_expect_eq(vx_node_ctx(id), root);
	cr_expect_null(vx_node_ctx(channel));
	cr_expect_eq(vx_node_use(id, root, "resolve"), -EINVAL, "it has its context");
	pd = make(root, NULL);
	both[0] = id;
	both[1] = pd;
	qp = make_with(VX_OBJECT_TD, NULL, both, 2);
	cr_expect_eq(vx_node_ctx(qp), root);
	cr_expect_eq(vx_close(channel), 0);
	cr_expect_null(pd->users, "the QP went with its id");
	cr_expect_eq(root->users->user, pd, "and the id left its context");
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, of_one_context_takes_nothing_of_another)
{
	struct ibv_context strange = { .device = &device };
	struct vx_node *root = make_root(), *other = make_with(VX_OBJECT_CTX, &strange, NULL, 0), *id;
	void *uses[] = { make(root, NULL), VX_USED_LATER };

	id = make_with(VX_OBJECT_TD, NULL, uses, 2);
	cr_expect_eq(vx_node_use(id, other, "resolve"), -EINVAL);
	cr_expect_str_eq(vx_error_text(), "resolve: Invalid argument: toy#2 belongs to another context");
	cr_expect_eq(vx_close(other), 0);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, has_room_for_anything_behind_a_node)
{
	void *uses[8] = { make_root() };
	struct vx_node *node;
	size_t i;

	for (i = 1; i < 8; i++) {
		uses[i] = make(uses[0], NULL);
		node = vx_node_new(sizeof(max_align_t), VX_OBJECT_TD, destroy, uses, i, "make");
		cr_expect_eq((uintptr_t)vx_node_extra(node) % _Alignof(max_align_t), 0, "behind %zu edges", i);
		cr_expect_geq((char *)vx_node_extra(node), (char *)(node + 1) + i * sizeof(struct vx_edge));
		vx_node_drop(node);
	}
	cr_expect_eq(vx_close(uses[0]), 0);
}

/* ---- the registry ---- */

static struct vx_node *handle_of(const void *raw, uint32_t type)
{
	struct vx_node *node;

	vx_graph_lock();
	node = vx_node_of(raw, type);
	vx_graph_unlock();
	return node;
}

#define MANY 5000

Test(graph, finds_each_of_many_by_its_raw_object_and_none_that_is_closed)
{
	static char raw[MANY];
	struct vx_node *root = make_root(), *nodes[MANY];
	int i, found = 0;

	for (i = 0; i < MANY; i++)
		nodes[i] = make(root, &raw[i]);
	for (i = 0; i < MANY; i += 2)
		vx_close(nodes[i]);
	for (i = 0; i < MANY; i++)
		found += handle_of(&raw[i], VX_OBJECT_TD) == (i % 2 ? nodes[i] : NULL);
	cr_expect_eq(found, MANY);
	cr_expect_null(handle_of(&raw[1], VX_OBJECT_PD), "it is no PD");
	cr_expect_eq(handle_of(&raw[1], 0), nodes[1]);
	cr_expect_eq(vx_close(root), 0);
}

Test(graph, does_not_take_a_membership_for_its_qp)
{
	char raw;
	struct vx_node *root = make_root(), *qp = make(root, &raw);

	make(qp, &raw);
	cr_expect_eq(handle_of(&raw, 0), qp);
	cr_expect_eq(vx_close(root), 0);
}

/* ---- steps ---- */

/* What is done between two stops of a child, in instructions; -1 where nobody may look. */
static long steps_of(pid_t child)
{
	long steps = 0;
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return -1;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) != child)
			return -1;
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1)
			break;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			return -1;
		steps++;
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return steps;
}

static void find_some(char *raw, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		handle_of(raw + (size_t)64 * (count / 10 * i), VX_OBJECT_TD);
}

static void open_another(char *raw, unsigned int count)
{
	(void)raw, (void)count;
	make_with(VX_OBJECT_CTX, &another_context, NULL, 0);
}

static long steps_among(unsigned int count, void (*what)(char *raw, unsigned int count))
{
	struct vx_node *root = make_root();
	char *raw = calloc(count, 64);
	unsigned int i;
	pid_t child;
	long steps;

	for (i = 0; i < count; i++)
		make(root, raw + (size_t)64 * i);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		what(raw, count);
		raise(SIGUSR1);
		_exit(1);
	}
	steps = steps_of(child);
	cr_expect_eq(vx_close(root), 0);
	free(raw);
	return steps;
}

static void expect_as_few_steps(void (*what)(char *raw, unsigned int count))
{
	long few = steps_among(10, what), many = steps_among(10000, what);

	if (few < 0 || many < 0)
		cr_skip_test("nothing can be traced here");
	cr_expect_gt(few, 10);
	cr_expect_lt(many, few + few / 2, "%ld steps among 10, %ld among 10,000", few, many);
}

Test(graph, takes_no_more_steps_to_find_one_of_ten_thousand_than_one_of_ten)
{
	expect_as_few_steps(find_some);
}

Test(graph, takes_no_more_steps_to_name_a_context_beside_ten_thousand_than_beside_ten)
{
	expect_as_few_steps(open_another);
}
