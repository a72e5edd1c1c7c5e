/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What librdmacm lends is of all ids: who closes it gives back what he was given, and takes nothing along. */

#define _GNU_SOURCE /* syscall(2) */

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"
#include "unit/asleep.h"

TestSuite(cm_lent, .init = open_device, .fini = close_device);

Test(cm_lent, closing_a_pd_leaves_the_qps_of_ids)
{
	struct vx_pd *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	cr_expect_not_null(vx_cm_id_raw(pair.passive)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, closing_a_context_leaves_what_ids_have_on_it)
{
	struct vx_ctx *lent, *listed;
	struct pair pair;
	size_t count;

	made(vx_cm_contexts(&listed, 1, &count)); /* before an id has anything on it */
	pair_connect(&pair);
	made(vx_close(listed));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_cm_id_ctx(pair.passive, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.passive)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, closing_a_cq_leaves_the_qp_that_librdmacm_made_it_for)
{
	struct vx_cq *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_recv_cq(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, what_is_closed_too_often_names_a_user)
{
	struct vx_pd *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_eq(vx_close(lent), -EBUSY);
	expect_reason("it was closed as often as it was given, and ");
	expect_reason("cm_qp ");
	made(vx_close(pair.channel));
}

/* librdmacm may give the same address to the next. */
Test(cm_lent, a_pd_goes_with_the_last_id_and_what_was_made_on_it)
{
	static char buf[64];
	const int before = live(NULL);
	struct vx_pd *lent;
	struct vx_mr *mr;
	struct vx_ctx *ctx_of;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_ctx(pair.active, &ctx_of));
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .addr = buf, .length = sizeof(buf) }, &mr));
	made(vx_close(lent));
	made(vx_close(pair.channel));
	made(vx_close(ctx_of));
	cr_expect_eq(live(NULL), before);
}

Test(cm_lent, all_ids_of_a_device_share_a_context_and_a_pd)
{
	struct vx_ctx *first, *second;
	struct vx_pd *one, *other;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_ctx(pair.active, &first));
	made(vx_cm_id_ctx(pair.passive, &second));
	cr_expect_eq(first, second);
	cr_expect_neq(first, ctx, "the program's own is another one");
	made(vx_cm_id_pd(pair.active, &one));
	made(vx_cm_id_pd(pair.passive, &other));
	cr_expect_eq(one, other);
	made(vx_close(pair.channel));
	made(vx_close(first));
	made(vx_close(second));
}

Test(cm_lent, what_is_made_on_the_lent_context_outlives_ids)
{
	struct vx_ctx *lent;
	struct vx_pd *own;
	struct vx_cq *cq;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_ctx(pair.active, &lent));
	made(vx_pd_create(lent, NULL, &own));
	made(vx_cq_create(lent, NULL, &cq));
	made(vx_cm_qp_create(pair.active, &(struct vx_cm_qp_init){ .pd = own, .send_cq = cq, .recv_cq = cq }, &pair.active_qp));
	made(vx_close(pair.channel));
	made(vx_cq_req_notify(cq, 0));
	made(vx_close(own));
	made(vx_close(cq));
	made(vx_close(lent));
}

Test(cm_lent, closing_a_cq_closes_the_qp_of_an_id)
{
	struct vx_ctx *lent;
	struct vx_cq *cq;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_ctx(pair.active, &lent));
	made(vx_cq_create(lent, NULL, &cq));
	made(vx_cm_qp_create(pair.active, &(struct vx_cm_qp_init){ .send_cq = cq, .recv_cq = cq }, &pair.active_qp));
	made(vx_close(cq));
	cr_expect_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_close(pair.channel));
	made(vx_close(lent));
}

Test(cm_lent, the_cqs_that_librdmacm_made_go_with_the_qp)
{
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct pair pair;
	int before;

	pair_resolve(&pair, RDMA_PS_TCP);
	before = live(NULL);
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_cm_id_recv_cq(pair.active, &cq));
	made(vx_cm_id_recv_cq_channel(pair.active, &channel));
	made(vx_close(pair.active_qp));
	cr_expect_eq(live(NULL), before);
	cr_expect_eq(vx_cm_id_recv_cq(pair.active, &cq), -ENOENT);
	expect_reason("there is no CQ that librdmacm made");
	made(vx_close(pair.channel));
}

struct sleeper {
	struct vx_poller *poller;
	pid_t thread;
};

static void *sleep_in(void *arg)
{
	struct sleeper *sleeper = arg;
	struct ibv_wc wc;

	__atomic_store_n(&sleeper->thread, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	vx_poller_poll(sleeper->poller, 1, &wc, WITHIN);
	return NULL;
}

/* Who sleeps in a poller of such a CQ stands in the way, and the peer is not told of what did not happen. */
Test(cm_lent, what_cannot_be_closed_stays_connected)
{
	char buf[8] = "", answer[8] = "";
	struct sleeper sleeper = { .thread = 0 };
	struct vx_comp_channel *its_channel;
	struct pair pair;
	struct vx_cq *lent;
	pthread_t thread;
	struct ibv_wc wc;

	pair_connect(&pair);
	made(vx_cm_id_recv_cq(pair.active, &lent));
	made(vx_cm_id_recv_cq_channel(pair.active, &its_channel));
	made(vx_poller_create(lent, &(struct vx_poller_init){ .mode = VX_POLLER_SLEEP }, &sleeper.poller));
	cr_assert_eq(pthread_create(&thread, NULL, sleep_in, &sleeper), 0);
	while (!is_asleep(&sleeper.thread))
		usleep(1000);
	cr_expect_eq(vx_close(pair.active_qp), -EBUSY);
	cr_expect_eq(vx_close(pair.active), -EBUSY);
	made(vx_cm_id_post_recv(pair.passive, NULL, answer, sizeof(answer), pair_region(pair.passive, answer, sizeof(answer))));
	made(vx_cm_id_post_send(pair.active, NULL, buf, sizeof(buf), pair_region(pair.active, buf, sizeof(buf)), IBV_SEND_SIGNALED));
	cr_expect_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1);
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	vx_poller_wake(sleeper.poller);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	made(vx_close(pair.channel));
}

/* Of what an id has of librdmacm one thing may be in use, whichever it is: the others keep their handles, and what was made of these. */
static void expect_all_stays(struct vx_cq *used, struct vx_cq *other, void *closed)
{
	struct sleeper sleeper = { .thread = 0 };
	struct vx_poller *idle;
	pthread_t thread;

	made(vx_poller_create(used, &(struct vx_poller_init){ .mode = VX_POLLER_SLEEP }, &sleeper.poller));
	made(vx_poller_create(other, NULL, &idle));
	cr_assert_eq(pthread_create(&thread, NULL, sleep_in, &sleeper), 0);
	while (!is_asleep(&sleeper.thread))
		usleep(1000);
	cr_expect_eq(vx_close(closed), -EBUSY);
	cr_assert_eq(vx_object_kind_of(idle), VX_OBJECT_POLLER, "it was closed");
	vx_poller_wake(sleeper.poller);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	made(vx_close(idle));
	made(vx_close(sleeper.poller));
}

Test(cm_lent, what_cannot_be_closed_keeps_what_librdmacm_made_for_it)
{
	struct vx_cq *sends, *receives;
	struct vx_comp_channel *channel;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_send_cq(pair.active, &sends));
	made(vx_cm_id_recv_cq(pair.active, &receives));
	made(vx_cm_id_send_cq_channel(pair.active, &channel));
	made(vx_cm_id_recv_cq_channel(pair.active, &channel));
	expect_all_stays(sends, receives, pair.active_qp);
	expect_all_stays(receives, sends, pair.active_qp);
	expect_all_stays(sends, receives, pair.active);
	expect_all_stays(receives, sends, pair.active);
	made(vx_close(pair.channel));
}

/* Of a QP that has no handle an id asks by itself. */
Test(cm_lent, an_id_keeps_all_of_what_librdmacm_made_for_it)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	struct vx_cq *sends, *receives;
	struct vx_comp_channel *channel;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	cr_assert_eq(rdma_create_qp(vx_cm_id_raw(pair.active), NULL, &init), 0);
	made(vx_cm_id_send_cq(pair.active, &sends));
	made(vx_cm_id_recv_cq(pair.active, &receives));
	made(vx_cm_id_send_cq_channel(pair.active, &channel));
	made(vx_cm_id_recv_cq_channel(pair.active, &channel));
	expect_all_stays(sends, receives, pair.active);
	expect_all_stays(receives, sends, pair.active);
	rdma_destroy_qp(vx_cm_id_raw(pair.active));
	made(vx_close(pair.channel));
}

Test(cm_lent, an_srq_of_an_id_is_that_of_its_qp)
{
	struct vx_srq *srq, *lent;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_srq_create(pair.active, NULL, &srq));
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	cr_expect_eq(vx_qp_raw(pair.active_qp)->srq, vx_srq_raw(srq));
	made(vx_cm_id_srq(pair.active, &lent));
	cr_expect_eq(lent, srq, "the handle that it has");
	cr_expect_eq(vx_cm_srq_create(pair.active, NULL, &lent), -EINVAL);
	expect_reason("has an SRQ already");
	made(vx_close(srq)); /* as often as it was given */
	made(vx_close(srq));
	cr_expect_null(vx_cm_id_raw(pair.active)->qp, "it depends on the SRQ, whose end librdmacm does not look at");
	made(vx_cm_srq_create(pair.active, NULL, &srq));
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(vx_close(pair.channel));
}

Test(cm_lent, the_pd_of_librdmacm_is_nothing_to_a_qp_of_another)
{
	struct vx_pd *lent, *own;
	struct vx_ctx *shared;
	struct pair pair;

	pair_resolve(&pair, RDMA_PS_TCP);
	made(vx_cm_id_ctx(pair.active, &shared));
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_pd_create(shared, NULL, &own));
	made(vx_cm_qp_create(pair.active, &(struct vx_cm_qp_init){ .pd = own }, &pair.active_qp));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_close(own));
	cr_expect_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_close(pair.channel));
	made(vx_close(shared));
}

/* ---- while another thread closes it ---- */

static struct pair pair_of_two;
static struct vx_ctx *ctx_of;
static struct vx_cq *cq_of;
static struct vx_pd *pd_of;
static struct vx_dispatcher *dispatcher;
static struct vx_qp *borrowed;
static pthread_barrier_t inside;
static int was_told;

static void *close_borrowed(void *nothing)
{
	pthread_barrier_wait(&inside);
	made(vx_close(borrowed));
	return nothing;
}

/* The other thread waits until this has returned, which would wait until that has closed the QP, to close it with its id. */
static void close_id_meanwhile(const struct ibv_wc *wc, void *nothing)
{
	(void)wc;
	pthread_barrier_wait(&inside);
	while (vx_dispatcher_add(dispatcher, borrowed, close_id_meanwhile, nothing) != -EBUSY)
		usleep(100);
	was_told = vx_close(pair_of_two.active);
	expect_reason("another thread closes the qp, and waits until the function of the program returns that calls this");
}

/* A QP that the id has without libverbsx, so its handle does not depend on that of the id. */
static void borrow_qp_of(struct vx_cm_id *id)
{
	struct ibv_recv_wr wr = { 0 };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };

	made(vx_cm_id_ctx(id, &ctx_of));
	made(vx_cq_create(ctx_of, NULL, &cq_of));
	made(vx_pd_create(ctx_of, NULL, &pd_of));
	init.send_cq = init.recv_cq = vx_cq_raw(cq_of);
	cr_assert_eq(rdma_create_qp(vx_cm_id_raw(id), vx_pd_raw(pd_of), &init), 0);
	made(vx_qp_borrow(pd_of, vx_cm_id_raw(id)->qp, &borrowed));
	made(vx_dispatcher_create(cq_of, NULL, &dispatcher));
	made(vx_dispatcher_add(dispatcher, borrowed, close_id_meanwhile, NULL));
	made(vx_qp_post_recv(borrowed, &wr, NULL));
	made(vx_qp_to_err(borrowed));
}

Test(cm_lent, is_not_waited_for_by_a_function_that_who_closes_it_waits_for)
{
	pthread_t thread;

	pair_resolve(&pair_of_two, RDMA_PS_TCP);
	borrow_qp_of(pair_of_two.active);
	pthread_barrier_init(&inside, NULL, 2);
	cr_assert_eq(pthread_create(&thread, NULL, close_borrowed, NULL), 0);
	while (!vx_dispatcher_poll(dispatcher, 1))
		usleep(100);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(was_told, -EDEADLK);
	rdma_destroy_qp(vx_cm_id_raw(pair_of_two.active));
	made(vx_close(pair_of_two.channel));
	made(vx_close(pd_of));
	made(vx_close(cq_of));
	made(vx_close(ctx_of));
}
