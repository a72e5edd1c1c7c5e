/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Two QPs that find each other through a socket, with data beside: where the one may write, and with which key. */

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include "example.h"

/* What one side tells the other of its memory. */
struct window {
	uint64_t addr;
	uint32_t rkey;
};

struct side {
	struct vx_qp *qp;
	struct vx_mr *mr;
	int fd;
};

/* Most likely another program, on another host, at the end of a TCP connection. */
static void *let_write(void *data)
{
	struct side *side = data;
	struct window window = { (uintptr_t)vx_mr_addr(side->mr), vx_mr_rkey(side->mr) };
	struct vx_path path = { .access = IBV_ACCESS_REMOTE_WRITE };

	must(vx_accept(side->qp, side->fd, &(struct vx_connect_init){ .path = &path, .private_data = &window, .private_data_len = sizeof(window) }, NULL));
	return NULL;
}

static void write_to(const struct window *window, const struct side *side, struct vx_cq *cq)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(side->mr), 6, vx_mr_lkey(side->mr) };
	struct ibv_wc wc;

	strcpy(vx_mr_addr(side->mr), "hello");
	must(vx_qp_post_rdma_write(side->qp, 0, IBV_SEND_SIGNALED, &sge, 1, window->rkey, window->addr));
	must_poll(cq, &wc);
	must_complete(&wc, side->qp);
}

int main(void)
{
	struct side here, there;
	struct window window;
	struct vx_path path;
	struct vx_peer peer = { .paths = &path, .private_data = &window, .private_data_room = sizeof(window) };
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	pthread_t thread;
	int ends[2];

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &here.qp));
	must(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &there.qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &here.mr));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &there.mr));

	must_raw(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ? errno : 0, "socketpair");
	here.fd = ends[0];
	there.fd = ends[1];
	must_raw(pthread_create(&thread, NULL, let_write, &there), "pthread_create");
	must(vx_connect(here.qp, here.fd, NULL, &peer));
	printf("connected with QP %u, up to %u reads at a time\n", path.dqpn, path.srd_atomic);
	pthread_join(thread, NULL);

	write_to(&window, &here, cq);
	printf("written: %s\n", (char *)vx_mr_addr(there.mr));
	must(vx_close(ctx));
	return 0;
}
