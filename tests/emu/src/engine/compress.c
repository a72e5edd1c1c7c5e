/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/compress.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "objects/cq.h"

#define COMPRESSED (3 << 2) /* in the byte with the owner */

/* Eight have the room of an entry */
#define MINIS 8

struct mini {
	__be32 hash; /* or the checksum: both are 0 in entries of this device */
	__be32 byte_count;
};

struct session {
	uint32_t count;
	bool solicited;
	struct mlx5_cqe64 title; /* the first */
	uint8_t opcode;
	uint32_t byte_counts[MAX_COMPRESSED];
};

static bool in_turn;

bool compress_start(struct cq *cq)
{
	cq->session = calloc(1, sizeof(*cq->session));
	return cq->session;
}

void compress_begin_turn(void)
{
	in_turn = true;
}

void compress_end_turn(void)
{
	in_turn = false;
}

uint32_t compress_kept(const struct cq *cq)
{
	return cq->session ? cq->session->count : 0;
}

/* What comes without an error, for a receive that says no more than how long it is */
static bool is_plain(const struct completion *c)
{
	return c->opcode == MLX5_CQE_RESP_SEND && !c->syndrome && !c->app_op;
}

/* All but the length and the time, of the receive that was posted next */
static bool is_alike(const struct session *s, const struct mlx5_cqe64 *e)
{
	struct mlx5_cqe64 wanted = s->title;

	wanted.byte_cnt = e->byte_cnt;
	wanted.timestamp = e->timestamp;
	wanted.wqe_counter = htobe16(be16toh(s->title.wqe_counter) + s->count);
	return !memcmp(&wanted, e, offsetof(struct mlx5_cqe64, op_own));
}

bool compress_keep(struct cq *cq, uint32_t qpn, const struct completion *c)
{
	struct session *s = cq->session;
	struct mlx5_cqe64 e;

	if (!s || !in_turn || !is_plain(c))
		return false;
	cq_fill_entry(cq, &e, qpn, c);
	if (s->count == MAX_COMPRESSED || (s->count && !is_alike(s, &e)))
		compress_flush(cq);
	if (!s->count) {
		s->title = e;
		s->opcode = c->opcode;
	}
	s->solicited |= c->solicited;
	s->byte_counts[s->count++] = be32toh(e.byte_cnt);
	return true;
}

/* The first array is behind the title, each further one where its first completion would be */
static void write_arrays(const struct cq *cq, const struct session *s, uint32_t count)
{
	for (uint32_t first = 0; first < count; first += MINIS) {
		struct mini minis[MINIS] = { 0 };

		for (uint32_t i = 0; i < MINIS && first + i < count; i++)
			minis[i].byte_count = htobe32(s->byte_counts[first + i]);
		memcpy(cq_entry(cq, cq->pi + (first ? first : 1)), minis, sizeof(minis));
	}
}

void compress_flush(struct cq *cq)
{
	struct session *s = cq->session;
	uint32_t count = compress_kept(cq);

	if (!count)
		return;
	s->count = 0;
	memcpy(cq_entry(cq, cq->pi), &s->title, offsetof(struct mlx5_cqe64, op_own));
	if (count > 1) {
		write_arrays(cq, s, count);
		cq_entry(cq, cq->pi)->byte_cnt = htobe32(count);
	}
	cq_hand_over(cq, s->opcode << 4 | (count > 1 ? COMPRESSED : 0), count);
	if (s->solicited)
		cq->solicited_pi = cq->pi;
	s->solicited = false;
}
