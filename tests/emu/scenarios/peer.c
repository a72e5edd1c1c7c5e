/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

struct child child;

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

static void hear(int fd, struct peer *p)
{
	wait_readable(fd);
	CHECK(read(fd, p, sizeof(*p)) == sizeof(*p));
}

static struct ibv_qp_attr path_by(struct ibv_ah_attr path, uint32_t qpn, int rnr_retry)
{
	struct ibv_qp_attr a = path_to(qpn);

	a.ah_attr = path;
	a.rnr_retry = rnr_retry;
	return a;
}

/* Whether the first thread is, and the others soon */
static bool is_stopped(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	CHECK(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
	fclose(f);
	return state == 'T';
}

/* Returns how many there are, after ten milliseconds at most. */
static int received_soon(void)
{
	const double end = now_ms() + 10;
	struct ibv_wc wc;
	int received;

	while ((received = ibv_poll_cq(bed.cq, 1, &wc)) == 0 && now_ms() < end)
		usleep(100);
	return received;
}

/*
 * The parent stops itself once it has posted, and what it posted may have been found by then or not. It gets a millisecond after
 * the other until that is on its way. What was received is acknowledged. Whatever comes, the parent must not stay stopped
 */
static void reply_to_the_stopped(struct ibv_qp *q)
{
	const double end = now_ms() + PATIENCE / 2;
	const pid_t parent = getppid();
	int received;

	while (!is_stopped(parent) && now_ms() < end)
		usleep(100);
	while ((received = received_soon()) == 0 && now_ms() < end) {
		kill(parent, SIGCONT);
		usleep(1000);
		kill(parent, SIGSTOP);
	}
	if (received == 1)
		post_send(q, 3, 0, 16);
	usleep(1000);
	CHECK(!kill(parent, SIGCONT) && received == 1);
	expect_wc(3, 0, IBV_WC_SEND);
}

/* Receives once and serves whatever it is asked for, until the parent has had enough */
static void be_the_other(int fd, bool replies)
{
	struct ibv_qp *q, *ud;
	struct peer p;
	char end;

	/* Also when it is stopped and the parent fails */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	furnish(ibv_open_device(bed.dev));
	q = make_rc(bed.cq, NULL);
	ud = make_ud();
	post_recv(ud, 1, PEER_DATAGRAM, 128);
	tell(fd, q, ud);
	hear(fd, &p);
	to_init(q, ACCESS_ALL);
	post_recv(q, 2, PEER_RECEIVED, 16);
	connect_rc(q, path_by(p.path, p.qpn, NO_RNR_LIMIT));
	tell(fd, q, ud);
	if (replies)
		reply_to_the_stopped(q);
	while (read(fd, &end, 1) > 0)
		;
	_exit(0);
}

static void fork_child(bool replies)
{
	int fd[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	child.pid = fork();
	CHECK(child.pid >= 0);
	if (!child.pid) {
		close(fd[0]);
		be_the_other(fd[1], replies);
	}
	close(fd[1]);
	child.fd = fd[0];
}

static void meet_child(int rnr_retry)
{
	struct peer again;

	hear(child.fd, &child.peer);
	to_reset(bed.a);
	to_init(bed.a, ACCESS_ALL);
	connect_rc(bed.a, path_by(child.peer.path, child.peer.qpn, rnr_retry));
	tell(child.fd, bed.a, NULL);
	hear(child.fd, &again);
}

void begin(int rnr_retry)
{
	fork_child(false);
	meet_child(rnr_retry);
}

void begin_with_reply(int rnr_retry)
{
	fork_child(true);
	meet_child(rnr_retry);
}

void end(int status)
{
	int ended;

	close(child.fd);
	CHECK(waitpid(child.pid, &ended, 0) == child.pid && ended == status);
}

void transfer(bool read, size_t local, size_t remote, uint32_t len)
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
