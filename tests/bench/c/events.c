/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events of the emulated device: taken beside few objects and beside many, by rdma-core alone, and when there is none. */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"

#define FEW 10
#define SOON 20000 /* ms */

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_qp *qp;
static char event_name[64];
static int (*fault)(const char *list, char *why, size_t len);

/* There before the clock runs. */
static void send_event(void)
{
	struct pollfd async = { .fd = vx_ctx_raw(ctx)->async_fd, .events = POLLIN };
	char why[128] = "";

	must(fault && !fault(event_name, why, sizeof(why)), why);
	must(poll(&async, 1, SOON) == 1, "no event came");
}

static void take_vx(void)
{
	struct vx_async_event event;

	must(!vx_ctx_get_async_event(ctx, 0, &event), "an event");
	must(event.object == qp, "an event of the QP");
	vx_async_event_ack(&event);
}

static void take_raw(void)
{
	struct pollfd async = { .fd = vx_ctx_raw(ctx)->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	must(poll(&async, 1, 0) == 1 && !ibv_get_async_event(vx_ctx_raw(ctx), &event), "an event of rdma-core");
	ibv_ack_async_event(&event);
}

static void report_events(const char *name, void (*take)(void), unsigned int times)
{
	uint64_t start, spent = 0;
	unsigned int i;

	for (i = 0; i < times; i++) {
		send_event();
		start = thread_time();
		take();
		spent += thread_time() - start;
	}
	report(name, (double)spent / times);
}

static void make_ahs(unsigned int count)
{
	struct vx_ah *ah;

	while (count--)
		must(!vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7 }, &ah), "an ah");
}

/* ---- nothing there ---- */

static void again_vx(unsigned int times)
{
	struct vx_async_event event;

	while (times--)
		must(vx_ctx_get_async_event(ctx, 0, &event) == -EAGAIN, "nothing");
}

static void again_raw(unsigned int times)
{
	struct pollfd async = { .fd = vx_ctx_raw(ctx)->async_fd, .events = POLLIN };

	while (times--)
		must(poll(&async, 1, 0) == 0, "nothing of the system");
}

TASK(loop, i)

static const struct task tasks[] = {
	{ "loop", loop, 0 },
	{ "again.vx", again_vx, 0 },
	{ "again.raw", again_raw, 0 },
};

/* usage: events TIMES ROUNDS MANY */
int main(int argc, char **argv)
{
	unsigned int times = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1000;
	unsigned int many = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 10000;
	struct vx_cq *cq;
	int status;

	fault = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	must(!vx_ctx_open_index(0, &ctx), "the device");
	must(!vx_pd_create(ctx, NULL, &pd) && !vx_cq_create(ctx, NULL, &cq), "the parents");
	must(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp), "the QP");
	snprintf(event_name, sizeof(event_name), "COMM_EST:%u", vx_qp_raw(qp)->qp_num);
	make_ahs(FEW);
	status = measure(tasks, sizeof(tasks) / sizeof(tasks[0]), argc, argv);
	report_events("event.raw", take_raw, times);
	report_events("event.few", take_vx, times);
	make_ahs(many - FEW);
	report_events("event.many", take_vx, times);
	must(!vx_close(ctx), "closing the device");
	return status;
}
