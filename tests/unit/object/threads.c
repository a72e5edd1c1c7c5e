/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The graph, when threads make and close in it at the same time. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/object/toys.h"

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

	vx_node_link(node, raw, &node);
	return node;
}

static struct vx_node *make_slow(struct vx_node *const *of, size_t count)
{
	return make_slow_of(of, count, NULL);
}

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
	struct vx_node *node;
	int rc = vx_adopt(it, &node);

	return rc < 0 ? (void *)(intptr_t)rc : node;
}

Test(graph, takes_over_what_has_the_address_of_one_that_is_just_gone)
{
	char raw;
	struct vx_node *root = make_root(), *slow = make_slow_of(&root, 1, &raw);
	struct vx_adopting it = {
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_adopt", .how = VX_ADOPTED, .parent_kind = VX_OBJECT_CTX, .parent = root,
		.raw = &raw,
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
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_adopt", .how = VX_ADOPTED, .parent_kind = VX_OBJECT_CTX, .parent = root,
		.raw = &raw,
	};
	pthread_t thread;

	make_slow(&pd, 1);
	pthread_mutex_lock(&gate);
	thread = begin_closing(pd);
	wait_for_destroy();
	cr_expect_eq(vx_adopt(&it, &pd), -EBUSY);
	cr_expect_str_eq(vx_error_text(), "vx_td_adopt: Device or resource busy: the td is being closed");
	pthread_mutex_unlock(&gate);
	cr_expect_eq(end_closing(thread), 0);
	cr_expect_eq(vx_close(root), 0);
}

static struct vx_node *lent_one;
static char lent_raw;

static bool somebody_waits(void)
{
	bool does;

	vx_graph_lock();
	does = vx_graph.waits;
	vx_graph_unlock();
	return does;
}

/* Whose end the one waits for that is closing what this takes over. */
static int destroy_and_borrow(struct vx_node *node)
{
	const struct vx_adopting it = {
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_borrow", .how = VX_BORROWED, .parent_kind = VX_OBJECT_CTX,
		.parent = vx_node_used(lent_one, 0), .raw = &lent_raw,
	};
	struct vx_node *none;

	(void)node;
	inside++;
	while (!somebody_waits())
		usleep(100);
	outcome = vx_adopt(&it, &none);
	return 0;
}

Test(graph, refuses_to_take_over_what_is_closed_by_one_that_waits_for_this)
{
	struct vx_node *root = make_root(), *user;
	struct vx_adopting it = {
		.kind = VX_OBJECT_TD, .destroy = destroy, .call = "vx_td_borrow", .how = VX_LENT, .parent_kind = VX_OBJECT_CTX, .parent = root,
		.raw = &lent_raw,
	};
	pthread_t closer;
	void *uses[1];

	cr_assert_eq(vx_adopt(&it, &lent_one), 0);
	uses[0] = lent_one;
	user = vx_node_new(0, VX_OBJECT_TD, destroy_and_borrow, uses, 1, "make");
	vx_node_link(user, NULL, &user);
	closer = begin_closing(user);
	wait_for_destroy();
	cr_expect_eq(vx_lent_end(NULL, &lent_raw), 0);
	cr_expect_eq(end_closing(closer), 0);
	cr_expect_eq(outcome, -EDEADLK);
	outcome = 0;
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
	vx_node_link(node, NULL, &node);
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

/* ---- fork(2) ---- */

static atomic_bool enough;

static void *make_and_close(void *root)
{
	while (!enough)
		vx_close(make(root, root));
	return NULL;
}

/* Whether a child could print: it finds its handles. */
static bool child_gets_through(const struct vx_node *root)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		alarm(5);
		_exit(handle_of(&context, VX_OBJECT_CTX) != root);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

Test(graph, is_whole_in_a_child_whoever_was_at_it)
{
	struct vx_node *root = make_root();
	pthread_t threads[2];
	int i, through = 0;

	for (i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, make_and_close, root), 0);
	for (i = 0; i < 200 && through == i; i++)
		through += child_gets_through(root);
	enough = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(through, 200, "after %d children, one hung", through);
	cr_expect_eq(vx_close(root), 0);
}

static volatile sig_atomic_t forked;

/* Once: a machine on which a fork takes longer than that would come to nothing else. */
static void be_interrupted_soon(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 700 }, NULL);
}

static void fork_once_more(int signal)
{
	const pid_t child = fork();

	(void)signal;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	if (++forked < 500)
		be_interrupted_soon();
}

Test(graph, is_forked_by_who_is_at_it_in_a_handler_of_a_signal, .timeout = 60)
{
	const struct sigaction action = { .sa_handler = fork_once_more, .sa_flags = SA_RESTART };
	struct vx_node *root = make_root();

	sigaction(SIGALRM, &action, NULL);
	be_interrupted_soon();
	while (forked < 500)
		cr_assert_eq(handle_of(&context, VX_OBJECT_CTX), root);
	cr_expect_eq(vx_close(root), 0);
}

/* The thread that was ending it is not there. */
Test(graph, is_closed_by_a_child_where_no_other_was_at_it)
{
	struct vx_node *root = make_root(), *slow_root = make_slow(&root, 1), *slow = make_slow(&slow_root, 1), *other = make(root, root);
	pthread_t thread;
	pid_t child;
	int status;

	(void)slow;
	pthread_mutex_lock(&gate);
	cr_assert_eq(pthread_create(&thread, NULL, close_it, slow_root), 0);
	while (!inside)
		usleep(1000);
	child = fork();
	if (child == 0) {
		alarm(5);
		_exit(vx_close(other) != 0);
	}
	waitpid(child, &status, 0);
	cr_expect_eq(status, 0);
	pthread_mutex_unlock(&gate);
	pthread_join(thread, NULL);
	cr_expect_eq(vx_close(root), 0);
}
