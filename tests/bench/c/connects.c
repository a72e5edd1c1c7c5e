/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Connections on the emulated device, both ends in one thread: made and ended by libverbsx and by librdmacm alone, in one thread and in
 * eight; and what an event costs beside few ids and beside many.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/rdma_cma.h>

#include <verbsx/verbsx.h>

#include "measure.h"
#include "must.h"

#define THREADS 8
#define TURNS 20
#define LEAST 5 /* of the turns count */
#define EVENT_TURNS 10
#define MOST_EVENTS 1000 /* in a turn */
#define FEW 10
#define SOON 20000 /* ms */

/* What a thread connects with. */
struct ends {
	struct vx_cm_channel *channel;
	struct vx_cm_id *listener;
	struct sockaddr_in to;
};

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static __thread struct ends ends;

static const struct ibv_qp_cap room = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 };

static void listen_here(void)
{
	ends.to = (struct sockaddr_in){ .sin_family = AF_INET };
	inet_pton(AF_INET, "10.1.0.1", &ends.to.sin_addr);
	must(!vx_cm_channel_create(NULL, &ends.channel) && !vx_cm_id_create(ends.channel, NULL, &ends.listener), "a listener");
	must(!vx_cm_id_bind_addr(ends.listener, (struct sockaddr *)&ends.to) && !vx_cm_id_listen(ends.listener, 16), "listening");
	ends.to.sin_port = rdma_get_src_port(vx_cm_id_raw(ends.listener));
}

/* ---- by libverbsx ---- */

static struct vx_cm_id *next_vx(enum rdma_cm_event_type type)
{
	struct vx_cm_event event;

	must(!vx_cm_channel_get_event(ends.channel, SOON, &event) && event.type == type, rdma_event_str(type));
	vx_cm_event_ack(&event);
	return event.id;
}

static void qp_vx(struct vx_cm_id *id)
{
	struct vx_qp *qp;

	must(!vx_cm_qp_create(id, &(struct vx_cm_qp_init){ .pd = pd, .send_cq = cq, .recv_cq = cq, .cap = room }, &qp), "a QP");
}

static void connect_vx(void)
{
	struct vx_cm_id *active, *passive;

	must(!vx_cm_id_create(ends.channel, NULL, &active), "an id");
	must(!vx_cm_id_resolve_addr(active, NULL, (struct sockaddr *)&ends.to, SOON), "the address");
	next_vx(RDMA_CM_EVENT_ADDR_RESOLVED);
	must(!vx_cm_id_resolve_route(active, SOON), "the route");
	next_vx(RDMA_CM_EVENT_ROUTE_RESOLVED);
	qp_vx(active);
	must(!vx_cm_id_connect(active, NULL), "connecting");
	passive = next_vx(RDMA_CM_EVENT_CONNECT_REQUEST);
	qp_vx(passive);
	must(!vx_cm_id_accept(passive, NULL), "accepting");
	next_vx(RDMA_CM_EVENT_ESTABLISHED);
	next_vx(RDMA_CM_EVENT_ESTABLISHED);
	must(!vx_close(active), "closing");
	next_vx(RDMA_CM_EVENT_DISCONNECTED);
	must(!vx_close(passive), "closing the other");
}

/* ---- by librdmacm alone ---- */

static struct rdma_event_channel *channel_raw(void)
{
	return vx_cm_channel_raw(ends.channel);
}

static struct rdma_cm_id *next_raw(enum rdma_cm_event_type type)
{
	struct pollfd entry = { channel_raw()->fd, POLLIN, 0 };
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	/* With a time, as the other way has one. */
	must(poll(&entry, 1, SOON) == 1 && !rdma_get_cm_event(channel_raw(), &event), "an event of librdmacm");
	must(event->event == type, rdma_event_str(event->event));
	id = event->id;
	rdma_ack_cm_event(event);
	return id;
}

static void qp_raw(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = { .send_cq = vx_cq_raw(cq), .recv_cq = vx_cq_raw(cq), .cap = room, .qp_type = IBV_QPT_RC };

	must(!rdma_create_qp(id, vx_pd_raw(pd), &attr), "a QP of librdmacm");
}

static void end_raw(struct rdma_cm_id *id)
{
	rdma_disconnect(id);
	rdma_destroy_qp(id);
	must(!rdma_destroy_id(id), "ending an id of librdmacm");
}

static void connect_raw(void)
{
	struct rdma_conn_param param = VX_DEFAULT(rdma_conn_param);
	struct rdma_cm_id *active, *passive;

	must(!rdma_create_id(channel_raw(), &active, NULL, RDMA_PS_TCP), "an id of librdmacm");
	must(!rdma_resolve_addr(active, NULL, (struct sockaddr *)&ends.to, SOON), "the address");
	next_raw(RDMA_CM_EVENT_ADDR_RESOLVED);
	must(!rdma_resolve_route(active, SOON), "the route");
	next_raw(RDMA_CM_EVENT_ROUTE_RESOLVED);
	qp_raw(active);
	must(!rdma_connect(active, &param), "connecting");
	passive = next_raw(RDMA_CM_EVENT_CONNECT_REQUEST);
	qp_raw(passive);
	must(!rdma_accept(passive, &param), "accepting");
	next_raw(RDMA_CM_EVENT_ESTABLISHED);
	next_raw(RDMA_CM_EVENT_ESTABLISHED);
	end_raw(active);
	next_raw(RDMA_CM_EVENT_DISCONNECTED);
	end_raw(passive);
}

PAIR_OF(connect)

static const struct pair pairs[] = { PAIR(connect) };

/* ---- threads ---- */

static uint64_t process_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct work {
	void (*connect)(void);
	unsigned int times;
};

static void *connect_some(void *given)
{
	const struct work *work = given;
	unsigned int i;

	listen_here();
	for (i = 0; i < work->times; i++)
		work->connect();
	must(!vx_close(ends.channel), "closing a thread's");
	return NULL;
}

/* All that the process takes, as what waits for a lock is in another thread than what holds it. */
static int64_t time_of_threads(const struct work *work)
{
	const uint64_t start = process_time();
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, connect_some, (void *)(uintptr_t)work), "a thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return (int64_t)(process_time() - start) / THREADS / work->times;
}

struct turn {
	int64_t vx, raw;
};

/* Who is first changes from turn to turn. */
static struct turn take_turn(const struct work *ours, const struct work *theirs, int number)
{
	struct turn turn;

	if (number % 2)
		turn.vx = time_of_threads(ours);
	turn.raw = time_of_threads(theirs);
	if (number % 2 == 0)
		turn.vx = time_of_threads(ours);
	return turn;
}

static int by_both(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	const int64_t left = x->vx + x->raw, right = y->vx + y->raw;

	return (left > right) - (left < right);
}

/* What else the machine does makes turns longer, and none shorter: the means are of those in which both sides together took least. */
static void measure_threads(unsigned int times)
{
	const struct work ours = { connect_vx, times < TURNS ? 1 : times / TURNS }, theirs = { connect_raw, ours.times };
	struct turn turns[TURNS];
	double vx = 0, raw = 0;
	int i;

	for (i = 0; i < TURNS; i++)
		turns[i] = take_turn(&ours, &theirs, i);
	qsort(turns, TURNS, sizeof(*turns), by_both);
	for (i = 0; i < LEAST; i++) {
		vx += (double)turns[i].vx;
		raw += (double)turns[i].raw;
	}
	report("threads.vx", vx / LEAST);
	report("threads.raw", raw / LEAST);
}

/* ---- events ---- */

static int64_t time_of_event(void)
{
	struct pollfd entry = { channel_raw()->fd, POLLIN, 0 };
	struct vx_cm_id *id;
	uint64_t start;

	must(!vx_cm_id_create(ends.channel, NULL, &id), "an id");
	must(!vx_cm_id_resolve_addr(id, NULL, (struct sockaddr *)&ends.to, SOON) && poll(&entry, 1, SOON) == 1, "an event");
	start = thread_time();
	must(next_vx(RDMA_CM_EVENT_ADDR_RESOLVED) == id, "an event of the id");
	start = thread_time() - start;
	must(!vx_close(id), "closing it");
	return (int64_t)start;
}

static int64_t time_of_raw_event(void)
{
	struct pollfd entry = { channel_raw()->fd, POLLIN, 0 };
	struct rdma_cm_id *id;
	uint64_t start;

	must(!rdma_create_id(channel_raw(), &id, NULL, RDMA_PS_TCP), "an id of librdmacm");
	must(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&ends.to, SOON) && poll(&entry, 1, SOON) == 1, "an event");
	start = thread_time();
	must(next_raw(RDMA_CM_EVENT_ADDR_RESOLVED) == id, "an event of the id of librdmacm");
	start = thread_time() - start;
	must(!rdma_destroy_id(id), "ending it");
	return (int64_t)start;
}

/* What each event of a kind took. */
struct taken {
	const char *name;
	int64_t (*time)(void);
	unsigned int count;
	int64_t spent[EVENT_TURNS * MOST_EVENTS];
};

static struct taken few = { "event.few", time_of_event, 0, { 0 } };
static struct taken many = { "event.many", time_of_event, 0, { 0 } };
static struct taken raw_few = { "event.few.raw", time_of_raw_event, 0, { 0 } };
static struct taken raw_many = { "event.many.raw", time_of_raw_event, 0, { 0 } };

/* One of ours, one of librdmacm's. The first of each does not count: what was done before has emptied caches. */
static void take_events(struct taken *ours, struct taken *theirs, unsigned int times)
{
	ours->time();
	theirs->time();
	while (times--) {
		ours->spent[ours->count++] = ours->time();
		theirs->spent[theirs->count++] = theirs->time();
	}
}

static void report_events(struct taken *taken)
{
	report(taken->name, median(taken->spent, taken->count));
}

static struct vx_cm_channel *make_ids(unsigned int count)
{
	struct vx_cm_channel *channel;
	struct vx_cm_id *id;

	must(!vx_cm_channel_create(NULL, &channel), "a channel of many ids");
	while (count--)
		must(!vx_cm_id_create(channel, NULL, &id), "one of many ids");
	return channel;
}

/* In turns, as what else the machine does comes and goes. */
static void measure_events(unsigned int times, unsigned int ids)
{
	struct vx_cm_channel *beside = make_ids(FEW), *more;
	unsigned int turn;

	times = times < MOST_EVENTS ? times : MOST_EVENTS;
	for (turn = 0; turn < EVENT_TURNS; turn++) {
		take_events(&few, &raw_few, times);
		more = make_ids(ids - FEW);
		take_events(&many, &raw_many, times);
		must(!vx_close(more), "closing many");
	}
	must(!vx_close(beside), "closing few");
	report_events(&few);
	report_events(&many);
	report_events(&raw_few);
	report_events(&raw_many);
}

/* usage: connects TIMES ROUNDS IDS */
int main(int argc, char **argv)
{
	unsigned int times = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 100;
	unsigned int ids = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 10000;
	size_t devices;
	int status;

	must(times && ids >= FEW, "TIMES is 1 or more, and IDS 10");
	must(!vx_cm_contexts(&ctx, 1, &devices), "the device");
	must(!vx_pd_create(ctx, NULL, &pd) && !vx_cq_create(ctx, NULL, &cq), "what QPs share");
	listen_here();
	status = measure_pairs(pairs, 1, argc, argv);
	measure_threads(times);
	measure_events(times, ids);
	must(!vx_close(ends.channel) && !vx_close(ctx), "closing all");
	return status;
}
