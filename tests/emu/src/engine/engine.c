/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "engine/engine.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cm/cm.h"
#include "engine/clock.h"
#include "engine/compress.h"
#include "engine/receive.h"
#include "engine/requester.h"
#include "engine/wake.h"
#include "faults/control.h"
#include "faults/inject.h"
#include "mad/mad.h"
#include "objects/cq.h"
#include "objects/qp.h"
#include "objects/wq.h"
#include "packets/inbound.h"
#include "packets/link.h"
#include "packets/message.h"
#include "trace.h"

#define WQES_A_TURN 64
#define FOLLOW_EVERY 8 /* steps */
#define LISTEN_EVERY 8 /* likewise; it is a system call */

#define PAUSES 32 /* between steps without a sleep */
#define US 1000ull /* ns */

/* The engine's nap while threads of the program do its work */
#define HELPED (100 * US)

/* A fabric is busy for so long after a message */
#define PEERS_ARE_BUSY (100 * NS_PER_MS)

/* And for so long it is cheaper to look for the next one than to sleep and wake */
#define SPIN_FOR_PEERS (20 * US)

/*
 * How long to sleep between steps, by how long there was nothing to do. Doorbells are not
 * seen, so the thread has to look; what is seen ends a nap early.
 */
static const struct pace {
	uint64_t idle_below, nap; /* ns */
} paces[] = {
	{ 50 * US, 0 },
	{ 5 * NS_PER_MS, 20 * US },
	{ 200 * NS_PER_MS, 200 * US },
	{ 1000 * NS_PER_MS, 3 * NS_PER_MS },
	{ 5000 * NS_PER_MS, 10 * NS_PER_MS },
	{ UINT64_MAX, 40 * NS_PER_MS },
};

static pid_t home; /* the process with the thread */
static bool running; /* in this process: asking for its number takes a call */
static bool stopping;
static bool has_message; /* as far as the last sleep knows */
static bool helped; /* since the last one began */
static uint64_t message_at; /* ns: when one was there */

static bool may_send(const struct qp *q)
{
	int state = q->attr.qp_state;

	return state >= IBV_QPS_RTS; /* in SQD what is under way goes on */
}

/* Some WQEs of every QP, and what of its queues an error leaves to flush */
static bool serve_qps(void)
{
	bool busy = false;
	struct qp *q;

	LIST_FOREACH(q, &qp_list, link)
	{
		if (may_send(q))
			for (int i = 0; i < WQES_A_TURN && requester_step(q); i++)
				busy = true;
		if (q->attr.qp_state == IBV_QPS_ERR)
			receive_flush(q);
	}
	return busy;
}

/* Frames come to a WQ by themselves: there is only an error to be served */
static void serve_wqs(void)
{
	struct wq *w;

	LIST_FOREACH(w, &wq_list, link)
	{
		if (w->state == IBV_WQS_ERR)
			receive_flush_wq(w);
	}
}

/* A CQ may have been armed after its completion was written */
static void serve_cqs(void)
{
	struct cq *cq;

	LIST_FOREACH(cq, &cq_list, link)
	{
		compress_flush(cq);
		cq_notify(cq);
	}
}

/* After a sleep it is known; without one, it takes a system call to ask */
static bool listen_now(unsigned int number)
{
	return has_message || number % LISTEN_EVERY == 0;
}

/* What has to be done at once. @ask: also for those who have not sent before */
static bool serve(bool ask)
{
	bool busy;

	compress_begin_turn();
	busy = message_receive(ask);

	if (busy)
		message_at = clock_now();
	busy |= serve_qps();
	serve_wqs();
	inbound_push();
	serve_cqs();
	compress_end_turn();
	return busy;
}

static bool step(unsigned int number)
{
	bool busy;

	clock_tick();
	busy = serve(listen_now(number));
	has_message = false;
	busy |= cm_serve();
	busy |= mad_serve();
	if (number % FOLLOW_EVERY == 0)
		control_follow();
	inject_due();
	return busy;
}

/* Among processes a long spin takes the core from a program that polls, and a message ends a nap */
static uint64_t nap_after(uint64_t idle)
{
	bool peers = idle >= SPIN_FOR_PEERS && clock_now() - message_at < PEERS_ARE_BUSY;
	const struct pace *p = peers ? paces + 1 : paces;

	while (idle >= p->idle_below)
		p++;
	return p->nap;
}

/* The device lock is held, but not while it rests. @idle: for so long there was nothing to do */
static void rest(uint64_t idle)
{
	const bool listen = !helped;
	const uint64_t nap = helped ? HELPED : nap_after(idle);

	if (nap) {
		helped = false; /* but by what is done meanwhile */
		has_message = wake_sleep(nap, listen);
		return;
	}
	/* A moment for calls. No sched_yield(): on a busy machine it costs a time slice */
	pthread_mutex_unlock(&device_lock);
	for (int i = 0; i < PAUSES; i++)
		atomic_signal_fence(memory_order_seq_cst);
	pthread_mutex_lock(&device_lock);
}

static void *run_engine(void *begun)
{
	uint64_t busy_at = clock_now();
	unsigned int number = 0;

	sem_post(begun);
	/* By default naps are 50 us longer than asked for */
	prctl(PR_SET_TIMERSLACK, 1);
	pthread_mutex_lock(&device_lock);
	while (!stopping) {
		if (step(number++))
			busy_at = clock_now();
		rest(clock_now() - busy_at);
	}
	pthread_mutex_unlock(&device_lock);
	return NULL;
}

/*
 * A thread that begins holds locks of AddressSanitizer's (gcc 12), which a fork leaves locked in the child: whoever allocates
 * there waits for ever. So it has begun before the program can fork. Later no fork finds it in the middle of anything.
 */
static void start_thread(void)
{
	sem_t begun;
	pthread_t t;

	sem_init(&begun, 0, 0);
	if (!pthread_create(&t, NULL, run_engine, &begun)) {
		pthread_detach(t);
		while (sem_wait(&begun))
			;
	}
	sem_destroy(&begun);
}

void engine_start(void)
{
	sigset_t all, old;

	if (home == getpid())
		return;
	home = getpid();
	running = true;
	if (wake_start())
		complain("no descriptor to wake the device by");
	/* Signals are for the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	start_thread();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A call that may be cancelled must not be so with the lock held */
bool engine_help(void)
{
	bool busy;
	int state;

	if (!running || stopping || pthread_mutex_trylock(&device_lock))
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	clock_tick();
	busy = serve(false);
	helped = true;
	pthread_mutex_unlock(&device_lock);
	pthread_setcancelstate(state, NULL);
	return busy;
}

void engine_expect(void)
{
	if (!running || pthread_mutex_trylock(&device_lock))
		return;
	link_sleep();
	helped = false;
	pthread_mutex_unlock(&device_lock);
}

void engine_forget(void)
{
	running = false;
}

void engine_stop(void)
{
	stopping = true;
}

bool engine_is_here(void)
{
	return home == getpid();
}

bool engine_was_started(void)
{
	return home;
}
