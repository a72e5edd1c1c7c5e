/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that a server turns away, or cannot serve, leave nothing in it, whatever stands in the way of their end at first. */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "emu/emu.h"
#include "server_bed.h"

TestSuite(cm_server_requests, .timeout = 60);

/* How many objects the device has. */
static int live(void)
{
	return ((__typeof__(&vx_emu_live))dlsym(RTLD_DEFAULT, "vx_emu_live"))(NULL);
}

/* A client that is not going to be connected, and is closed. */
static void turned_away(struct vx_cm_server *server)
{
	const struct vx_cm_client_init init = way_to(server);
	struct vx_cm_client *client;
	int i, rc;

	made(vx_cm_client_create(&init, &client));
	for (i = 0; i < 2000 && (rc = vx_cm_client_step(client)) == -EAGAIN; i++) {
		vx_cm_server_step(server, 8);
		poll(NULL, 0, 1);
	}
	cr_expect_eq(rc, -ECONNREFUSED, "%s", vx_error_text());
	made(vx_close(client));
}

/* Which holds a lock of the CQ that ending the QP takes. */
Test(cm_server_requests, are_closed_when_the_loop_over_their_cq_is_left)
{
	struct vx_cq_init init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_QP_NUM, .checked = true };
	struct told told = { 0 };
	struct vx_cm_server *server;
	struct vx_cm_client *client;
	struct vx_ctx *ctx;
	struct vx_cq *cq;
	struct vx_wc *wc;
	size_t count;
	int before;

	made(vx_cm_contexts(&ctx, 1, &count));
	made(vx_cq_create(ctx, &init, &cq));
	server = serve(&(struct vx_cm_server_init){ .qp = &(struct vx_cm_qp_init){ .send_cq = cq, .recv_cq = cq } }, &told);
	client = connected(server);
	while (!told.last)
		vx_cm_server_run(server, 1);
	before = live();
	made(vx_qp_post_rdma_write(told.last->qp, 7, IBV_SEND_SIGNALED, NULL, 0, 0, 0));
	while (!vx_cq_start_poll(cq, &wc))
		;
	told.answer = 1;
	turned_away(server);
	vx_wc_end(wc);
	cr_expect_geq(vx_cm_server_step(server, 8), 0, "%s", vx_error_text());
	cr_expect_eq(live(), before, "%d objects more are left", live() - before);
	cr_expect_eq(vx_cm_server_count(server), 1);
	made(vx_close(client));
	until_count(server, 0);
	made(vx_close(server));
	made(vx_close(cq));
	made(vx_close(ctx));
}

/* That of the last request. */
static struct vx_cm_id *asking;

static int says_no(struct vx_cm_connection *connection, void *data)
{
	(void)data;
	asking = connection->id;
	return 1;
}

/* What is no handle any more prints as its address. */
static bool is_open(void *object)
{
	const struct vx_async_event holder = { .object = object };
	char text[1024];

	vx_snprint(text, sizeof(text), VX_TYPEOF(&holder), &holder, VX_COMPACT);
	return !strstr(text, "object=0x");
}

Test(cm_server_requests, are_closed_when_the_kernel_lets_them_go)
{
	struct told told = { 0 };
	struct vx_cm_server *server = serve(&(struct vx_cm_server_init){ .request = says_no }, &told);

	fail("cm_destroy_id#1:EIO");
	turned_away(server);
	fail(NULL);
	cr_expect_geq(vx_cm_server_step(server, 8), 0, "%s", vx_error_text());
	cr_assert_not_null(asking);
	cr_expect_not(is_open(asking));
	made(vx_close(server));
}
