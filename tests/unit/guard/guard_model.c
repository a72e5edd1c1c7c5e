/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * How much room a checked QP has, against a model: a provider whose queue has so many slots, which are free when a request that has a
 * completion was polled, those of the requests before it with it. Requests are signaled at random, begun in lists and by posts, aborted
 * and refused.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <verbsx/verbsx.h>

#include "front/front.h"
#include "guard/guard.h"
#include "reach/loader.h"
#include "unit/object/toys.h"

#define DEPTH 13
#define STEPS 20000
#define QPN 17

TestSuite(guard_model);

static struct ibv_qp raw_qp;
static struct ibv_cq_ex raw_cq;
static struct ibv_context cq_context, qp_context;
static struct vx_qp *qp;
static struct vx_cq *cq;

/* The provider's queue: of each request from the oldest on that is not free yet, whether it has a completion, and how many are done. */
static bool signaled[DEPTH];
static unsigned int queued, done, in_list;
static bool list_signaled[DEPTH];
static int answer;
static enum ibv_wc_status status;
static unsigned int polling_us; /* how long it takes it to return with what it has found */
static int found_some;
static unsigned int receives;	/* that are flushed before all else */

static void enqueue(bool has_completion)
{
	cr_assert_lt(queued, DEPTH, "more than the queue has room for");
	signaled[queued++] = has_completion;
}

static void start(struct ibv_qp_ex *ex)
{
	(void)ex;
	in_list = 0;
}

static void write_one(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	(void)rkey;
	(void)remote_addr;
	cr_assert_lt(in_list, DEPTH, "more than the queue has room for");
	list_signaled[in_list++] = ex->wr_flags & IBV_SEND_SIGNALED;
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	(void)ex;
	(void)lkey;
	(void)addr;
	(void)length;
}

static int complete(struct ibv_qp_ex *ex)
{
	unsigned int i;

	(void)ex;
	for (i = 0; i < in_list && !answer; i++)
		enqueue(list_signaled[i]);
	return answer;
}

static void abort_list(struct ibv_qp_ex *ex)
{
	(void)ex;
	in_list = 0;
}

static bool says_which; /* it refused */

/* Refuses all from the second on, where it is to refuse. */
static int post(struct ibv_qp *which, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)which;
	for (; wr; wr = wr->next) {
		if (answer && wr->wr_id) {
			if (says_which)
				*bad = wr;
			return answer;
		}
		enqueue(wr->send_flags & IBV_SEND_SIGNALED);
	}
	return 0;
}

/* All up to the first completion have gone through, which frees them. */
static int poll_cq(struct ibv_cq *which, int entries, struct ibv_wc *wc)
{
	unsigned int first = 0, i;

	(void)which;
	(void)entries;
	if (receives) {
		receives--;
		*wc = (struct ibv_wc){ .qp_num = QPN, .status = IBV_WC_WR_FLUSH_ERR };
		return 1;
	}
	while (first < queued && !signaled[first])
		first++;
	if (first >= queued)
		return 0;
	*wc = (struct ibv_wc){ .qp_num = QPN, .opcode = IBV_WC_RDMA_WRITE, .status = status };
	for (i = first + 1; i < queued; i++)
		signaled[i - first - 1] = signaled[i];
	queued -= first + 1;
	done++;
	if (polling_us) {
		__atomic_store_n(&found_some, 1, __ATOMIC_RELEASE);
		usleep(polling_us);
	}
	return 1;
}

static int receive(struct ibv_qp *which, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)which;
	(void)bad;
	for (; wr; wr = wr->next)
		receives++;
	return 0;
}

static void *uses[2];

/* On which port the QP is, of which it could be asked how long a message may be. */
static int tell_nothing(struct ibv_qp *which, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)which, (void)attr, (void)mask, (void)init;
	return EOPNOTSUPP;
}

static void begin_qp(void)
{
	const struct ibv_qp_init_attr_ex sizes = { .cap = { .max_send_wr = DEPTH, .max_send_sge = 1, .max_recv_wr = 2 }, .send_ops_flags = UINT64_MAX };
	struct ibv_qp_ex *provider = vx_front_new(sizeof(*provider), "begin");

	raw_qp = (struct ibv_qp){ .context = &qp_context, .qp_num = QPN, .state = IBV_QPS_RTS, .qp_type = IBV_QPT_RC, .send_cq = (struct ibv_cq *)(void *)&raw_cq };
	raw_qp.recv_cq = raw_qp.send_cq;
	qp_context.ops.post_send = post;
	qp_context.ops.post_recv = receive;
	qp = (struct vx_qp *)make_with(VX_OBJECT_QP, &raw_qp, uses, 2);
	*provider = (struct ibv_qp_ex){ .qp_base = raw_qp, .wr_start = start, .wr_complete = complete, .wr_abort = abort_list,
					.wr_rdma_write = write_one, .wr_set_sge = set_sge };
	vx_front_put((struct vx_node *)qp, provider);
	cr_assert_eq(vx_loader_replace("ibv_query_qp", (vx_function)tell_nothing), 0);
	cr_assert_eq(vx_guard_put_qp((struct vx_node *)qp, &sizes, "begin"), 0);
}

static void begin(void)
{
	uses[0] = make_root();
	raw_cq = (struct ibv_cq_ex){ .context = &cq_context };
	cq_context.ops.poll_cq = poll_cq;
	uses[1] = cq = (struct vx_cq *)make_with(VX_OBJECT_CQ, &raw_cq, uses, 1);
	begin_qp();
	queued = done = in_list = receives = 0;
	answer = 0;
	says_which = true;
	status = IBV_WC_SUCCESS;
	polling_us = 0;
}

static uint32_t room(void)
{
	uint32_t out;

	cr_assert_eq(vx_qp_room(qp, &out), 0);
	return out;
}

static unsigned int some_flags(void)
{
	return rand() % 3 ? 0 : IBV_SEND_SIGNALED;
}

static void post_a_list(void)
{
	const unsigned int count = (unsigned int)rand() % 5, free_slots = DEPTH - queued;
	struct vx_wr *wr = vx_wr_start(qp);
	unsigned int i;

	for (i = 0; i < count; i++) {
		vx_wr_rdma_write(wr, i, some_flags(), 0, 0);
		vx_wr_set_sge(wr, 0, 0, 0);
	}
	if (rand() % 8 == 0) {
		vx_wr_abort(wr);
		return;
	}
	answer = rand() % 8 ? 0 : EINVAL;
	if (count > free_slots)
		cr_expect_eq(vx_wr_complete(wr), -EAGAIN);
	else
		cr_expect_eq(!vx_wr_complete(wr), !answer);
	answer = 0;
}

/* With a provider that may refuse the second. */
static void post_two(void)
{
	struct ibv_send_wr second = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = some_flags() };
	struct ibv_send_wr first = { .next = &second, .opcode = IBV_WR_RDMA_WRITE, .send_flags = some_flags() }, *bad = NULL;
	const unsigned int free_slots = DEPTH - queued;
	int rc;

	answer = rand() % 8 ? 0 : EINVAL;
	rc = vx_qp_post_send(qp, &first, &bad);
	if (free_slots < 2) {
		cr_expect_eq(rc, -EAGAIN);
		cr_expect_eq(bad, free_slots ? &second : &first);
	} else
		cr_expect_eq(bad, answer ? &second : NULL);
	answer = 0;
}

static void poll_one(void)
{
	struct ibv_wc wc;

	cr_expect_geq(vx_cq_poll(cq, 1, &wc), 0);
}

/* A queue of which nothing has a completion is full for good, as it is with a provider. */
static void reset(void)
{
	vx_guard_modifying(qp);
	queued = 0;
	raw_qp.state = IBV_QPS_RESET;
	vx_guard_modified(qp);
	raw_qp.state = IBV_QPS_RTS;
	vx_guard_modified(qp);
}

static bool is_stuck(void)
{
	unsigned int i;

	for (i = 0; i < queued; i++)
		if (signaled[i])
			return false;
	return queued == DEPTH;
}

static void compare(int steps)
{
	void (*const acts[])(void) = { post_a_list, post_two, poll_one, poll_one };
	int i;

	srand(1);
	for (i = 0; i < steps; i++) {
		acts[rand() % 4]();
		cr_assert_eq(room(), DEPTH - queued, "step %d: %u is not %u", i, room(), DEPTH - queued);
		if (is_stuck() || rand() % 500 == 0)
			reset();
	}
}

Test(guard_model, has_as_much_room_as_the_provider)
{
	begin();
	compare(STEPS);
	cr_expect_gt(done, STEPS / 10);
}

/* Of a queue that is never reset they come round within minutes. */
Test(guard_model, has_it_while_its_counts_come_round)
{
	struct vx_guard_qp *guard;

	begin();
	guard = vx_guard_before_qp((struct vx_node *)qp);
	guard->posted = UINT32_MAX - 40;
	guard->limit = guard->posted + DEPTH;
	guard->marks = guard->count->polled = UINT32_MAX - 20;
	guard->mark[(guard->marks - 1) & guard->mask] = guard->posted;
	compare(200);
	cr_expect_lt(guard->marks, 1000, "they were to come round");
	cr_expect_lt(guard->posted, 1000);
}

/* Each frees at least one, and no more than there are. */
Test(guard_model, frees_what_failed)
{
	struct ibv_wc wc;

	begin();
	status = IBV_WC_WR_FLUSH_ERR;
	while (!vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, NULL, 0, 0, 0))
		;
	cr_expect_eq(room(), 0);
	while (vx_cq_poll(cq, 1, &wc) == 1)
		cr_expect_geq(room(), DEPTH - queued);
	cr_expect_eq(room(), DEPTH);
}

/* They have no opcode, so they are counted with requests to send, of which they tell nothing. */
Test(guard_model, frees_nothing_of_what_was_posted_since_receives_failed)
{
	unsigned int i;

	begin();
	cr_expect_eq(vx_qp_post_recv_one(qp, 1, NULL, 0), 0, "%s", vx_error_text());
	cr_expect_eq(vx_qp_post_recv_one(qp, 1, NULL, 0), 0, "%s", vx_error_text());
	poll_one();
	poll_one();
	cr_expect_eq(receives, 0);
	for (i = 0; i < DEPTH; i++)
		cr_expect_eq(vx_qp_post_rdma_write(qp, 1, 0, NULL, 0, 0, 0), 0, "%u: %s", i, vx_error_text());
	cr_expect_eq(vx_qp_post_rdma_write(qp, 1, 0, NULL, 0, 0, 0), -EAGAIN);
	cr_expect_eq(room(), 0);
	cr_expect_eq(queued, DEPTH);
	for (i = 0; i < DEPTH; i++)
		signaled[i] = true; /* as each that is flushed completes */
	status = IBV_WC_WR_FLUSH_ERR;
	while (queued)
		poll_one();
	cr_expect_eq(room(), DEPTH);
}

/* What a list has begun that is open is not posted: of a queue whose completions nobody counts it is let pass once it is. */
Test(guard_model, frees_nothing_of_a_list_that_is_open)
{
	struct vx_wr *wr;
	unsigned int i;

	begin();
	vx_guard_before_qp((struct vx_node *)qp)->count = NULL;
	wr = vx_wr_start(qp);
	for (i = 0; i <= DEPTH; i++) {
		vx_wr_rdma_write(wr, i, 0, 0, 0);
		vx_wr_set_sge(wr, 0, 0, 0);
	}
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	cr_expect_eq(queued, 0);
}

static void *poll_elsewhere(void *unused)
{
	poll_one();
	return unused;
}

/* What another thread has polled and not counted yet is of the life before. */
Test(guard_model, has_no_more_room_by_what_completed_before_a_reset)
{
	pthread_t thread;

	begin();
	polling_us = 20000;
	cr_expect_eq(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, NULL, 0, 0, 0), 0);
	cr_assert_eq(pthread_create(&thread, NULL, poll_elsewhere, NULL), 0);
	while (!__atomic_load_n(&found_some, __ATOMIC_ACQUIRE))
		;
	reset();
	cr_assert_eq(pthread_join(thread, NULL), 0);
	while (!vx_qp_post_rdma_write(qp, 1, IBV_SEND_SIGNALED, NULL, 0, 0, 0))
		;
	cr_expect_eq(queued, DEPTH);
}

static const struct vx_guard_count *list_of(const struct vx_guard_cq *counting)
{
	return counting->lists[QPN % (sizeof(counting->lists) / sizeof(counting->lists[0]))];
}

/* Its counts stay, as somebody may be polling, but are nobody's until another has them. */
Test(guard_model, ends_before_its_cq)
{
	const struct vx_guard_cq *counting;
	const struct vx_guard_count *counts;
	struct ibv_wc wc;

	begin();
	counting = ((struct vx_node *)cq)->object.front;
	cr_expect_eq(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, NULL, 0, 0, 0), 0);
	counts = list_of(counting);
	cr_assert_not_null(counts);
	cr_expect_eq(vx_close(qp), 0);
	cr_expect_eq(vx_cq_poll(cq, 1, &wc), 1);
	cr_expect_eq(counts->polled, 0);
	cr_expect_eq(counting->counted, 0);
	begin_qp();
	cr_expect_eq(list_of(counting), counts, "the next has them again");
	cr_expect_eq(room(), DEPTH);
	cr_expect_eq(vx_close(qp), 0);
	cr_expect_eq(vx_close(cq), 0);
}

/* Some return a code before they look at the list; what the program has there is none of its requests then, or any. */
Test(guard_model, of_a_provider_that_does_not_say_which_it_refused_takes_the_first)
{
	struct ibv_send_wr third = { .wr_id = 2, .opcode = IBV_WR_RDMA_WRITE }, second = { .wr_id = 1, .next = &third, .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_send_wr first = { .wr_id = 3, .next = &second, .opcode = IBV_WR_RDMA_WRITE }, *bad = &third;

	begin();
	says_which = false;
	answer = EOPNOTSUPP;
	cr_expect_eq(vx_qp_post_send(qp, &first, &bad), -EOPNOTSUPP);
	cr_expect_eq(bad, &first);
	cr_expect_eq(room(), DEPTH);
	vx_close(cq);
}

static void fill_queue(void)
{
	int i;

	for (i = 0; i < DEPTH; i++)
		cr_expect_eq(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, NULL, 0, 0, 0), 0, "%d: %s", i, vx_error_text());
}

/* As librxe does: they are taken for those of the new life, whose requests are let pass too early, but only until all has completed. */
Test(guard_model, gets_over_completions_that_a_reset_has_left)
{
	begin();
	fill_queue();
	vx_guard_modifying(qp);
	raw_qp.state = IBV_QPS_RESET;
	vx_guard_modified(qp);
	raw_qp.state = IBV_QPS_RTS;
	vx_guard_modified(qp);
	while (queued)
		poll_one();
	fill_queue();
	while (queued)
		poll_one();
	cr_expect_eq(room(), DEPTH);
	fill_queue();
	cr_expect_eq(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, NULL, 0, 0, 0), -EAGAIN);
	cr_expect_eq(room(), 0);
}
