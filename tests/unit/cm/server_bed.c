/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A server and its clients in one thread. */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "emu/emu.h"
#include "server_bed.h"

static int request(struct vx_cm_connection *connection, void *data)
{
	struct told *told = data;

	told->asked++;
	snprintf(told->offer, sizeof(told->offer), "%s",
		 connection->offer->private_data_len ? (const char *)connection->offer->private_data : "");
	if (told->data) {
		connection->answer->private_data = told->data;
		connection->answer->private_data_len = (uint8_t)(strlen(told->data) + 1);
	}
	return told->answer;
}

static void established(struct vx_cm_connection *connection, void *data)
{
	((struct told *)data)->established++;
	((struct told *)data)->last = connection;
}

static void disconnected(struct vx_cm_connection *connection, int status, void *data)
{
	struct told *told = data;

	told->disconnected++;
	told->status = status;
	cr_expect_null(connection->offer);
	if (told->last == connection)
		told->last = NULL;
}

static void failed(int code, void *data)
{
	((struct told *)data)->failed++;
	((struct told *)data)->code = code;
	cr_expect_eq(vx_error()->code, code);
}

struct vx_cm_server *serve(const struct vx_cm_server_init *init, struct told *told)
{
	struct vx_cm_server_init own = init ? *init : (struct vx_cm_server_init){ 0 };
	struct vx_cm_server *server;

	own.node = here();
	if (!own.request)
		own.request = request;
	own.established = established;
	own.disconnected = disconnected;
	own.failed = failed;
	own.data = told;
	made(vx_cm_server_create(&own, &server));
	return server;
}

struct vx_cm_client_init way_to(const struct vx_cm_server *server)
{
	static __thread char port[16];

	snprintf(port, sizeof(port), "%u", vx_cm_server_port(server));
	return (struct vx_cm_client_init){ .node = here(), .service = port };
}

static void sleep_on(const struct vx_cm_server *server, const struct vx_cm_client *client)
{
	struct pollfd both[] = { { vx_cm_server_fd(server), POLLIN, 0 }, { client ? vx_cm_client_fd(client) : -1, POLLIN, 0 } };
	int left = client ? vx_cm_client_left_ms(client) : WITHIN;

	poll(both, 2, left);
}

int steps(struct vx_cm_server *server, struct vx_cm_client *client)
{
	int rc;

	while ((rc = vx_cm_client_step(client)) == -EAGAIN) {
		cr_assert_geq(vx_cm_server_step(server, 8), 0, "%s", vx_error_text());
		sleep_on(server, client);
	}
	return rc;
}

void until_count(struct vx_cm_server *server, uint32_t count)
{
	int rc, tries = 0;

	while (vx_cm_server_count(server) != count && tries++ < 1000) {
		rc = vx_cm_server_step(server, 8);
		cr_assert_geq(rc, 0, "%s", vx_error_text());
		if (rc == 0 && vx_cm_server_count(server) != count)
			sleep_on(server, NULL);
	}
	cr_assert_eq(vx_cm_server_count(server), count);
}

struct vx_cm_client *connected(struct vx_cm_server *server)
{
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;

	made(vx_cm_client_create(&init, &client));
	made(steps(server, client));
	return client;
}

void fail(const char *list)
{
	__typeof__(&vx_emu_fail) emu_fail = (__typeof__(&vx_emu_fail))dlsym(RTLD_DEFAULT, "vx_emu_fail");

	cr_assert_not_null(emu_fail);
	emu_fail(list);
}
