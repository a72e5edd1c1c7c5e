/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Whom a server lets wait for a place, and for how long. */

#include <errno.h>

#include "server_bed.h"

TestSuite(cm_server_waiting, .timeout = 60);

/* A client that has asked, and is not answered: what the server hears next, when all whom it has accepted are connected, is its request. */
static struct vx_cm_client *waiting(struct vx_cm_server *server, const struct told *told)
{
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	int heard;

	while (told->established < told->asked)
		cr_assert_eq(vx_cm_server_run(server, 1), -EAGAIN);
	made(vx_cm_client_create(&init, &client));
	do {
		cr_assert_eq(vx_cm_client_step(client), -EAGAIN, "%s", vx_error_text());
		heard = vx_cm_server_step(server, 1);
	} while (heard == 0 && poll(NULL, 0, 1) == 0);
	cr_assert_eq(heard, 1, "%s", vx_error_text());
	return client;
}

Test(cm_server_waiting, lets_some_wait_and_rejects_the_rest)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1, .waiting = 1 }, &told);
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *first = connected(server), *second = waiting(server, &told), *third;

	made(vx_cm_client_create(&init, &third));
	cr_expect_eq(steps(server, third), -ECONNREFUSED);
	cr_expect_eq(told.asked, 1);
	made(vx_close(first));
	made(steps(server, second));
	cr_expect_eq(told.asked, 2);
	made(vx_close(second));
	made(vx_close(third));
	made(vx_close(server));
}

/* The kernel tells a server nothing of one that it has not accepted. */
Test(cm_server_waiting, forgets_who_gave_up_waiting)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1, .waiting = 2 }, &told);
	struct vx_cm_client *first = connected(server), *second = waiting(server, &told), *third = waiting(server, &told), *fourth;

	made(vx_close(second));
	fourth = waiting(server, &told);
	cr_expect_eq(told.asked, 1);
	made(vx_close(third));
	made(vx_close(first));
	made(steps(server, fourth));
	cr_expect_eq(told.asked, 2);
	cr_expect_eq(told.failed, 0);
	made(vx_close(fourth));
	made(vx_close(server));
}

/* Nor is it told of one whose request has come, and whose network is gone since. */
static void lose(struct vx_cm_client *client)
{
	fail("cm_drop#1-:REJ");
	made(vx_close(client));
	fail(NULL);
}

Test(cm_server_waiting, lets_nobody_wait_for_longer_than_it_was_told)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1, .waiting = 1, .waiting_ms = 250 }, &told);
	struct vx_cm_client *first = connected(server);

	lose(waiting(server, &told));
	poll(NULL, 0, 260);
	made(vx_close(waiting(server, &told))); /* it has the place of the one before */
	poll(NULL, 0, 260);
	made(vx_close(first));
	until_count(server, 0);
	cr_expect_eq(told.asked, 1);
	made(vx_close(connected(server)));
	made(vx_close(server));
}

Test(cm_server_waiting, turns_away_who_has_waited_for_too_long)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1, .waiting = 2, .waiting_ms = 100 }, &told);
	struct vx_cm_client *first = connected(server), *second = waiting(server, &told);
	struct pollfd entry = { vx_cm_server_fd(server), POLLIN, 0 };

	cr_assert_eq(poll(&entry, 1, WITHIN), 1, "the descriptor tells of no time that is up");
	cr_expect_eq(steps(server, second), -ECONNREFUSED);
	cr_expect_eq(poll(&entry, 1, 0), 0);
	cr_expect_eq(told.asked, 1);
	made(vx_close(second));
	made(vx_close(first));
	made(vx_close(server));
}

/* Else it would have a place, which others wait for. */
Test(cm_server_waiting, ends_what_is_never_answered)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .most = 1 }, &told);

	fail("cm_drop#1-:REP");
	lose(waiting(server, &told));
	fail("cm_drop#1-:REP");
	cr_expect_eq(vx_cm_server_count(server), 1);
	until_count(server, 0);
	cr_expect_eq(told.status, -ETIMEDOUT);
	cr_expect_eq(told.established, 0);
	made(vx_close(server));
}
