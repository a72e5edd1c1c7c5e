/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the emulated device costs: the time of one small message, how many go through in a
 * second and what each takes of the CPU, and the share of a core that it takes when idle.
 *
 *	LD_PRELOAD=./libverbsx-emu.so ./verbsx-emu-bench
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define QUEUE 512
#define LATENCY_ROUNDS 20000
#define RATE_ROUNDS 4
#define RATE_MESSAGES 100000 /* in each */
#define MULTIPLICATIONS 20000000
#define SETTLE 6 /* s: until it naps longest */
#define IDLE 2 /* s */

#define NEED(x)                                                    \
	do {                                                       \
		if (!(x)) {                                        \
			fprintf(stderr, "bench: %s failed\n", #x); \
			exit(1);                                   \
		}                                                  \
	} while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_qp *from, *to;
static char buffer[64];

static struct ibv_qp *make_qp(void)
{
	struct ibv_qp_init_attr a = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { QUEUE, QUEUE, 1, 1, 0 }
	};
	struct ibv_qp *q = ibv_create_qp(pd, &a);

	NEED(q);
	return q;
}

static void connect_to(struct ibv_qp *q, uint32_t number)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_port_attr port;

	NEED(!ibv_query_port(ctx, 1, &port));
	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = number;
	a.ah_attr.port_num = 1;
	a.ah_attr.dlid = port.lid;
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		a.ah_attr.is_global = 1;
		NEED(!ibv_query_gid(ctx, 1, 0, &a.ah_attr.grh.dgid));
	}
	NEED(!ibv_modify_qp(q, &a,
			    IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_AV |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 14;
	a.retry_cnt = a.rnr_retry = 7;
	NEED(!ibv_modify_qp(q, &a,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void set_up(struct ibv_device **list)
{
	NEED(list && list[0] && (ctx = ibv_open_device(list[0])));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE));
	NEED(cq = ibv_create_cq(ctx, 2 * QUEUE, NULL, NULL, 0));
	from = make_qp();
	to = make_qp();
	connect_to(from, to->qp_num);
	connect_to(to, from->qp_num);
}

static void tear_down(void)
{
	NEED(!ibv_destroy_qp(from) && !ibv_destroy_qp(to));
	NEED(!ibv_destroy_cq(cq) && !ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd) && !ibv_close_device(ctx));
}

static void send_one(void)
{
	struct ibv_sge s = { (uintptr_t)buffer, 8, mr->lkey };
	struct ibv_recv_wr r = { .sg_list = &s, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr w = { .sg_list = &s,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED },
			   *bad_send;

	NEED(!ibv_post_recv(to, &r, &bad_recv) && !ibv_post_send(from, &w, &bad_send));
}

/* Each message has two completions */
static int poll_some(void)
{
	struct ibv_wc wc[64];
	int n = ibv_poll_cq(cq, 64, wc);

	NEED(n >= 0);
	for (int i = 0; i < n; i++)
		NEED(!wc[i].status);
	return n;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double latency(void)
{
	double start = seconds(CLOCK_MONOTONIC);

	for (int i = 0; i < LATENCY_ROUNDS; i++) {
		int done = 0;

		send_one();
		while (done < 2)
			done += poll_some();
	}
	return (seconds(CLOCK_MONOTONIC) - start) / LATENCY_ROUNDS;
}

static void send_many(void)
{
	int posted = 0, done = 0;

	while (done < 2 * RATE_MESSAGES)
		if (posted < RATE_MESSAGES && 2 * posted - done < QUEUE) {
			send_one();
			posted++;
		} else {
			done += poll_some();
		}
}

/* Each waits for the one before it, so that it takes the same cycles on whatever is free */
static void multiply(void)
{
	unsigned long long n = 1;

	for (int i = 0; i < MULTIPLICATIONS; i++)
		n = n * 6364136223846793005 + 1442695040888963407;
	NEED(n); /* or nobody would compute it */
}

/* Of all threads: on a busy machine it is what it is on another */
static double cpu_of(void (*work)(void))
{
	double start = seconds(CLOCK_PROCESS_CPUTIME_ID);

	work();
	return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* How many go through in a second, and what one costs beside a multiplication, which depends on no clock and little on other programs */
static void tell_rate(void)
{
	double message = 1, multiplication = 1, time = 1e9;

	for (int i = 0; i < RATE_ROUNDS; i++) {
		double start = seconds(CLOCK_MONOTONIC);

		message = smaller(message, cpu_of(send_many) / RATE_MESSAGES);
		time = smaller(time, (seconds(CLOCK_MONOTONIC) - start) / RATE_MESSAGES);
		multiplication = smaller(multiplication, cpu_of(multiply) / MULTIPLICATIONS);
	}
	printf("rate %.0f messages/s\n", 1 / time);
	printf("cost %.0f multiplications a message\n", message / multiplication);
}

static double idle_share(void)
{
	double start;

	sleep(SETTLE);
	start = seconds(CLOCK_PROCESS_CPUTIME_ID);
	sleep(IDLE);
	return (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / IDLE;
}

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	set_up(list);
	printf("latency %.2f us\n", latency() * 1e6);
	tell_rate();
	printf("idle %.2f %%\n", idle_share() * 100);
	tear_down();
	ibv_free_device_list(list);
	return 0;
}
