/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a program can read from a node of its port. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mad/umad.h"
#include "trace.h"

#define WHAT "a MAD"

size_t umad_header_size(const struct umad_file *f)
{
	return f->use_pkey_index ? sizeof(struct ib_user_mad_hdr) : sizeof(struct ib_user_mad_hdr_old);
}

void umad_put(struct umad_file *f, const struct ib_user_mad_hdr *hdr, const void *data, uint32_t size)
{
	struct umad_recv *r = malloc(sizeof(*r) + size);

	if (!r)
		return; /* it is lost */
	r->hdr = *hdr;
	r->size = size;
	memcpy(r->data, data, size);
	STAILQ_INSERT_TAIL(&f->recvs, r, link);
	ready_up(&f->ready, WHAT);
}

/*
 * What is too large stays; of a long one, the first segment tells how long it is, and is read again later with the rest
 */
static ssize_t copy(const struct umad_file *f, const struct umad_recv *r, uint8_t *data, size_t size)
{
	size_t head = umad_header_size(f), first = r->size < MAD_SIZE ? r->size : MAD_SIZE;

	if (size < head + first)
		return -EINVAL;
	memcpy(data, &r->hdr, head);
	memcpy(data + head, r->data, first);
	if (size < head + r->size)
		return -ENOSPC;
	memcpy(data + head, r->data, r->size);
	return head + r->size;
}

ssize_t umad_get(struct umad_file *f, void *data, size_t size)
{
	struct umad_recv *r;
	ssize_t n;
	int rc = 0;

	if (size < umad_header_size(f))
		return -EINVAL;
	while (!rc && STAILQ_EMPTY(&f->recvs))
		rc = f->fds > 0 ? ready_wait(&f->ready) : EBADF;
	if (rc)
		return -rc;
	r = STAILQ_FIRST(&f->recvs);
	n = copy(f, r, data, size);
	TRACE("umad_recv agent %u status %u: %u bytes -> %zd", r->hdr.id, r->hdr.status, r->size, n);
	if (n < 0)
		return n;
	STAILQ_REMOVE_HEAD(&f->recvs, link);
	ready_down(&f->ready, WHAT);
	free(r);
	return n;
}
