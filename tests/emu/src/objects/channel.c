/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/channel.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "calls/call.h"
#include "calls/fd.h"
#include "calls/real.h"

#include <unistd.h>

void channel_put(struct channel *ch)
{
	if (ch->fds || ch->o.users)
		return;
	event_pipe_close(&ch->pipe);
	object_free(&ch->o);
}

static int open_fd(struct channel *ch)
{
	int fd = event_pipe_open(&ch->pipe);

	if (fd < 0 || !fd_add(fd, FD_CHANNEL, ch))
		return fd;
	event_pipe_close(&ch->pipe);
	REAL(close)(fd);
	return -1;
}

static int create_comp_channel(struct call *c)
{
	struct channel *ch = object_new(c->ctx, CHANNEL, sizeof(*ch), NULL);
	struct ib_uverbs_create_comp_channel_resp r = { 0 };
	int fd;

	if (!ch)
		return ENOMEM;
	fd = open_fd(ch);
	if (fd < 0) {
		object_free(&ch->o);
		return EMFILE;
	}
	r.fd = fd;
	call_reply(c, &r, sizeof(r));
	return 0;
}

const struct method channel_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, ib_uverbs_create_comp_channel, "create_comp_channel",
		create_comp_channel),
	{ 0 },
};
