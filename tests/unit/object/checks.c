/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What builds that check handles make of mistakes: the program ends, and says where and why. */

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vendors.h" /* before what has variables of these names */

#include "unit/device.h"
#include "object/make.h"
#include "every_raw.h"

TestSuite(checks, .init = open_device, .fini = close_device);

static struct vx_cq *cq;
static struct vx_mr *mr;

static void make_more(void)
{
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
}

/* A mistake, made by a child. */
static void expect_end(void (*mistake)(void *), void *object, const char *says)
{
	char text[256] = "";
	ssize_t got;
	int pipes[2], status;
	pid_t child;

	cr_assert_eq(pipe(pipes), 0);
	child = fork();
	cr_assert_neq(child, -1);
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		mistake(object);
		_exit(0);
	}
	close(pipes[1]);
	cr_assert_eq(waitpid(child, &status, 0), child);
	got = read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s: not ended by abort()", says);
	cr_expect(got > 0 && strcmp(text, says) == 0, "\"%s\" and not \"%s\"", text, says);
}

static void close_again(void *object)
{
	vx_close(object);
}

static void release(void *object)
{
	vx_give_back(object);
}

static void resize(void *object)
{
	vx_cq_resize(object, 100);
}

static void read_address(void *object)
{
	vx_mr_addr(object);
}

static void print_it(void *object)
{
	vx_print(stdout, (struct vx_cq *)object);
}

static void make_in(void *object)
{
	struct vx_mr *other;

	vx_mr_create(object, &(struct vx_mr_init){ .length = 64 }, &other);
}

static void make_qp_with(void *object)
{
	struct vx_qp *qp;

	vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = object, .recv_cq = object }, &qp);
}

static void query_device(void *object)
{
	struct ibv_device_attr attr;

	vx_ctx_query_device(object, &attr);
}

Test(checks, tell_what_was_closed)
{
	make_more();
	made(vx_close(cq));
	expect_end(close_again, cq, "verbsx: vx_close: this cq was closed by vx_close()\n");
	expect_end(release, cq, "verbsx: vx_give_back: this cq was closed by vx_close()\n");
	expect_end(resize, cq, "verbsx: vx_cq_resize: this cq was closed by vx_close()\n");
	expect_end(print_it, cq, "verbsx: vx_print: this cq was closed by vx_close()\n");
	expect_end(make_qp_with, cq, "verbsx: vx_qp_create, send_cq: this cq was closed by vx_close()\n");
}

Test(checks, tell_what_took_it_along)
{
	make_more();
	made(vx_close(pd));
	expect_end(close_again, mr, "verbsx: vx_close: this mr was closed by vx_close() of a pd that it depended on\n");
	expect_end(read_address, mr, "verbsx: vx_mr_raw: this mr was closed by vx_close() of a pd that it depended on\n");
	expect_end(make_in, pd, "verbsx: vx_mr_create: this pd was closed by vx_close()\n");
}

Test(checks, know_a_context_that_was_closed)
{
	struct vx_ctx *other;
	struct vx_pd *child;

	made(vx_ctx_open_index(0, &other));
	made(vx_pd_create(other, NULL, &child));
	made(vx_close(other));
	expect_end(close_again, other, "verbsx: vx_close: this context was closed by vx_close()\n");
	expect_end(query_device, other, "verbsx: vx_ctx_query_device: this context was closed by vx_close()\n");
	expect_end(make_in, child, "verbsx: vx_mr_create: this pd was closed by vx_close() of a context that it depended on\n");
}

Test(checks, tell_what_was_given_back)
{
	void *raw;

	make_more();
	raw = vx_give_back(cq);
	cr_assert_not_null(raw, "%s", vx_error_text());
	expect_end(resize, cq, "verbsx: vx_cq_resize: this cq was given back by vx_give_back()\n");
	cr_expect_eq(ibv_destroy_cq(raw), 0);
}

Test(checks, know_a_stranger)
{
	struct vx_node stranger = { .kind = 0x7fff };

	expect_end(close_again, &stranger, "verbsx: vx_close: it was closed, or is no handle\n");
	expect_end(read_address, NULL, "verbsx: vx_mr_raw: NULL for a handle\n");
}

/* Many more than are kept: the oldest are forgotten, and freed. */
Test(checks, keep_some_of_what_was_closed)
{
	struct vx_ah_init where = { .port_num = 1, .dlid = 7 };
	struct vx_ah *ah;
	int i;

	for (i = 0; i < 10000; i++) {
		made(vx_ah_create(pd, &where, &ah));
		made(vx_close(ah));
	}
	expect_end(close_again, ah, "verbsx: vx_close: this ah was closed by vx_close()\n");
}

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static bool is_tried(uint32_t kind)
{
	size_t i;

	for (i = 0; i < KIND_COUNT; i++)
		if (kinds[i].kind == vx_kind_made[kind].used_as)
			return true;
	return false;
}

Test(checks, know_every_kind_from_another)
{
	char says[128], name[64];
	size_t i;

	make_more();
	for (i = 0; i < KIND_COUNT; i++) {
		void *wrong = kinds[i].kind == VX_OBJECT_MR ? (void *)cq : (void *)mr;

		if (!kinds[i].take)
			continue;
		vx_object_name(name, sizeof(name), wrong);
		snprintf(says, sizeof(says), "verbsx: vx_%s_raw: %s is no %s\n", kinds[i].name, name, kinds[i].name);
		expect_end(kinds[i].take, wrong, says);
	}
	for (i = VX_OBJECT_CTX + 1; *vx_kind_name((uint32_t)i); i++)
		if (!vx_kinds[i].ours) /* which have no raw object to be asked for */
			cr_expect(is_tried((uint32_t)i), "%s", vx_kind_name((uint32_t)i));
	cr_expect_gt(i, KIND_COUNT);
}

Test(checks, name_the_call_for_a_parent_a_field_and_a_method)
{
	make_more();
	expect_end(make_in, ctx, "verbsx: vx_mr_create: mlx5_0 is no pd\n");
	expect_end(make_qp_with, pd, "verbsx: vx_qp_create, send_cq: mlx5_0 pd 2 is no cq\n");
	expect_end(resize, pd, "verbsx: vx_cq_resize: mlx5_0 pd 2 is no cq\n");
}

/* An opened QP and a parent domain are used by the functions of a QP and a PD. */
Test(checks, take_a_parent_domain_for_a_pd)
{
	struct vx_pd *domain;

	made(vx_parent_domain_create(pd, NULL, &domain));
	cr_expect_not_null(vx_pd_raw(domain));
	made(vx_mr_create(domain, &(struct vx_mr_init){ .length = 64 }, &mr));
}
