/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The acceptance scenarios in which something comes from elsewhere: events, a peer at the end of a socket, answers. */

#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bed.h"

TestSuite(acceptance_between, .init = open_all, .fini = close_device);

/* ---- A8: asynchronous events ---- */

static enum ibv_event_type heard;

static void hear(const struct vx_async_event *event, void *data)
{
	char text[512];

	(void)data;
	heard = event->type;
	vx_snprint(text, sizeof(text), VX_TYPEOF(event), event, VX_COMPACT);
	cr_expect_not_null(strstr(text, vx_ibv_event_type_name(event->type)), "%s", text);
}

static struct vx_poller *new_listener(void)
{
	struct vx_poller *listener;

	made(vx_poller_create(cq, &(struct vx_poller_init){ .mode = VX_POLLER_SLEEP, .async = hear }, &listener));
	return listener;
}

/* The limit is passed by the first message; what waits for messages is told of it. */
Test(acceptance_between, a8_who_waits_is_told_that_an_srq_runs_low)
{
	struct ibv_srq_attr limit = { .srq_limit = 8 };
	struct vx_poller *listener = new_listener();
	struct vx_qp *qps[2];
	struct ibv_wc wc;
	int i;

	made(vx_srq_create(pd, NULL, &srq));
	made(vx_pool_post_srq_recv(pool, srq, 8));
	open_pair(IBV_QPT_RC, qps);
	made(vx_srq_modify(srq, &limit, IBV_SRQ_LIMIT));
	send_buffer(qps[0], NULL);
	for (i = 0; i < 100 && heard != IBV_EVENT_SRQ_LIMIT_REACHED; i++)
		vx_poller_poll(listener, 1, &wc, 100);
	cr_expect_eq(heard, IBV_EVENT_SRQ_LIMIT_REACHED);
}

/* Only the emulated device can be told to have such a port. */
Test(acceptance_between, a8_who_waits_is_told_what_becomes_of_the_port)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	static const struct {
		const char *name;
		enum ibv_event_type type;
	} events[] = {
		{ "lid_change", IBV_EVENT_LID_CHANGE }, { "pkey_change", IBV_EVENT_PKEY_CHANGE }, { "sm_change", IBV_EVENT_SM_CHANGE },
	};
	struct vx_poller *listener = new_listener();
	struct ibv_wc wc;
	char why[256];
	size_t i;

	if (!fault)
		cr_skip_test("only the emulated device does so");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (fault(events[i].name, why, sizeof(why)))
			cr_skip_test("%s", why);
		cr_expect_eq(vx_poller_poll(listener, 1, &wc, 50), -EAGAIN);
		cr_expect_eq(heard, events[i].type);
	}
}

/* ---- A11: one writes to the other, which it has met by a socket ---- */

struct window {
	uint64_t addr;
	uint32_t rkey;
};

struct meeting {
	struct vx_qp *qp;
	struct vx_mr *mr;
	int fd;
};

static void *let_write(void *data)
{
	struct meeting *meeting = data;
	const struct window window = { (uintptr_t)vx_mr_addr(meeting->mr), vx_mr_rkey(meeting->mr) };
	const struct vx_path path = { .access = IBV_ACCESS_REMOTE_WRITE };

	made(vx_accept(meeting->qp, meeting->fd, &(struct vx_connect_init){ .path = &path, .private_data = &window, .private_data_len = sizeof(window) }, NULL));
	return NULL;
}

/* Each write is of two entries, which lie apart here and together there. */
static void write_all(struct vx_qp *qp, const struct window *window, const struct vx_mr *mr)
{
	uint64_t from = (uintptr_t)vx_mr_addr(mr);
	struct ibv_sge entries[2] = { { from, 100, vx_mr_lkey(mr) }, { from + 2048, 156, vx_mr_lkey(mr) } };
	struct ibv_wc wc[16];
	int i;

	for (i = 0; i < 16; i++)
		made(vx_qp_post_rdma_write(qp, (uint64_t)i, IBV_SEND_SIGNALED, entries, 2, window->rkey, window->addr + 256 * (uint64_t)i));
	take(wc, 16);
	for (i = 0; i < 16; i++)
		cr_expect(wc[i].status == IBV_WC_SUCCESS && wc[i].wr_id == (uint64_t)i);
}

Test(acceptance_between, a11_writes_go_to_whom_a_socket_led_to)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct meeting there = { .qp = new_qp(IBV_QPT_RC) };
	struct vx_qp *here = new_qp(IBV_QPT_RC);
	struct window window;
	struct vx_peer peer = { .private_data = &window, .private_data_room = sizeof(window) };
	struct vx_mr *mr;
	pthread_t thread;
	int fds[2], i;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096, .access = access }, &there.mr));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));
	memset(vx_mr_addr(mr), 'a', 100);
	memset((char *)vx_mr_addr(mr) + 2048, 'b', 156);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	there.fd = fds[1];
	cr_assert_eq(pthread_create(&thread, NULL, let_write, &there), 0);
	made(vx_connect(here, fds[0], NULL, &peer));
	pthread_join(thread, NULL);
	write_all(here, &window, mr);
	for (i = 0; i < 4096; i++)
		cr_assert_eq(((char *)vx_mr_addr(there.mr))[i], i % 256 < 100 ? 'a' : 'b');
	close(fds[0]);
	close(fds[1]);
}

/* ---- A12: datagrams to many, who answer by the way that each came ---- */

#define MANY_QPS 4

/* Which of some QPs has received something; NULL: none of them. */
static struct vx_qp *receiver_of(const struct ibv_wc *wc, struct vx_qp *const *qps, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (wc->opcode & IBV_WC_RECV && wc->qp_num == vx_qp_raw(qps[i])->qp_num)
			return qps[i];
	return NULL;
}

static void answer(struct vx_qp *server, const struct ibv_wc *wc)
{
	struct vx_path way;

	made(vx_path_from_wc(ctx, 1, wc, (char *)vx_pool_at(pool, wc->wr_id) - GRH, &way));
	vx_path_reply(&way);
	send_buffer(server, &way);
}

Test(acceptance_between, a12_many_are_spoken_to_and_answer)
{
	struct vx_qp *client = new_qp(IBV_QPT_UD), *servers[MANY_QPS];
	struct vx_qp *server;
	struct vx_path way;
	struct ibv_wc wc;
	int i, answers = 0;

	made(vx_qp_to_rts(client, &(struct vx_path){ .qkey = QKEY }));
	made(vx_pool_post_recv(pool, client, MANY_QPS));
	for (i = 0; i < MANY_QPS; i++) {
		servers[i] = new_qp(IBV_QPT_UD);
		made(vx_qp_to_rts(servers[i], &(struct vx_path){ .qkey = QKEY }));
		made(vx_pool_post_recv(pool, servers[i], 1));
		way = way_to(servers[i]);
		send_buffer(client, &way);
	}
	while (answers < MANY_QPS) {
		take(&wc, 1);
		cr_assert_eq(wc.status, IBV_WC_SUCCESS);
		server = receiver_of(&wc, servers, MANY_QPS);
		if (server)
			answer(server, &wc);
		answers += receiver_of(&wc, &client, 1) != NULL;
		made(vx_pool_done(pool, NULL, &wc, 1));
	}
}
