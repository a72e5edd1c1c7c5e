/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A handler stands in the place of the default action, and sigaction() and signal() keep
 * it from being seen: the program may look at its signals and set them as if it were not
 * there.
 */
#define _GNU_SOURCE
#include "signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "calls/real.h"
#include "faults/control_socket.h"
#include "limits.h"
#include "packets/fabric.h"
#include "sysfs/sysfs.h"

/* Those that end no process by default, or cannot be caught; all others do, those of real time too */
static const int harmless[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP,
				SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH };
static bool started;

/* SA_RESETHAND has put the default action back: it comes when we return */
static void clean_up(int sig)
{
	control_socket_remove();
	fabric_leave();
	sysfs_remove();
	raise(sig);
}

static const struct sigaction cleaning = { .sa_handler = clean_up, .sa_flags = SA_RESETHAND };

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

static void hide(struct sigaction *old)
{
	if (old->sa_handler != clean_up)
		return;
	old->sa_handler = SIG_DFL;
	old->sa_flags = 0;
}

INTERPOSED int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	int rc;

	if (started && act && is_deadly(sig) && is_default(act))
		act = &cleaning;
	rc = REAL(sigaction)(sig, act, old);
	if (!rc && old)
		hide(old);
	return rc;
}

INTERPOSED sighandler_t signal(int sig, sighandler_t handler)
{
	sighandler_t old = REAL(signal)(sig, handler);

	if (started && old != SIG_ERR && handler == SIG_DFL && is_deadly(sig))
		REAL(sigaction)(sig, &cleaning, NULL);
	return old == clean_up ? SIG_DFL : old;
}

void signals_start(void)
{
	struct sigaction now;

	if (started)
		return;
	started = true;
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (is_deadly(sig) && !REAL(sigaction)(sig, NULL, &now) && is_default(&now))
			REAL(sigaction)(sig, &cleaning, NULL);
}
