/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "process.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls/bar.h"
#include "calls/context.h"
#include "calls/real.h"
#include "cm/cm.h"
#include "config.h"
#include "engine/engine.h"
#include "faults/control.h"
#include "faults/control_socket.h"
#include "faults/fault.h"
#include "faults/tap.h"
#include "mad/subnet.h"
#include "mad/umad.h"
#include "objects/leak.h"
#include "objects/object.h"
#include "objects/port.h"
#include "packets/fabric.h"
#include "packets/inbound.h"
#include "packets/link.h"
#include "signals.h"
#include "sysfs/order.h"
#include "sysfs/sysfs.h"
#include "trace.h"

/* Exit statuses */
#define WRONG_CONFIGURATION 2
#define COMPLAINED 3

#define LONGEST_CALL 1 /* in seconds */
#define LONGEST_DISCOVERY 2000 /* in ms */

static bool forked, strict;

bool process_is_forked(void)
{
	return forked;
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool is_on(const char *name)
{
	const char *value = setting(name);

	return value && *value != '0';
}

/* No fork while a call or the engine is half way */
static void before_fork(void)
{
	pthread_mutex_lock(&device_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&device_lock);
}

static void after_fork_in_child(void)
{
	forked = true;
	complaints = 0;
	engine_forget();
	link_forget();
	fabric_forget();
	inbound_forget();
	bar_fork();
	cm_forget();
	umad_forget();
	order_forget();
	sysfs_fork();
	object_inherit();
	context_inherit();
	pthread_mutex_unlock(&device_lock);
}

static pid_t discovered;
static volatile pid_t discovering;

bool process_has_discovered(void)
{
	return discovered == getpid();
}

static void discover(void)
{
	discovered = getpid();
	signals_start();
	fabric_join(setting("VERBSX_EMU_FABRIC"));
	ports_set_up(config.one_host ? 0 : fabric_place());
	fabric_publish();
	subnet_publish();
	sysfs_create();
}

/* What a signal is to clean up is there as a whole or not at all: here it waits, and in other threads its handler does */
void process_discover(void)
{
	const int cancelling = device_enter();
	sigset_t all, old;

	if (discovered != getpid()) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		discovering = getpid();
		discover();
		discovering = 0;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	device_leave(cancelling);
}

void process_await_discovery(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < LONGEST_DISCOVERY && discovering == getpid(); i++)
		nanosleep(&moment, NULL);
}

/* Where it is wanted so, a program that has ended well has not where the device had something to complain of */
static int judged(int status)
{
	return strict && complaints && !status ? COMPLAINED : status;
}

/* After all destructors, of which ours tells of faults and leaks. The C library takes exit() from here as the new status, and goes on */
static void judge(int status, void *unused)
{
	(void)unused;
	if (judged(status) != status)
		exit(judged(status));
}

__attribute__((constructor)) static void start(void)
{
	strict = is_on("VERBSX_EMU_STRICT");
	if (strict)
		on_exit(judge, NULL);
	trace_on = is_on("VERBSX_EMU_TRACE");
	leak_report = is_on("VERBSX_EMU_LEAKS");
	leak_names = leak_report && !strcmp(setting("VERBSX_EMU_LEAKS"), "all");
	if (setting("VERBSX_EMU_TAP"))
		tap_start(setting("VERBSX_EMU_TAP"), is_on("VERBSX_EMU_TAP_RAW"));
	if (setting("VERBSX_EMU_CONFIG") && config_read(setting("VERBSX_EMU_CONFIG")))
		_exit(WRONG_CONFIGURATION);
	ports_set_up(0);
	if (control_start(setting("VERBSX_EMU_FAULT")))
		_exit(WRONG_CONFIGURATION);
	control_socket_start(setting("VERBSX_EMU_CONTROL"));
	sysfs_start();
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* Shells end like this */
#define INTERPOSE_EXIT(name)                                       \
	INTERPOSED __attribute__((noreturn)) void name(int status) \
	{                                                          \
		fabric_leave();                                    \
		control_socket_remove();                           \
		sysfs_remove();                                    \
		REAL(name)(judged(status));                        \
		__builtin_unreachable();                           \
	}
INTERPOSE_EXIT(_exit)
INTERPOSE_EXIT(_Exit)

/* A handler that calls exit() may have come while its own thread has the lock: then nobody will ever give it back */
static bool lock_at_end(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONGEST_CALL;
	return !pthread_mutex_timedlock(&device_lock, &until);
}

static void end_device(void)
{
	engine_stop();
	/* In a child without a device of its own, the objects are the parent's */
	if (is_on("VERBSX_EMU_LEAKS") && (engine_is_here() || !engine_was_started()))
		object_report_leaks(context_leaks());
	if (engine_is_here()) {
		cm_end();
		fault_report();
	}
	fabric_sweep();
}

__attribute__((destructor)) static void end(void)
{
	if (lock_at_end()) {
		end_device();
		pthread_mutex_unlock(&device_lock);
	}
	control_socket_remove();
	fabric_leave();
	sysfs_remove();
}
