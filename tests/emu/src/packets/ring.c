/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "packets/ring.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls/real.h"
#include "objects/pinned.h"

/* Beside the data; what each side writes has a cache line of its own */
struct ring_state {
	_Alignas(64) _Atomic uint32_t written; /* bytes, ever */
	_Alignas(64) _Atomic uint32_t read;
	_Alignas(64) _Atomic bool asleep;
};

/* A message begins with its size and takes a multiple of this */
#define UNIT sizeof(uint64_t)

static uint32_t room_for(size_t size)
{
	return UNIT + (size + UNIT - 1) / UNIT * UNIT;
}

static bool map_at(void *at, size_t size, int fd, off_t offset)
{
	return REAL(mmap)(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) != MAP_FAILED;
}

bool ring_use(struct ring *r, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *at = REAL(mmap)(NULL, page + 2 * RING_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	r->state = (struct ring_state *)at;
	r->data = at + page;
	if (map_at(at, page + RING_SIZE, fd, 0) && map_at(r->data + RING_SIZE, RING_SIZE, fd, page))
		return true;
	ring_close(r);
	return false;
}

int ring_make(struct ring *r)
{
	int fd = memfd_create("verbsx-emu-ring", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!ftruncate(fd, sysconf(_SC_PAGESIZE) + RING_SIZE) && ring_use(r, fd))
		return fd;
	REAL(close)(fd);
	return -1;
}

void ring_close(struct ring *r)
{
	if (r->state)
		REAL(munmap)(r->state, sysconf(_SC_PAGESIZE) + 2 * RING_SIZE);
	*r = (struct ring){ 0 };
}

bool ring_write(struct ring *r, const struct iovec *parts, int n)
{
	uint32_t written = r->state->written;
	uint64_t size = 0;
	uint8_t *to;

	for (int i = 0; i < n; i++)
		size += parts[i].iov_len;
	if (room_for(size) >
	    RING_SIZE - (written - atomic_load_explicit(&r->state->read, memory_order_acquire)))
		return false;
	to = r->data + written % RING_SIZE;
	memcpy(to, &size, sizeof(size));
	to += UNIT;
	for (int i = 0; i < n; i++) {
		pinned_read(parts[i].iov_base, parts[i].iov_len, to);
		to += parts[i].iov_len;
	}
	r->state->written = written + room_for(size);
	return true;
}

const void *ring_read(const struct ring *r, size_t *size)
{
	uint32_t read = atomic_load_explicit(&r->state->read, memory_order_relaxed);
	uint32_t there = r->state->written - read;
	const uint8_t *at = r->data + read % RING_SIZE;

	if (!there)
		return NULL;
	memcpy(size, at, sizeof(*size));
	/* Of something else that writes there, nothing more is believed */
	return there <= RING_SIZE && *size <= there && room_for(*size) <= there ? at + UNIT : NULL;
}

void ring_next(struct ring *r)
{
	uint32_t read = atomic_load_explicit(&r->state->read, memory_order_relaxed);
	uint64_t size;

	memcpy(&size, r->data + read % RING_SIZE, sizeof(size));
	atomic_store_explicit(&r->state->read, read + room_for(size), memory_order_release);
}

/* Either the writer sees this, or we see what it has written: both are sequentially consistent */
void ring_set_asleep(struct ring *r, bool asleep)
{
	r->state->asleep = asleep;
}

bool ring_wants_waking(struct ring *r)
{
	return r->state->asleep && atomic_exchange(&r->state->asleep, false);
}
