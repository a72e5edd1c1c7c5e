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
#define TURNS 10
#define MOST 1000	/* events in a turn */
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

/* What each event of a kind took. */
struct taken {
	const char *name;
	void (*take)(void);
	unsigned int count;
	int64_t spent[TURNS * MOST];
};

static struct taken raw = { "event.raw", take_raw, 0, { 0 } };
static struct taken few = { "event.few", take_vx, 0, { 0 } };
static struct taken many = { "event.many", take_vx, 0, { 0 } };

static int64_t time_of_event(void (*take)(void))
{
	uint64_t start;

	send_event();
	start = thread_time();
	take();
	return (int64_t)(thread_time() - start);
}

/* The first does not count: what was done before has emptied caches. */
static void take_events(struct taken *taken, unsigned int times)
{
	time_of_event(taken->take);
	while (times--)
		taken->spent[taken->count++] = time_of_event(taken->take);
}

static void report_events(struct taken *taken)
{
	report(taken->name, median(taken->spent, taken->count));
}

static void make_ahs(struct vx_pd *parent, unsigned int count)
{
	struct vx_ah *ah;

	while (count--)
		must(!vx_ah_create(parent, &(struct vx_ah_init){ .dlid = 7 }, &ah), "an ah");
}

/* In turns, as what else the machine does comes and goes. */
static void measure_events(unsigned int times, unsigned int objects)
{
	struct vx_pd *parent;
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++) {
		take_events(&raw, times);
		take_events(&few, times);
		must(!vx_pd_create(ctx, NULL, &parent), "a PD for many");
		make_ahs(parent, objects - FEW);
		take_events(&many, times);
		must(!vx_close(parent), "closing many");
	}
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
	unsigned int objects = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 10000;
	struct vx_cq *cq;
	int status;

	fault = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	must(!vx_ctx_open_index(0, &ctx), "the device");
	must(!vx_pd_create(ctx, NULL, &pd) && !vx_cq_create(ctx, NULL, &cq), "the parents");
	must(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp), "the QP");
	snprintf(event_name, sizeof(event_name), "COMM_EST:%u", vx_qp_raw(qp)->qp_num);
	make_ahs(pd, FEW);
	status = measure(tasks, sizeof(tasks) / sizeof(tasks[0]), argc, argv);
	measure_events(times < TURNS ? 1 : times / TURNS < MOST ? times / TURNS : MOST, objects);
	report_events(&raw);
	report_events(&few);
	report_events(&many);
	must(!vx_close(ctx), "closing the device");
	return status;
}
