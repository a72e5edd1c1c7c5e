/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* An echo server of librdmacm: one thread and one epoll for connections and completions of a thousand clients, here of a second thread. */

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "example.h"

#define CLIENTS 1000
#define SIZE 64
#define EACH 4 /* completions and buffers of a connection at a time: two receives, a send, and one to spare */

static int count = CLIENTS;

/* What all connections of one side share. */
struct side {
	struct vx_ctx *ctx;
	struct vx_comp_channel *channel;
	struct vx_cq *cq;
	struct vx_pool *pool;
	struct vx_cm_qp_init qp;
};

static void open_side(struct side *side)
{
	size_t devices;

	*side = (struct side){ 0 };
	must(vx_cm_contexts(&side->ctx, 1, &devices));
	must_raw(devices ? 0 : ENODEV, "vx_cm_contexts");
	must(vx_pd_create(side->ctx, NULL, &side->qp.pd));
	must(vx_comp_channel_create(side->ctx, NULL, &side->channel));
	must(vx_cq_create(side->ctx, &(struct vx_cq_init){ .cqe = EACH * count, .channel = side->channel }, &side->cq));
	must(vx_pool_create(side->qp.pd, &(struct vx_pool_init){ .count = (uint32_t)(EACH * count), .size = SIZE }, &side->pool));
	side->qp.send_cq = side->qp.recv_cq = side->cq;
	side->qp.cap.max_send_wr = side->qp.cap.max_recv_wr = 4;
}

static void send_text(const struct side *side, struct vx_qp *qp, const char *text)
{
	struct ibv_sge sge;
	uint32_t index;

	must(vx_pool_get(side->pool, &index));
	must(vx_pool_sge(side->pool, index, SIZE, &sge));
	snprintf(vx_pool_at(side->pool, index), SIZE, "%s", text);
	must(vx_qp_post_send_one(qp, vx_pool_wr_id(side->pool, index), IBV_SEND_SIGNALED, &sge, 1));
}

/* ---- the server: its functions are called by the loop below ---- */

static struct side served;
static struct vx_dispatcher *dispatcher;
static int ended;

/* At the end of a connection its receives are flushed, which is no failure; their buffers are back all the same, and nothing is posted. */
static void completed(const struct ibv_wc *wc, void *data)
{
	struct vx_cm_connection *connection = data;
	struct vx_qp *qp = vx_qp_state(connection->qp) == IBV_QPS_ERR ? NULL : connection->qp;
	int rc;

	if (qp && wc->status == IBV_WC_SUCCESS && wc->opcode & IBV_WC_RECV)
		send_text(&served, qp, vx_pool_at(served.pool, wc->wr_id));
	rc = vx_pool_done(served.pool, qp, wc, 1);
	if (wc->status != IBV_WC_WR_FLUSH_ERR)
		must(rc);
}

/* The QP is in INIT: what the client sends first finds a receive. */
static int request(struct vx_cm_connection *connection, void *data)
{
	(void)data;
	must(vx_dispatcher_add(dispatcher, connection->qp, completed, connection));
	must(vx_pool_post_recv(served.pool, connection->qp, 2));
	return 0;
}

/* What the QP had left to do is flushed, if not at once, and it is closed when this returns: its buffers go back before. */
static void disconnected(struct vx_cm_connection *connection, int status, void *data)
{
	(void)status, (void)data;
	must(vx_qp_drain(connection->qp, 1000, vx_dispatcher_tell, dispatcher));
	ended++;
}

/* What comes after the CQ was armed wakes the loop. */
static void take_completions(void)
{
	struct vx_comp_event event;

	while (vx_comp_channel_get_event(served.channel, 0, &event) == 0)
		; /* closing the CQ acknowledges them */
	must(vx_cq_req_notify(served.cq, 0));
	while (vx_dispatcher_poll(dispatcher, 64) > 0)
		;
}

static void watch(int loop, int fd, void *whose)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = whose };

	must_raw(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) ? errno : 0, "epoll_ctl");
}

/* @return whose descriptor can be read, if one can within the time */
static void *next_of(int loop, int timeout_ms)
{
	struct epoll_event event = { .data.ptr = NULL };

	if (epoll_wait(loop, &event, 1, timeout_ms) < 0 && errno != EINTR)
		must_raw(errno, "epoll_wait");
	return event.data.ptr;
}

static void serve(struct vx_cm_server *server)
{
	int loop = epoll_create1(0);

	watch(loop, vx_cm_server_fd(server), server);
	watch(loop, vx_comp_channel_raw(served.channel)->fd, served.channel);
	while (ended < count) {
		take_completions();
		must(vx_cm_server_step(server, 64));
		next_of(loop, -1);
	}
	close(loop);
}

/* ---- the clients, which are all there at once ---- */

#define AT_ONCE 64 /* of them connect at a time */
#define SOON 5000 /* ms, that connecting takes at most */

static struct caller {
	struct vx_cm_client *client;
	bool is_connected;
	char text[SIZE];
	bool is_same; /* as what came back */
} callers[CLIENTS];
static struct side calling;
static struct vx_dispatcher *answers;
static char port[8];
static const char *node = "10.1.0.1";

static int post(struct vx_cm_client *client, void *data)
{
	(void)data;
	return vx_pool_post_recv(calling.pool, vx_cm_client_qp(client), 1);
}

/* @return 1 when it is connected, 0 as long as it is not */
static int step(int loop, struct caller *caller)
{
	int rc = vx_cm_client_step(caller->client);

	if (rc == -EAGAIN)
		return 0;
	must(rc);
	caller->is_connected = true;
	epoll_ctl(loop, EPOLL_CTL_DEL, vx_cm_client_fd(caller->client), NULL);
	return 1;
}

/* Whom nobody has told anything for so long: its step says so. */
static struct caller *late(void)
{
	struct caller *caller = callers;

	while (caller->is_connected)
		caller++;
	return caller;
}

/* The first waits for all of it in one call, as a program with one connection does. The others take steps when there is something to do. */
static void connect_all(void)
{
	const struct vx_cm_client_init init = { .node = node, .service = port, .qp = &calling.qp, .prepare = post };
	int loop = epoll_create1(0), begun = 1, connected;
	struct caller *caller;

	must(vx_cm_client_connect(&init, &callers[0].client));
	for (connected = step(loop, &callers[0]); connected < count; connected += step(loop, caller ? caller : late())) {
		if (begun < count && begun - connected < AT_ONCE) {
			caller = &callers[begun++];
			must(vx_cm_client_create(&init, &caller->client));
			watch(loop, vx_cm_client_fd(caller->client), caller);
		} else {
			caller = next_of(loop, SOON);
		}
	}
	close(loop);
}

static void answered(const struct ibv_wc *wc, void *data)
{
	struct caller *caller = data;

	must_complete(wc, vx_cm_client_qp(caller->client));
	if (wc->opcode & IBV_WC_RECV)
		caller->is_same = !strcmp(vx_pool_at(calling.pool, wc->wr_id), caller->text);
	must(vx_pool_done(calling.pool, NULL, wc, 1));
}

/* @return how many got the same text back */
static int echo_all(void)
{
	int i, left, right = 0;

	for (i = 0; i < count; i++) {
		must(vx_dispatcher_add(answers, vx_cm_client_qp(callers[i].client), answered, &callers[i]));
		snprintf(callers[i].text, SIZE, "client %d", i);
		send_text(&calling, vx_cm_client_qp(callers[i].client), callers[i].text);
	}
	for (left = 2 * count; left > 0; left -= i) /* what is sent completes, and what is received */
		must(i = vx_dispatcher_poll(answers, 64));
	for (i = 0; i < count; i++)
		right += callers[i].is_same;
	return right;
}

static void *call(void *unused)
{
	int i;

	connect_all();
	printf("%d of %d had their text back\n", echo_all(), count);
	for (i = 0; i < count; i++)
		must(vx_close(callers[i].client));
	return unused;
}

/* Each client has a descriptor of its own. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	struct vx_cm_server *server;
	pthread_t thread;

	node = argc > 1 ? argv[1] : node; /* an address of this host's device */
	if (argc > 2 && atoi(argv[2]) > 0 && atoi(argv[2]) < CLIENTS)
		count = atoi(argv[2]);
	allow_descriptors();
	open_side(&served);
	open_side(&calling);
	must(vx_dispatcher_create(served.cq, NULL, &dispatcher));
	must(vx_dispatcher_create(calling.cq, NULL, &answers));
	must(vx_cm_server_create(&(struct vx_cm_server_init){ .qp = &served.qp, .request = request, .disconnected = disconnected }, &server));
	snprintf(port, sizeof(port), "%u", vx_cm_server_port(server));
	must_raw(pthread_create(&thread, NULL, call, NULL), "pthread_create");
	serve(server);
	pthread_join(thread, NULL);
	must(vx_cm_server_stop(server, 1000));
	printf("%d connections, %u left, and %u of %d buffers are back\n", ended, vx_cm_server_count(server), vx_pool_left(served.pool),
	       EACH * count);
	must(vx_close(server));
	must(vx_close(served.ctx));
	must(vx_close(calling.ctx));
	return 0;
}
