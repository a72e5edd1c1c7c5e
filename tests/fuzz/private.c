/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any private data, of a client for a server and of a server for a client, on the emulated device, through what programs call: what the one
 * said is what the other is told, with zeros up to the end of the message, and it prints. Input: a byte for the answer, yes or no; one for
 * its length; the answer's bytes; the request's.
 */

#include <errno.h>
#include <poll.h>

#include <verbsx/verbsx.h>

#include "input.h"

#define HERE "10.1.0.1"
#define LONGEST_REQUEST 56
#define LONGEST_ACCEPTED 196
#define LONGEST_REJECTED 148
#define PATIENCE 10000 /* ms */

enum {
	REJECT = 1,
	SERVER_ENDS = 2, /* the connection; else the client does */
};

static struct vx_cm_server *server;
static char service[8];
static struct input sent;	/* by the client */
static uint8_t answer[UINT8_MAX]; /* of the server */
static unsigned int choice, length, failures;
static struct vx_cm_id *last;

static void made(int rc)
{
	if (rc < 0)
		fprintf(stderr, "%s\n", vx_error_text());
	must(rc == 0);
}

/* What was told begins with what was said, in memory that is not longer. */
static void look_at(const struct rdma_conn_param *param, const uint8_t *said, size_t size)
{
	static const enum vx_style styles[] = { VX_TEXT, VX_COMPACT, VX_JSON };
	struct rdma_conn_param copy = *param;
	uint8_t *bytes = malloc(param->private_data_len);
	char text[4096];
	size_t i;

	must(param->private_data_len >= size && (param->private_data || !size));
	for (i = 0; i < param->private_data_len; i++)
		must((bytes[i] = ((const uint8_t *)param->private_data)[i]) == (i < size ? said[i] : 0));
	copy.private_data = bytes;
	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		must(vx_snprint(text, sizeof(text), VX_TYPEOF(&copy), &copy, styles[i] | VX_FOLLOW) < sizeof(text));
	free(bytes);
}

static int request(struct vx_cm_connection *connection, void *data)
{
	(void)data;
	look_at(connection->offer, sent.bytes, sent.size);
	connection->answer->private_data = answer;
	connection->answer->private_data_len = (uint8_t)length;
	return choice & REJECT ? -1 : 0;
}

static void established(struct vx_cm_connection *connection, void *data)
{
	(void)data;
	last = connection->id;
}

static void disconnected(struct vx_cm_connection *connection, int status, void *data)
{
	(void)connection, (void)status, (void)data;
	last = NULL;
}

/* Only what is too long for a message cannot be said. */
static void failed(int code, void *data)
{
	(void)data;
	must(code == -EINVAL && vx_error()->code == code && !(choice & REJECT) && length > LONGEST_ACCEPTED);
	failures++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct vx_cm_server_init init = {
		.node = HERE, .request = request, .established = established, .disconnected = disconnected, .failed = failed,
	};

	(void)argc, (void)argv;
	made(vx_cm_server_create(&init, &server));
	snprintf(service, sizeof(service), "%u", vx_cm_server_port(server));
	return 0;
}

static void wait_for(const struct vx_cm_client *client)
{
	struct pollfd fds[] = { { vx_cm_server_fd(server), POLLIN, 0 }, { client ? vx_cm_client_fd(client) : -1, POLLIN, 0 } };

	/* libFuzzer's own timer interrupts it. */
	must(poll(fds, 2, client ? vx_cm_client_left_ms(client) : PATIENCE) >= 0 || errno == EINTR);
}

static int connect_client(struct vx_cm_client *client)
{
	int rc;

	while ((rc = vx_cm_client_step(client)) == -EAGAIN) {
		must(vx_cm_server_step(server, 8) >= 0);
		wait_for(client);
	}
	return rc;
}

static void until_gone(void)
{
	while (vx_cm_server_count(server)) {
		must(vx_cm_server_step(server, 8) >= 0);
		if (vx_cm_server_count(server))
			wait_for(NULL);
	}
}

static void look_at_answer(const struct vx_cm_client *client, int rc)
{
	unsigned int longest = choice & REJECT ? LONGEST_REJECTED : LONGEST_ACCEPTED;
	const struct rdma_conn_param *told = vx_cm_client_answer(client);

	must((rc == 0) == (!(choice & REJECT) && length <= LONGEST_ACCEPTED));
	must(rc == 0 || (rc == -ECONNREFUSED && vx_error()->code == rc && *vx_error_text()));
	must(failures == (!(choice & REJECT) && length > LONGEST_ACCEPTED));
	must(told || rc);
	if (told && length <= longest)
		look_at(told, answer, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };
	struct vx_cm_client_init init = { .node = HERE, .service = service, .timeout_ms = PATIENCE };
	struct vx_cm_client *client;
	unsigned int i;
	int rc;

	choice = (unsigned int)take_number(&in, 1);
	length = (unsigned int)take_number(&in, 1);
	failures = 0;
	for (i = 0; i < length; i++)
		answer[i] = (uint8_t)take_number(&in, 1);
	sent = in;
	init.private_data = in.bytes;
	init.private_data_len = in.size;
	rc = vx_cm_client_create(&init, &client);
	must((rc == 0) == (in.size <= LONGEST_REQUEST));
	if (rc < 0)
		return 0;
	rc = connect_client(client);
	look_at_answer(client, rc);
	if (rc == 0 && choice & SERVER_ENDS && last)
		made(vx_cm_id_disconnect(last));
	made(vx_close(client));
	until_gone();
	return 0;
}
