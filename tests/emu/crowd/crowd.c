/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Many processes with a device each, in one fabric: each sends a datagram to every other one, and all arrive.
 *
 *	verbsx-emu-crowd PROCESSES [KILLED]
 *
 * So many of them, the last ones, are killed in the midst of it: the others hear of all that are left.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <unistd.h>
#include <infiniband/verbs.h>

#define MOST 64
#define PATIENCE 60 /* s */
#define QKEY 0x11111111
#define GRH 40
#define ROUNDS 20

#define NEED(x)                                                            \
	do {                                                               \
		if (!(x)) {                                                \
			fprintf(stderr, "crowd: %d: %s failed\n", me, #x); \
			_exit(1);                                          \
		}                                                          \
	} while (0)

/* What all of them see */
static struct shared {
	_Atomic int ready, done;
	struct member {
		uint16_t lid;
		union ibv_gid gid;
		uint32_t qpn;
	} members[MOST];
} * all;

static int me = -1, count, killed;

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static struct ibv_ah *ahs[MOST];
static bool ethernet;
static struct {
	int from;
	char received[MOST * ROUNDS][GRH + sizeof(int)];
} memory;

static int survivors(void)
{
	return count - killed;
}

static void furnish(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { MOST, MOST * ROUNDS, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	NEED(list && list[0] && (ctx = ibv_open_device(list[0])));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(mr = ibv_reg_mr(pd, &memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE));
	NEED(cq = ibv_create_cq(ctx, 2 * MOST * ROUNDS, NULL, NULL, 0));
	init.send_cq = init.recv_cq = cq;
	NEED(qp = ibv_create_qp(pd, &init));
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	memory.from = me;
}

static void post_receives(void)
{
	for (int i = 0; i < count * ROUNDS; i++) {
		struct ibv_sge s = { (uintptr_t)memory.received[i], sizeof(memory.received[i]), mr->lkey };
		struct ibv_recv_wr w = { .wr_id = i, .sg_list = &s, .num_sge = 1 }, *bad;

		NEED(!ibv_post_recv(qp, &w, &bad));
	}
}

static void introduce_myself(void)
{
	struct ibv_port_attr port;

	NEED(!ibv_query_port(ctx, 1, &port));
	ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	all->members[me] = (struct member){ .lid = port.lid, .qpn = qp->qp_num };
	NEED(!ibv_query_gid(ctx, 1, 0, &all->members[me].gid));
	all->ready++;
	while (all->ready < count)
		usleep(1000);
}

static void learn_ways(void)
{
	for (int i = 0; i < count; i++) {
		const struct member *m = &all->members[i];
		struct ibv_ah_attr a = {
			.port_num = 1, .dlid = m->lid, .is_global = ethernet, .grh = { .dgid = m->gid }
		};

		NEED(ahs[i] = ibv_create_ah(pd, &a));
	}
}

static void send_to(int i)
{
	struct ibv_sge s = { (uintptr_t)&memory.from, sizeof(memory.from), mr->lkey };
	struct ibv_send_wr w = { .sg_list = &s,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	w.wr.ud.ah = ahs[i];
	w.wr.ud.remote_qpn = all->members[i].qpn;
	w.wr.ud.remote_qkey = QKEY;
	NEED(!ibv_post_send(qp, &w, &bad));
}

/* How many are in, of those that live on: the numbers of completions are kept in @sent and @heard */
static void poll_some(int *sent, int heard[MOST])
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(cq, 16, wc), from;

	NEED(n >= 0);
	for (int i = 0; i < n; i++) {
		NEED(!wc[i].status);
		if (wc[i].opcode != IBV_WC_RECV) {
			++*sent;
			continue;
		}
		memcpy(&from, memory.received[wc[i].wr_id] + GRH, sizeof(from));
		NEED(from >= 0 && from < count);
		heard[from]++;
	}
	if (!n)
		sched_yield();
}

static bool is_complete(const int heard[MOST])
{
	for (int i = 0; i < survivors(); i++)
		if (heard[i] < ROUNDS)
			return false;
	return true;
}

static void be_a_member(void)
{
	int sent = 0, heard[MOST] = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(PATIENCE);
	furnish();
	post_receives();
	introduce_myself();
	learn_ways();
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < count; i++)
			send_to(i);
		while (sent < (round + 1) * count)
			poll_some(&sent, heard);
		if (me >= survivors() && round == ROUNDS / 2)
			kill(getpid(), SIGKILL);
	}
	while (!is_complete(heard))
		poll_some(&sent, heard);
	/* Others may not have sent it all */
	for (all->done++; all->done < survivors();)
		poll_some(&sent, heard);
	for (int i = 0; i < survivors(); i++)
		NEED(heard[i] == ROUNDS);
	exit(0);
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	count = argc > 1 ? atoi(argv[1]) : 0;
	killed = argc > 2 ? atoi(argv[2]) : 0;
	if (count < 1 || count > MOST || killed < 0 || killed > count) {
		fprintf(stderr, "usage: %s PROCESSES [KILLED]\n", argv[0]);
		return 2;
	}
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(all != MAP_FAILED);
	for (int i = 0; i < count; i++)
		if (!fork()) {
			me = i;
			be_a_member();
		}
	while (wait(&status) > 0)
		failed += !WIFEXITED(status) || WEXITSTATUS(status);
	if (failed != killed)
		fprintf(stderr, "crowd: %d of %d failed\n", failed, count);
	return failed != killed;
}
