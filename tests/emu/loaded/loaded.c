/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A program that is not linked with libibverbs: it loads that, and looks for functions in it alone, by their versions, so that no
 * preloaded ones come before them. It sends to itself, on one core, and counts how often it polls for each completion: where
 * the device's work is only its own thread's, that is hundreds of times. It prints the library that the device's functions are of.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#define MESSAGES 200
#define FEW 10 /* polls */

#define NEED(x)                                                  \
	do {                                                     \
		if (!(x)) {                                      \
			fprintf(stderr, "%s failed: %m\n", #x);  \
			exit(1);                                 \
		}                                                \
	} while (0)

#define LOADED(name) (*(__typeof__(&name))load(#name))

static void *load(const char *name)
{
	static void *library;
	void *function;

	if (!library)
		library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
	NEED(library);
	function = dlvsym(library, name, "IBVERBS_1.1");
	NEED(function);
	return function;
}

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = LOADED(ibv_get_device_list)(NULL);
	struct ibv_context *c;

	NEED(list && list[0]);
	c = LOADED(ibv_open_device)(list[0]);
	NEED(c);
	LOADED(ibv_free_device_list)(list);
	return c;
}

static void connect_to_itself(struct ibv_qp *qp)
{
	struct ibv_port_attr port;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
				 .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .min_rnr_timer = 12 };

	NEED(!verbs_get_ctx(qp->context)->query_port(qp->context, 1, &port, sizeof(port)));
	a.ah_attr = (struct ibv_ah_attr){ .dlid = port.lid, .port_num = 1 };
	NEED(!LOADED(ibv_modify_qp)(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	a.qp_state = IBV_QPS_RTR;
	NEED(!LOADED(ibv_modify_qp)(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a.qp_state = IBV_QPS_RTS;
	NEED(!LOADED(ibv_modify_qp)(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static struct ibv_qp_ex *make_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .pd = pd,
					    .cap = { 4, 4, 1, 1, 8 },
					    .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					    .send_ops_flags = IBV_QP_EX_WITH_SEND };
	struct ibv_qp *qp = ibv_create_qp_ex(pd->context, &init);

	NEED(qp);
	connect_to_itself(qp);
	return (struct ibv_qp_ex *)qp; /* as ibv_qp_to_qp_ex() is a link with libibverbs */
}

/* Past the functions that the device helps along with posting */
static void send_one(struct ibv_qp_ex *qp)
{
	struct ibv_recv_wr wr = { 0 }, *bad;

	NEED(!ibv_post_recv(&qp->qp_base, &wr, &bad));
	ibv_wr_start(qp);
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp);
	ibv_wr_set_sge_list(qp, 0, NULL);
	NEED(!ibv_wr_complete(qp));
}

static int poll_plainly(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	NEED(n >= 0 && (!n || !wc.status));
	return n;
}

static int poll_extended(struct ibv_cq *cq)
{
	struct ibv_cq_ex *ex = (struct ibv_cq_ex *)cq;
	struct ibv_poll_cq_attr attr = { 0 };
	int rc = ibv_start_poll(ex, &attr);

	if (rc == ENOENT)
		return 0;
	NEED(!rc && !ex->status);
	ibv_end_poll(ex);
	return 1;
}

/* Of @MESSAGES, how many are there after a few polls: a send and a receive each */
static int soon_there(struct ibv_qp_ex *qp, struct ibv_cq *cq, int (*poll)(struct ibv_cq *))
{
	int soon = 0;

	for (int i = 0; i < MESSAGES; i++) {
		int polls = 0;

		send_one(qp);
		for (int there = 0; there < 2; polls++)
			there += poll(cq);
		soon += polls <= FEW;
	}
	return soon;
}

static void try(struct ibv_pd *pd, const char *form, struct ibv_cq *cq, int (*poll)(struct ibv_cq *))
{
	struct ibv_qp_ex *qp;
	int soon;

	NEED(cq);
	qp = make_qp(pd, cq);
	soon = soon_there(qp, cq, poll);
	printf("%s: %d of %d are soon there\n", form, soon, MESSAGES);
	NEED(soon > MESSAGES / 2);
	NEED(!LOADED(ibv_destroy_qp)(&qp->qp_base) && !LOADED(ibv_destroy_cq)(cq));
}

static void have_one_core(void)
{
	cpu_set_t cores;
	int core = 0;

	NEED(!sched_getaffinity(0, sizeof(cores), &cores));
	while (!CPU_ISSET(core, &cores))
		core++;
	CPU_ZERO(&cores);
	CPU_SET(core, &cores);
	NEED(!sched_setaffinity(0, sizeof(cores), &cores));
}

static void name_library(void *function)
{
	Dl_info info;

	NEED(dladdr(function, &info));
	printf("of %s\n", strrchr(info.dli_fname, '/') + 1);
}

int main(void)
{
	struct ibv_cq_init_attr_ex extended = { .cqe = 8 };
	struct ibv_context *c;
	struct ibv_pd *pd;

	have_one_core();
	c = open_first();
	name_library(c->ops.poll_cq);
	name_library(c->ops.post_send);
	pd = LOADED(ibv_alloc_pd)(c);
	NEED(pd);
	try(pd, "plain", LOADED(ibv_create_cq)(c, 8, NULL, NULL, 0), poll_plainly);
	try(pd, "extended", ibv_cq_ex_to_cq(ibv_create_cq_ex(c, &extended)), poll_extended);
	NEED(!LOADED(ibv_dealloc_pd)(pd) && !LOADED(ibv_close_device)(c));
	return 0;
}
