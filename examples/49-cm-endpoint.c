/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Synchronous endpoints of librdmacm: a passive and an active side, each of a list of addresses, whose functions wait. */

#include <pthread.h>

#include <verbsx/cm_post.h>

#include "example.h"

#define SERVICE "7471"

static const char *node = "10.1.0.1";

/* An id of an address, with a QP; of one that listens each request has such a QP. */
static struct vx_cm_id *endpoint(int flags)
{
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 16 }, .sq_sig_all = 1 };
	struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP };
	struct vx_cm_addrinfo *addresses;
	struct vx_cm_id *id;

	must(vx_cm_addrinfo_create(&(struct vx_cm_addrinfo_init){ .node = node, .service = SERVICE, .hints = &hints }, &addresses));
	must(vx_cm_ep_create(&(struct vx_cm_ep_init){ .addrinfo = addresses, .qp_init_attr = &attr }, &id));
	must(vx_close(addresses));
	return id;
}

static struct vx_mr *memory_of(struct vx_cm_id *id)
{
	struct vx_pd *pd;
	struct vx_mr *mr;

	must(vx_cm_id_pd(id, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &mr));
	return mr;
}

static void answer(struct vx_cm_id *id)
{
	struct vx_mr *mr = memory_of(id);
	struct ibv_wc wc;

	must(vx_cm_id_post_recv(id, NULL, vx_mr_addr(mr), 64, mr));
	must(vx_cm_id_accept(id, NULL));
	must(vx_cm_id_get_recv_comp(id, &wc));
	printf("passive: %s\n", (const char *)vx_mr_addr(mr));
	must(vx_cm_id_post_send(id, NULL, vx_mr_addr(mr), 64, mr, 0));
	must(vx_cm_id_get_send_comp(id, &wc));
}

/* The id of a request goes with the one that listens; closing that says no to who still asks. */
static void *passive(void *listener)
{
	struct vx_cm_id *id;

	if (vx_cm_request_create(listener, NULL, &id) < 0)
		fprintf(stderr, "%s\n", vx_error_text());
	else
		answer(id);
	vx_close(listener);
	return NULL;
}

static void active(struct vx_cm_id *id)
{
	struct vx_mr *mr = memory_of(id);
	struct ibv_wc wc;

	must(vx_cm_id_connect(id, NULL));
	strcpy(vx_mr_addr(mr), "there and back");
	must(vx_cm_id_post_send(id, NULL, vx_mr_addr(mr), 64, mr, 0));
	must(vx_cm_id_get_send_comp(id, &wc));
	memset(vx_mr_addr(mr), 0, 64);
	must(vx_cm_id_post_recv(id, NULL, vx_mr_addr(mr), 64, mr));
	must(vx_cm_id_get_recv_comp(id, &wc));
	printf("active: %s\n", (const char *)vx_mr_addr(mr));
}

int main(int argc, char **argv)
{
	struct vx_cm_id *listener, *id;
	pthread_t thread;

	if (argc > 1)
		node = argv[1];
	listener = endpoint(RAI_PASSIVE);
	must(vx_cm_id_listen(listener, 0));
	if (pthread_create(&thread, NULL, passive, listener))
		return 1;
	id = endpoint(0);
	active(id);
	pthread_join(thread, NULL);
	must(vx_close(id));
	return 0;
}
