/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Two processes, as they are with an emulated device each. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../scenarios/peer.h"
#include "selftest.h"

TestSuite(fabric, .init = open_mlx5, .fini = close_bed);

Test(fabric, they_have_addresses_of_their_own)
{
	struct ibv_ah_attr own = path_to_self(0);

	begin(NO_RNR_LIMIT);
	if (bed.ethernet)
		CHECK(memcmp(&child.peer.path.grh.dgid, &own.grh.dgid, sizeof(own.grh.dgid)));
	else
		CHECK(child.peer.path.dlid != own.dlid);
	end(0);
}

/* It waits where the dead would not answer; when it goes on, so does the request */
Test(fabric, a_request_waits_for_a_process_that_is_stopped)
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

/* Opens a device of its own when it is told to, and says so */
static pid_t fork_heir(int fd)
{
	pid_t heir = fork();
	char c;

	CHECK(heir >= 0);
	if (heir)
		return heir;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(read(fd, &c, 1) == 1 && ibv_open_device(bed.dev) && write(fd, &c, 1) == 1);
	for (;;)
		pause();
}

/* The lowest free place is that of the dead, where somebody answers then who has never heard of it */
Test(fabric, what_the_dead_had_not_read_is_lost_though_another_has_its_place)
{
	int fd[2], status;
	pid_t heir;

	begin(NO_RNR_LIMIT);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	heir = fork_heir(fd[1]);
	CHECK(!kill(child.pid, SIGSTOP));
	CHECK(waitpid(child.pid, &status, WUNTRACED) == child.pid && WIFSTOPPED(status));
	post_send(bed.a, 1, 0, 16);
	usleep(ACK_TIMEOUT_MS * 1000);
	CHECK(!kill(child.pid, SIGKILL));
	end(SIGKILL);
	CHECK(write(fd[0], "", 1) == 1 && read(fd[0], &status, 1) == 1);
	expect_error(1, IBV_WC_RETRY_EXC_ERR);
	CHECK(!kill(heir, SIGKILL) && waitpid(heir, &status, 0) == heir);
}
