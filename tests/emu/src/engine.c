/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include "engine.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "cq.h"
#include "inject.h"
#include "qp.h"
#include "receive.h"
#include "requester.h"

#define WQES_A_TURN 64
#define FOLLOW_EVERY 16 /* steps */

/* Sleeps between steps with nothing to do: short at first */
#define NAP_NS 20000
#define LONG_NAP_NS 200000
#define NAPS 2000

static pid_t home; /* the process with the thread */
static bool stopping;

static bool may_send(const struct qp *q)
{
	int state = q->attr.qp_state;

	return state == IBV_QPS_RTS || state == IBV_QPS_ERR || state == IBV_QPS_SQE;
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

/* A CQ may have been armed after its completion was written */
static void serve_cqs(void)
{
	struct cq *cq;

	LIST_FOREACH(cq, &cq_list, link)
	{
		cq_notify(cq);
	}
}

static bool step(unsigned int number)
{
	bool busy;

	clock_tick();
	busy = serve_qps();
	serve_cqs();
	if (number % FOLLOW_EVERY == 0)
		inject_follow();
	inject_due();
	return busy;
}

static void nap(unsigned int idle)
{
	struct timespec t = { .tv_nsec = idle < NAPS ? NAP_NS : LONG_NAP_NS };

	nanosleep(&t, NULL);
}

static void *run(void *arg)
{
	unsigned int number = 0, idle = 0;
	bool stop;

	do {
		pthread_mutex_lock(&device_lock);
		stop = stopping;
		if (!stop)
			idle = step(number++) ? 0 : idle + 1;
		pthread_mutex_unlock(&device_lock);
		if (idle)
			nap(idle);
	} while (!stop);
	return arg;
}

void engine_start(void)
{
	sigset_t all, old;
	pthread_t t;

	if (home == getpid())
		return;
	home = getpid();
	/* Signals are for the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&t, NULL, run, NULL))
		pthread_detach(t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
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
