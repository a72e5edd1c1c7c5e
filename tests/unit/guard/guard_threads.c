/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A checked QP that many threads post to, and whose CQ many poll. ThreadSanitizer looks on, in unit.post_tsan. */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "unit/post/bed.h"

#define POSTERS 3
#define POLLERS 2
#define LISTS 200
#define ALL (POSTERS * LISTS * 2)

static struct vx_cq *shared_cq;
static struct vx_qp *shared;
static struct vx_mr *mr;
static uint32_t completed, failed;

static void open_shared(void)
{
	struct vx_qp_init init = { .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE, .cap.max_send_wr = 8, .checked = true };

	open_device();
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .cqe = 1000 }, &shared_cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	init.send_cq = init.recv_cq = shared_cq;
	made(vx_qp_create(pd, &init, &shared));
	made(vx_qp_to_init(shared, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(shared, shared);
}

TestSuite(guard_threads, .init = open_shared, .fini = close_device, .timeout = 60);

/* ---- a thread domain ---- */

static struct vx_qp *qp_of_one_thread(void)
{
	struct vx_qp_init init = { .send_cq = shared_cq, .recv_cq = shared_cq, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE, .cap.max_send_wr = 8, .checked = true };
	struct vx_pd *domain;
	struct vx_qp *out;
	struct vx_td *td;

	made(vx_td_create(ctx, NULL, &td));
	made(vx_parent_domain_create(pd, &(struct vx_parent_domain_init){ .td = td }, &domain));
	made(vx_qp_create(domain, &init, &out));
	made(vx_qp_to_init(out, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(out, out);
	return out;
}

static int begin_and_complete(void)
{
	struct vx_wr *wr = vx_wr_start(shared);

	vx_wr_rdma_write(wr, 1, IBV_SEND_SIGNALED, 0, 0);
	vx_wr_set_sge(wr, 0, 0, 0);
	return vx_wr_complete(wr);
}

static void *break_promise(void *unused)
{
	if (vx_wr_complete(vx_wr_start(shared)) != -EINVAL)
		return (void *)"a list was begun within that of another thread";
	if (vx_qp_post_rdma_write(shared, 3, IBV_SEND_SIGNALED, NULL, 0, 0, 0) != -EBUSY)
		return (void *)"a request was posted within the list of another thread";
	return unused;
}

/* Nobody waits for what the program has promised not to happen. */
Test(guard_threads, are_told_of_a_thread_domain_that_is_not_kept_to)
{
	pthread_t other;
	struct vx_wr *wr;
	void *wrong;

	shared = qp_of_one_thread();
	wr = vx_wr_start(shared);
	cr_assert_eq(pthread_create(&other, NULL, break_promise, NULL), 0);
	cr_assert_eq(pthread_join(other, &wrong), 0);
	cr_expect_null(wrong, "%s", (const char *)wrong);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("vx_wr_start() was called before vx_wr_start() or after vx_wr_complete(), or by another thread, though the thread domain");
	cr_expect_eq(begin_and_complete(), 0);
}

static const void *function_that_polls(const struct vx_cq *polled)
{
	const struct ibv_cq *front = ((const struct vx_object *)(const void *)polled)->front;

	return (const void *)(uintptr_t)front->context->ops.poll_cq;
}

/* Where nobody else polls nobody waits, so that another function does, and all is counted. */
static void expect_all_counted_in(struct vx_cq_init init)
{
	struct vx_cq *waits;
	struct ibv_wc wc;
	uint32_t before, left;
	int i, rc;

	init.cqe = 16;
	init.checked = true;
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .checked = true }, &waits));
	made(vx_cq_create(ctx, &init, &shared_cq));
	cr_expect_neq(function_that_polls(shared_cq), function_that_polls(waits));
	shared = qp_of_one_thread();
	made(vx_qp_room(shared, &before));
	for (i = 0; i < 20; i++) {
		cr_assert_eq(begin_and_complete(), 0, "%s", vx_error_text());
		while (!(rc = vx_cq_poll(shared_cq, 1, &wc)))
			;
		cr_assert_eq(rc, 1, "%s", vx_error_text());
	}
	made(vx_qp_room(shared, &left));
	cr_expect_eq(left, before);
}

Test(guard_threads, of_a_thread_domain_count_in_its_cq)
{
	struct vx_pd *domain;
	struct vx_td *td;

	made(vx_td_create(ctx, NULL, &td));
	made(vx_parent_domain_create(pd, &(struct vx_parent_domain_init){ .td = td }, &domain));
	expect_all_counted_in((struct vx_cq_init){ .parent_domain = domain });
}

Test(guard_threads, count_in_a_cq_that_one_of_them_polls)
{
	expect_all_counted_in((struct vx_cq_init){ .flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED });
}

/* ---- many threads ---- */

static int post_list(void)
{
	const uint64_t at = (uintptr_t)vx_mr_addr(mr);
	struct vx_wr *wr = vx_wr_start(shared);

	vx_wr_rdma_write(wr, 1, 0, vx_mr_rkey(mr), at);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), at + 1024, 8);
	vx_wr_rdma_write(wr, 2, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), at + 2048, 8);
	return vx_wr_complete(wr);
}

static int post_one(void)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(mr) + 512, 8, vx_mr_lkey(mr) };

	return vx_qp_post_rdma_write(shared, 3, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(mr), (uintptr_t)vx_mr_addr(mr));
}

/* A queue that is full is nothing wrong; each thread has regions of its own that come and go. */
static void *post(void *unused)
{
	struct vx_mr *own;
	int i, rc;

	for (i = 0; i < 2 * LISTS;) {
		rc = i % 2 ? post_one() : post_list();
		if (rc == -EAGAIN) {
			sched_yield();
			continue;
		}
		if (rc < 0 || vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &own) < 0)
			return (void *)"a request was refused";
		vx_close(own);
		i++;
	}
	return unused;
}

static void *poll(void *unused)
{
	struct ibv_wc wc[4];
	int i, count;

	while (__atomic_load_n(&completed, __ATOMIC_RELAXED) < ALL) {
		count = vx_cq_poll(shared_cq, 4, wc);
		for (i = 0; i < count; i++)
			if (wc[i].status)
				__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
		if (count > 0)
			__atomic_fetch_add(&completed, (uint32_t)count, __ATOMIC_RELAXED);
		else
			sched_yield();
	}
	return unused;
}

Test(guard_threads, post_and_poll_at_once)
{
	pthread_t threads[POSTERS + POLLERS];
	uint32_t room;
	void *wrong;
	int i;

	for (i = 0; i < POSTERS + POLLERS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, i < POSTERS ? post : poll, NULL), 0);
	for (i = 0; i < POSTERS + POLLERS; i++) {
		cr_assert_eq(pthread_join(threads[i], &wrong), 0);
		cr_expect_null(wrong, "%s", (const char *)wrong);
	}
	cr_expect_eq(completed, ALL);
	cr_expect_eq(failed, 0);
	made(vx_qp_room(shared, &room));
	cr_expect_geq(room, 8);
}

static void *reset(void *unused)
{
	return vx_qp_reset(shared) < 0 ? (void *)"it was not reset" : unused;
}

/* The provider would begin the queue anew under a list that goes on at its old end. */
Test(guard_threads, reset_between_lists)
{
	const uint64_t at = (uintptr_t)vx_mr_addr(mr);
	struct vx_wr *wr = vx_wr_start(shared);
	pthread_t thread;
	uint32_t room;
	void *wrong;

	vx_wr_rdma_write(wr, 1, IBV_SEND_SIGNALED, vx_mr_rkey(mr), at);
	vx_wr_set_sge(wr, vx_mr_lkey(mr), at + 1024, 8);
	cr_assert_eq(pthread_create(&thread, NULL, reset, NULL), 0);
	usleep(20000);
	cr_expect_eq(vx_qp_raw(shared)->state, IBV_QPS_RTS, "it waits");
	made(vx_qp_room(shared, &room));
	made(vx_wr_complete(wr));
	cr_assert_eq(pthread_join(thread, &wrong), 0);
	cr_expect_null(wrong, "%s", (const char *)wrong);
	cr_expect_eq(post_list(), -EINVAL, "it is in RESET");
	made(vx_qp_to_init(shared, &(struct vx_path){ .access = IBV_ACCESS_REMOTE_WRITE }));
	connect_to(shared, shared);
	cr_expect_eq(post_list(), 0, "%s", vx_error_text());
	made(vx_qp_room(shared, &room));
	cr_expect_geq(room, 6);
}

/* ---- the first of a CQ ---- */

static struct vx_qp *qp_of(struct vx_cq *of, bool is_checked)
{
	struct vx_qp *out;

	return vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = of, .recv_cq = of, .checked = is_checked }, &out) < 0 ? NULL : out;
}

static void *close_others(void *of)
{
	struct vx_qp *other;
	int i;

	for (i = 0; i < 5; i++) {
		other = qp_of(of, false);
		if (!other || vx_close(other) < 0)
			return (void *)"a QP was not made and closed";
	}
	return NULL;
}

/* Whoever closes looks for loops over the completions of the CQ, which is about to get a guard. */
Test(guard_threads, are_the_first_while_others_close)
{
	pthread_t thread;
	struct vx_cq *of;
	void *wrong;
	int i;

	for (i = 0; i < 20; i++) {
		made(vx_cq_create(ctx, NULL, &of));
		cr_assert_eq(pthread_create(&thread, NULL, close_others, of), 0);
		cr_expect(qp_of(of, true), "%s", vx_error_text());
		cr_assert_eq(pthread_join(thread, &wrong), 0);
		cr_expect_null(wrong, "%s", (const char *)wrong);
		made(vx_close(of));
	}
}
