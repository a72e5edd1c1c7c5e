/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Threads that are cancelled in the midst of a call of verbs, which no kernel's ioctl(2) is: the device is there for others. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>

#include "selftest.h"

TestSuite(cancelled, .init = open_mlx5, .fini = close_bed, .timeout = 60);

enum {
	ROUNDS = 40
};

static int umad;

static void query(void)
{
	struct ibv_device_attr attr;

	cr_expect_eq(ibv_query_device(bed.ctx, &attr), 0);
}

static void register_memory(void)
{
	static char memory[4096];
	struct ibv_mr *mr = ibv_reg_mr(bed.pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);

	cr_expect_not_null(mr);
	if (mr)
		ibv_dereg_mr(mr);
}

static void make_cq(void)
{
	struct ibv_cq *cq = ibv_create_cq(bed.ctx, 4, NULL, NULL, 0);

	cr_expect_not_null(cq);
	if (cq)
		ibv_destroy_cq(cq);
}

/* Nobody's agent has this number */
static void call_umad(void)
{
	uint32_t agent = 31;

	cr_expect(ioctl(umad, IB_USER_MAD_UNREGISTER_AGENT, &agent) && errno == EINVAL);
}

static void fail_nothing(void)
{
	emu_fail(NULL);
}

struct call {
	void (*make)(void);
	bool returned;
};

static void *cancel_in(void *passed)
{
	struct call *call = passed;

	pthread_cancel(pthread_self());
	call->make();
	call->returned = true;
	pthread_testcancel();
	return NULL;
}

/* Now and then the device sleeps, and is woken. */
static void expect_to_return(void (*make)(void))
{
	for (int i = 0; i < ROUNDS; i++) {
		struct call call = { make, false };
		pthread_t thread;
		void *left;

		usleep(1000);
		cr_assert_eq(pthread_create(&thread, NULL, cancel_in, &call), 0);
		pthread_join(thread, &left);
		cr_assert(call.returned, "round %d", i);
		cr_expect_eq(left, PTHREAD_CANCELED);
	}
}

Test(cancelled, a_query_returns)
{
	expect_to_return(query);
}

Test(cancelled, so_does_a_registration)
{
	expect_to_return(register_memory);
}

Test(cancelled, so_does_what_makes_and_ends)
{
	expect_to_return(make_cq);
}

Test(cancelled, so_does_what_changes_the_device)
{
	expect_to_return(fail_nothing);
}

Test(cancelled, so_does_a_call_of_a_node_for_mads)
{
	umad = open("/dev/infiniband/umad0", O_RDWR);
	CHECK(umad >= 0);
	expect_to_return(call_umad);
	CHECK(!close(umad));
}
