/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* XRC domains: of a process, as are the SRQs in them. */
#include "objects/xrcd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "bounds.h"
#include "calls/call.h"
#include "config.h"

#define NO_FILE 0xffffffff

bool xrcd_is_same(const struct xrcd *a, const struct xrcd *b)
{
	if (!a || !b || !a->device)
		return a == b;
	return a->o.device == b->o.device && a->device == b->device && a->inode == b->inode;
}

static bool is_open(const struct xrcd *wanted)
{
	for (uint32_t h = 1; h < MAX_OBJECTS && object_live(XRCD); h++) {
		const struct xrcd *x = object_get(XRCD, h);

		if (x && xrcd_is_same(wanted, x))
			return true;
	}
	return false;
}

/* O_CREAT and O_EXCL mean the domain, not the file; without a file there is no other, whatever they say */
static int find_domain(const struct ib_uverbs_open_xrcd *in, struct xrcd *x)
{
	struct stat st;
	bool found;

	if (in->fd == NO_FILE)
		return 0;
	if (fstat(in->fd, &st))
		return EBADF;
	x->device = st.st_dev;
	x->inode = st.st_ino;
	found = is_open(x);
	if (!found)
		return in->oflags & O_CREAT ? 0 : EAGAIN;
	return in->oflags & O_EXCL ? EINVAL : 0;
}

static int open_xrcd(struct call *c)
{
	struct xrcd found = { .o = { .device = call_device(c) } }, *x;
	struct ib_uverbs_open_xrcd_resp r = { 0 };
	int rc = config.xrc ? find_domain(c->in, &found) : EOPNOTSUPP;

	if (rc)
		return rc;
	x = object_new(c->ctx, XRCD, sizeof(*x), NULL);
	if (!x)
		return ENOMEM;
	x->device = found.device;
	x->inode = found.inode;
	r.xrcd_handle = x->o.handle;
	call_reply(c, &r, sizeof(r));
	return 0;
}

static int close_xrcd(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_XRCD_HANDLE, XRCD));
}

const struct method xrcd_methods[] = {
	COMMAND(IB_USER_VERBS_CMD_OPEN_XRCD, ib_uverbs_open_xrcd, "open_xrcd", open_xrcd),
	METHOD(UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, "close_xrcd", close_xrcd),
	{ 0 },
};
