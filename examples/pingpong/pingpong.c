/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the programs of this folder share. */

#include "pingpong.h"

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "the other side has gone");
	exit(1);
}

struct options parse_options(int argc, char **argv)
{
	struct options options = { .port = "18515", .size = 4096, .count = 1000 };
	static const struct option names[] = { { "json", no_argument, NULL, 'j' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "p:s:n:ej", names, NULL)) != -1) {
		switch (c) {
		case 'p': options.port = optarg; break;
		case 's': options.size = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'n': options.count = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'e': options.events = true; break;
		case 'j': options.json = true; break;
		default:
			fprintf(stderr, "usage: %s [-p PORT] [-s SIZE] [-n COUNT] [-e] [--json] [HOST]\n", argv[0]);
			exit(2);
		}
	}
	options.host = argv[optind];
	if (!options.size || !options.count) {
		fprintf(stderr, "%s: SIZE and COUNT must be 1 at least\n", argv[0]);
		exit(2);
	}
	return options;
}

/* ---- the socket ---- */

static int listen_for_one(const struct addrinfo *at)
{
	int on = 1, fd, listening = socket(at->ai_family, SOCK_STREAM, 0);

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listening, at->ai_addr, at->ai_addrlen) || listen(listening, 1))
		fail("bind");
	fd = accept(listening, NULL, NULL);
	close(listening);
	return fd;
}

/* The server may be started at the same time. */
static int connect_soon(const struct addrinfo *to)
{
	int fd, tries;

	for (tries = 0; tries < 50; tries++) {
		fd = socket(to->ai_family, SOCK_STREAM, 0);
		if (!connect(fd, to->ai_addr, to->ai_addrlen))
			return fd;
		close(fd);
		usleep(100000);
	}
	return -1;
}

static int open_socket(const struct options *options)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *found;
	int fd;

	if (getaddrinfo(options->host, options->port, &hints, &found))
		fail(options->host ? options->host : options->port);
	fd = options->host ? connect_soon(found) : listen_for_one(found);
	freeaddrinfo(found);
	if (fd < 0)
		fail("connect");
	return fd;
}

static void swap_bytes(int fd, const void *mine, void *theirs, size_t size)
{
	size_t have = 0;
	ssize_t more;

	errno = 0;
	if (send(fd, mine, size, MSG_NOSIGNAL) != (ssize_t)size)
		fail("send");
	for (; have < size; have += (size_t)more) {
		more = recv(fd, (char *)theirs + have, size - have, 0);
		if (more <= 0)
			fail("recv");
	}
}

void meet(const struct end *end)
{
	char mine = 1, theirs;

	swap_bytes(end->fd, &mine, &theirs, 1);
}

/* ---- the device ---- */

struct end open_end(struct options options, uint32_t headroom, int access)
{
	struct end end = { .options = options };
	struct vx_comp_channel *channel = NULL;

	must(vx_ctx_open_index(0, &end.ctx));
	must(vx_pd_create(end.ctx, NULL, &end.pd));
	if (options.events)
		must(vx_comp_channel_create(end.ctx, NULL, &channel));
	must(vx_cq_create(end.ctx, &(struct vx_cq_init){ .cqe = 4 * DEPTH, .channel = channel }, &end.cq));
	must(vx_poller_create(end.cq, &(struct vx_poller_init){ .mode = options.events ? VX_POLLER_SLEEP : VX_POLLER_SPIN }, &end.poller));
	must(vx_pool_create(end.pd, &(struct vx_pool_init){ .count = 2 * DEPTH, .size = options.size, .headroom = headroom,
							    .access = access }, &end.pool));
	end.fd = open_socket(&options);
	return end;
}

static struct told in_order(struct told told)
{
	told.lid = htobe32(told.lid);
	told.qpn = htobe32(told.qpn);
	told.psn = htobe32(told.psn);
	told.mtu = htobe32(told.mtu);
	told.srqn = htobe32(told.srqn);
	told.rkey = htobe32(told.rkey);
	told.addr = htobe64(told.addr);
	return told;
}

void connect_end(struct end *end, struct vx_qp *qp, struct told mine, int access)
{
	struct vx_path path = { .qkey = QKEY, .access = access };

	must(vx_path_fill(&path, qp));
	mine.gid = path.sgid;
	mine.lid = path.slid;
	mine.qpn = path.sqpn;
	mine.psn = path.spsn;
	mine.mtu = path.path_mtu;
	mine = in_order(mine);
	swap_bytes(end->fd, &mine, &end->peer, sizeof(mine));
	end->peer = in_order(end->peer); /* the same there and back */
	path.dgid = end->peer.gid;
	path.dlid = (uint16_t)end->peer.lid;
	path.dqpn = end->peer.qpn;
	path.dpsn = end->peer.psn;
	if (end->peer.mtu < path.path_mtu)
		path.path_mtu = (uint8_t)end->peer.mtu;
	must(vx_qp_to_rts(qp, &path));
	end->path = path;
}

int take_some(struct end *end, struct ibv_wc *wc)
{
	int i, count = vx_poller_poll(end->poller, BATCH, wc, 10000);

	if (count == -EAGAIN) {
		fprintf(stderr, "nothing has come for 10 s\n");
		exit(1);
	}
	must(count);
	for (i = 0; i < count; i++)
		must_complete(&wc[i], NULL);
	return count;
}

/* ---- messages ---- */

static char byte_of(uint32_t number, uint32_t place)
{
	return (char)(number * 31 + place * 7 + (place >> 8));
}

void fill_message(const struct end *end, char *message, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < end->options.size; i++)
		message[i] = byte_of(number, i);
}

void check_message(const struct end *end, const char *message, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < end->options.size; i++)
		if (message[i] != byte_of(number, i)) {
			fprintf(stderr, "message %u: byte %u is wrong\n", number, i);
			exit(1);
		}
}

static void send_one(struct end *end, uint32_t number, prepare_function prepare)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge;
	uint32_t index;

	must(vx_pool_get(end->pool, &index));
	fill_message(end, vx_pool_at(end->pool, index), number);
	must(vx_pool_sge(end->pool, index, end->options.size, &sge));
	wr.wr_id = vx_pool_wr_id(end->pool, index);
	wr.sg_list = &sge;
	must(vx_qp_post_send(prepare(end, number, &wr), &wr, NULL));
}

/* Until a message has come; that of a send may come as well. */
static void receive_one(struct end *end, struct vx_qp *receiver, uint32_t grh, uint32_t number)
{
	struct ibv_wc wc[BATCH];
	uint32_t messages = 0;
	int i, count;

	while (!messages) {
		count = take_some(end, wc);
		for (i = 0; i < count; i++) {
			if (!(wc[i].opcode & IBV_WC_RECV))
				continue;
			messages++;
			check_message(end, vx_pool_at(end->pool, wc[i].wr_id), number);
			if (wc[i].byte_len != end->options.size + grh)
				fail("a message of another size");
		}
		must(vx_pool_done(end->pool, receiver, wc, count));
	}
	if (!receiver)
		must(vx_pool_post_srq_recv(end->pool, end->srq, messages));
}

void play(struct end *end, struct vx_qp *receiver, uint32_t grh, prepare_function prepare, const char *name)
{
	const uint32_t count = end->options.count;
	int64_t *times = calloc(count, sizeof(*times)), start = now_ns(), begun;
	uint32_t i;

	for (i = 0; i < count; i++) {
		begun = now_ns();
		if (end->options.host)
			send_one(end, i, prepare);
		receive_one(end, receiver, grh, i);
		if (!end->options.host)
			send_one(end, i, prepare);
		times[i] = now_ns() - begun;
	}
	if (end->options.host)
		report(end, name, times, 2 * (uint64_t)count * end->options.size, now_ns() - start);
	free(times);
	meet(end); /* an answer that got lost is sent again as long as this side is there */
}

/* ---- figures ---- */

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_time(const void *a, const void *b)
{
	const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

void report(const struct end *end, const char *name, int64_t *times, uint64_t bytes, int64_t total)
{
	const uint32_t count = end->options.count;
	const char *format = end->options.json ?
		"{\"test\":\"%s\",\"size\":%u,\"count\":%u,\"min_us\":%.2f,\"p50_us\":%.2f,\"p99_us\":%.2f,\"max_us\":%.2f,\"gbps\":%.3f}\n" :
		"%s: %u bytes, %u times: %.2f us at least, %.2f median, %.2f 99 %%, %.2f at most; %.3f Gb/s\n";

	qsort(times, count, sizeof(*times), by_time);
	printf(format, name, end->options.size, count, (double)times[0] / 1e3, (double)times[count / 2] / 1e3,
	       (double)times[count - 1 - count / 100] / 1e3, (double)times[count - 1] / 1e3, (double)bytes * 8 / (double)total);
}
