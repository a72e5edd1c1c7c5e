/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program that leaves by exit() from a handler, while it is in the middle of a call. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest.h"

TestSuite(leaving, .init = open_bed, .fini = close_bed);

enum {
	ROUNDS = 8,
	SECONDS = 20
};

static void leave(int number)
{
	(void)number;
	exit(0);
}

/* In a child, where the parent's objects are not for use */
static void poll_until_alarm(int us)
{
	struct itimerval alarm = { .it_value = { 0, us } };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && *list ? ibv_open_device(*list) : NULL;
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 1, NULL, NULL, 0) : NULL;
	struct ibv_wc wc;

	if (!cq)
		_exit(1);
	unsetenv("VERBSX_EMU_LEAKS"); /* it is not to clean up */
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &alarm, NULL);
	for (;;)
		ibv_poll_cq(cq, 1, &wc);
}

static bool ends(pid_t child)
{
	for (int i = 0; i < SECONDS * 1000; i++) {
		if (waitpid(child, NULL, WNOHANG) == child)
			return true;
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return false;
}

Test(leaving, a_handler_may_exit)
{
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();

		if (!child)
			poll_until_alarm(1000 + 37 * i);
		CHECK(child > 0 && ends(child));
	}
}
