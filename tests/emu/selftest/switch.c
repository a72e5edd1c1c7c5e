/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Frames between two processes, which are on a switch. */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frames.h"

enum {
	MAC = 6,
	MOST = 4, /* frames that a process takes */
};

struct mac {
	uint8_t byte[MAC];
};

static const struct mac nobody = { { 2, 0, 0, 0, 0, 2 } }, everybody = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } };

TestSuite(switch, .init = open_mlx5, .fini = close_bed);

/* Of the link-local GID, which is made of it */
static struct mac own_mac(void)
{
	union ibv_gid gid;

	CHECK(!ibv_query_gid(bed.ctx, 1, 0, &gid));
	return (struct mac){ { gid.raw[8] ^ 2, gid.raw[9], gid.raw[10], gid.raw[13], gid.raw[14], gid.raw[15] } };
}

static struct ibv_flow *take_all(void)
{
	struct rule all = rule_of(0);

	all.attr.type = IBV_FLOW_ATTR_ALL_DEFAULT;
	return steer(&all, &one);
}

/* The MACs of those that come, until there are @n */
static void take(struct mac to[MOST], int n)
{
	struct ibv_poll_cq_attr a = { 0 };

	for (int i = 0; i < n; i++) {
		while (ibv_start_poll(one.cq, &a))
			;
		CHECK(!one.cq->status && one.cq->wr_id == (uint64_t)i);
		memcpy(&to[i], bed.buf + FRAMES_AT + i * FRAME_ROOM, sizeof(*to));
		ibv_end_poll(one.cq);
	}
}

static void send_to(struct mac to)
{
	begin_frame(0x0800);
	memcpy(bed.buf, &to, sizeof(to));
	ipv4(17);
	send_frame();
}

/* Tells its MAC, and then those of the three frames that come */
static void be_the_other(int fd)
{
	struct mac to[MOST], mine;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	furnish(ibv_open_device(bed.dev));
	open_raw();
	take_all();
	mine = own_mac();
	CHECK(write(fd, &mine, sizeof(mine)) == sizeof(mine));
	take(to, 3);
	CHECK(write(fd, to, sizeof(to)) == sizeof(to));
	_exit(0);
}

static pid_t fork_other(int *fd)
{
	int pair[2];
	pid_t pid;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(pair[0]);
		be_the_other(pair[1]);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void read_all(int fd, void *to, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	CHECK(poll(&p, 1, PATIENCE) == 1 && read(fd, to, size) == (ssize_t)size);
}

static bool same(struct mac a, struct mac b)
{
	return !memcmp(&a, &b, sizeof(a));
}

/* In the order in which they were sent: what is not among them did not come */
Test(switch, each_process_has_what_is_for_it_and_what_is_for_nobody)
{
	struct mac theirs, to[MOST];
	struct ibv_flow *flow;
	int fd, status;
	pid_t other;

	if (!bed.ethernet)
		skip("frames are of Ethernet");
	other = fork_other(&fd);
	read_all(fd, &theirs, sizeof(theirs));
	CHECK(!same(theirs, own_mac()));
	open_raw();
	flow = take_all();
	send_to(nobody);
	send_to(own_mac());
	send_to(theirs);
	send_to(everybody);
	take(to, 3);
	CHECK(same(to[0], nobody) && same(to[1], own_mac()) && same(to[2], everybody));
	read_all(fd, to, sizeof(to));
	CHECK(same(to[0], nobody) && same(to[1], theirs) && same(to[2], everybody));
	CHECK(waitpid(other, &status, 0) == other && !status);
	CHECK(!ibv_destroy_flow(flow));
	close_raw();
	close(fd);
}
