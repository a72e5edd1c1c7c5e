/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The registry: which handle a raw object has, in as few steps among many as among few. */

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/printer.h"
#include "unit/object/toys.h"

static struct ibv_context another_context = { .device = &device };

TestSuite(graph, .timeout = 20);

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

static void name_some(char *raw, unsigned int count)
{
	char name[64];
	struct vx_out out;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		out = vx_out_in(name, sizeof(name));
		vx_put_name_of_handle(&out, handle_of(raw + (size_t)64 * (count / 10 * i), VX_OBJECT_TD));
	}
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

/* As structures that are printed point to handles. */
Test(graph, takes_no_more_steps_to_know_a_handle_among_ten_thousand_than_among_ten)
{
	expect_as_few_steps(name_some);
}

static bool is_handle(const void *pointer)
{
	bool known;

	vx_graph_lock();
	known = vx_registry_has(pointer);
	vx_graph_unlock();
	return known;
}

/* What a pointer of an uninitialized structure may be. */
Test(graph, knows_a_handle_from_a_pointer_that_leads_anywhere_else)
{
	char raw;
	struct vx_node *root = make_root(), *node = make(root, &raw), copy = *node;
	char *gone = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_expect(is_handle(root));
	cr_expect(is_handle(node));
	cr_expect_not(is_handle(&copy), "it only looks like one");
	cr_expect_not(is_handle(gone));
	munmap(gone, 8192);
	cr_expect_not(is_handle(gone));
	cr_expect_not(is_handle(gone + 1));
	cr_expect_not(is_handle((void *)(uintptr_t)16));
	cr_expect_not(is_handle((void *)UINTPTR_MAX));
	cr_expect_eq(vx_close(node), 0);
	cr_expect_not(is_handle(node));
	cr_expect_eq(vx_close(root), 0);
}
