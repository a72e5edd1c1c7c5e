/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Two processes: this one, and a forked one that opens the device anew. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest.h"

enum {
	GRH = 40,
	LARGE = 40000, /* more than goes in one piece */
	RECEIVED = 48000, /* where in the buffer of the other process */
	DATAGRAM = 49000,
	COUNTER = 50000
};

/* What each tells the other */
struct peer {
	struct ibv_ah_attr path;
	uint32_t qpn, ud_qpn, rkey;
	uint64_t buf;
};

static struct {
	pid_t pid;
	int fd;
	struct peer peer;
} child;

static void tell(int fd, const struct ibv_qp *rc, const struct ibv_qp *ud)
{
	struct peer p;

	memset(&p, 0, sizeof(p)); /* what lies between the members too, for valgrind */
	p.path = path_to_self(0);
	p.qpn = rc->qp_num;
	p.ud_qpn = ud ? ud->qp_num : 0;
	p.rkey = bed.mr->rkey;
	p.buf = address(0);
	CHECK(write(fd, &p, sizeof(p)) == sizeof(p));
}

static struct peer hear(int fd)
{
	struct peer p;

	CHECK(read(fd, &p, sizeof(p)) == sizeof(p));
	return p;
}

static struct ibv_qp_attr path_by(struct ibv_ah_attr path, uint32_t qpn, int rnr_retry)
{
	struct ibv_qp_attr a = path_to(qpn);

	a.ah_attr = path;
	a.rnr_retry = rnr_retry;
	return a;
}

/* Receives once and serves whatever it is asked for, until the parent has had enough */
static void be_the_other(int fd)
{
	struct ibv_qp *q, *ud;
	struct peer p;
	char end;

	/* Also when it is stopped and the parent fails */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_bed(bed.dev);
	q = make_rc(bed.cq, NULL);
	ud = make_ud();
	post_recv(ud, 1, DATAGRAM, 128);
	tell(fd, q, ud);
	p = hear(fd);
	to_init(q, ACCESS_ALL);
	post_recv(q, 2, RECEIVED, 16);
	connect_rc(q, path_by(p.path, p.qpn, NO_RNR_LIMIT));
	tell(fd, q, ud);
	while (read(fd, &end, 1) > 0)
		;
	_exit(0);
}

static void begin(int rnr_retry)
{
	int fd[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	child.pid = fork();
	CHECK(child.pid >= 0);
	if (!child.pid) {
		close(fd[0]);
		be_the_other(fd[1]);
	}
	close(fd[1]);
	child.fd = fd[0];
	child.peer = hear(child.fd);
	to_reset(bed.a);
	to_init(bed.a, ACCESS_ALL);
	connect_rc(bed.a, path_by(child.peer.path, child.peer.qpn, rnr_retry));
	tell(child.fd, bed.a, NULL);
	hear(child.fd);
}

static void end(int status)
{
	int ended;

	close(child.fd);
	CHECK(waitpid(child.pid, &ended, 0) == child.pid && ended == status);
}

static void transfer(bool read, size_t local, size_t remote, uint32_t len)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, 1, IBV_SEND_SIGNALED);
	if (read)
		ibv_wr_rdma_read(x, child.peer.rkey, child.peer.buf + remote);
	else
		ibv_wr_rdma_write(x, child.peer.rkey, child.peer.buf + remote);
	ibv_wr_set_sge(x, bed.mr->lkey, address(local), len);
	CHECK(!ibv_wr_complete(x));
	expect_wc(1, 0, read ? IBV_WC_RDMA_READ : IBV_WC_RDMA_WRITE);
}

static void they_have_addresses_of_their_own(void)
{
	struct ibv_ah_attr own = path_to_self(0);

	begin(NO_RNR_LIMIT);
	if (bed.ethernet)
		CHECK(memcmp(&child.peer.path.grh.dgid, &own.grh.dgid, sizeof(own.grh.dgid)));
	else
		CHECK(child.peer.path.dlid != own.dlid);
	end(0);
}

static void a_send_goes_to_the_other_process(void)
{
	begin(NO_RNR_LIMIT);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	transfer(true, 100, RECEIVED, 16);
	CHECK(!strcmp(bed.buf + 100, "hello mlx5"));
	end(0);
}

static void what_was_written_in_pieces_is_read_back(void)
{
	begin(NO_RNR_LIMIT);
	for (int i = 0; i < LARGE; i++)
		bed.buf[i] = (char)(i * 7);
	transfer(false, 0, 0, LARGE);
	memset(bed.buf, 0, LARGE);
	transfer(true, 0, 0, LARGE);
	for (int i = 0; i < LARGE; i++)
		CHECK(bed.buf[i] == (char)(i * 7));
	end(0);
}

static void an_atomic_returns_the_old_value_from_there(void)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);
	uint64_t old;

	begin(NO_RNR_LIMIT);
	for (int i = 0; i < 2; i++) {
		start(x, 2, IBV_SEND_SIGNALED);
		ibv_wr_atomic_fetch_add(x, child.peer.rkey, child.peer.buf + COUNTER, 5);
		ibv_wr_set_sge(x, bed.mr->lkey, address(0), sizeof(old));
		CHECK(!ibv_wr_complete(x));
		expect_wc(2, 0, IBV_WC_FETCH_ADD);
	}
	memcpy(&old, bed.buf, sizeof(old));
	CHECK(old == 5);
	end(0);
}

static void a_datagram_goes_to_the_other_process(void)
{
	struct ibv_qp *ud = make_ud();
	struct ibv_ah *ah;

	begin(NO_RNR_LIMIT);
	ah = ibv_create_ah(bed.pd, &child.peer.path);
	CHECK(ah);
	send_datagram(ud, ah, child.peer.ud_qpn, QKEY);
	expect_wc(2, 0, IBV_WC_SEND);
	for (int i = 0; i < 2000 && !bed.buf[100 + GRH]; i++) {
		usleep(1000);
		transfer(true, 100, DATAGRAM, GRH + 16);
	}
	CHECK(!strcmp(bed.buf + 100 + GRH, "hello mlx5"));
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(ud));
	end(0);
}

static void a_wrong_rkey_is_refused_there(void)
{
	begin(NO_RNR_LIMIT);
	post_write(bed.a, 1, child.peer.rkey ^ 1, child.peer.buf, "x");
	expect_error(1, IBV_WC_REM_ACCESS_ERR);
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
	end(0);
}

static void the_second_send_finds_no_receiver(void)
{
	begin(1);
	post_send(bed.a, 1, 0, 16);
	expect_wc(1, 0, IBV_WC_SEND);
	post_send(bed.a, 2, 0, 16);
	expect_error(2, IBV_WC_RNR_RETRY_EXC_ERR);
	end(0);
}

static void a_request_to_the_dead_is_retried_in_vain(void)
{
	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGKILL));
	end(SIGKILL);
	post_send(bed.a, 1, 0, 16);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
}

/* It waits where the dead would not answer; when it goes on, so does the request */
static void a_request_waits_for_a_process_that_is_stopped(void)
{
	struct ibv_wc wc;
	int status;

	begin(NO_RNR_LIMIT);
	CHECK(!kill(child.pid, SIGSTOP));
	CHECK(waitpid(child.pid, &status, WUNTRACED) == child.pid && WIFSTOPPED(status));
	post_send(bed.a, 1, 0, 16);
	usleep((RETRY_CNT + 2) * ACK_TIMEOUT_MS * 1000);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
	CHECK(!kill(child.pid, SIGCONT));
	expect_wc(1, 0, IBV_WC_SEND);
	end(0);
}

const struct test fabric_tests[] = {
	{ "they_have_addresses_of_their_own", they_have_addresses_of_their_own },
	{ "a_send_goes_to_the_other_process", a_send_goes_to_the_other_process },
	{ "what_was_written_in_pieces_is_read_back", what_was_written_in_pieces_is_read_back },
	{ "an_atomic_returns_the_old_value_from_there", an_atomic_returns_the_old_value_from_there },
	{ "a_datagram_goes_to_the_other_process", a_datagram_goes_to_the_other_process },
	{ "a_wrong_rkey_is_refused_there", a_wrong_rkey_is_refused_there },
	{ "the_second_send_finds_no_receiver", the_second_send_finds_no_receiver },
	{ "a_request_to_the_dead_is_retried_in_vain", a_request_to_the_dead_is_retried_in_vain },
	{ "a_request_waits_for_a_process_that_is_stopped", a_request_waits_for_a_process_that_is_stopped },
	{ 0 },
};
