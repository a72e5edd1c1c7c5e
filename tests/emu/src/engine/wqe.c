/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/wqe.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "engine/opcode.h"
#include "objects/mkey.h"
#include "objects/port.h"
#include "objects/qp.h"
#include "packets/frame.h"

#define AV_EXTENDED (1u << 31)
#define NUMBER_MASK 0xffffff

enum {
	AV_SHORT = 16,
	AV_LONG = 48
};

/* In the control segment; a name for it came with later headers */
#define DCI_STREAM_OFFSET (offsetof(struct mlx5_wqe_ctrl_seg, signature) + 1)

void wqe_load(struct send_wqe *w, const struct work_queue *sq, const uint8_t *at)
{
	size_t size = (size_t)sq->count << sq->shift, offset = at - sq->buf;
	uint32_t head;
	__be16 stream;

	/* The doorbell record says that it is all there */
	atomic_thread_fence(memory_order_acquire);
	memset(w, 0, offsetof(struct send_wqe, raw));
	w->ctrl = (struct mlx5_wqe_ctrl_seg *)w->raw;
	memcpy(w->raw, at, WQEBB);
	w->ds = be32toh(w->ctrl->qpn_ds) & (MAX_SEGMENTS - 1);
	w->wqebbs = w->ds ? (w->ds * SEGMENT + WQEBB - 1) / WQEBB : 1;
	for (int i = 1; i < w->wqebbs; i++)
		memcpy(w->raw + i * WQEBB, sq->buf + (offset + i * WQEBB) % size, WQEBB);
	head = be32toh(w->ctrl->opmod_idx_opcode);
	w->opcode = head;
	w->counter = head >> 8;
	memcpy(&stream, w->raw + DCI_STREAM_OFFSET, sizeof(stream));
	w->stream = be16toh(stream);
}

static uint32_t first_word(const void *segment)
{
	return be32toh(*(const __be32 *)segment);
}

/* Data segments: pointers to data, or the data itself after a byte count */
static int parse_data(struct send_wqe *w, uint8_t *p, const uint8_t *end, uint32_t limit)
{
	while (p < end) {
		uint32_t n = first_word(p), size = SEGMENT;

		if (n & MLX5_INLINE_SEG) {
			n &= ~(uint32_t)MLX5_INLINE_SEG;
			size = (n + sizeof(__be32) + SEGMENT - 1) / SEGMENT * SEGMENT;
		}
		if (size > end - p)
			return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
		if (n > limit - w->len)
			return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
		w->seg[w->nseg++] = (struct mlx5_wqe_data_seg *)p;
		w->len += n;
		p += size;
	}
	return 0;
}

/* A datagram or a frame is one packet */
static uint32_t longest(const struct qp *q)
{
	const struct port *port = port_get(q->attr.port_num);

	if (!port || (q->type != IBV_QPT_UD && q->type != IBV_QPT_RAW_PACKET))
		return config.max_msg_sz;
	return port_mtu_bytes(port) + (q->type == IBV_QPT_RAW_PACKET ? ETHERNET_HEADER + VLAN_HEADER : 0);
}

/* Headers of a frame that the program put into the WQE; NULL where they are longer than it */
static uint8_t *parse_eth(struct send_wqe *w, uint8_t *p, const uint8_t *end)
{
	const struct mlx5_wqe_eth_seg *eth = (const void *)p;
	const uint32_t first = offsetof(struct mlx5_wqe_eth_seg, inline_hdr_start);
	uint32_t size;

	if (end - p < SEGMENT)
		return NULL;
	w->head_len = be16toh(eth->inline_hdr_sz);
	size = (first + w->head_len + SEGMENT - 1) / SEGMENT * SEGMENT;
	if (size > end - p)
		return NULL;
	w->head = p + first;
	return p + size;
}

int wqe_parse(const struct qp *q, struct send_wqe *w)
{
	uint8_t *p = w->raw + sizeof(*w->ctrl), *end = w->raw + w->ds * SEGMENT;
	uint8_t segments = opcode_find(w->opcode)->segments;

	w->nseg = 0;
	w->len = 0;
	w->head_len = 0;
	if (q->type == IBV_QPT_XRC_SEND) {
		w->xrc_srqn = first_word(p) & NUMBER_MASK;
		p += SEGMENT;
	}
	if (q->type == IBV_QPT_UD || q->dci) {
		w->av = (struct mlx5_wqe_av *)p;
		p += be32toh(w->av->dqp_dct) & AV_EXTENDED ? AV_LONG : AV_SHORT;
	}
	if (q->type == IBV_QPT_RAW_PACKET) {
		p = parse_eth(w, p, end);
		if (!p)
			return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
		w->len = w->head_len;
	}
	if (segments & SEGMENT_RADDR) {
		w->raddr = (struct mlx5_wqe_raddr_seg *)p;
		p += sizeof(*w->raddr);
	}
	if (segments & SEGMENT_ATOMIC) {
		w->atomic = (struct mlx5_wqe_atomic_seg *)p;
		p += sizeof(*w->atomic);
	}
	if (p > end)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	return parse_data(w, p, end, longest(q));
}

static int gather_segment(const struct qp *q, const struct mlx5_wqe_data_seg *s, uint8_t *to, uint32_t *len)
{
	uint32_t n = be32toh(s->byte_count);

	*len = n & ~(uint32_t)MLX5_INLINE_SEG;
	if (!(n & MLX5_INLINE_SEG))
		return mkey_read(q->o.pd, be32toh(s->lkey), be64toh(s->addr), n, 0, to);
	memcpy(to, (const uint8_t *)s + sizeof(s->byte_count), *len);
	return 0;
}

static int gather(const struct qp *q, const struct send_wqe *w)
{
	uint32_t done = w->head_len, n;

	memcpy(w->data, w->head_len ? w->head : w->raw, w->head_len);
	for (int i = 0; i < w->nseg; i++, done += n)
		if (gather_segment(q, w->seg[i], w->data + done, &n))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	return 0;
}

int wqe_gather(const struct qp *q, struct send_wqe *w)
{
	int rc;

	if (!opcode_find(w->opcode)->sends_data || w->data)
		return 0;
	w->data = malloc(w->len ? w->len : 1);
	if (!w->data)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	rc = gather(q, w);
	if (rc) {
		free(w->data);
		w->data = NULL;
	}
	return rc;
}

/* NULL where they cannot be taken from there */
static const uint8_t *memory_of(const struct qp *q, const struct mlx5_wqe_data_seg *s, uint32_t n)
{
	if (s->byte_count & htobe32(MLX5_INLINE_SEG))
		return (const uint8_t *)s + sizeof(s->byte_count);
	return mkey_memory(q->o.pd, be32toh(s->lkey), be64toh(s->addr), n);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int wqe_pieces(const struct qp *q, const struct send_wqe *w, uint32_t offset, uint32_t len,
	       struct iovec pieces[MAX_SEGMENTS])
{
	int count = 0;

	if (w->data) {
		pieces[0] = (struct iovec){ w->data + offset, len };
		return 1;
	}
	for (int i = 0; i < w->nseg && len; i++) {
		uint32_t n = be32toh(w->seg[i]->byte_count) & ~(uint32_t)MLX5_INLINE_SEG;
		uint32_t passed = smaller(offset, n), taken = smaller(n - passed, len);
		const uint8_t *memory = memory_of(q, w->seg[i], n);

		if (!memory)
			return -1;
		offset -= passed;
		len -= taken;
		if (taken)
			pieces[count++] = (struct iovec){ (uint8_t *)memory + passed, taken };
	}
	return count;
}

int wqe_scatter_response(const struct qp *q, const struct send_wqe *w, uint32_t offset, const void *data,
			 uint32_t len)
{
	const uint8_t *from = data;

	for (int i = 0; i < w->nseg && len; i++) {
		const struct mlx5_wqe_data_seg *s = w->seg[i];
		uint32_t n = be32toh(s->byte_count), passed = offset < n ? offset : n;

		offset -= passed;
		n -= passed;
		n = n < len ? n : len;
		if (n && mkey_write(q->o.pd, be32toh(s->lkey), be64toh(s->addr) + passed, n,
				    IBV_ACCESS_LOCAL_WRITE, from))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		from += n;
		len -= n;
	}
	return 0;
}
