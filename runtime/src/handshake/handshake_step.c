/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A handshake through a descriptor: what can be done without waiting. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error/fail.h"
#include "handshake.h"
#include "path/path.h"

#define AT_ONCE 4096 /* bytes */

/* ---- bytes ---- */

/* Whether a descriptor can be read, or written, now; what follows fails with errno. */
static bool is_ready(int fd, short events)
{
	struct pollfd one = { .fd = fd, .events = events };
	bool ready = poll(&one, 1, 0) > 0;
	bool broken = events == POLLOUT && one.revents & POLLERR; /* a pipe that nobody reads: writing would raise SIGPIPE */

	errno = broken ? EPIPE : EAGAIN;
	return ready && !broken;
}

/* Never waits, and raises no signal, of a socket; of anything else no more than it has room for when it says so. */
static ssize_t write_some(int fd, const void *bytes, size_t size)
{
	ssize_t count = send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (count >= 0 || errno != ENOTSOCK)
		return count;
	return is_ready(fd, POLLOUT) ? write(fd, bytes, size < PIPE_BUF ? size : PIPE_BUF) : -1;
}

static ssize_t read_some(int fd, void *bytes, size_t size)
{
	ssize_t count = recv(fd, bytes, size, MSG_DONTWAIT);

	if (count >= 0 || errno != ENOTSOCK)
		return count;
	return is_ready(fd, POLLIN) ? read(fd, bytes, size) : -1;
}

static bool comes_later(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* A peer that has gone may have said why before. @return whether something has changed, or a negative errno */
static int send_what_is_ready(struct vx_shake *shake, int fd)
{
	size_t size;
	const unsigned char *bytes = vx_shake_ready(shake, &size);
	ssize_t count = size ? write_some(fd, bytes, size) : 0;

	if (count < 0 && comes_later())
		return 0;
	if (count < 0)
		shake->unsent = errno;
	vx_shake_sent(shake, count < 0 ? size : (size_t)count);
	if (count < 0 && shake->state == VX_SHAKEN)
		return vx_shake_fail(shake, -ECONNRESET, "the peer was gone");
	return size > 0;
}

/* The same of what comes, and never more than belongs to the handshake. */
static int take_what_comes(struct vx_shake *shake, int fd)
{
	size_t wanted = vx_shake_wants(shake), used;
	unsigned char bytes[AT_ONCE];
	ssize_t count;
	int rc;

	if (!wanted)
		return 0;
	count = read_some(fd, bytes, wanted < sizeof(bytes) ? wanted : sizeof(bytes));
	if (count < 0 && comes_later()) {
		if (!shake->unsent)
			return 0;
		errno = shake->unsent; /* nothing will come in answer to it */
	}
	if (count < 0 && errno == ENOTCONN)
		return vx_shake_fail(shake, -ENOTCONN, "the socket has no peer (of one that listens accept(2) gives that of each)");
	if (count < 0 && errno != ECONNRESET)
		return vx_shake_fail(shake, vx_code_in_errno(), "the descriptor could not be used");
	if (count <= 0)
		return vx_shake_fail(shake, -ECONNRESET, "the peer was gone");
	rc = vx_shake_feed(shake, bytes, (size_t)count, &used);
	return rc < 0 ? rc : 1;
}

/* ---- time ---- */

int vx_shake_left_ms(const struct vx_shake *shake)
{
	return vx_left_ms(shake->timeout_ms, shake->start);
}

/* A failed one only has its refusal to send: when that takes too long, the peer will find out by itself. */
int vx_shake_look_at_time(struct vx_shake *shake)
{
	if (!vx_shake_is_over(shake) && !vx_shake_left_ms(shake)) {
		if (shake->state != VX_NOT_SHAKEN)
			vx_shake_fail(shake, -ETIMEDOUT, "the time was up");
		shake->out.done = shake->out.size;
	}
	return vx_shake_is_over(shake) ? shake->rc : -EAGAIN;
}

/* ---- steps ---- */

short vx_shake_events(const struct vx_shake *shake)
{
	return (short)((shake->out.done < shake->out.size ? POLLOUT : 0) | (vx_shake_wants(shake) ? POLLIN : 0));
}

/* What a descriptor is that cannot serve: of a message that is read in parts all but the first is lost. NULL: nothing is known to be wrong. */
static const char *type_wrong(int fd)
{
	socklen_t size = sizeof(int);
	int type;

	if (!getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size))
		return type == SOCK_STREAM ? NULL : "the socket is of another type than SOCK_STREAM";
	switch (fcntl(fd, F_GETFL) & O_ACCMODE) { /* of none of these where it is closed, which reading tells */
	case O_RDONLY:
		return "the descriptor can only be read, and both sides have something to say";
	case O_WRONLY:
		return "the descriptor can only be written, and both sides have something to say";
	default:
		return NULL;
	}
}

/* Before anything was said. Of a socket the other side has the same, and finds out itself. */
static void look_at_type(struct vx_shake *shake, int fd)
{
	const char *wrong = shake->state >= VX_SHAKEN || shake->out.done ? NULL : type_wrong(fd);

	if (!wrong)
		return;
	shake->out.done = shake->out.size;
	vx_shake_fail_by(shake, -EPROTOTYPE, wrong);
}

int vx_shake_step(struct vx_shake *shake, int fd)
{
	int changed = 1;

	look_at_type(shake, fd);
	while (changed && !vx_shake_is_over(shake)) {
		changed = send_what_is_ready(shake, fd);
		if (changed >= 0)
			changed |= take_what_comes(shake, fd);
	}
	return vx_shake_look_at_time(shake);
}
