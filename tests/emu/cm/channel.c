/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Channels of rdma_cm without librdmacm, whose functions are not to be called for one that is closed meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <criterion/criterion.h>
#include <rdma/rdma_user_cm.h>

enum { ROUNDS = 1000 };

static _Atomic int coming, outcome;

static void *come_to_wait(void *fd)
{
	struct rdma_ucm_event_resp event;
	struct {
		struct rdma_ucm_cmd_hdr head;
		struct rdma_ucm_get_event body;
	} get = { { RDMA_USER_CM_CMD_GET_EVENT, sizeof(get.body), sizeof(event) }, { (uintptr_t)&event } };

	coming = 1;
	if (write((intptr_t)fd, &get, sizeof(get)) < 0)
		outcome = errno;
	return NULL;
}

/* It waits for ever then, or has come too late: as with any descriptor, a call that is under way keeps the file */
Test(channel, one_is_closed_while_a_thread_comes_to_wait_in_it)
{
	for (int i = 0; i < ROUNDS && (!outcome || outcome == EBADF); i++) {
		int fd = open("/dev/infiniband/rdma_cm", O_RDWR);
		pthread_t t;

		cr_assert(fd >= 0, "%s", strerror(errno));
		coming = 0;
		cr_assert(!pthread_create(&t, NULL, come_to_wait, (void *)(intptr_t)fd) && !pthread_detach(t));
		while (!coming)
			;
		close(fd);
	}
	usleep(10000);
	cr_assert(!outcome || outcome == EBADF, "%s", strerror(outcome));
}
