/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "packets/link.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "engine/clock.h"
#include "engine/retry.h"
#include "packets/ring.h"
#include "trace.h"

/* So many of a sender, before it is another's turn */
#define MESSAGES_A_TURN 64

/* How long what nobody acknowledges waits for a process: its threads may get no core for seconds on a busy machine */
#define PATIENCE (10000 * NS_PER_MS)

/* How long an address is believed to lead where it led; asking takes system calls */
#define BELIEVED (10 * NS_PER_MS)

/* To another process */
struct link {
	LIST_ENTRY(link) link;
	unsigned int place;
	int fd; /* connected with its socket */
	struct ring ring;
};
static LIST_HEAD(, link) links = LIST_HEAD_INITIALIZER(links);

/* From another process */
struct inlet {
	LIST_ENTRY(inlet) link;
	unsigned int place;
	bool is_last; /* nothing more comes: its process is dead */
	struct ring ring;
};
static LIST_HEAD(, inlet) inlets = LIST_HEAD_INITIALIZER(inlets);

/* Where addresses lead, as far as they were asked for lately */
static struct way {
	struct address to;
	struct link *link;
	uint64_t asked; /* ns */
	uint64_t full_since; /* ns: the process there does not read; 0: it does */
} ways[256];

/* A datagram of a socket, which wakes whoever gets it */
struct note {
	uint32_t place; /* of the sender */
	uint32_t has_ring; /* it brings a descriptor */
};

static void free_link(struct link *l)
{
	for (struct way *w = ways; w < ways + ARRAY_SIZE(ways); w++)
		if (w->link == l)
			w->link = NULL;
	LIST_REMOVE(l, link);
	ring_close(&l->ring);
	fd_close_own(l->fd);
	free(l);
}

static void free_inlet(struct inlet *in)
{
	LIST_REMOVE(in, link);
	ring_close(&in->ring);
	free(in);
}

/* What the dead has still sent is read before its ring goes */
static void expect_no_more(unsigned int place)
{
	struct inlet *in;

	LIST_FOREACH(in, &inlets, link)
	{
		if (in->place == place)
			in->is_last = true;
	}
}

static enum link_result outcome(ssize_t sent)
{
	/* What it can end with for a moment, not for good */
	static const int passing[] = { EAGAIN, ENOBUFS, ENOMEM, EINTR, EMFILE, ENFILE };

	if (sent >= 0)
		return LINK_SENT;
	for (size_t i = 0; i < ARRAY_SIZE(passing); i++)
		if (errno == passing[i])
			return LINK_FULL;
	return LINK_DEAD;
}

/* With a descriptor for the other process, or -1 */
static enum link_result send_note(int to, int fd)
{
	struct note note = { fabric_place(), fd >= 0 };
	struct iovec part = { &note, sizeof(note) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(fd))];
	} control = { .head = { CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	return outcome(sendmsg(to, &m, MSG_NOSIGNAL | MSG_DONTWAIT));
}

static enum link_result hand_over_ring(struct link *l)
{
	int fd = ring_make(&l->ring);
	enum link_result rc;

	if (fd < 0)
		return LINK_FULL;
	rc = send_note(l->fd, fd);
	REAL(close)(fd);
	if (rc)
		ring_close(&l->ring);
	return rc;
}

static enum link_result open_link(unsigned int place, struct link **link)
{
	int fd = fabric_connect(place);
	struct link *l = fd < 0 ? NULL : calloc(1, sizeof(*l));
	enum link_result rc;

	if (fd < 0)
		return outcome(fd);
	if (!l || fd_add_own(fd)) {
		free(l);
		REAL(close)(fd);
		return LINK_FULL;
	}
	l->place = place;
	l->fd = fd;
	LIST_INSERT_HEAD(&links, l, link);
	rc = hand_over_ring(l);
	if (rc)
		free_link(l);
	else
		*link = l;
	return rc;
}

static struct link *link_to(unsigned int place)
{
	struct link *l;

	LIST_FOREACH(l, &links, link)
	{
		if (l->place == place)
			return l;
	}
	return NULL;
}

/* Our link to a place, unless its process has died: then it and what came from there are of the past */
static struct link *live_link_to(unsigned int place)
{
	struct link *l = link_to(place);

	if (!l || send_note(l->fd, -1) != LINK_DEAD)
		return l;
	free_link(l);
	expect_no_more(place);
	retry_after_death();
	return NULL;
}

/* The process at a place, if it is still the one that has our ring, else who is there now */
static enum link_result ask(unsigned int place, struct link **link)
{
	*link = live_link_to(place);
	return *link ? LINK_SENT : open_link(place, link);
}

static struct way *way_to(const struct address *to)
{
	uint32_t hash = to->kind;

	for (size_t i = 0; i < sizeof(to->gid); i++)
		hash = hash * 31 + to->gid[i];
	return &ways[(hash * 31 + to->number) % ARRAY_SIZE(ways)];
}

static bool is_believed(const struct way *w, const struct address *to)
{
	return w->link && !memcmp(&w->to, to, sizeof(*to)) && clock_now() - w->asked < BELIEVED;
}

static enum link_result find_link(const struct address *to, bool anew, struct link **link)
{
	struct way *w = way_to(to);
	enum link_result rc;
	int place;

	if (!anew && is_believed(w, to)) {
		*link = w->link;
		return LINK_SENT;
	}
	place = fabric_find(to);
	if (place < 0)
		return LINK_DEAD;
	rc = ask(place, link);
	if (!rc)
		*w = (struct way){ *to, *link, clock_now(), w->full_since };
	return rc;
}

static enum link_result write_to(const struct address *to, const struct iovec *parts, int n)
{
	struct link *l;
	enum link_result rc = find_link(to, false, &l);

	if (rc)
		return rc;
	if (!ring_write(&l->ring, parts, n))
		return LINK_FULL;
	/* Whose socket is full has been told already */
	if (ring_wants_waking(&l->ring))
		send_note(l->fd, -1);
	return LINK_SENT;
}

enum link_result link_send(const struct address *to, const struct iovec *parts, int n)
{
	enum link_result rc = write_to(to, parts, n);
	struct way *w = way_to(to);

	if (rc != LINK_FULL) {
		w->full_since = 0;
		return rc;
	}
	if (!w->full_since)
		w->full_since = clock_now();
	return clock_now() - w->full_since < PATIENCE ? LINK_FULL : LINK_STUCK;
}

bool link_probe(const struct address *to)
{
	struct link *l;

	return find_link(to, true, &l) != LINK_DEAD;
}

/* A descriptor that came with a datagram, or -1 */
static int descriptor_of(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/*
 * A place has one process at a time, and that has one ring for us. Where we have not noticed yet that the one before is dead, it
 * is now that we have to: later the ring of the new one would be taken for the dead one's.
 */
static void take_ring(unsigned int place, int fd)
{
	struct inlet *in = calloc(1, sizeof(*in));

	live_link_to(place);
	expect_no_more(place);
	if (in && ring_use(&in->ring, fd)) {
		in->place = place;
		LIST_INSERT_HEAD(&inlets, in, link);
	} else {
		free(in);
	}
	REAL(close)(fd);
}

/* Whether there was a note */
static bool read_note(void)
{
	struct note note = { 0 };
	struct iovec part = { &note, sizeof(note) };
	char control[CMSG_SPACE(sizeof(int))];
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	ssize_t n = recvmsg(fabric_socket(), &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int fd;

	if (n < 0)
		return false;
	fd = descriptor_of(&m);
	if (fd >= 0)
		take_ring(note.place, fd);
	else if (note.has_ring)
		complain("no descriptor is left to hear the process at place %u by", note.place);
	return true;
}

static bool empty(struct inlet *in, void (*take)(const void *message, size_t size))
{
	const void *message;
	size_t size;
	int n = 0;

	for (; n < MESSAGES_A_TURN && (message = ring_read(&in->ring, &size)); n++) {
		take(message, size);
		ring_next(&in->ring);
	}
	return n;
}

bool link_receive(bool ask_too, void (*take)(const void *message, size_t size))
{
	struct inlet *in, *next;
	bool any = false;

	while (ask_too && fabric_socket() >= 0 && read_note())
		;
	for (in = LIST_FIRST(&inlets); in; in = next) {
		bool some = empty(in, take);

		next = LIST_NEXT(in, link);
		any |= some;
		if (in->is_last && !some)
			free_inlet(in);
	}
	return any;
}

bool link_sleep(void)
{
	struct inlet *in;
	bool any = false;
	size_t size;

	LIST_FOREACH(in, &inlets, link)
	{
		ring_set_asleep(&in->ring, true);
		any |= !!ring_read(&in->ring, &size);
	}
	return any;
}

void link_wake(void)
{
	struct inlet *in;

	LIST_FOREACH(in, &inlets, link)
	{
		ring_set_asleep(&in->ring, false);
	}
}

void link_forget(void)
{
	while (!LIST_EMPTY(&links))
		free_link(LIST_FIRST(&links));
	while (!LIST_EMPTY(&inlets))
		free_inlet(LIST_FIRST(&inlets));
}
