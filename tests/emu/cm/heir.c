/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Who comes to the place of a dead process: with its addresses, and ids that count from the same number. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "ends.h"

/* A client that waits for a byte before it does anything, tells by one that it is connected, and ends with the socket */
struct client {
	pid_t pid;
	int fd;
};

static struct sockaddr_in service;

static void connect_to_server(void)
{
	struct rdma_conn_param p = { .retry_count = 7 };
	struct rdma_cm_id *id;

	CHECK(!rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP));
	CHECK(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&service, 1000));
	CHECK(!rdma_resolve_route(id, 1000));
	make_qp(id);
	CHECK(!rdma_connect(id, &p));
}

static struct client fork_client(void)
{
	struct client c;
	int fd[2];
	char byte;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	c = (struct client){ fork(), fd[0] };
	CHECK(c.pid >= 0);
	if (c.pid) {
		close(fd[1]);
		return c;
	}
	close(fd[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(read(fd[1], &byte, 1) == 1);
	connect_to_server();
	CHECK(write(fd[1], &byte, 1) == 1);
	CHECK(read(fd[1], &byte, 1) <= 0);
	exit(0);
}

static void let_go(const struct client *c)
{
	CHECK(write(c->fd, "", 1) == 1);
}

static void kill_client(const struct client *c)
{
	CHECK(!kill(c->pid, SIGKILL) && waitpid(c->pid, NULL, 0) == c->pid);
}

static void end_client(const struct client *c)
{
	close(c->fd);
	CHECK(waitpid(c->pid, NULL, 0) == c->pid);
}

/* A fabric of its own, in which the server has the first place */
static void name_fabric(void)
{
	char name[32];

	service = address("10.1.0.1", PORT);
	snprintf(name, sizeof(name), "heir%d", getpid());
	setenv("VERBSX_EMU_FABRIC", name, 1);
}

static struct rdma_cm_id *listen_here(void)
{
	struct rdma_cm_id *id;

	CHECK(!rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP));
	CHECK(!rdma_bind_addr(id, (struct sockaddr *)&service) && !rdma_listen(id, 4));
	return id;
}

TestSuite(heir, .init = name_fabric, .timeout = 60);

/* What the one who dies has asked for, and then its heir. */
struct asked {
	struct client heir;
	struct rdma_cm_id *of_dead, *of_heir;
};

static struct asked let_both_ask(void)
{
	const struct client dead = fork_client();
	struct asked asked = { .heir = fork_client() };
	struct rdma_cm_id *listener = listen_here();

	let_go(&dead);
	CHECK(!rdma_get_request(listener, &asked.of_dead));
	kill_client(&dead);
	let_go(&asked.heir);
	CHECK(!rdma_get_request(listener, &asked.of_heir));
	return asked;
}

Test(heir, a_request_is_not_that_of_the_dead_who_had_the_place)
{
	const struct asked asked = let_both_ask();
	char byte;

	make_qp(asked.of_heir);
	CHECK(!rdma_accept(asked.of_heir, NULL));
	CHECK(read(asked.heir.fd, &byte, 1) == 1);
	end_client(&asked.heir);
}

Test(heir, an_answer_to_the_dead_is_for_nobody)
{
	const struct asked asked = let_both_ask();

	make_qp(asked.of_dead);
	cr_expect(rdma_accept(asked.of_dead, NULL) < 0);
	make_qp(asked.of_heir);
	CHECK(!rdma_accept(asked.of_heir, NULL));
	end_client(&asked.heir);
}
