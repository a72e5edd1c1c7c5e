/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A handler stands in the place of the default action, and sigaction() and signal() keep
 * it from being seen: the program may look at its signals and set them as if it were not
 * there. Of faults, another stands before whatever the program has, as the device meets some.
 */
#define _GNU_SOURCE
#include "signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "bounds.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "faults/control_socket.h"
#include "objects/pinned.h"
#include "packets/fabric.h"
#include "process.h"
#include "sysfs/sysfs.h"

/* Those that end no process by default, or cannot be caught; all others do, those of real time too */
static const int harmless[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP,
				SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH };
/* Those of faults, and what the program has set for each */
static const int faults[] = { SIGSEGV, SIGBUS };
static struct sigaction behind[ARRAY_SIZE(faults)];
static bool started;

/* The C library's, from one place: it is looked for before a handler needs it */
static int set_real(int sig, const struct sigaction *act, struct sigaction *old)
{
	return REAL(sigaction)(sig, act, old);
}

/*
 * The default action comes back last, and when we return. Before that another signal, to this thread or to another, would
 * end the process halfway: timeout(1) sends each twice. So no SA_RESETHAND either, which the kernel obeys before it blocks the signal.
 */
static void clean_up(int sig)
{
	static const struct sigaction by_default = { .sa_handler = SIG_DFL };

	process_await_discovery();
	engine_stop(); /* it makes nothing anew */
	control_socket_remove();
	fabric_leave();
	sysfs_remove();
	set_real(sig, &by_default, NULL);
	raise(sig);
}

/* With all signals blocked: another thread may clean up at the same time, but none is interrupted in the middle of it */
static struct sigaction cleaning = { .sa_handler = clean_up };

static bool is_deadly(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (harmless[i] == sig)
			return false;
	return true;
}

static bool is_default(const struct sigaction *act)
{
	return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == SIG_DFL;
}

static struct sigaction *behind_fault(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (faults[i] == sig)
			return &behind[i];
	return NULL;
}

static bool is_ignored(const struct sigaction *act)
{
	return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == SIG_IGN;
}

/* A fault cannot be ignored, a signal that somebody sends can */
static bool is_the_end(const struct sigaction *act, const siginfo_t *info)
{
	return is_default(act) || (is_ignored(act) && info->si_code > 0);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sigaction *b = behind_fault(sig), act = *b;

	pinned_recover(info, context);
	if (is_the_end(&act, info)) {
		clean_up(sig);
		return;
	}
	if (act.sa_flags & SA_RESETHAND)
		*b = (struct sigaction){ .sa_handler = SIG_DFL };
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(sig, info, context);
	else if (!is_ignored(&act))
		act.sa_handler(sig);
}

/* With the program's mask and flags, so that its handler runs as it asked for */
static int put_behind(int sig, const struct sigaction *act)
{
	struct sigaction front = *act;

	if (is_default(act) || is_ignored(act))
		front = (struct sigaction){ .sa_flags = SA_ONSTACK };
	front.sa_flags = (front.sa_flags | SA_SIGINFO) & ~SA_RESETHAND;
	front.sa_sigaction = on_fault;
	*behind_fault(sig) = *act;
	return set_real(sig, &front, NULL);
}

static int change_fault(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = *behind_fault(sig);
	int rc = act ? put_behind(sig, act) : 0;

	if (!rc && old)
		*old = before;
	return rc;
}

static void hide(struct sigaction *old)
{
	if (old->sa_handler != clean_up)
		return;
	*old = (struct sigaction){ .sa_handler = SIG_DFL };
}

INTERPOSED int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	int rc;

	if (started && behind_fault(sig))
		return change_fault(sig, act, old);
	if (started && act && is_deadly(sig) && is_default(act))
		act = &cleaning;
	rc = set_real(sig, act, old);
	if (!rc && old)
		hide(old);
	return rc;
}

static sighandler_t signal_of_fault(int sig, sighandler_t handler)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	return change_fault(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

INTERPOSED sighandler_t signal(int sig, sighandler_t handler)
{
	sighandler_t old;

	if (started && behind_fault(sig))
		return signal_of_fault(sig, handler);
	old = REAL(signal)(sig, handler);
	if (started && old != SIG_ERR && handler == SIG_DFL && is_deadly(sig))
		set_real(sig, &cleaning, NULL);
	return old == clean_up ? SIG_DFL : old;
}

void signals_start(void)
{
	struct sigaction now;

	if (started)
		return;
	started = true;
	sigfillset(&cleaning.sa_mask);
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		if (!is_deadly(sig) || set_real(sig, NULL, &now))
			continue;
		if (behind_fault(sig))
			put_behind(sig, &now);
		else if (is_default(&now))
			set_real(sig, &cleaning, NULL);
	}
}
