/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Threads that are cancelled while they take the steps of servers and clients, and what another thread is at. */

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "server_bed.h"

TestSuite(cm_threads, .timeout = 60);

/* ---- threads that are cancelled there ---- */

static pthread_barrier_t there;

static void stay(void)
{
	pthread_barrier_wait(&there);
	for (;;)
		pause();
}

static void stay_established(struct vx_cm_connection *connection, void *data)
{
	(void)connection, (void)data;
	stay();
}

static int stay_prepared(struct vx_cm_client *client, void *data)
{
	(void)client, (void)data;
	stay();
	return 0;
}

static void *run_server(void *server)
{
	while (vx_cm_server_run(server, WITHIN) == -EAGAIN)
		;
	return NULL;
}

static void *step_client(void *client)
{
	while (vx_cm_client_step(client) == -EAGAIN)
		poll(&(struct pollfd){ vx_cm_client_fd(client), POLLIN, 0 }, 1, vx_cm_client_left_ms(client));
	return NULL;
}

static pthread_t begun(void *(*run)(void *object), void *object)
{
	pthread_t thread;

	pthread_barrier_init(&there, NULL, 2);
	cr_assert_eq(pthread_create(&thread, NULL, run, object), 0);
	return thread;
}

static void cancelled_there(pthread_t thread)
{
	pthread_barrier_wait(&there);
	cr_assert_eq(pthread_cancel(thread), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(cm_threads, a_server_goes_on_and_is_closed_after_a_thread_was_cancelled_in_its_established)
{
	struct vx_cm_client_init init;
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	pthread_t thread;

	made(vx_cm_server_create(&(struct vx_cm_server_init){ .node = here(), .established = stay_established }, &server));
	init = way_to(server);
	thread = begun(run_server, server);
	made(vx_cm_client_connect(&init, &client));
	cancelled_there(thread);
	made(vx_close(client));
	until_count(server, 0);
	made(vx_close(server));
}

Test(cm_threads, a_client_is_closed_after_a_thread_was_cancelled_in_its_prepare)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	init.prepare = stay_prepared;
	made(vx_cm_client_create(&init, &client));
	cancelled_there(begun(step_client, client));
	made(vx_close(client));
	made(vx_close(server));
}

/* Who asks is told all the same, and the place is another's. */
static int cancel_and_say_no(struct vx_cm_connection *connection, void *data)
{
	(void)connection, (void)data;
	pthread_cancel(pthread_self());
	return 1;
}

Test(cm_threads, a_request_is_rejected_before_its_thread_is_cancelled)
{
	struct vx_cm_client_init init;
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	pthread_t thread;

	made(vx_cm_server_create(&(struct vx_cm_server_init){ .node = here(), .request = cancel_and_say_no }, &server));
	init = way_to(server);
	thread = begun(run_server, server);
	cr_expect_eq(vx_cm_client_connect(&init, &client), -ECONNREFUSED, "%s", vx_error_text());
	cr_assert_eq(pthread_join(thread, NULL), 0);
	made(vx_close(server));
}

/* ---- what another thread is at ---- */

Test(cm_threads, a_server_is_not_closed_while_another_thread_runs_it)
{
	struct vx_cm_client_init init;
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	pthread_t thread;

	made(vx_cm_server_create(&(struct vx_cm_server_init){ .node = here() }, &server));
	init = way_to(server);
	thread = begun(run_server, server);
	made(vx_cm_client_connect(&init, &client)); /* so it does run */
	cr_expect_eq(vx_close(server), -EBUSY);
	cr_expect_not_null(strstr(vx_error_text(), "or another thread runs it"), "%s", vx_error_text());
	made(vx_close(client));
	vx_cm_server_wake(server);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	made(vx_close(server));
}

/* A client that nobody has yet goes with its thread, wherever that is. */
static void *connect_to(void *init)
{
	struct vx_cm_client *client;

	made(vx_cm_client_connect(init, &client));
	return NULL;
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	cr_assert_not_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void cancel_client(struct vx_cm_client_init *init, void (*meanwhile)(void *), void *data)
{
	pthread_t thread = begun(connect_to, init);

	meanwhile(data);
	cr_assert_eq(pthread_cancel(thread), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

static void wait_there(void *nothing)
{
	(void)nothing;
	pthread_barrier_wait(&there);
}

/* Nobody takes steps, so that it is not answered. */
static void wait_for(void *us)
{
	usleep(*(unsigned int *)us);
}

Test(cm_threads, a_client_goes_with_the_thread_that_was_cancelled_as_it_connected)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(NULL, &told);
	struct vx_cm_client_init init = way_to(server);
	unsigned int us;
	int before;

	made(vx_close(connected(server))); /* what is there only once is there */
	before = descriptors();
	for (us = 0; us < 4000; us += us < 1000 ? 100 : 500)
		cancel_client(&init, wait_for, &us);
	init.prepare = stay_prepared;
	cancel_client(&init, wait_there, NULL);
	cr_expect_eq(descriptors(), before);
	made(vx_close(connected(server)));
	made(vx_cm_server_stop(server, WITHIN));
	made(vx_close(server));
}
