/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_CM_SERVER_BED_H
#define UNIT_CM_SERVER_BED_H

/* A server and its clients in one thread. */

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#define made(call) cr_assert_eq(call, 0, "%s", vx_error_text())
#define WITHIN 5000

/* What a server has told, and how it is to answer. */
struct told {
	int asked, established, disconnected, failed;
	int status;			/* of the last that ended */
	int code;			/* of the last that failed */
	int answer;
	const char *data;		/* that goes with it */
	char offer[64];
	struct vx_cm_connection *last;	/* that was established */
};

static inline const char *here(void)
{
	const char *address = getenv("CM_ADDRESS");

	return address ? address : "10.1.0.1";
}

/* A server that tells this, with what of init is set. */
struct vx_cm_server *serve(const struct vx_cm_server_init *init, struct told *told);

/* What leads to it; valid until the next call. */
struct vx_cm_client_init way_to(const struct vx_cm_server *server);

/* Steps of both, until the client is connected, or is not going to be. @return what its last step did */
int steps(struct vx_cm_server *server, struct vx_cm_client *client);

/* A client that is connected. */
struct vx_cm_client *connected(struct vx_cm_server *server);

/* Steps of a server, until it has so many connections. */
void until_count(struct vx_cm_server *server, uint32_t count);

/* What the emulated device is to do wrong; NULL: nothing. */
void fail(const char *list);

#endif
