/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What libverbsx asks of rdma-core, as its trace shows it. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/device.h"

#define LINES 64

static struct {
	struct vx_trace_call call;
	char name[64];
	char line[8192];
} seen[LINES];
static unsigned int lines;

static void remember(const struct vx_trace_call *call, void *data)
{
	cr_expect_eq(data, &lines);
	if (lines == LINES)
		return;
	seen[lines].call = *call;
	snprintf(seen[lines].name, sizeof(seen[lines].name), "%s", call->call);
	snprintf(seen[lines].line, sizeof(seen[lines].line), "%s", call->line);
	lines++;
}

static void begin(void)
{
	open_device();
	lines = 0;
	made(vx_trace_callback(remember, &lines));
}

static void end(void)
{
	made(vx_trace_callback(NULL, NULL));
	close_device();
}

TestSuite(trace, .init = begin, .fini = end);

/* The line of the latest call of a name. */
static const char *line_of(const char *name)
{
	unsigned int i;

	for (i = lines; i-- > 0;)
		if (!strcmp(seen[i].name, name))
			return seen[i].line;
	cr_assert_fail("no %s among %u calls", name, lines);
	return "";
}

#define expect_in(line, words) cr_expect_not_null(strstr(line, words), "no %s in %s", words, line)
#define expect_not_in(line, words) cr_expect_null(strstr(line, words), "%s in %s", words, line)

static struct vx_qp *make_qp(void)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

Test(trace, objects_have_their_names)
{
	struct vx_qp *qp = make_qp();
	char name[64], result[80];
	const char *line = line_of("ibv_create_qp_ex");

	vx_object_name(name, sizeof(name), qp);
	snprintf(result, sizeof(result), ") = %s <", name);
	cr_expect_eq(strncmp(line, "ibv_create_qp_ex(context=mlx5_0, qp_init_attr_ex={", 50), 0, "%s", line);
	expect_in(line, "send_cq=\"mlx5_0 cq ");
	expect_in(line, "srq=NULL");
	expect_in(line, result);
	expect_in(line_of("ibv_create_cq"), "ibv_create_cq(context=mlx5_0, cqe=256, cq_context=NULL, channel=NULL, comp_vector=0) = ");
}

Test(trace, objects_have_the_names_of_their_handles)
{
	struct vx_pd *domain;
	struct vx_ctx *second;
	struct vx_ah *ah;

	made(vx_parent_domain_create(pd, NULL, &domain));
	expect_in(line_of("ibv_alloc_parent_domain"), " = mlx5_0 parent_domain ");
	made(vx_ah_create(domain, &(struct vx_ah_init){ .dlid = 3 }, &ah));
	expect_in(line_of("ibv_create_ah"), "(pd=mlx5_0 parent_domain ");
	expect_in(line_of("ibv_create_ah"), " = mlx5_0 ah #1 ");
	made(vx_ctx_open("mlx5_0", &second));
	made(vx_pd_create(second, NULL, &domain));
	expect_in(line_of("ibv_alloc_pd"), "(context=mlx5_0#2) = mlx5_0#2 pd ");
	made(vx_close(second));
}

Test(trace, only_what_a_mask_names_is_shown)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 77 };
	const char *line;

	made(vx_qp_modify(make_qp(), &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
	line = line_of("ibv_modify_qp");
	expect_in(line, "attr={qp_state=IBV_QPS_INIT(1) ");
	expect_in(line, " port_num=1}, attr_mask=IBV_QP_STATE|IBV_QP_ACCESS_FLAGS|IBV_QP_PKEY_INDEX|IBV_QP_PORT(0x39)) = 0 <0.");
	expect_not_in(line, "qkey");
	expect_not_in(line, "timeout");
}

Test(trace, what_a_call_fills_is_shown_as_it_was_filled)
{
	struct ibv_port_attr port = { .lid = 4711 };

	made(vx_ctx_query_port(ctx, 1, &port));
	expect_in(line_of("ibv_query_port"), "ibv_query_port(context=mlx5_0, port_num=1, port_attr={state=IBV_PORT_ACTIVE(4) ");
	expect_not_in(line_of("ibv_query_port"), "4711");
}

Test(trace, what_a_failed_call_should_have_filled_is_not_read)
{
	struct ibv_port_attr port;

	cr_expect_eq(vx_ctx_query_port(ctx, 9, &port), -EINVAL);
	cr_expect_str_eq(seen[0].name, "ibv_query_port");
	expect_in(seen[0].line, "port_attr=0x");
	expect_in(seen[0].line, ") = 22 EINVAL (Invalid argument) <");
	cr_expect_eq(seen[0].call.code, -EINVAL);
	cr_expect_eq(seen[0].call.result, EINVAL);
}

Test(trace, questions_about_a_reason_are_set_off)
{
	struct ibv_port_attr port;

	cr_expect_neq(vx_ctx_query_port(ctx, 9, &port), 0);
	cr_expect_eq(lines, 2);
	cr_expect_not(seen[0].call.aside);
	cr_expect(seen[1].call.aside);
	cr_expect_eq(strncmp(seen[1].line, "  ibv_query_device_ex(", 22), 0, "%s", seen[1].line);
	made(vx_ctx_query_port(ctx, 1, &port));
	cr_expect_not(seen[2].call.aside, "the next one is the caller's");
}

Test(trace, a_call_without_a_result)
{
	struct vx_device_list *list;

	made(vx_device_list_get(&list));
	vx_device_list_free(list);
	expect_in(line_of("ibv_get_device_list"), "ibv_get_device_list(num_devices=1) = 0x");
	expect_in(line_of("ibv_free_device_list"), ") = void <");
}

Test(trace, the_parts_of_a_call)
{
	struct vx_pd *other;

	made(vx_pd_create(ctx, NULL, &other));
	cr_expect_eq(lines, 1);
	cr_expect_eq((void *)(uintptr_t)seen[0].call.result, vx_pd_raw(other));
	cr_expect_eq(seen[0].call.code, 0);
	cr_expect_gt(seen[0].call.start, UINT64_C(1500000000) * 1000000000);
	cr_expect_lt(seen[0].call.duration, UINT64_C(60) * 1000000000);
	cr_expect_eq(seen[0].call.thread, getpid());
}

Test(trace, errors_stay_as_they_are)
{
	struct vx_mr *mr;

	errno = 0;
	cr_expect_eq(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_REMOTE_WRITE }, &mr), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "ibv_reg_mr_iova2");
	expect_reason("IBV_ACCESS_REMOTE_WRITE needs IBV_ACCESS_LOCAL_WRITE");
}

/* ---- files ---- */

static char path[] = "/tmp/verbsx-trace-XXXXXX";
static char text[65536];

static void new_file(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	made(vx_trace_file(path));
}

static const char *end_file(void)
{
	FILE *stream;
	size_t len;

	made(vx_trace_file(NULL));
	stream = fopen(path, "r");
	cr_assert_not_null(stream);
	len = fread(text, 1, sizeof(text) - 1, stream);
	text[len] = '\0';
	fclose(stream);
	unlink(path);
	return text;
}

Test(trace, a_file_has_a_line_for_each_call)
{
	struct vx_pd *other;

	new_file();
	made(vx_pd_create(ctx, NULL, &other));
	made(vx_close(other));
	end_file();
	cr_expect_eq(strncmp(text, "ibv_alloc_pd(context=mlx5_0) = mlx5_0 pd ", 41), 0, "%s", text);
	expect_in(text, ">\nibv_dealloc_pd(pd=mlx5_0 pd ");
	cr_expect_str_eq(text + strlen(text) - 2, ">\n");
	cr_expect_eq(lines, 2, "the function is told as well");
}

Test(trace, a_file_is_appended_to)
{
	struct vx_pd *other;

	new_file();
	made(vx_pd_create(ctx, NULL, &other));
	made(vx_trace_file(path));
	made(vx_close(other));
	end_file();
	expect_in(text, "ibv_alloc_pd(");
	expect_in(text, "\nibv_dealloc_pd(");
}

Test(trace, the_name_of_a_file_may_have_the_process)
{
	char name[64];
	struct vx_pd *other;

	snprintf(name, sizeof(name), "/tmp/verbsx-trace-%ld", (long)getpid());
	made(vx_trace_file("/tmp/verbsx-trace-%p"));
	made(vx_pd_create(ctx, NULL, &other));
	made(vx_trace_file("0"));
	cr_expect_eq(unlink(name), 0);
}

Test(trace, a_file_that_cannot_be)
{
	cr_expect_eq(vx_trace_file("/nowhere/at/all"), -ENOENT);
	cr_expect_str_eq(vx_error()->call, "vx_trace_file");
	cr_expect_str_eq(vx_error()->object, "/nowhere/at/all");
}

/* ---- the function ---- */

static void meddle(const struct vx_trace_call *call, void *data)
{
	struct ibv_port_attr port;

	(void)call;
	++*(int *)data;
	cr_expect_eq(vx_ctx_query_port(ctx, 1, &port), 0);
	cr_expect_eq(vx_trace_callback(NULL, NULL), -EDEADLK);
	cr_expect_eq(vx_trace_file(NULL), -EDEADLK);
	cr_expect_eq(vx_trace_counting(true), -EDEADLK);
}

Test(trace, a_function_may_make_calls_itself)
{
	struct vx_pd *other;
	int told = 0;

	made(vx_trace_callback(meddle, &told));
	made(vx_pd_create(ctx, NULL, &other));
	cr_expect_eq(told, 1);
}

/* ---- counting ---- */

static uint64_t count_of(const char *call)
{
	uint64_t count = UINT64_MAX;

	made(vx_trace_count(call, &count));
	return count;
}

Test(trace, calls_are_counted)
{
	struct vx_pd *other;

	made(vx_trace_counting(true));
	made(vx_pd_create(ctx, NULL, &other));
	made(vx_close(other));
	cr_expect_eq(count_of("ibv_alloc_pd"), 1);
	cr_expect_eq(count_of("ibv_dealloc_pd"), 1);
	cr_expect_eq(count_of("ibv_dereg_mr"), 0);
	cr_expect_eq(count_of(NULL), 2);
	made(vx_trace_counting(true));
	cr_expect_eq(count_of(NULL), 0, "from 0 on");
	made(vx_trace_counting(false));
	made(vx_pd_create(ctx, NULL, &other));
	cr_expect_eq(count_of(NULL), 0);
}

Test(trace, a_call_that_is_never_made_has_no_count)
{
	uint64_t count;

	cr_expect_eq(vx_trace_count("ibv_post_srq_ops", &count), -ENOENT);
	cr_expect_eq(vx_trace_count("ibv_alloc_dp", &count), -ENOENT);
	expect_reason("ibv_alloc_dp is no call that libverbsx makes");
}

/* ---- threads ---- */

#define THREADS 4
#define EACH 50

/* Returns what it is given where anything fails. */
static void *make_and_close(void *given)
{
	struct vx_pd *other;
	int i;

	for (i = 0; i < EACH; i++)
		if (vx_pd_create(ctx, NULL, &other) < 0 || vx_close(other) < 0)
			return given;
	return NULL;
}

/* Each line by itself is one of the two, whole. */
static int whole_lines(char *at)
{
	char *next;
	int whole = 0;

	for (; (next = strchr(at, '\n')); at = next + 1) {
		*next = '\0';
		whole += at[0] == '[' && (strstr(at, "] ibv_alloc_pd(context=mlx5_0) = mlx5_0 pd ") ||
					  strstr(at, "] ibv_dealloc_pd(pd=mlx5_0 pd ")) && next[-1] == '>';
	}
	return whole;
}

Test(trace, threads_do_not_mix_their_lines)
{
	pthread_t threads[THREADS];
	void *failed;
	int i;

	made(vx_trace_callback(NULL, NULL));
	new_file();
	made(vx_trace_counting(true));
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, make_and_close, ctx), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		cr_expect_null(failed);
	}
	cr_expect_eq(count_of("ibv_alloc_pd"), THREADS * EACH);
	end_file();
	cr_expect_eq(whole_lines(text), 2 * THREADS * EACH);
}
