/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5emu - a userspace stand-in for the mlx5_ib kernel driver and its HCA.
 *
 * Preload it and the stock libibverbs/libmlx5 find one InfiniBand device,
 * "mlx5_0", whose single port is looped back to itself inside the process:
 *
 *	LD_PRELOAD=./libverbsx-emu.so ibv_devinfo
 *
 * The library interposes open/stat/ioctl/mmap/close.  The ioctls on the fake
 * /dev/infiniband/uverbs0 are answered from an object table; one engine thread
 * executes the work requests that libmlx5 writes to the queues.  See README.md
 * for the environment variables and the limits.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <infiniband/mlx5dv.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

/* Tail calls would hide our lock calls from ThreadSanitizer's suppressions */
#ifndef __clang__
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

#define DEV_NAME "mlx5_0"
#define DEV_PATH "/dev/infiniband/uverbs0"
#define NODE_GUID 0x0002c90300a1b2c3ull
#define PORT_GUID 0x0002c90300a1b2c4ull
#define GID_PREFIX 0xfe80000000000000ull

/* Advertised limits; also enforced */
#define LIM_QP_WR 32768
#define LIM_SGE 30
#define LIM_CQE (1 << 22)
#define LIM_SRQ_WR 32767
#define LIM_SRQ_SGE 31
#define LIM_RD_ATOM 16
#define LIM_COMP_VEC 4
#define LIM_GIDS 4
#define LIM_PKEYS 4
#define LIM_OBJ 65536
#define LIM_KLM 128
#define LIM_STRIDED 32
#define LIM_MCAST 64
#define PORT_LID 7
#define PORT_MTU 5

#define QPN_BASE 0x100
#define NOT_ARMED 0xffffffffu
#define NOT_BOUND UINT64_MAX

/* ------------------------------------------------------------------ */
/* Device commands (DEVX): opcodes and bit offsets of the used fields  */

enum {
	CMD_QUERY_HCA_CAP = 0x100,
	CMD_CREATE_MKEY = 0x200,
	CMD_RTS2RTS_QP = 0x505,
	CMD_INIT2INIT_QP = 0x50e,
};

struct bitfield {
	uint16_t off, width; /* in bits, big-endian bit numbering */
};

static const struct bitfield in_opcode = { 0, 16 };
static const struct bitfield in_op_mod = { 48, 16 };
static const struct bitfield cap_log_dma_mmo_max_size = { 235, 5 };
static const struct bitfield cap_qpc_extension = { 418, 1 };
static const struct bitfield cap_dma_mmo_sq = { 467, 1 };
static const struct bitfield cap_dma_mmo_qp = { 1992, 1 };
static const struct bitfield mkey_in_pd = { 232, 24 };
static const struct bitfield mkey_out_index = { 72, 24 };
static const struct bitfield qp_in_qpn = { 72, 24 };

static uint32_t bits_get(const void *buf, struct bitfield f)
{
	const __be32 *w = (const __be32 *)buf + f.off / 32;

	return be32toh(*w) >> (32 - f.off % 32 - f.width) &
	       (uint32_t)((1ull << f.width) - 1);
}

static void bits_set(void *buf, struct bitfield f, uint32_t v)
{
	__be32 *w = (__be32 *)buf + f.off / 32;
	int shift = 32 - f.off % 32 - f.width;
	uint32_t mask = (uint32_t)((1ull << f.width) - 1) << shift;

	*w = htobe32((be32toh(*w) & ~mask) | (v << shift & mask));
}

/* ------------------------------------------------------------------ */
/* Objects                                                             */

enum kind {
	NONE,
	PD,
	MR,
	MKEY,
	MW,
	CHANNEL,
	CQ,
	SRQ,
	QP,
	AH,
	XRCD,
	UAR,
	KINDS
};

static const char *const kind_name[KINDS] = { "",     "pd",   "mr",
					      "mkey", "mw",   "comp_channel",
					      "cq",   "srq",  "qp",
					      "ah",   "xrcd", "uar" };

/* A pipe that carries fixed-size event records to the application */
struct evpipe {
	int w;	/* our end */
	int rn; /* a second, non-blocking read end, to take events back */
};

struct context {
	int refs;
	struct evpipe async;
	int has_async;
};

struct obj {
	enum kind kind;
	uint32_t handle;
	int users;
	int async_events; /* async events written minus those taken back */
	struct context *ctx;
	struct obj *pd;
	uint64_t user_handle;
};

struct klm {
	uint32_t key, len;
	uint64_t addr;
};

struct strided {
	uint16_t bytes, stride;
	uint32_t key;
	uint64_t addr;
};

/* MR, mkey and memory window */
struct mr {
	struct obj o;
	int indirect, invalid;
	uint8_t tag;
	uint32_t access;
	uint64_t host, start, len; /* host address, first I/O address, length */
	int nklm;
	struct klm klm[LIM_KLM];
	uint32_t repeat; /* interleaved layout when not 0 */
	int nstrided;
	struct strided strided[LIM_STRIDED];
};

struct channel {
	struct obj o;
	struct evpipe pipe;
	int fd_refs;
};

struct cq {
	struct obj o;
	LIST_ENTRY(cq) link;
	uint8_t *buf;
	__be32 *db;
	uint32_t n, cqe_size, pi, sol_pi;
	int overrun, comp_events;
	struct channel *chan;
};

struct srq {
	struct obj o;
	uint8_t *buf;
	__be32 *db;
	uint32_t stride, uidx, limit, max_wr, max_sge;
	uint16_t cur, done;
	struct cq *cq;
};

struct qp {
	struct obj o;
	LIST_ENTRY(qp) link;
	int type, dci, dct, sig_all;
	uint32_t qpn, uidx;
	uint8_t *rq, *sq;
	__be32 *db;
	uint32_t sq_cnt, rq_cnt, rq_shift;
	uint16_t sq_ci, rq_ci;
	uint64_t dc_key;
	struct cq *scq, *rcq;
	struct srq *srq;
	struct obj *xrcd;
	struct ib_uverbs_modify_qp attr; /* everything set so far */
	uint64_t stall_since;		 /* ns; waiting for the responder */
	int streams, streams_max_err;
	uint32_t stream_err;
};

struct mcast {
	uint8_t gid[16];
	struct qp *qp;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct obj *objs[LIM_OBJ];
static LIST_HEAD(, qp) qps = LIST_HEAD_INITIALIZER(qps);
static LIST_HEAD(, cq) cqs = LIST_HEAD_INITIALIZER(cqs);
static struct mcast mcasts[LIM_MCAST];
static int live[KINDS], leaked[KINDS], contexts;
static unsigned long ioctls;
static int trace;

#define TRACE(...)                                                             \
	do {                                                                   \
		if (trace)                                                     \
			fprintf(stderr, "verbsx-emu: " __VA_ARGS__);              \
	} while (0)

static void *obj_new(struct context *ctx, enum kind kind, size_t size,
		     struct obj *pd)
{
	static uint32_t last;
	struct obj *o;

	for (int i = 0; i < LIM_OBJ; i++) {
		last = last + 1 < LIM_OBJ ? last + 1 : 1;
		if (objs[last])
			continue;
		o = calloc(1, size);
		if (!o)
			return NULL;
		o->kind = kind;
		o->handle = last;
		o->ctx = ctx;
		o->pd = pd;
		if (pd)
			pd->users++;
		live[kind]++;
		objs[last] = o;
		return o;
	}
	return NULL;
}

static void obj_free(struct obj *o)
{
	if (o->pd)
		o->pd->users--;
	live[o->kind]--;
	objs[o->handle] = NULL;
	free(o);
}

static void *obj_get(enum kind kind, uint64_t handle)
{
	struct obj *o = handle < LIM_OBJ ? objs[handle] : NULL;

	return o && o->kind == kind ? o : NULL;
}

static struct qp *qp_by_num(uint32_t qpn)
{
	return qpn < QPN_BASE ? NULL : obj_get(QP, qpn - QPN_BASE);
}

static uint32_t mr_key(const struct mr *m)
{
	return m->o.handle << 8 | m->tag;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* ------------------------------------------------------------------ */
/* Event pipes                                                         */

static int real_close(int fd);

static int evpipe_open(struct evpipe *p)
{
	char path[64];
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[0]);
	p->rn = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	p->w = fd[1];
	fcntl(p->w, F_SETFL, O_NONBLOCK);
	return fd[0];
}

static void evpipe_close(struct evpipe *p)
{
	real_close(p->w);
	real_close(p->rn);
	p->w = p->rn = -1;
}

/*
 * Take back the unread events of one object: the kernel reports only the
 * events that the application has read, and it waits for acks of just these.
 */
static int evpipe_purge(struct evpipe *p, size_t size, uint64_t id)
{
	static uint8_t keep[65536];
	size_t kept = 0;
	int purged = 0;

	while (kept + size <= sizeof(keep) &&
	       read(p->rn, keep + kept, size) == (ssize_t)size) {
		uint64_t v;

		memcpy(&v, keep + kept, 8);
		if (v == id)
			purged++;
		else
			kept += size;
	}
	for (size_t i = 0; i < kept; i += size)
		if (write(p->w, keep + i, size) < 0)
			break;
	return purged;
}

static void async_event(struct context *ctx, struct obj *o, uint64_t element,
			int type)
{
	struct ib_uverbs_async_event_desc d = { .element = element,
						.event_type = type };

	TRACE("async event %s element %llx\n", ibv_event_type_str(type),
	      (unsigned long long)element);
	if (ctx->has_async && write(ctx->async.w, &d, sizeof(d)) > 0 && o)
		o->async_events++;
}

static void obj_event(struct obj *o, int type)
{
	async_event(o->ctx, o, o->user_handle, type);
}

static int obj_async_reported(struct obj *o)
{
	if (o->ctx->has_async)
		o->async_events -=
			evpipe_purge(&o->ctx->async,
				     sizeof(struct ib_uverbs_async_event_desc),
				     o->user_handle);
	return o->async_events;
}

/* ------------------------------------------------------------------ */
/* Memory                                                              */

typedef void (*piece_fn)(uint8_t **cursor, void *host, uint64_t len);

static void copy_from(uint8_t **cursor, void *host, uint64_t len)
{
	memcpy(*cursor, host, len);
	*cursor += len;
}

static void copy_to(uint8_t **cursor, void *host, uint64_t len)
{
	memcpy(host, *cursor, len);
	*cursor += len;
}

static struct mr *mr_by_index(uint32_t key)
{
	struct obj *o = objs[(key >> 8) % LIM_OBJ];

	if (!o || o->handle != key >> 8 ||
	    (o->kind != MR && o->kind != MKEY && o->kind != MW))
		return NULL;
	return (struct mr *)o;
}

static int mem_walk(struct obj *pd, uint32_t key, uint64_t addr, uint64_t len,
		    uint32_t need, piece_fn fn, uint8_t **cursor, int depth)
{
	struct mr *m = mr_by_index(key);
	uint64_t off = 0;

	if (!m || mr_key(m) != key || (pd && m->o.pd != pd) || m->invalid ||
	    (m->access & need) != need || depth > 3) {
		TRACE("key %x: %s\n", key, m ? "access denied" : "unknown");
		return -1;
	}
	if (addr < m->start || len > m->len || addr - m->start > m->len - len) {
		TRACE("key %x: out of range\n", key);
		return -1;
	}
	addr -= m->start;
	if (!m->indirect) {
		fn(cursor, (void *)(uintptr_t)(m->host + addr), len);
		return 0;
	}
	for (uint32_t r = 0; r < m->repeat && len; r++)
		for (int i = 0; i < m->nstrided && len; i++) {
			struct strided *e = &m->strided[i];
			uint64_t o = addr - off, n = e->bytes - o;

			if (addr < off + e->bytes) {
				n = n < len ? n : len;
				if (mem_walk(pd, e->key,
					     e->addr + o +
						     (uint64_t)r * e->stride,
					     n, 0, fn, cursor, depth + 1))
					return -1;
				addr += n;
				len -= n;
			}
			off += e->bytes;
		}
	for (int i = 0; i < m->nklm && len && !m->repeat; i++) {
		struct klm *k = &m->klm[i];
		uint64_t o = addr - off, n = k->len - o;

		if (addr < off + k->len) {
			n = n < len ? n : len;
			if (mem_walk(pd, k->key, k->addr + o, n, 0, fn, cursor,
				     depth + 1))
				return -1;
			addr += n;
			len -= n;
		}
		off += k->len;
	}
	return len ? -1 : 0;
}

static int mem_read(struct obj *pd, uint32_t key, uint64_t addr, uint64_t len,
		    uint32_t need, void *dst)
{
	uint8_t *cursor = dst;

	return mem_walk(pd, key, addr, len, need, copy_from, &cursor, 0);
}

static int mem_write(struct obj *pd, uint32_t key, uint64_t addr, uint64_t len,
		     uint32_t need, const void *src)
{
	uint8_t *cursor = (uint8_t *)src;

	return mem_walk(pd, key, addr, len, need, copy_to, &cursor, 0);
}

/* ------------------------------------------------------------------ */
/* Completions                                                         */

/* Deliver a completion event if the CQ is armed and has something new */
static void cq_notify(struct cq *c)
{
	struct ib_uverbs_comp_event_desc d = { .cq_handle = c->o.user_handle };
	_Atomic uint32_t *arm = (_Atomic uint32_t *)&c->db[1];
	uint32_t v = atomic_load(arm), pi;

	if (!c->chan || v == NOT_ARMED)
		return;
	pi = be32toh(v) & 1 << 24 ? c->sol_pi : c->pi; /* solicited only? */
	if ((int32_t)((pi - be32toh(v)) << 8) <= 0 ||
	    !atomic_compare_exchange_strong(arm, &v, NOT_ARMED))
		return;
	if (write(c->chan->pipe.w, &d, sizeof(d)) == sizeof(d))
		c->comp_events++;
}

struct comp {
	int op;		/* MLX5_CQE_... */
	uint8_t wqe_op; /* requester: opcode of the WQE */
	uint16_t ctr;	/* index of the WQE */
	uint32_t bytes, uidx, src_qp;
	__be32 imm;
	uint8_t syndrome;
	int grh, solicited;
};

static struct mlx5_cqe64 *cq_slot(struct cq *c)
{
	return (void *)(c->buf + (size_t)(c->pi & (c->n - 1)) * c->cqe_size +
			(c->cqe_size == 128 ? 64 : 0));
}

static void cq_push(struct cq *c, const struct qp *q, const struct comp *d)
{
	struct mlx5_cqe64 *e;
	uint32_t ci;

	if (!c)
		return;
	ci = be32toh(*(volatile __be32 *)&c->db[0]);
	if (((c->pi - ci) & 0xffffff) >= c->n || c->overrun) {
		if (!c->overrun)
			obj_event(&c->o, IBV_EVENT_CQ_ERR);
		c->overrun = 1;
		return;
	}
	e = cq_slot(c);
	memset(e, 0, offsetof(struct mlx5_cqe64, op_own));
	e->srqn_uidx = htobe32(d->uidx);
	e->sop_drop_qpn = htobe32((uint32_t)d->wqe_op << 24 | q->qpn);
	e->wqe_counter = htobe16(d->ctr);
	e->byte_cnt = htobe32(d->bytes);
	e->imm_inval_pkey = d->imm;
	e->slid = htobe16(PORT_LID);
	e->flags_rqpn = htobe32(d->src_qp | (d->grh ? 1u << 28 : 0));
	e->timestamp = htobe64(now_ns());
	if (d->syndrome) {
		((uint8_t *)e)[54] = 0x7a; /* vendor syndrome */
		((uint8_t *)e)[55] = d->syndrome;
	}
	atomic_thread_fence(memory_order_release);
	*(volatile uint8_t *)&e->op_own = d->op << 4 | !!(c->pi & c->n);
	c->pi++;
	if (d->solicited || d->syndrome)
		c->sol_pi = c->pi;
	cq_notify(c);
}

static void qp_error(struct qp *q, int event)
{
	if (q->attr.qp_state == IBV_QPS_ERR)
		return;
	q->attr.qp_state = IBV_QPS_ERR;
	if (event >= 0)
		obj_event(&q->o, event);
	if (q->srq)
		obj_event(&q->o, IBV_EVENT_QP_LAST_WQE_REACHED);
}

/* ------------------------------------------------------------------ */
/* Receive side                                                        */

struct rwqe {
	struct mlx5_wqe_data_seg *seg;
	int nseg;
	uint16_t idx;
};

static int srq_pop(struct srq *s, struct rwqe *r)
{
	uint16_t pi = be32toh(*(volatile __be32 *)s->db);
	uint8_t *w = s->buf + (size_t)s->cur * s->stride;

	if (pi == s->done)
		return 0;
	r->idx = s->cur;
	r->seg = (void *)(w + sizeof(struct mlx5_wqe_srq_next_seg));
	r->nseg = s->stride / 16 - 1;
	s->cur = be16toh(((struct mlx5_wqe_srq_next_seg *)w)->next_wqe_index);
	s->done++;
	if (s->limit && (uint16_t)(pi - s->done) < s->limit) {
		s->limit = 0;
		obj_event(&s->o, IBV_EVENT_SRQ_LIMIT_REACHED);
	}
	return 1;
}

static int rq_pop(struct qp *q, struct rwqe *r)
{
	uint16_t pi;

	if (!q->rq_cnt)
		return 0;
	pi = be32toh(*(volatile __be32 *)&q->db[0]);
	if (pi == q->rq_ci)
		return 0;
	r->idx = q->rq_ci++;
	r->seg = (void *)(q->rq +
			  ((size_t)(r->idx & (q->rq_cnt - 1)) << q->rq_shift));
	r->nseg = (1 << q->rq_shift) / 16;
	return 1;
}

/* 0 or the syndrome that the responder sees */
static int scatter(struct obj *pd, struct rwqe *r, const uint8_t *data,
		   uint32_t len)
{
	for (int i = 0; i < r->nseg && len; i++) {
		uint32_t n = be32toh(r->seg[i].byte_count);
		uint32_t key = be32toh(r->seg[i].lkey);

		if (key == 0x100) /* end of list */
			break;
		n = n < len ? n : len;
		if (mem_write(pd, key, be64toh(r->seg[i].addr), n,
			      IBV_ACCESS_LOCAL_WRITE, data))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		data += n;
		len -= n;
	}
	return len ? MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR : 0;
}

/* Outcome of executing a request, besides a syndrome for the requester */
#define STALL_RNR (-1)
#define STALL_PEER (-2)

/* A message (send or write with immediate) consumes one receive WQE */
static int receive(struct qp *d, struct srq *s, const uint8_t *data,
		   uint32_t len, struct comp *c)
{
	struct cq *cq = s && s->cq ? s->cq : d->rcq;
	struct rwqe r;
	int synd;

	if (!(s ? srq_pop(s, &r) : rq_pop(d, &r)))
		return STALL_RNR;
	c->ctr = r.idx;
	c->uidx = s && s->cq ? s->uidx : d->uidx;
	synd = scatter(s && !d->o.pd ? s->o.pd : d->o.pd, &r, data, len);
	if (synd) {
		c->op = MLX5_CQE_RESP_ERR;
		c->syndrome = synd;
	}
	cq_push(cq, d, c);
	return synd;
}

static void rq_flush(struct qp *q)
{
	struct rwqe r;

	while (!q->srq && rq_pop(q, &r)) {
		struct comp c = { .op = MLX5_CQE_RESP_ERR,
				  .ctr = r.idx,
				  .uidx = q->uidx,
				  .syndrome = MLX5_CQE_SYNDROME_WR_FLUSH_ERR };

		cq_push(q->rcq, q, &c);
	}
}

/* ------------------------------------------------------------------ */
/* Send side                                                           */

struct swqe {
	uint8_t raw[1024 + 64]; /* contiguous copy */
	struct mlx5_wqe_ctrl_seg *ctrl;
	uint8_t op, opmod;
	uint16_t ctr, stream;
	int ds, nbb;
	struct mlx5_wqe_av *av;
	struct mlx5_wqe_raddr_seg *raddr;
	struct mlx5_wqe_atomic_seg *atomic;
	uint32_t xrc_srqn;
	struct mlx5_wqe_data_seg *seg[64];
	int nseg;
	uint8_t *data; /* gathered payload */
	uint32_t len;
};

static void umr_layout(struct mr *m, const uint8_t *p, int octowords)
{
	const struct mlx5_wqe_umr_repeat_block_seg *rb = (const void *)p;
	const struct mlx5_wqe_data_seg *k = (const void *)p;

	m->nklm = 0;
	m->repeat = 0;
	if (be32toh(rb->op) == 0x400) {
		m->repeat = be32toh(rb->repeat_count);
		m->nstrided = be16toh(rb->num_ent);
		if (m->nstrided > LIM_STRIDED)
			m->nstrided = LIM_STRIDED;
		for (int i = 0; i < m->nstrided; i++)
			m->strided[i] = (struct strided){
				be16toh(rb->entries[i].byte_count),
				be16toh(rb->entries[i].stride),
				be32toh(rb->entries[i].memkey),
				be64toh(rb->entries[i].va)
			};
		return;
	}
	for (int i = 0; i < octowords && m->nklm < LIM_KLM; i++)
		if (k[i].byte_count)
			m->klm[m->nklm++] =
				(struct klm){ be32toh(k[i].lkey),
					      be32toh(k[i].byte_count),
					      be64toh(k[i].addr) };
}

static int do_umr(struct qp *q, struct swqe *w)
{
	struct mlx5_wqe_umr_ctrl_seg *u = (void *)(w->raw + 16);
	struct mlx5_wqe_mkey_context_seg *mk = (void *)(w->raw + 64);
	struct mr *m = mr_by_index(be32toh(w->ctrl->imm));
	uint64_t mask = be64toh(u->mkey_mask);
	uint8_t acc = mk->access_flags;

	if (!m || !m->indirect || m->o.pd != q->o.pd ||
	    mr_key(m) != be32toh(w->ctrl->imm))
		return m && m->o.kind == MW ? MLX5_CQE_SYNDROME_MW_BIND_ERR
					    : MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY)
		m->tag = be32toh(mk->qpn_mkey) & 0xff;
	if (mk->free & MLX5_WQE_MKEY_CONTEXT_FREE) { /* invalidate, unbind */
		m->invalid = 1;
		m->len = 0;
		return 0;
	}
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE ||
	    m->o.kind == MW)
		m->access =
			(acc & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE
				 ? IBV_ACCESS_LOCAL_WRITE
				 : 0) |
			(acc & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ
				 ? IBV_ACCESS_REMOTE_READ
				 : 0) |
			(acc & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE
				 ? IBV_ACCESS_REMOTE_WRITE
				 : 0) |
			(acc & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC
				 ? IBV_ACCESS_REMOTE_ATOMIC
				 : 0);
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN)
		m->len = be64toh(mk->len);
	if (mask & MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR)
		m->start = be64toh(mk->start_addr);
	if (u->klm_octowords)
		umr_layout(m, w->raw + 128, be16toh(u->klm_octowords));
	m->invalid = 0;
	TRACE("umr key %x start %llx len %llu klm %d repeat %u\n", mr_key(m),
	      (unsigned long long)m->start, (unsigned long long)m->len, m->nklm,
	      m->repeat);
	if (m->o.kind == MW) {
		struct mr *t = m->nklm ? mr_by_index(m->klm[0].key) : NULL;

		if (!t || !(t->access & IBV_ACCESS_MW_BIND)) {
			m->invalid = 1;
			return MLX5_CQE_SYNDROME_MW_BIND_ERR;
		}
	}
	return 0;
}

static int do_memcpy(struct qp *q, struct swqe *w)
{
	struct mlx5_wqe_data_seg *s = (void *)(w->raw + 32);
	struct mlx5_wqe_data_seg *d = (void *)(w->raw + 48);
	uint32_t n = be32toh(s->byte_count);
	uint8_t *t = malloc(n ? n : 1);
	int err;

	err = !t ||
	      mem_read(q->o.pd, be32toh(s->lkey), be64toh(s->addr), n, 0, t) ||
	      mem_write(q->o.pd, be32toh(d->lkey), be64toh(d->addr), n,
			IBV_ACCESS_LOCAL_WRITE, t);
	free(t);
	return err ? MLX5_CQE_SYNDROME_LOCAL_PROT_ERR : 0;
}

static int reliable(const struct qp *q)
{
	return q->type == IBV_QPT_RC || q->type == IBV_QPT_XRC_SEND || q->dci;
}

/* Split the WQE after its control segment */
static void swqe_parse(struct qp *q, struct swqe *w)
{
	uint8_t *p = w->raw + 16, *end = w->raw + w->ds * 16;
	int is_atomic = w->op == MLX5_OPCODE_ATOMIC_CS ||
			w->op == MLX5_OPCODE_ATOMIC_FA;

	if (q->type == IBV_QPT_XRC_SEND) {
		w->xrc_srqn = be32toh(*(__be32 *)p) & 0xffffff;
		p += 16;
	}
	if (q->type == IBV_QPT_UD || q->dci) {
		w->av = (void *)p;
		p += be32toh(w->av->dqp_dct) & 1u << 31 ? 48 : 16;
	}
	if (is_atomic || w->op == MLX5_OPCODE_RDMA_WRITE ||
	    w->op == MLX5_OPCODE_RDMA_WRITE_IMM ||
	    w->op == MLX5_OPCODE_RDMA_READ) {
		w->raddr = (void *)p;
		p += 16;
	}
	if (is_atomic) {
		w->atomic = (void *)p;
		p += 16;
	}
	for (; p < end; p += 16) {
		uint32_t n = be32toh(*(__be32 *)p);

		w->seg[w->nseg++] = (void *)p;
		if (n & MLX5_INLINE_SEG) {
			n &= ~MLX5_INLINE_SEG;
			p += (n + 4 + 15) / 16 * 16 - 16;
		}
		w->len += n;
	}
}

static int swqe_gather(struct qp *q, struct swqe *w)
{
	uint8_t *t;

	w->data = t = malloc(w->len + 64);
	if (!t)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	if (w->atomic || w->op == MLX5_OPCODE_RDMA_READ)
		return 0;
	for (int i = 0; i < w->nseg; i++) {
		uint32_t n = be32toh(w->seg[i]->byte_count);

		if (n & MLX5_INLINE_SEG) {
			n &= ~MLX5_INLINE_SEG;
			memcpy(t, (uint8_t *)w->seg[i] + 4, n);
		} else if (mem_read(q->o.pd, be32toh(w->seg[i]->lkey),
				    be64toh(w->seg[i]->addr), n, 0, t)) {
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		}
		t += n;
	}
	return 0;
}

/* Spread a read or atomic response over the local segments */
static int swqe_respond(struct qp *q, struct swqe *w, const uint8_t *data,
			uint32_t len)
{
	for (int i = 0; i < w->nseg && len; i++) {
		uint32_t n = be32toh(w->seg[i]->byte_count);

		n = n < len ? n : len;
		if (mem_write(q->o.pd, be32toh(w->seg[i]->lkey),
			      be64toh(w->seg[i]->addr), n,
			      IBV_ACCESS_LOCAL_WRITE, data))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		data += n;
		len -= n;
	}
	return 0;
}

static int do_atomic(struct qp *q, struct qp *d, struct swqe *w)
{
	uint32_t key = be32toh(w->raddr->rkey);
	uint64_t addr = be64toh(w->raddr->raddr), old, new;
	uint64_t arg = be64toh(w->atomic->swap_add);

	if (addr & 7)
		return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	if (!(d->attr.qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC) ||
	    mem_read(d->o.pd, key, addr, 8, IBV_ACCESS_REMOTE_ATOMIC, &old))
		return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	new = old + arg;
	if (w->op == MLX5_OPCODE_ATOMIC_CS)
		new = old == be64toh(w->atomic->compare) ? arg : old;
	mem_write(d->o.pd, key, addr, 8, 0, &new);
	w->len = 8;
	return swqe_respond(q, w, (void *)&old, 8);
}

static void fill_grh(uint8_t *grh, const struct mlx5_wqe_av *av, uint32_t len)
{
	__be64 gid[2] = { htobe64(GID_PREFIX), htobe64(PORT_GUID) };
	uint32_t fl = be32toh(av->grh_gid_fl) & 0xfffff;
	__be32 w0 = htobe32(6u << 28 | av->tclass << 20 | fl);
	__be16 paylen = htobe16(len);

	memcpy(grh, &w0, 4);
	memcpy(grh + 4, &paylen, 2);
	grh[6] = 0x1b;
	grh[7] = av->hop_limit;
	memcpy(grh + 8, gid, 16);
	memcpy(grh + 24, av->rgid, 16);
}

/* Deliver a datagram to one QP; never fails for the sender */
static void deliver_ud(struct qp *q, struct qp *d, struct swqe *w,
		       struct comp *c, int has_grh)
{
	uint32_t qkey = be32toh(w->av->key.qkey.qkey);
	uint8_t *t;

	if (qkey & 1u << 31)
		qkey = q->attr.qkey;
	if (d->type != IBV_QPT_UD || d->attr.qkey != qkey ||
	    d->attr.qp_state < IBV_QPS_RTR || d->attr.qp_state == IBV_QPS_ERR)
		return;
	t = calloc(1, w->len + 40);
	if (!t)
		return;
	if (has_grh)
		fill_grh(t, w->av, w->len);
	memcpy(t + 40, w->data, w->len);
	c->grh = has_grh;
	c->bytes = w->len + 40;
	if (receive(d, d->srq, t, w->len + 40, c) > 0)
		qp_error(d, -1);
	free(t);
}

static int do_ud(struct qp *q, struct swqe *w, struct comp *c)
{
	uint32_t dqp = be32toh(w->av->dqp_dct) & 0xffffff;
	int has_grh = !!(be32toh(w->av->grh_gid_fl) & 1u << 30);
	struct qp *d = qp_by_num(dqp);

	if (dqp == 0xffffff) {
		for (int i = 0; i < LIM_MCAST; i++)
			if (mcasts[i].qp &&
			    !memcmp(mcasts[i].gid, w->av->rgid, 16)) {
				struct comp m = *c;

				deliver_ud(q, mcasts[i].qp, w, &m, has_grh);
			}
	} else if (d) {
		deliver_ud(q, d, w, c, has_grh);
	}
	return 0;
}

/* The responder side of a connected request */
static int do_connected(struct qp *q, struct qp *d, struct swqe *w,
			struct comp *c)
{
	struct srq *s = d->srq;
	uint32_t rkey = w->raddr ? be32toh(w->raddr->rkey) : 0;
	uint64_t raddr = w->raddr ? be64toh(w->raddr->raddr) : 0;
	struct mr *m;
	int rc;

	if (d->type == IBV_QPT_XRC_RECV) {
		s = obj_get(SRQ, w->xrc_srqn);
		if (!s)
			return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	}
	switch (w->op) {
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		c->op = w->op == MLX5_OPCODE_SEND ? MLX5_CQE_RESP_SEND
			: w->op == MLX5_OPCODE_SEND_IMM
				? MLX5_CQE_RESP_SEND_IMM
				: MLX5_CQE_RESP_SEND_INV;
		if (w->op == MLX5_OPCODE_SEND)
			c->imm = 0;
		rc = receive(d, s, w->data, w->len, c);
		if (rc > 0) { /* NAK: too long, or not accessible */
			qp_error(d, -1);
			return rc == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR
				       ? MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR
				       : MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
		}
		if (!rc && w->op == MLX5_OPCODE_SEND_INVAL) {
			m = mr_by_index(be32toh(c->imm));
			if (m && m->indirect && m->o.pd == d->o.pd)
				m->invalid = 1;
		}
		return rc;
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		if (!(d->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) ||
		    (w->len && mem_write(d->o.pd, rkey, raddr, w->len,
					 IBV_ACCESS_REMOTE_WRITE, w->data)))
			return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
		if (w->op == MLX5_OPCODE_RDMA_WRITE)
			return 0;
		c->op = MLX5_CQE_RESP_WR_IMM;
		return receive(d, s, w->data, 0, c);
	case MLX5_OPCODE_RDMA_READ:
		if (!(d->attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) ||
		    (w->len && mem_read(d->o.pd, rkey, raddr, w->len,
					IBV_ACCESS_REMOTE_READ, w->data)))
			return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
		return swqe_respond(q, w, w->data, w->len);
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return do_atomic(q, d, w);
	}
	return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
}

/* 0, a syndrome or one of STALL_* */
static int execute(struct qp *q, struct swqe *w)
{
	struct comp c = { .op = MLX5_CQE_RESP_SEND, .src_qp = q->qpn };
	uint32_t dqpn = q->attr.dest_qp_num;
	uint64_t dc_key = 0;
	struct qp *d;
	int rc;

	switch (w->op) {
	case MLX5_OPCODE_NOP:
	case MLX5_OPCODE_SET_PSV:
		return 0;
	case MLX5_OPCODE_UMR:
		return do_umr(q, w);
	case MLX5_OPCODE_MMO:
		return do_memcpy(q, w);
	}
	swqe_parse(q, w);
	rc = swqe_gather(q, w);
	if (rc)
		return rc;
	c.bytes = w->len;
	c.imm = w->ctrl->imm;
	c.solicited = !!(w->ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED);
	if (q->type == IBV_QPT_UD) {
		if (w->op == MLX5_OPCODE_SEND_IMM)
			c.op = MLX5_CQE_RESP_SEND_IMM;
		else
			c.imm = 0;
		return do_ud(q, w, &c);
	}
	if (q->dci) {
		dqpn = be32toh(w->av->dqp_dct) & 0xffffff;
		dc_key = be64toh(w->av->key.dc_key);
	}
	d = qp_by_num(dqpn);
	if (!d || d->attr.qp_state < IBV_QPS_RTR ||
	    d->attr.qp_state == IBV_QPS_ERR || q->dci != d->dct ||
	    (d->dct && d->dc_key != dc_key))
		return STALL_PEER;
	rc = do_connected(q, d, w, &c);
	if (rc == MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR && reliable(q) && !d->dct)
		qp_error(d, IBV_EVENT_QP_ACCESS_ERR);
	if (rc == MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR && reliable(q) &&
	    !d->dct)
		qp_error(d, IBV_EVENT_QP_REQ_ERR);
	return rc;
}

/* Turn a stall into a syndrome once the retries would be used up */
static int stalled(struct qp *q, int why)
{
	uint64_t limit = 50 * 1000 * 1000, now = now_ns();

	if (!reliable(q))
		return 0;
	if (!q->stall_since)
		q->stall_since = now;
	if (why == STALL_RNR && q->attr.rnr_retry == 7)
		return STALL_RNR;
	if (why == STALL_PEER && !q->attr.timeout)
		return STALL_PEER;
	if (why == STALL_RNR)
		limit = q->attr.rnr_retry * 2000000ull;
	if (now - q->stall_since < limit)
		return why;
	return why == STALL_RNR ? MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR
				: MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR;
}

/* An error on a DCI with streams stops only that stream, up to a limit */
static void requester_error(struct qp *q, struct swqe *w)
{
	if (q->streams && w->stream < 32) {
		q->stream_err |= 1u << w->stream;
		if (__builtin_popcount(q->stream_err) < q->streams_max_err)
			return;
	}
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_UC)
		q->attr.qp_state = IBV_QPS_SQE;
	else
		qp_error(q, -1);
}

static int sq_step(struct qp *q)
{
	int size = q->sq_cnt * 64, base, rc, state = q->attr.qp_state;
	struct comp c = { .op = MLX5_CQE_REQ, .uidx = q->uidx };
	struct swqe w;
	uint32_t idx;

	if (!q->sq_cnt ||
	    q->sq_ci == (uint16_t)be32toh(*(volatile __be32 *)&q->db[1]))
		return 0;
	memset((uint8_t *)&w + sizeof(w.raw), 0, sizeof(w) - sizeof(w.raw));
	atomic_thread_fence(memory_order_acquire);
	base = (q->sq_ci & (q->sq_cnt - 1)) * 64;
	w.ctrl = (void *)(q->sq + base);
	w.ds = be32toh(w.ctrl->qpn_ds) & 0x3f;
	w.nbb = w.ds ? (w.ds * 16 + 63) / 64 : 1;
	for (int i = 0; i < w.nbb; i++)
		memcpy(w.raw + i * 64, q->sq + (base + i * 64) % size, 64);
	w.ctrl = (void *)w.raw;
	idx = be32toh(w.ctrl->opmod_idx_opcode);
	w.op = idx & 0xff;
	w.opmod = idx >> 24;
	w.ctr = idx >> 8;
	w.stream = be16toh(w.ctrl->dci_stream_channel_id);

	if (state == IBV_QPS_ERR || state == IBV_QPS_SQE ||
	    (q->streams && w.stream < 32 && q->stream_err & 1u << w.stream))
		rc = MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
	else
		rc = execute(q, &w);
	if (rc < 0)
		rc = stalled(q, rc);
	else
		q->stall_since = 0;
	if (rc < 0) {
		free(w.data);
		return 0;
	}
	q->stall_since = 0;
	TRACE("qp %x op %02x ctr %u ds %d len %u syndrome %02x\n", q->qpn, w.op,
	      w.ctr, w.ds, w.len, rc);
	if (rc && !reliable(q) && rc != MLX5_CQE_SYNDROME_LOCAL_PROT_ERR &&
	    rc != MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR &&
	    rc != MLX5_CQE_SYNDROME_MW_BIND_ERR &&
	    rc != MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
		rc = 0; /* lost on the wire, the requester cannot know */
	q->sq_ci += w.nbb;
	c.wqe_op = w.op;
	c.ctr = w.ctr;
	c.bytes = w.len;
	c.syndrome = rc;
	if (rc) {
		c.op = MLX5_CQE_REQ_ERR;
		c.bytes = 0;
		if (rc != MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
			requester_error(q, &w);
	}
	if (rc || q->sig_all || w.ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE)
		cq_push(q->scq, q, &c);
	free(w.data);
	return 1;
}

/* ------------------------------------------------------------------ */
/* Injected failures and async events                                  */

/* Each entry of a list is "N:ERR" or "NAME[#K]:ERR" */
struct failure {
	char name[24]; /* of the call; empty: count all calls */
	unsigned long nth, seen;
	int err;
};

static struct failure failures[32];
static int nfailures;

static int parse_errno(const char *s)
{
	if (strspn(s, "0123456789") == strlen(s))
		return atoi(s);
	for (int i = 1; i < 134; i++)
		if (strerrorname_np(i) && !strcasecmp(strerrorname_np(i), s))
			return i;
	return EIO;
}

static void fail_spec(const char *spec)
{
	char *copy = strdup(spec), *save, *s;

	for (s = strtok_r(copy, ", ", &save); s && nfailures < 32;
	     s = strtok_r(NULL, ", ", &save)) {
		struct failure *f = &failures[nfailures];
		char *colon = strchr(s, ':'), *hash;

		memset(f, 0, sizeof(*f));
		f->nth = 1;
		f->err = colon ? parse_errno(colon + 1) : EIO;
		if (colon)
			*colon = 0;
		hash = strchr(s, '#');
		if (hash) {
			*hash = 0;
			f->nth = strtoul(hash + 1, NULL, 0);
		}
		if (*s >= '0' && *s <= '9')
			f->nth = strtoul(s, NULL, 0);
		else
			snprintf(f->name, sizeof(f->name), "%s", s);
		nfailures++;
	}
	free(copy);
}

static int fail_check(const char *name)
{
	int err = 0;

	ioctls++;
	for (int i = 0; i < nfailures; i++) {
		struct failure *f = &failures[i];

		if ((!f->name[0] || !strcmp(f->name, name)) &&
		    ++f->seen == f->nth)
			err = f->err;
	}
	return err;
}

static const char *const event_name[] = {
	[IBV_EVENT_CQ_ERR] = "CQ_ERR",
	[IBV_EVENT_QP_FATAL] = "QP_FATAL",
	[IBV_EVENT_QP_REQ_ERR] = "QP_REQ_ERR",
	[IBV_EVENT_QP_ACCESS_ERR] = "QP_ACCESS_ERR",
	[IBV_EVENT_COMM_EST] = "COMM_EST",
	[IBV_EVENT_SQ_DRAINED] = "SQ_DRAINED",
	[IBV_EVENT_PATH_MIG] = "PATH_MIG",
	[IBV_EVENT_PATH_MIG_ERR] = "PATH_MIG_ERR",
	[IBV_EVENT_DEVICE_FATAL] = "DEVICE_FATAL",
	[IBV_EVENT_PORT_ACTIVE] = "PORT_ACTIVE",
	[IBV_EVENT_PORT_ERR] = "PORT_ERR",
	[IBV_EVENT_LID_CHANGE] = "LID_CHANGE",
	[IBV_EVENT_PKEY_CHANGE] = "PKEY_CHANGE",
	[IBV_EVENT_SM_CHANGE] = "SM_CHANGE",
	[IBV_EVENT_SRQ_ERR] = "SRQ_ERR",
	[IBV_EVENT_SRQ_LIMIT_REACHED] = "SRQ_LIMIT_REACHED",
	[IBV_EVENT_QP_LAST_WQE_REACHED] = "QP_LAST_WQE_REACHED",
	[IBV_EVENT_CLIENT_REREGISTER] = "CLIENT_REREGISTER",
	[IBV_EVENT_GID_CHANGE] = "GID_CHANGE",
};

struct injection {
	int type;
	uint32_t num; /* QP, CQ or SRQ number, or port; 0: the first one */
	uint64_t delay, due;
};

static struct injection injections[64];
static int ninjections;
static const char *async_path;
static off_t async_pos;

/* "EVENT[:NUM][@MS]" */
static int async_spec(const char *spec)
{
	char s[128], *at, *colon, *name = s;
	struct injection *j = &injections[ninjections];

	if (ninjections == 64)
		return -1;
	snprintf(s, sizeof(s), "%s", spec);
	at = strchr(s, '@');
	if (at)
		*at++ = 0;
	colon = strchr(s, ':');
	if (colon)
		*colon++ = 0;
	if (!strncasecmp(name, "IBV_EVENT_", 10))
		name += 10;
	for (unsigned i = 0; i < sizeof(event_name) / sizeof(*event_name); i++)
		if (!strcasecmp(name, event_name[i])) {
			j->type = i;
			j->num = colon ? strtoul(colon, NULL, 0) : 0;
			j->delay = at ? strtoul(at, NULL, 0) * 1000000ull : 0;
			j->due = 0;
			ninjections++;
			return 0;
		}
	fprintf(stderr, "verbsx-emu: unknown event '%s'\n", name);
	return -1;
}

/* Read the complete lines that were appended to the file */
static void async_follow(void)
{
	char buf[4096], *line = buf, *nl;
	FILE *f = fopen(async_path, "re");
	size_t n;

	if (!f)
		return;
	fseeko(f, async_pos, SEEK_SET);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	buf[n] = 0;
	while ((nl = strchr(line, '\n'))) {
		*nl = 0;
		if (*line && *line != '#')
			async_spec(line);
		async_pos += nl + 1 - line;
		line = nl + 1;
	}
	fclose(f);
}

static enum kind event_kind(int type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return CQ;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return SRQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return QP;
	default:
		return NONE;
	}
}

static struct context ctxs[256]; /* in use: refs or has_async */

static int inject(struct injection *j)
{
	enum kind kind = event_kind(j->type);
	int sent = 0;

	if (kind == NONE) {
		for (unsigned i = 0; i < sizeof(ctxs) / sizeof(*ctxs); i++)
			if (ctxs[i].has_async) {
				async_event(&ctxs[i], NULL, j->num ? j->num : 1,
					    j->type);
				sent = 1;
			}
		return sent;
	}
	for (uint32_t h = 1; h < LIM_OBJ && live[kind]; h++) {
		struct obj *o = objs[h];
		uint32_t num = kind == QP ? h + QPN_BASE : h;

		if (!o || o->kind != kind || !o->ctx->has_async ||
		    (j->num && j->num != num))
			continue;
		obj_event(o, j->type);
		return 1;
	}
	return 0;
}

static void inject_pending(void)
{
	uint64_t now;
	int keep = 0;

	if (!ninjections || !contexts)
		return;
	now = now_ns();
	for (int i = 0; i < ninjections; i++) {
		struct injection *j = &injections[i];

		if (!j->due)
			j->due = now + j->delay;
		if (now < j->due || !inject(j))
			injections[keep++] = *j;
	}
	ninjections = keep;
}

/* For tests that find these with dlsym(RTLD_DEFAULT, ...) */
int vx_emu_async(const char *spec);
void vx_emu_fail(const char *spec);
int vx_emu_live(const char *kind);
unsigned long vx_emu_ioctls(void);

int vx_emu_async(const char *spec)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = async_spec(spec);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Replaces the list; N counts from this call on */
void vx_emu_fail(const char *spec)
{
	pthread_mutex_lock(&lock);
	nfailures = 0;
	if (spec)
		fail_spec(spec);
	pthread_mutex_unlock(&lock);
}

/* Number of live objects of a kind ("qp", "mr", ...) or, for NULL, of all */
int vx_emu_live(const char *kind)
{
	int n = 0;

	pthread_mutex_lock(&lock);
	for (int i = 1; i < KINDS; i++)
		if (kind ? !strcmp(kind, kind_name[i]) : i != UAR)
			n += live[i];
	pthread_mutex_unlock(&lock);
	return n;
}

unsigned long vx_emu_ioctls(void)
{
	return ioctls;
}

/* ------------------------------------------------------------------ */
/* Engine                                                              */

static __be32 *clock_page; /* free-running counter: high, low */
static pid_t engine_pid;
static int forked;
static int stopping;

static void clock_tick(void)
{
	uint64_t t = now_ns();

	if (!clock_page)
		return;
	((volatile __be32 *)clock_page)[0] = htobe32(t >> 32);
	((volatile __be32 *)clock_page)[1] = htobe32(t);
}

static int engine_step(void)
{
	struct qp *q;
	struct cq *c;
	int did = 0;

	LIST_FOREACH(q, &qps, link)
	{
		int st = q->attr.qp_state;

		if (st == IBV_QPS_RTS || st == IBV_QPS_ERR || st == IBV_QPS_SQE)
			for (int i = 0; i < 64 && sq_step(q); i++)
				did = 1;
		if (q->attr.qp_state == IBV_QPS_ERR)
			rq_flush(q);
	}
	LIST_FOREACH(c, &cqs, link)
	cq_notify(c);
	return did;
}

static void *engine(void *arg)
{
	unsigned tick = 0, idle = 0;

	while (1) {
		struct timespec nap = { 0, idle < 2000 ? 20000 : 200000 };
		int did;

		pthread_mutex_lock(&lock);
		if (stopping) {
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		clock_tick();
		did = engine_step();
		if (async_path && tick++ % 16 == 0)
			async_follow();
		inject_pending();
		pthread_mutex_unlock(&lock);
		idle = did ? 0 : idle + 1;
		if (!did)
			nanosleep(&nap, NULL);
	}
	return arg;
}

static void engine_start(void)
{
	sigset_t all, old;
	pthread_t t;

	if (engine_pid == getpid())
		return;
	engine_pid = getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&t, NULL, engine, NULL))
		pthread_detach(t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ------------------------------------------------------------------ */
/* ioctl marshalling                                                   */

typedef struct ib_uverbs_ioctl_hdr hdr;
typedef struct ib_uverbs_attr attr;

static attr *attr_find(hdr *h, int id)
{
	for (int i = 0; i < h->num_attrs; i++)
		if (h->attrs[i].attr_id == id)
			return &h->attrs[i];
	return NULL;
}

static void *attr_in(attr *a)
{
	if (!a)
		return NULL;
	return a->len <= 8 ? (void *)&a->data : (void *)(uintptr_t)a->data;
}

static uint64_t attr_val(hdr *h, int id)
{
	attr *a = attr_find(h, id);

	if (!a)
		return 0;
	return a->len && a->len < 8 ? a->data & ((1ull << a->len * 8) - 1)
				    : a->data;
}

static void attr_out(attr *a, const void *p, size_t n)
{
	if (!a)
		return;
	memcpy((void *)(uintptr_t)a->data, p, n < a->len ? n : a->len);
	if (a->len > n)
		memset((uint8_t *)(uintptr_t)a->data + n, 0, a->len - n);
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

static void attr_out_u32(hdr *h, int id, uint32_t v)
{
	attr_out(attr_find(h, id), &v, sizeof(v));
}

static void attr_out_handle(hdr *h, int id, uint64_t v)
{
	attr *a = attr_find(h, id);

	if (!a)
		return;
	a->data = v;
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

static void *attr_obj(hdr *h, int id, enum kind kind)
{
	attr *a = attr_find(h, id);

	return a ? obj_get(kind, (uint32_t)a->data) : NULL;
}

/* Driver data, as a zero-extended copy */
static void uhw_in(hdr *h, void *dst, size_t size)
{
	attr *a = attr_find(h, UVERBS_ATTR_UHW_IN);

	memset(dst, 0, size);
	if (a)
		memcpy(dst, attr_in(a), a->len < size ? a->len : size);
}

static void uhw_out(hdr *h, const void *src, size_t size)
{
	attr_out(attr_find(h, UVERBS_ATTR_UHW_OUT), src, size);
}

/* ------------------------------------------------------------------ */
/* Destroying objects                                                  */

static void channel_put(struct channel *ch)
{
	if (ch->fd_refs || ch->o.users)
		return;
	evpipe_close(&ch->pipe);
	obj_free(&ch->o);
}

static void cq_free(struct cq *c)
{
	LIST_REMOVE(c, link);
	if (c->chan) {
		c->chan->o.users--;
		channel_put(c->chan);
	}
	obj_free(&c->o);
}

static void srq_free(struct srq *s)
{
	if (s->cq)
		s->cq->o.users--;
	obj_free(&s->o);
}

static void qp_free(struct qp *q)
{
	for (int i = 0; i < LIM_MCAST; i++)
		if (mcasts[i].qp == q)
			mcasts[i].qp = NULL;
	LIST_REMOVE(q, link);
	if (q->scq)
		q->scq->o.users--;
	if (q->rcq)
		q->rcq->o.users--;
	if (q->srq)
		q->srq->o.users--;
	if (q->xrcd)
		q->xrcd->users--;
	obj_free(&q->o);
}

static int destroy(struct obj *o)
{
	if (!o)
		return ENOENT;
	if (o->users)
		return EBUSY;
	obj_free(o);
	return 0;
}

/* The kernel releases what is left when the last command fd is closed */
static void context_release(struct context *ctx)
{
	static const enum kind order[] = { QP, SRQ, CQ,	 MW,   MKEY,
					   MR, AH,  UAR, XRCD, PD };

	for (unsigned k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (int i = 1; i < LIM_OBJ && live[order[k]]; i++) {
			struct obj *o = objs[i];

			if (!o || o->ctx != ctx || o->kind != order[k])
				continue;
			if (o->kind != UAR)
				leaked[o->kind]++;
			if (o->kind == QP)
				qp_free((struct qp *)o);
			else if (o->kind == SRQ)
				srq_free((struct srq *)o);
			else if (o->kind == CQ)
				cq_free((struct cq *)o);
			else
				obj_free(o);
		}
	contexts--;
}

/* ------------------------------------------------------------------ */
/* Calls: device                                                       */

static int do_get_context(struct context *ctx, hdr *h)
{
	struct mlx5_ib_alloc_ucontext_resp r = {
		.qp_tab_size = 1 << 18,
		.bf_reg_size = 512,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = LIM_QP_WR,
		.max_recv_wr = LIM_QP_WR,
		.max_srq_recv_wr = LIM_SRQ_WR,
		.num_ports = 1,
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG |
			     MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET,
		.response_length = sizeof(r),
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
				 MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.clock_info_versions = 1, /* V1 */
		.log_uar_size = 12,
		.num_uars_per_page = 1,
		.num_dyn_bfregs = 512,
	};
	uint64_t core = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;

	attr_out_u32(h, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, LIM_COMP_VEC);
	attr_out(attr_find(h, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT), &core, 8);
	/* QUERY_CONTEXT, for an imported fd, has its own driver attribute */
	if (h->method_id == UVERBS_METHOD_QUERY_CONTEXT)
		attr_out(attr_find(h, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX), &r,
			 sizeof(r));
	else
		uhw_out(h, &r, sizeof(r));
	return 0;
}

static int do_query_port(struct context *ctx, hdr *h)
{
	struct ib_uverbs_query_port_resp_ex r = {
		.legacy_resp = { .state = IBV_PORT_ACTIVE,
				 .max_mtu = PORT_MTU,
				 .active_mtu = PORT_MTU,
				 .gid_tbl_len = LIM_GIDS,
				 .pkey_tbl_len = LIM_PKEYS,
				 .lid = PORT_LID,
				 .sm_lid = 1,
				 .max_msg_sz = 1 << 30,
				 .max_vl_num = 4,
				 .subnet_timeout = 18,
				 .active_width = 2,
				 .active_speed = 32,
				 .phys_state = 5,
				 .link_layer = IBV_LINK_LAYER_INFINIBAND },
	};

	if (attr_val(h, UVERBS_ATTR_QUERY_PORT_PORT_NUM) != 1)
		return EINVAL;
	attr_out(attr_find(h, UVERBS_ATTR_QUERY_PORT_RESP), &r, sizeof(r));
	return 0;
}

static const struct ib_uverbs_gid_entry *gid_entry(void)
{
	static struct ib_uverbs_gid_entry e = { .port_num = 1 };

	e.gid[0] = htobe64(GID_PREFIX);
	e.gid[1] = htobe64(PORT_GUID);
	return &e;
}

static int do_query_gid_table(struct context *ctx, hdr *h)
{
	attr *out = attr_find(h, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	uint64_t n = 1;

	if (!out || out->len < sizeof(struct ib_uverbs_gid_entry))
		return EINVAL;
	attr_out(out, gid_entry(), sizeof(struct ib_uverbs_gid_entry));
	attr_out(attr_find(h, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES), &n,
		 8);
	return 0;
}

static int do_query_gid_entry(struct context *ctx, hdr *h)
{
	uint32_t idx = attr_val(h, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);

	if (attr_val(h, UVERBS_ATTR_QUERY_GID_ENTRY_PORT) != 1 ||
	    idx >= LIM_GIDS)
		return EINVAL;
	if (idx)
		return ENODATA;
	attr_out(attr_find(h, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY),
		 gid_entry(), sizeof(struct ib_uverbs_gid_entry));
	return 0;
}

static int fd_register_async(struct context *ctx, int fd, struct evpipe *mute);
static int fd_register_channel(struct channel *ch, int fd);
static struct channel *fd_channel(int fd);

static int do_async_alloc(struct context *ctx, hdr *h)
{
	struct evpipe *p = ctx->has_async ? malloc(sizeof(*p)) : &ctx->async;
	int fd = p ? evpipe_open(p) : -1;

	if (fd < 0)
		return EMFILE;
	if (fd_register_async(ctx, fd, ctx->has_async ? p : NULL))
		return EMFILE;
	ctx->has_async = 1;
	attr_out_handle(h, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, fd);
	return 0;
}

/* ------------------------------------------------------------------ */
/* Calls: queues                                                       */

static int do_cq_create(struct context *ctx, hdr *h)
{
	uint32_t n = attr_val(h, UVERBS_ATTR_CREATE_CQ_CQE);
	attr *ch = attr_find(h, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct mlx5_ib_create_cq_resp r = { 0 };
	struct mlx5_ib_create_cq d;
	struct channel *chan = NULL;
	struct cq *c;

	uhw_in(h, &d, sizeof(d));
	if (n < 1 || n >= LIM_CQE || (n & (n + 1)) || !d.buf_addr ||
	    !d.db_addr || (d.cqe_size != 64 && d.cqe_size != 128) ||
	    attr_val(h, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR) >= LIM_COMP_VEC)
		return EINVAL;
	if (ch) {
		chan = fd_channel(ch->data_s64);
		if (!chan)
			return EBADF;
	}
	c = obj_new(ctx, CQ, sizeof(*c), NULL);
	if (!c)
		return ENOMEM;
	c->o.user_handle = attr_val(h, UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
	c->buf = (void *)(uintptr_t)d.buf_addr;
	c->db = (void *)(uintptr_t)d.db_addr;
	c->cqe_size = d.cqe_size;
	c->n = n + 1;
	c->db[1] = NOT_ARMED;
	c->chan = chan;
	if (chan)
		chan->o.users++;
	LIST_INSERT_HEAD(&cqs, c, link);
	r.cqn = c->o.handle;
	uhw_out(h, &r, sizeof(r));
	attr_out_u32(h, UVERBS_ATTR_CREATE_CQ_RESP_CQE, n);
	attr_out_handle(h, UVERBS_ATTR_CREATE_CQ_HANDLE, c->o.handle);
	return 0;
}

static int do_cq_destroy(struct context *ctx, hdr *h)
{
	struct cq *c = attr_obj(h, UVERBS_ATTR_DESTROY_CQ_HANDLE, CQ);
	struct ib_uverbs_destroy_cq_resp r;

	if (!c)
		return ENOENT;
	if (c->o.users)
		return EBUSY;
	if (c->chan)
		c->comp_events -=
			evpipe_purge(&c->chan->pipe,
				     sizeof(struct ib_uverbs_comp_event_desc),
				     c->o.user_handle);
	r.comp_events_reported = c->comp_events;
	r.async_events_reported = obj_async_reported(&c->o);
	attr_out(attr_find(h, UVERBS_ATTR_DESTROY_CQ_RESP), &r, sizeof(r));
	cq_free(c);
	return 0;
}

static int srq_setup(struct context *ctx, hdr *h, struct obj *pd,
		     uint32_t max_wr, uint32_t max_sge, uint32_t limit,
		     uint64_t user_handle, struct cq *cq, struct srq **out)
{
	struct mlx5_ib_create_srq_resp r = { 0 };
	struct mlx5_ib_create_srq d;
	struct srq *s;

	uhw_in(h, &d, sizeof(d));
	if (!pd)
		return ENOENT;
	if (max_wr > LIM_SRQ_WR || max_sge > LIM_SRQ_SGE || limit > max_wr ||
	    !d.buf_addr || !d.db_addr)
		return EINVAL;
	s = obj_new(ctx, SRQ, sizeof(*s), pd);
	if (!s)
		return ENOMEM;
	s->o.user_handle = user_handle;
	s->buf = (void *)(uintptr_t)d.buf_addr;
	s->db = (void *)(uintptr_t)d.db_addr;
	s->uidx = d.uidx;
	s->max_wr = max_wr;
	s->max_sge = max_sge;
	s->limit = limit;
	s->cq = cq;
	if (cq)
		cq->o.users++;
	for (s->stride = 32; s->stride < 16 + max_sge * 16; s->stride *= 2)
		;
	r.srqn = s->o.handle;
	uhw_out(h, &r, sizeof(r));
	*out = s;
	return 0;
}

static int do_srq_create(struct context *ctx, hdr *h)
{
	uint32_t type = attr_val(h, UVERBS_ATTR_CREATE_SRQ_TYPE);
	struct cq *cq = attr_obj(h, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, CQ);
	struct srq *s;
	int rc;

	if (type > IBV_SRQT_XRC)
		return EOPNOTSUPP;
	if (type == IBV_SRQT_XRC && !cq)
		return EINVAL;
	rc = srq_setup(ctx, h,
		       attr_obj(h, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, PD),
		       attr_val(h, UVERBS_ATTR_CREATE_SRQ_MAX_WR),
		       attr_val(h, UVERBS_ATTR_CREATE_SRQ_MAX_SGE),
		       attr_val(h, UVERBS_ATTR_CREATE_SRQ_LIMIT),
		       attr_val(h, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE),
		       type == IBV_SRQT_XRC ? cq : NULL, &s);
	if (rc)
		return rc;
	attr_out_handle(h, UVERBS_ATTR_CREATE_SRQ_HANDLE, s->o.handle);
	attr_out_u32(h, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, s->max_wr);
	attr_out_u32(h, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, s->max_sge);
	attr_out_u32(h, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, s->o.handle);
	return 0;
}

static int do_srq_destroy(struct context *ctx, hdr *h)
{
	struct srq *s = attr_obj(h, UVERBS_ATTR_DESTROY_SRQ_HANDLE, SRQ);
	struct ib_uverbs_destroy_srq_resp r;

	if (!s)
		return ENOENT;
	if (s->o.users)
		return EBUSY;
	r.events_reported = obj_async_reported(&s->o);
	attr_out(attr_find(h, UVERBS_ATTR_DESTROY_SRQ_RESP), &r, sizeof(r));
	srq_free(s);
	return 0;
}

static int qp_caps_ok(const struct ib_uverbs_qp_cap *c)
{
	return c->max_send_wr <= LIM_QP_WR && c->max_recv_wr <= LIM_QP_WR &&
	       c->max_send_sge <= LIM_SGE && c->max_recv_sge <= LIM_SGE &&
	       c->max_inline_data <= 1024;
}

static int do_qp_create(struct context *ctx, hdr *h)
{
	uint32_t type = attr_val(h, UVERBS_ATTR_CREATE_QP_TYPE);
	struct ib_uverbs_qp_cap *cap =
		attr_in(attr_find(h, UVERBS_ATTR_CREATE_QP_CAP));
	struct obj *pd = attr_obj(h, UVERBS_ATTR_CREATE_QP_PD_HANDLE, PD);
	struct mlx5_ib_create_qp_resp r = { 0 };
	struct mlx5_ib_create_qp d;
	struct qp *q;

	uhw_in(h, &d, sizeof(d));
	if (type != IBV_QPT_RC && type != IBV_QPT_UC && type != IBV_QPT_UD &&
	    type != IBV_QPT_XRC_SEND && type != IBV_QPT_XRC_RECV &&
	    type != IBV_QPT_DRIVER)
		return EOPNOTSUPP;
	if (!cap || !qp_caps_ok(cap) || d.sq_wqe_count > LIM_QP_WR ||
	    d.rq_wqe_count > LIM_QP_WR ||
	    ((d.sq_wqe_count || d.rq_wqe_count) && (!d.buf_addr || !d.db_addr)))
		return EINVAL;
	if (!pd && type != IBV_QPT_XRC_RECV)
		return ENOENT;
	q = obj_new(ctx, QP, sizeof(*q), pd);
	if (!q)
		return ENOMEM;
	LIST_INSERT_HEAD(&qps, q, link);
	q->o.user_handle = attr_val(h, UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	q->type = type;
	q->dci = !!(d.flags & MLX5_QP_FLAG_TYPE_DCI);
	q->dct = !!(d.flags & MLX5_QP_FLAG_TYPE_DCT);
	q->qpn = QPN_BASE + q->o.handle;
	q->uidx = d.uidx;
	q->rq = (void *)(uintptr_t)d.buf_addr;
	q->db = (void *)(uintptr_t)d.db_addr;
	q->sq_cnt = q->dct ? 0 : d.sq_wqe_count;
	q->rq_cnt = q->dct || q->dci ? 0 : d.rq_wqe_count;
	q->rq_shift = d.rq_wqe_shift;
	q->sq = q->rq +
		(d.rq_wqe_count ? (size_t)d.rq_wqe_count << q->rq_shift : 0);
	q->dc_key = q->dct ? d.access_key : 0;
	if (d.flags & MLX5_QP_FLAG_DCI_STREAM) {
		q->streams = 1 << d.dci_streams.log_num_concurent;
		q->streams_max_err = 1 << d.dci_streams.log_num_errored;
	}
	q->sig_all = !!(attr_val(h, UVERBS_ATTR_CREATE_QP_FLAGS) &
			IB_UVERBS_QP_CREATE_SQ_SIG_ALL);
	q->scq = attr_obj(h, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, CQ);
	q->rcq = attr_obj(h, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, CQ);
	q->srq = attr_obj(h, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, SRQ);
	q->xrcd = attr_obj(h, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, XRCD);
	if (q->scq)
		q->scq->o.users++;
	if (q->rcq)
		q->rcq->o.users++;
	if (q->srq)
		q->srq->o.users++;
	if (q->xrcd)
		q->xrcd->users++;
	if ((q->sq_cnt && !q->scq) || (q->rq_cnt && !q->rcq)) {
		qp_free(q);
		return ENOENT;
	}
	r.bfreg_index = d.bfreg_index;
	uhw_out(h, &r, sizeof(r));
	attr_out(attr_find(h, UVERBS_ATTR_CREATE_QP_RESP_CAP), cap,
		 sizeof(*cap));
	attr_out_u32(h, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM,
		     q->dct ? 0xffffff : q->qpn);
	attr_out_handle(h, UVERBS_ATTR_CREATE_QP_HANDLE, q->o.handle);
	return 0;
}

static int do_qp_destroy(struct context *ctx, hdr *h)
{
	struct qp *q = attr_obj(h, UVERBS_ATTR_DESTROY_QP_HANDLE, QP);
	struct ib_uverbs_destroy_qp_resp r;

	if (!q)
		return ENOENT;
	for (int i = 0; i < LIM_MCAST; i++)
		if (mcasts[i].qp == q)
			return EBUSY;
	r.events_reported = obj_async_reported(&q->o);
	attr_out(attr_find(h, UVERBS_ATTR_DESTROY_QP_RESP), &r, sizeof(r));
	qp_free(q);
	return 0;
}

/* ------------------------------------------------------------------ */
/* QP state machine: required and optional attributes per transition   */

enum { T_RC = 1, T_UC = 2, T_UD = 4, T_XI = 8, T_XT = 16 };

struct transition {
	uint8_t types, from, to;
	uint32_t req, opt;
};

#define A_INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define A_INIT_UD (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define A_RTR (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define A_RESP (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define A_RTR_OPT (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define A_RTS                                                                  \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |                \
	 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)
#define A_RTS_OPT                                                              \
	(IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |            \
	 IBV_QP_PATH_MIG_STATE)
#define A_UD_OPT (IBV_QP_CUR_STATE | IBV_QP_QKEY)
#define A_SQD                                                                  \
	(IBV_QP_PORT | IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |     \
	 IBV_QP_PKEY_INDEX | IBV_QP_PATH_MIG_STATE)

static const struct transition transitions[] = {
	{ T_RC | T_UC | T_XI | T_XT, IBV_QPS_RESET, IBV_QPS_INIT, A_INIT, 0 },
	{ T_UD, IBV_QPS_RESET, IBV_QPS_INIT, A_INIT_UD, 0 },
	{ T_RC | T_UC | T_XI | T_XT, IBV_QPS_INIT, IBV_QPS_INIT, 0, A_INIT },
	{ T_UD, IBV_QPS_INIT, IBV_QPS_INIT, 0, A_INIT_UD },
	{ T_RC | T_XT, IBV_QPS_INIT, IBV_QPS_RTR, A_RTR | A_RESP, A_RTR_OPT },
	{ T_UC | T_XI, IBV_QPS_INIT, IBV_QPS_RTR, A_RTR, A_RTR_OPT },
	{ T_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
	{ T_RC, IBV_QPS_RTR, IBV_QPS_RTS, A_RTS,
	  A_RTS_OPT | IBV_QP_MIN_RNR_TIMER },
	{ T_XI, IBV_QPS_RTR, IBV_QPS_RTS, A_RTS, A_RTS_OPT },
	{ T_XT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,
	  A_RTS_OPT | IBV_QP_MIN_RNR_TIMER },
	{ T_UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, A_RTS_OPT },
	{ T_UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, A_UD_OPT },
	{ T_RC | T_XT, IBV_QPS_RTS, IBV_QPS_RTS, 0,
	  A_RTS_OPT | IBV_QP_MIN_RNR_TIMER },
	{ T_UC | T_XI, IBV_QPS_RTS, IBV_QPS_RTS, 0, A_RTS_OPT },
	{ T_UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, A_UD_OPT },
	{ T_RC | T_UC | T_UD | T_XI | T_XT, IBV_QPS_RTS, IBV_QPS_SQD, 0,
	  IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ T_RC | T_XI | T_XT, IBV_QPS_SQD, IBV_QPS_SQD, 0,
	  A_SQD | (A_RTS & ~IBV_QP_SQ_PSN) | A_RESP },
	{ T_UC, IBV_QPS_SQD, IBV_QPS_SQD, 0, A_SQD },
	{ T_UD, IBV_QPS_SQD, IBV_QPS_SQD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
	{ T_RC | T_UC | T_XI | T_XT, IBV_QPS_SQD, IBV_QPS_RTS, 0,
	  A_RTS_OPT | IBV_QP_MIN_RNR_TIMER },
	{ T_UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, A_UD_OPT },
	{ T_UC, IBV_QPS_SQE, IBV_QPS_RTS, 0,
	  IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS },
	{ T_UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, A_UD_OPT },
};

static int transition_ok(const struct qp *q, int from, int to, uint32_t mask)
{
	int type = q->type == IBV_QPT_RC	 ? T_RC
		   : q->type == IBV_QPT_UC	 ? T_UC
		   : q->type == IBV_QPT_UD	 ? T_UD
		   : q->type == IBV_QPT_XRC_SEND ? T_XI
						 : T_XT;

	mask &= ~IBV_QP_STATE;
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return !mask;
	if (q->type == IBV_QPT_DRIVER)
		return to == from + 1 || to == from ||
		       (from == IBV_QPS_SQD && to == IBV_QPS_RTS);
	for (unsigned i = 0; i < sizeof(transitions) / sizeof(*transitions);
	     i++) {
		const struct transition *t = &transitions[i];

		if (t->types & type && t->from == from && t->to == to)
			return (mask & t->req) == t->req &&
			       !(mask & ~(t->req | t->opt));
	}
	return 0;
}

static int qp_values_ok(const struct ib_uverbs_modify_qp *m)
{
	uint32_t mask = m->attr_mask;

	if (mask & IBV_QP_PORT && m->port_num != 1)
		return 0;
	if (mask & IBV_QP_PKEY_INDEX && m->pkey_index >= LIM_PKEYS)
		return 0;
	if (mask & IBV_QP_PATH_MTU && (m->path_mtu < 1 || m->path_mtu > 5))
		return 0;
	if (mask & IBV_QP_AV && m->dest.is_global &&
	    m->dest.sgid_index >= LIM_GIDS)
		return 0;
	if (mask & IBV_QP_AV && m->dest.port_num > 1)
		return 0;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC && m->max_rd_atomic > LIM_RD_ATOM)
		return 0;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	    m->max_dest_rd_atomic > LIM_RD_ATOM)
		return 0;
	return 1;
}

static void qp_store(struct ib_uverbs_modify_qp *a,
		     const struct ib_uverbs_modify_qp *m)
{
	uint32_t mask = m->attr_mask;

#define STORE(bit, field)                                                      \
	do {                                                                   \
		if (mask & (bit))                                              \
			a->field = m->field;                                   \
	} while (0)
	STORE(IBV_QP_AV, dest);
	STORE(IBV_QP_ALT_PATH, alt_dest);
	STORE(IBV_QP_ALT_PATH, alt_pkey_index);
	STORE(IBV_QP_ALT_PATH, alt_port_num);
	STORE(IBV_QP_ALT_PATH, alt_timeout);
	STORE(IBV_QP_QKEY, qkey);
	STORE(IBV_QP_RQ_PSN, rq_psn);
	STORE(IBV_QP_SQ_PSN, sq_psn);
	STORE(IBV_QP_DEST_QPN, dest_qp_num);
	STORE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	STORE(IBV_QP_PKEY_INDEX, pkey_index);
	STORE(IBV_QP_PATH_MTU, path_mtu);
	STORE(IBV_QP_PATH_MIG_STATE, path_mig_state);
	STORE(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	STORE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	STORE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	STORE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	STORE(IBV_QP_PORT, port_num);
	STORE(IBV_QP_TIMEOUT, timeout);
	STORE(IBV_QP_RETRY_CNT, retry_cnt);
	STORE(IBV_QP_RNR_RETRY, rnr_retry);
#undef STORE
}

static int qp_modify(struct qp *q, const struct ib_uverbs_modify_qp *m)
{
	int from = q->attr.qp_state;
	int to = m->attr_mask & IBV_QP_STATE ? m->qp_state : from;

	if (m->attr_mask & IBV_QP_CUR_STATE && m->cur_qp_state != from)
		return EINVAL;
	if (!transition_ok(q, from, to, m->attr_mask) || !qp_values_ok(m)) {
		TRACE("qp %x: modify %d -> %d mask %x refused\n", q->qpn, from,
		      to, m->attr_mask);
		return EINVAL;
	}
	if (to == IBV_QPS_RESET) {
		memset(&q->attr, 0, sizeof(q->attr));
		q->sq_ci = q->rq_ci = 0;
		q->stall_since = 0;
		q->stream_err = 0;
	} else if (to == IBV_QPS_ERR) {
		qp_error(q, -1);
	}
	qp_store(&q->attr, m);
	q->attr.qp_state = to;
	if (from == IBV_QPS_RTS && to == IBV_QPS_SQD &&
	    q->attr.en_sqd_async_notify)
		obj_event(&q->o, IBV_EVENT_SQ_DRAINED);
	return 0;
}

/* ------------------------------------------------------------------ */
/* Calls that still use the write() command layout                     */

struct wcall {
	hdr *h;
	void *in;
	attr *out;
};

static int w_alloc_pd(struct context *ctx, struct wcall *w)
{
	struct obj *pd = obj_new(ctx, PD, sizeof(*pd), NULL);
	struct ib_uverbs_alloc_pd_resp r = { 0 };
	struct mlx5_ib_alloc_pd_resp d = { 0 };

	if (!pd)
		return ENOMEM;
	r.pd_handle = d.pdn = pd->handle;
	attr_out(w->out, &r, sizeof(r));
	uhw_out(w->h, &d, sizeof(d));
	return 0;
}

static int access_ok(uint32_t f)
{
	uint32_t known =
		IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
		IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |
		IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED |
		IB_UVERBS_ACCESS_HUGETLB | IB_UVERBS_ACCESS_OPTIONAL_RANGE;

	if (f & IB_UVERBS_ACCESS_ON_DEMAND)
		return EOPNOTSUPP;
	if (f & ~known)
		return EINVAL;
	if (f & (IB_UVERBS_ACCESS_REMOTE_WRITE |
		 IB_UVERBS_ACCESS_REMOTE_ATOMIC) &&
	    !(f & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return EINVAL;
	return 0;
}

static int w_reg_mr(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_reg_mr *c = w->in;
	struct obj *pd = obj_get(PD, c->pd_handle);
	struct ib_uverbs_reg_mr_resp r = { 0 };
	int rc = access_ok(c->access_flags);
	struct mr *m;

	if (!pd)
		return ENOENT;
	if (rc)
		return rc;
	if (!c->length || (c->start & 4095) != (c->hca_va & 4095))
		return EINVAL;
	m = obj_new(ctx, MR, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->tag = 0x17;
	m->host = c->start;
	m->start = c->hca_va;
	m->len = c->length;
	m->access = c->access_flags;
	r.mr_handle = m->o.handle;
	r.lkey = r.rkey = mr_key(m);
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_rereg_mr(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_rereg_mr *c = w->in;
	struct mr *m = obj_get(MR, c->mr_handle);
	struct obj *pd = obj_get(PD, c->pd_handle);
	struct ib_uverbs_rereg_mr_resp r = { 0 };

	if (!m)
		return ENOENT;
	if (!c->flags ||
	    c->flags & ~(IBV_REREG_MR_CHANGE_TRANSLATION |
			 IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS))
		return EINVAL;
	if (c->flags & IBV_REREG_MR_CHANGE_PD && !pd)
		return ENOENT;
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    (!c->start || !c->length ||
	     (c->start & 4095) != (c->hca_va & 4095)))
		return EINVAL;
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		int rc = access_ok(c->access_flags);

		if (rc)
			return rc;
		m->access = c->access_flags;
	}
	if (c->flags & IBV_REREG_MR_CHANGE_PD) {
		m->o.pd->users--;
		m->o.pd = pd;
		pd->users++;
	}
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		m->host = c->start;
		m->start = c->hca_va;
		m->len = c->length;
		m->tag++; /* the old key stops working */
	}
	r.lkey = r.rkey = mr_key(m);
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_alloc_mw(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_alloc_mw *c = w->in;
	struct obj *pd = obj_get(PD, c->pd_handle);
	struct ib_uverbs_alloc_mw_resp r = { 0 };
	struct mr *m;

	if (!pd)
		return ENOENT;
	if (c->mw_type != IBV_MW_TYPE_1 && c->mw_type != IBV_MW_TYPE_2)
		return EINVAL;
	m = obj_new(ctx, MW, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->indirect = m->invalid = 1;
	r.mw_handle = m->o.handle;
	r.rkey = mr_key(m);
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_comp_channel(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_create_comp_channel_resp r = { 0 };
	struct channel *ch = obj_new(ctx, CHANNEL, sizeof(*ch), NULL);
	int fd;

	if (!ch)
		return ENOMEM;
	fd = evpipe_open(&ch->pipe);
	if (fd < 0 || fd_register_channel(ch, fd)) {
		obj_free(&ch->o);
		return EMFILE;
	}
	r.fd = fd;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_resize_cq(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_resize_cq *c = w->in;
	struct cq *cq = obj_get(CQ, c->cq_handle);
	struct ib_uverbs_resize_cq_resp r = { .cqe = c->cqe };
	struct mlx5_ib_resize_cq d;
	struct mlx5_cqe64 *e;
	uint32_t ci;

	uhw_in(w->h, &d, sizeof(d));
	if (!cq)
		return ENOENT;
	ci = be32toh(cq->db[0]);
	if (c->cqe < 1 || c->cqe >= LIM_CQE || c->cqe & (c->cqe + 1) ||
	    !d.buf_addr || ((cq->pi - ci) & 0xffffff) >= c->cqe + 1)
		return EINVAL;
	/* This entry tells libmlx5 up to where the old buffer is valid */
	e = cq_slot(cq);
	*(volatile uint8_t *)&e->op_own =
		MLX5_CQE_RESIZE_CQ << 4 | !!(cq->pi & cq->n);
	cq->pi++;
	cq->buf = (void *)(uintptr_t)d.buf_addr;
	cq->cqe_size = d.cqe_size;
	cq->n = c->cqe + 1;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_modify_qp(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_modify_qp *c = w->in;
	struct mlx5_ib_modify_qp_resp d = { .response_length = sizeof(d) };
	struct ib_uverbs_ex_modify_qp_resp r = { .response_length = sizeof(r) +
								    sizeof(d) };
	struct qp *q = obj_get(QP, c->qp_handle);
	int rc;

	if (!q)
		return ENOENT;
	rc = qp_modify(q, c);
	if (rc)
		return rc;
	if (q->dct && q->attr.qp_state == IBV_QPS_RTR)
		d.dctn = q->qpn;
	uhw_out(w->h, &d, sizeof(d));
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_query_qp(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_query_qp *c = w->in;
	struct qp *q = obj_get(QP, c->qp_handle);
	struct ib_uverbs_query_qp_resp r = { 0 };
	struct ib_uverbs_modify_qp *a;

	if (!q)
		return ENOENT;
	a = &q->attr;
	r.dest = a->dest;
	r.alt_dest = a->alt_dest;
	/* libmlx5 knows the send side better and fills it in */
	r.max_recv_wr = q->rq_cnt;
	r.max_recv_sge = q->rq_cnt ? (1 << q->rq_shift) / 16 : 0;
	r.qkey = a->qkey;
	r.rq_psn = a->rq_psn;
	r.sq_psn = a->sq_psn;
	r.dest_qp_num = a->dest_qp_num;
	r.qp_access_flags = a->qp_access_flags;
	r.pkey_index = a->pkey_index;
	r.alt_pkey_index = a->alt_pkey_index;
	r.qp_state = r.cur_qp_state = a->qp_state;
	r.path_mtu = a->path_mtu;
	r.path_mig_state = a->path_mig_state;
	r.max_rd_atomic = a->max_rd_atomic;
	r.max_dest_rd_atomic = a->max_dest_rd_atomic;
	r.min_rnr_timer = a->min_rnr_timer;
	r.port_num = a->port_num;
	r.timeout = a->timeout;
	r.retry_cnt = a->retry_cnt;
	r.rnr_retry = a->rnr_retry;
	r.alt_port_num = a->alt_port_num;
	r.alt_timeout = a->alt_timeout;
	r.sq_sig_all = q->sig_all;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_create_srq(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_create_srq *c = w->in;
	struct ib_uverbs_create_srq_resp r = { 0 };
	struct srq *s;
	int rc = srq_setup(ctx, w->h, obj_get(PD, c->pd_handle), c->max_wr,
			   c->max_sge, c->srq_limit, c->user_handle, NULL, &s);

	if (rc)
		return rc;
	r.srq_handle = r.srqn = s->o.handle;
	r.max_wr = s->max_wr;
	r.max_sge = s->max_sge;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_modify_srq(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_modify_srq *c = w->in;
	struct srq *s = obj_get(SRQ, c->srq_handle);

	if (!s)
		return ENOENT;
	if (c->attr_mask & IBV_SRQ_MAX_WR)
		return EINVAL; /* as the real driver: no resize */
	if (c->attr_mask & IBV_SRQ_LIMIT) {
		if (c->srq_limit >= s->max_wr)
			return EINVAL;
		s->limit = c->srq_limit;
	}
	return 0;
}

static int w_query_srq(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_query_srq *c = w->in;
	struct srq *s = obj_get(SRQ, c->srq_handle);
	struct ib_uverbs_query_srq_resp r = { 0 };

	if (!s)
		return ENOENT;
	r.max_wr = s->max_wr;
	r.max_sge = s->max_sge;
	r.srq_limit = s->limit;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_open_xrcd(struct context *ctx, struct wcall *w)
{
	struct obj *o = obj_new(ctx, XRCD, sizeof(*o), NULL);
	struct ib_uverbs_open_xrcd_resp r = { 0 };

	if (!o)
		return ENOMEM;
	r.xrcd_handle = o->handle;
	attr_out(w->out, &r, sizeof(r));
	return 0;
}

static int w_mcast(struct context *ctx, struct wcall *w, int attach)
{
	struct ib_uverbs_attach_mcast *c = w->in;
	struct qp *q = obj_get(QP, c->qp_handle);
	struct mcast *slot = NULL;

	if (!q)
		return ENOENT;
	if (q->type != IBV_QPT_UD || c->gid[0] != 0xff)
		return EINVAL;
	for (int i = 0; i < LIM_MCAST; i++) {
		struct mcast *m = &mcasts[i];

		if (m->qp == q && !memcmp(m->gid, c->gid, 16)) {
			if (!attach)
				m->qp = NULL;
			return 0;
		}
		if (!m->qp && !slot)
			slot = m;
	}
	if (!attach)
		return EINVAL;
	if (!slot)
		return ENOMEM;
	memcpy(slot->gid, c->gid, 16);
	slot->qp = q;
	return 0;
}

static int w_attach(struct context *ctx, struct wcall *w)
{
	return w_mcast(ctx, w, 1);
}

static int w_detach(struct context *ctx, struct wcall *w)
{
	return w_mcast(ctx, w, 0);
}

static int w_query_device(struct context *ctx, struct wcall *w)
{
	struct ib_uverbs_ex_query_device_resp r = {
		.base = { .fw_ver = 22ull << 32 | 99 << 16 | 1,
			  .node_guid = htobe64(NODE_GUID),
			  .sys_image_guid = htobe64(NODE_GUID),
			  .max_mr_size = ~0ull,
			  .page_size_cap = 0xfffff000,
			  .vendor_id = 0x2c9,
			  .vendor_part_id = 4125,
			  .max_qp = LIM_OBJ / 4,
			  .max_qp_wr = LIM_QP_WR,
			  .device_cap_flags =
				  IB_UVERBS_DEVICE_RC_RNR_NAK_GEN |
				  IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |
				  IB_UVERBS_DEVICE_SYS_IMAGE_GUID |
				  IB_UVERBS_DEVICE_MEM_WINDOW |
				  IB_UVERBS_DEVICE_XRC |
				  IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS |
				  IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B,
			  .max_sge = LIM_SGE,
			  .max_sge_rd = LIM_SGE,
			  .max_cq = LIM_OBJ / 4,
			  .max_cqe = LIM_CQE - 1,
			  .max_mr = LIM_OBJ / 4,
			  .max_pd = LIM_OBJ / 4,
			  .max_qp_rd_atom = LIM_RD_ATOM,
			  .max_res_rd_atom = LIM_RD_ATOM * (LIM_OBJ / 4),
			  .max_qp_init_rd_atom = LIM_RD_ATOM,
			  .atomic_cap = IBV_ATOMIC_HCA,
			  .max_mw = LIM_OBJ / 4,
			  .max_mcast_grp = LIM_MCAST,
			  .max_mcast_qp_attach = LIM_MCAST,
			  .max_total_mcast_qp_attach = LIM_MCAST,
			  .max_ah = INT_MAX,
			  .max_srq = LIM_OBJ / 4,
			  .max_srq_wr = LIM_SRQ_WR,
			  .max_srq_sge = LIM_SRQ_SGE,
			  .max_pkeys = LIM_PKEYS,
			  .local_ca_ack_delay = 16,
			  .phys_port_cnt = 1 },
		.response_length = sizeof(r),
		.timestamp_mask = ~0ull,
		.hca_core_clock = 1000000, /* kHz: timestamps are in ns */
	};
	struct mlx5_ib_query_device_resp d = {
		.response_length = sizeof(d),
		.dci_streams_caps = { 4, 4 },
	};

	r.device_cap_flags_ex = r.base.device_cap_flags;
	attr_out(w->out, &r, sizeof(r));
	uhw_out(w->h, &d, sizeof(d));
	return 0;
}

static int w_query_port(struct context *ctx, struct wcall *w)
{
	return EOPNOTSUPP; /* always done by ioctl */
}

static const struct {
	uint32_t cmd;
	const char *name;
	int (*fn)(struct context *, struct wcall *);
} wcalls[] = {
	{ IB_USER_VERBS_CMD_QUERY_DEVICE, "query_device", w_query_device },
	{ IB_USER_VERBS_CMD_QUERY_PORT, "query_port", w_query_port },
	{ IB_USER_VERBS_CMD_ALLOC_PD, "alloc_pd", w_alloc_pd },
	{ IB_USER_VERBS_CMD_REG_MR, "reg_mr", w_reg_mr },
	{ IB_USER_VERBS_CMD_REREG_MR, "rereg_mr", w_rereg_mr },
	{ IB_USER_VERBS_CMD_ALLOC_MW, "alloc_mw", w_alloc_mw },
	{ IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, "create_comp_channel",
	  w_comp_channel },
	{ IB_USER_VERBS_CMD_RESIZE_CQ, "resize_cq", w_resize_cq },
	{ IB_USER_VERBS_CMD_MODIFY_QP, "modify_qp", w_modify_qp },
	{ IB_USER_VERBS_CMD_QUERY_QP, "query_qp", w_query_qp },
	{ IB_USER_VERBS_CMD_CREATE_SRQ, "create_srq", w_create_srq },
	{ IB_USER_VERBS_CMD_MODIFY_SRQ, "modify_srq", w_modify_srq },
	{ IB_USER_VERBS_CMD_QUERY_SRQ, "query_srq", w_query_srq },
	{ IB_USER_VERBS_CMD_OPEN_XRCD, "open_xrcd", w_open_xrcd },
	{ IB_USER_VERBS_CMD_ATTACH_MCAST, "attach_mcast", w_attach },
	{ IB_USER_VERBS_CMD_DETACH_MCAST, "detach_mcast", w_detach },
};

/* ------------------------------------------------------------------ */
/* Calls: memory and driver objects                                    */

static int do_mr_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, UVERBS_ATTR_DESTROY_MR_HANDLE, MR));
}

static int do_mr_query(struct context *ctx, hdr *h)
{
	struct mr *m = attr_obj(h, UVERBS_ATTR_QUERY_MR_HANDLE, MR);

	if (!m)
		return ENOENT;
	attr_out_u32(h, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mr_key(m));
	attr_out_u32(h, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mr_key(m));
	attr_out(attr_find(h, UVERBS_ATTR_QUERY_MR_RESP_LENGTH), &m->len, 8);
	attr_out(attr_find(h, UVERBS_ATTR_QUERY_MR_RESP_IOVA), &m->start, 8);
	return 0;
}

static int do_pd_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, UVERBS_ATTR_DESTROY_PD_HANDLE, PD));
}

static int do_pd_query(struct context *ctx, hdr *h)
{
	struct obj *pd = attr_obj(h, MLX5_IB_ATTR_QUERY_PD_HANDLE, PD);

	if (!pd)
		return ENOENT;
	attr_out_u32(h, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, pd->handle);
	return 0;
}

static int do_mw_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, UVERBS_ATTR_DESTROY_MW_HANDLE, MW));
}

static int do_xrcd_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, UVERBS_ATTR_DESTROY_XRCD_HANDLE, XRCD));
}

static int do_uar_alloc(struct context *ctx, hdr *h)
{
	struct obj *o = obj_new(ctx, UAR, sizeof(*o), NULL);
	uint64_t off;

	if (!o)
		return ENOMEM;
	off = (uint64_t)o->handle << 32;
	attr_out(attr_find(h, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET), &off, 8);
	attr_out_u32(h, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4096);
	attr_out_u32(h, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, o->handle);
	attr_out_handle(h, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, o->handle);
	return 0;
}

static int do_uar_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, UAR));
}

static void *devx_out(attr *a, size_t need)
{
	if (!a || a->len < need)
		return NULL;
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	memset((void *)(uintptr_t)a->data, 0, a->len);
	return (void *)(uintptr_t)a->data;
}

static int do_devx_other(struct context *ctx, hdr *h)
{
	attr *in = attr_find(h, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN);
	void *out = devx_out(attr_find(h, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT), 16);

	if (!in || !out ||
	    bits_get(attr_in(in), in_opcode) != CMD_QUERY_HCA_CAP)
		return EOPNOTSUPP;
	if (bits_get(attr_in(in), in_op_mod) >> 1) /* not the general caps */
		return 0;
	bits_set(out, cap_dma_mmo_qp, 1);
	bits_set(out, cap_dma_mmo_sq, 1);
	bits_set(out, cap_log_dma_mmo_max_size, 20);
	bits_set(out, cap_qpc_extension, 1);
	return 0;
}

static int do_devx_create(struct context *ctx, hdr *h)
{
	attr *in = attr_find(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN);
	void *out = devx_out(attr_find(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT),
			     16);
	struct obj *pd;
	struct mr *m;

	if (!in || !out || bits_get(attr_in(in), in_opcode) != CMD_CREATE_MKEY)
		return EOPNOTSUPP;
	pd = obj_get(PD, bits_get(attr_in(in), mkey_in_pd));
	if (!pd)
		return EINVAL;
	m = obj_new(ctx, MKEY, sizeof(*m), pd);
	if (!m)
		return ENOMEM;
	m->indirect = m->invalid = 1;
	bits_set(out, mkey_out_index, m->o.handle);
	attr_out_handle(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, m->o.handle);
	return 0;
}

static int do_devx_destroy(struct context *ctx, hdr *h)
{
	return destroy(attr_obj(h, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, MKEY));
}

static int do_devx_modify(struct context *ctx, hdr *h)
{
	static const struct bitfield stream_id = { 2192, 16 };
	attr *in = attr_find(h, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN);
	struct qp *q = attr_obj(h, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, QP);
	void *out = devx_out(attr_find(h, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT),
			     16);
	uint32_t op, id;

	if (!in || !out || !q)
		return EINVAL;
	op = bits_get(attr_in(in), in_opcode);
	if (bits_get(attr_in(in), qp_in_qpn) != q->qpn)
		return EINVAL;
	if (op == CMD_INIT2INIT_QP)
		return q->attr.qp_state == IBV_QPS_INIT ? 0 : EINVAL;
	if (op != CMD_RTS2RTS_QP)
		return EOPNOTSUPP;
	if (q->attr.qp_state != IBV_QPS_RTS)
		return EINVAL;
	id = bits_get(attr_in(in), stream_id);
	if (!q->streams || id >= 32 || !(q->stream_err & 1u << id)) {
		*(uint8_t *)out = 3; /* firmware status: bad parameter */
		return EREMOTEIO;
	}
	q->stream_err &= ~(1u << id);
	return 0;
}

static int do_invoke_write(struct context *ctx, hdr *h);

static const struct {
	uint16_t object, method;
	const char *name;
	int (*fn)(struct context *, hdr *);
} calls[] = {
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, NULL,
	  do_invoke_write },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, "get_context",
	  do_get_context },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, "query_context",
	  do_get_context },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, "query_port",
	  do_query_port },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE,
	  "query_gid_table", do_query_gid_table },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY,
	  "query_gid_entry", do_query_gid_entry },
	{ UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC,
	  "async_alloc", do_async_alloc },
	{ UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, "dealloc_pd",
	  do_pd_destroy },
	{ UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, "query_pd", do_pd_query },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, "create_cq",
	  do_cq_create },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, "destroy_cq",
	  do_cq_destroy },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, "create_qp",
	  do_qp_create },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, "destroy_qp",
	  do_qp_destroy },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, "create_srq",
	  do_srq_create },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, "destroy_srq",
	  do_srq_destroy },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, "dereg_mr",
	  do_mr_destroy },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, "query_mr", do_mr_query },
	{ UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, "dealloc_mw",
	  do_mw_destroy },
	{ UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, "close_xrcd",
	  do_xrcd_destroy },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, "alloc_uar",
	  do_uar_alloc },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, "free_uar",
	  do_uar_destroy },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, "devx_other",
	  do_devx_other },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE,
	  "devx_create", do_devx_create },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
	  "devx_destroy", do_devx_destroy },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY,
	  "devx_modify", do_devx_modify },
};

static int do_invoke_write(struct context *ctx, hdr *h)
{
	uint32_t cmd = attr_val(h, UVERBS_ATTR_WRITE_CMD);
	struct wcall w = { h, attr_in(attr_find(h, UVERBS_ATTR_CORE_IN)),
			   attr_find(h, UVERBS_ATTR_CORE_OUT) };
	int rc;

	if (!w.in && !w.out) /* libibverbs probes for this method */
		return ENOSPC;
	cmd &= ~IB_USER_VERBS_CMD_FLAG_EXTENDED;
	for (unsigned i = 0; i < sizeof(wcalls) / sizeof(*wcalls); i++)
		if (wcalls[i].cmd == cmd) {
			TRACE("%lu %s\n", ioctls + 1, wcalls[i].name);
			rc = fail_check(wcalls[i].name);
			return rc ? rc : wcalls[i].fn(ctx, &w);
		}
	TRACE("unknown write command %u\n", cmd);
	ioctls++;
	return EOPNOTSUPP;
}

static int emu_ioctl(struct context *ctx, hdr *h)
{
	int rc;

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].object != h->object_id ||
		    calls[i].method != h->method_id)
			continue;
		if (!calls[i].name)
			return calls[i].fn(ctx, h);
		TRACE("%lu %s\n", ioctls + 1, calls[i].name);
		rc = fail_check(calls[i].name);
		return rc ? rc : calls[i].fn(ctx, h);
	}
	TRACE("unknown object %x method %x\n", h->object_id, h->method_id);
	ioctls++;
	return EPROTONOSUPPORT;
}

/* ------------------------------------------------------------------ */
/* File descriptors                                                    */

/* Only the first async fd of a context gets events; further ones are mute */
enum fdtype { FD_NONE, FD_CTX, FD_CHANNEL, FD_ASYNC, FD_MUTE };

static struct {
	enum fdtype type;
	void *p;
} fds[4096];

#define REAL(f)                                                                \
	({                                                                     \
		static __typeof__(&f) real_##f;                                \
		if (!real_##f)                                                 \
			real_##f = (__typeof__(&f))dlsym(RTLD_NEXT, #f);       \
		real_##f;                                                      \
	})

static int is_emu(int fd)
{
	return fd >= 0 && fd < 4096 && fds[fd].type != FD_NONE;
}

static int is_cmd(int fd)
{
	return is_emu(fd) && fds[fd].type == FD_CTX;
}

static void fd_set_type(int fd, enum fdtype type, void *p)
{
	fds[fd].p = p;
	fds[fd].type = type;
	if (type == FD_CTX)
		((struct context *)p)->refs++;
	if (type == FD_CHANNEL)
		((struct channel *)p)->fd_refs++;
}

static int fd_register_async(struct context *ctx, int fd, struct evpipe *mute)
{
	if (fd >= 4096)
		return -1;
	if (mute)
		fd_set_type(fd, FD_MUTE, mute);
	else
		fd_set_type(fd, FD_ASYNC, ctx);
	return 0;
}

static int fd_register_channel(struct channel *ch, int fd)
{
	if (fd >= 4096)
		return -1;
	fd_set_type(fd, FD_CHANNEL, ch);
	return 0;
}

static struct channel *fd_channel(int fd)
{
	return is_emu(fd) && fds[fd].type == FD_CHANNEL ? fds[fd].p : NULL;
}

static void fd_drop(int fd)
{
	struct context *ctx = fds[fd].p;
	struct channel *ch = fds[fd].p;
	struct evpipe *mute = fds[fd].p;
	enum fdtype type = fds[fd].type;

	fds[fd].type = FD_NONE;
	if (type == FD_CTX && !--ctx->refs)
		context_release(ctx);
	if (type == FD_CHANNEL && !--ch->fd_refs)
		channel_put(ch);
	if (type == FD_ASYNC && ctx->has_async) {
		ctx->has_async = 0;
		evpipe_close(&ctx->async);
	}
	if (type == FD_MUTE) {
		evpipe_close(mute);
		free(mute);
	}
}

static void fd_dup(int from, int to)
{
	if (!is_emu(from) || to < 0 || to >= 4096)
		return;
	pthread_mutex_lock(&lock);
	if (fds[from].type == FD_CTX || fds[from].type == FD_CHANNEL)
		fd_set_type(to, fds[from].type, fds[from].p);
	pthread_mutex_unlock(&lock);
}

static int emu_open(int flags)
{
	struct context *ctx = ctxs, *end = ctxs + sizeof(ctxs) / sizeof(*ctxs);
	int fd = REAL(open)("/dev/null", flags);

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&lock);
	while (ctx < end && (ctx->refs || ctx->has_async))
		ctx++;
	if (fd >= 4096 || ctx == end) {
		pthread_mutex_unlock(&lock);
		real_close(fd);
		errno = EMFILE;
		return -1;
	}
	memset(ctx, 0, sizeof(*ctx));
	contexts++;
	fd_set_type(fd, FD_CTX, ctx);
	engine_start();
	pthread_mutex_unlock(&lock);
	return fd;
}

static int real_close(int fd)
{
	return REAL(close)(fd);
}

static void *emu_mmap(size_t len, off_t off)
{
	int cmd = off / sysconf(_SC_PAGESIZE) >> 8;
	void *p = REAL(mmap)(NULL, len, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct mlx5_ib_clock_info *ci = p;

	TRACE("mmap offset %llx length %zu\n", (unsigned long long)off, len);
	if (p == MAP_FAILED || off >> 32)
		return p;
	if (cmd == MLX5_IB_MMAP_CORE_CLOCK) {
		/* All contexts share one page, which stays mapped */
		if (!clock_page)
			clock_page =
				REAL(mmap)(NULL, 4096, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (clock_page == MAP_FAILED)
			clock_page = NULL;
		else
			mremap(clock_page, 0, len,
			       MREMAP_MAYMOVE | MREMAP_FIXED, p);
	}
	if (cmd == MLX5_IB_MMAP_CLOCK_INFO) { /* 1 cycle is 1 ns */
		ci->mult = 1;
		ci->mask = ~0ull;
		ci->overflow_period = 1ull << 62;
	}
	return p;
}

/* ------------------------------------------------------------------ */
/* Interposed libc functions                                           */

static int is_dev(const char *path)
{
	return path && !strcmp(path, DEV_PATH);
}

static int open_mode(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE
		       ? va_arg(ap, int)
		       : 0;
}

#define DEFINE_OPEN(name)                                                      \
	int name(const char *path, int flags, ...)                             \
	{                                                                      \
		va_list ap;                                                    \
		int mode;                                                      \
                                                                               \
		va_start(ap, flags);                                           \
		mode = open_mode(flags, ap);                                   \
		va_end(ap);                                                    \
		return is_dev(path) ? emu_open(flags)                          \
				    : REAL(name)(path, flags, mode);           \
	}
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

int stat(const char *restrict path, struct stat *restrict st)
{
	return REAL(stat)(is_dev(path) ? "/dev/null" : path, st);
}

int stat64(const char *restrict path, struct stat64 *restrict st)
{
	return REAL(stat64)(is_dev(path) ? "/dev/null" : path, st);
}

int access(const char *path, int mode)
{
	return REAL(access)(is_dev(path) ? "/dev/null" : path, mode);
}

/*
 * A close in a forked child leaves the parent's context alone, and in a child
 * of vfork, which shares our memory, it must not change anything.
 */
int close(int fd)
{
	if (is_emu(fd) && getpid() == engine_pid) {
		pthread_mutex_lock(&lock);
		if (is_emu(fd))
			fd_drop(fd);
		pthread_mutex_unlock(&lock);
	} else if (is_emu(fd) && forked) {
		fds[fd].type = FD_NONE;
	}
	return real_close(fd);
}

int dup(int fd)
{
	int n = REAL(dup)(fd);

	fd_dup(fd, n);
	return n;
}

static void before_dup2(int from, int to)
{
	if (from != to && is_emu(to)) {
		pthread_mutex_lock(&lock);
		fd_drop(to);
		pthread_mutex_unlock(&lock);
	}
}

int dup2(int from, int to)
{
	int n;

	before_dup2(from, to);
	n = REAL(dup2)(from, to);
	if (from != to)
		fd_dup(from, n);
	return n;
}

int dup3(int from, int to, int flags)
{
	int n;

	before_dup2(from, to);
	n = REAL(dup3)(from, to, flags);
	fd_dup(from, n);
	return n;
}

#define DEFINE_FCNTL(name)                                                     \
	int name(int fd, int cmd, ...)                                         \
	{                                                                      \
		va_list ap;                                                    \
		void *arg;                                                     \
		int n;                                                         \
                                                                               \
		va_start(ap, cmd);                                             \
		arg = va_arg(ap, void *);                                      \
		va_end(ap);                                                    \
		n = REAL(name)(fd, cmd, arg);                                  \
		if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)                  \
			fd_dup(fd, n);                                         \
		return n;                                                      \
	}
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

/* With a working RDMA netlink, libibverbs would not look at sysfs */
int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == 20) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return REAL(socket)(domain, type, protocol);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return is_cmd(fd) ? emu_mmap(len, off)
			  : REAL(mmap)(addr, len, prot, flags, fd, off);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return mmap(addr, len, prot, flags, fd, off);
}

int ioctl(int fd, unsigned long req, ...)
{
	va_list ap;
	void *arg;
	int rc;

	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!is_cmd(fd) || req != RDMA_VERBS_IOCTL)
		return REAL(ioctl)(fd, req, arg);
	pthread_mutex_lock(&lock);
	rc = emu_ioctl(fds[fd].p, arg);
	if (rc)
		TRACE("-> %s\n", strerror(rc));
	pthread_mutex_unlock(&lock);
	if (!rc)
		return 0;
	errno = rc;
	return -1;
}

/* ------------------------------------------------------------------ */
/* Fake sysfs, start and exit                                          */

static char sysfs_dir[PATH_MAX];

static void put(const char *path, const char *fmt, ...)
{
	char full[PATH_MAX + 256], *p;
	va_list ap;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", sysfs_dir, path);
	for (p = full + strlen(sysfs_dir) + 1; (p = strchr(p, '/'));
	     *p++ = '/') {
		*p = 0;
		mkdir(full, 0755);
	}
	f = fopen(full, "we");
	if (!f)
		return;
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fclose(f);
}

#define CLASS "class/infiniband/" DEV_NAME "/"
#define PORT CLASS "ports/1/"

static void sysfs_create(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[256], owner[32];

	snprintf(sysfs_dir, sizeof(sysfs_dir) - 32, "%s",
		 tmp && *tmp ? tmp : P_tmpdir);
	strcat(sysfs_dir, "/verbsx-emu.XXXXXX");
	if (!mkdtemp(sysfs_dir)) {
		perror("verbsx-emu: mkdtemp");
		sysfs_dir[0] = 0;
		return;
	}
	put("class/infiniband_verbs/abi_version", "6");
	put("class/infiniband_verbs/uverbs0/ibdev", DEV_NAME);
	put("class/infiniband_verbs/uverbs0/dev", "1:3"); /* /dev/null */
	put("class/infiniband_verbs/uverbs0/abi_version", "1");
	put(CLASS "node_type", "1: CA");
	put(CLASS "node_guid", "0002:c903:00a1:b2c3");
	put(CLASS "sys_image_guid", "0002:c903:00a1:b2c3");
	put(CLASS "node_desc", "mlx5emu");
	put(CLASS "fw_ver", "22.99.0001");
	put(CLASS "hca_type", "MT4125");
	put(CLASS "hw_rev", "0");
	put(CLASS "board_id", "EMU0000000001");
	put(CLASS "device/modalias",
	    "pci:v000015B3d0000101Dsv000015B3sd00000040bc02sc07i00");
	put(PORT "state", "4: ACTIVE");
	put(PORT "phys_state", "5: LinkUp");
	put(PORT "rate", "100 Gb/sec (4X EDR)");
	put(PORT "link_layer", "InfiniBand");
	put(PORT "lid", "0x%x", PORT_LID);
	put(PORT "lid_mask_count", "0");
	put(PORT "sm_lid", "0x1");
	put(PORT "sm_sl", "0");
	put(PORT "cap_mask", "0x00000000");
	for (int i = 0; i < LIM_GIDS; i++) {
		snprintf(path, sizeof(path), PORT "gids/%d", i);
		put(path, i ? "0000:0000:0000:0000:0000:0000:0000:0000"
			    : "fe80:0000:0000:0000:0002:c903:00a1:b2c4");
	}
	put(PORT "gid_attrs/types/0", "IB/RoCE v1");
	for (int i = 0; i < LIM_PKEYS; i++) {
		snprintf(path, sizeof(path), PORT "pkeys/%d", i);
		put(path, i ? "0x0000" : "0xffff");
	}
	setenv("SYSFS_PATH", sysfs_dir, 1);
	/* So that it is still ours after an exec */
	snprintf(owner, sizeof(owner), "%d", getpid());
	setenv("VERBSX_EMU_SYSFS_OWNER", owner, 1);
}

static void remove_tree(const char *dir)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir,
				     e->d_name) >= sizeof(path))
			continue;
		if (unlink(path))
			remove_tree(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static void fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
	forked = 1;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void emu_start(void)
{
	const char *s, *owner = getenv("VERBSX_EMU_SYSFS_OWNER");

	trace = (s = getenv("VERBSX_EMU_TRACE")) && *s && *s != '0';
	if ((s = getenv("VERBSX_EMU_FAIL")))
		fail_spec(s);
	s = getenv("VERBSX_EMU_ASYNC");
	if (s && strchr(s, '/')) {
		async_path = strdup(s);
	} else if (s) {
		char *copy = strdup(s), *save, *t;

		for (t = strtok_r(copy, ", ", &save); t;
		     t = strtok_r(NULL, ", ", &save))
			async_spec(t);
		free(copy);
	}
	s = getenv("SYSFS_PATH");
	if (!s || !*s)
		sysfs_create();
	else if (owner && atoi(owner) == getpid())
		snprintf(sysfs_dir, sizeof(sysfs_dir), "%s", s);
	pthread_atfork(fork_lock, fork_unlock, fork_child);
}

static void report_leaks(void)
{
	const char *s = getenv("VERBSX_EMU_LEAKS");
	int n = contexts, first = 1;

	if (!s || !*s || *s == '0' || (engine_pid && engine_pid != getpid()))
		return;
	for (int i = 1; i < KINDS; i++) {
		leaked[i] += i == UAR ? 0 : live[i];
		n += leaked[i];
	}
	fprintf(stderr, "verbsx-emu: leaked %d objects", n);
	for (int i = 1; i < KINDS; i++)
		if (leaked[i]) {
			fprintf(stderr, "%s %d %s", first ? ":" : ",",
				leaked[i], kind_name[i]);
			first = 0;
		}
	if (contexts)
		fprintf(stderr, "%s %d context", first ? ":" : ",", contexts);
	fputc('\n', stderr);
}

__attribute__((destructor)) static void emu_exit(void)
{
	const char *owner = getenv("VERBSX_EMU_SYSFS_OWNER");

	pthread_mutex_lock(&lock);
	stopping = 1;
	report_leaks();
	pthread_mutex_unlock(&lock);
	if (sysfs_dir[0] && owner && atoi(owner) == getpid())
		remove_tree(sysfs_dir);
}
