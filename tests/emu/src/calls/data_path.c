/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The calls that do not enter the kernel: a thread that looks for completions in vain, or has just posted something,
 * does the device's work itself. Otherwise the engine, another thread, would have to be given a core for it. Whoever
 * comes past these calls (ibv_wr_*, libraries with WQEs of their own) has the engine all the same.
 *
 * However a program finds ibv_open_device(), by a link, dlsym(), or dlvsym(), it is then libmlx5 that has libibverbs fill the
 * table of the new context, by a function that the two share: behind that we are in the table as well.
 * With an extended CQ it is the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "objects/object.h"

/* Those of libmlx5, by the descriptor of the context */
static struct {
	__typeof__(((struct ibv_context_ops *)NULL)->poll_cq) poll_cq;
	__typeof__(((struct ibv_context_ops *)NULL)->post_send) post_send;
	__typeof__(((struct ibv_context_ops *)NULL)->req_notify_cq) req_notify_cq;
} real[MAX_FDS];

typedef __typeof__(*((struct ibv_cq_ex *)NULL)->start_poll) start_fn;

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	__typeof__(&poll_cq) poll = real[cq->context->cmd_fd].poll_cq;
	int found = poll(cq, n, wc);

	return found || !engine_help() ? found : poll(cq, n, wc);
}

static int start_poll(start_fn *start, struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	int rc = start(cq, attr);

	return rc != ENOENT || !engine_help() ? rc : start(cq, attr);
}

/*
 * libmlx5 has two dozen of these, of which a CQ has the one for what it was made with; before each stands one of ours. Handles of CQs
 * are equal in two contexts, so that nothing could be kept by them.
 */
#define STARTS(ROW)                                                                         \
	ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(10) ROW(11)       \
	ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17) ROW(18) ROW(19) ROW(20) ROW(21) ROW(22) \
	ROW(23) ROW(24) ROW(25) ROW(26) ROW(27) ROW(28) ROW(29) ROW(30) ROW(31)

static start_fn *real_starts[32];

#define START(n)                                                                      \
	static int start_poll_##n(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) \
	{                                                                             \
		return start_poll(real_starts[n], cq, attr);                          \
	}
#define NAME(n) start_poll_##n,

STARTS(START)

static start_fn *const our_starts[ARRAY_SIZE(real_starts)] = { STARTS(NAME) };

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	int rc = real[qp->context->cmd_fd].post_send(qp, wr, bad);

	engine_help();
	return rc;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int rc = real[cq->context->cmd_fd].req_notify_cq(cq, solicited_only);

	engine_expect();
	return rc;
}

#define STAND_BEFORE(name)                             \
	do {                                           \
		if (c->ops.name != name) {             \
			real[c->cmd_fd].name = c->ops.name; \
			c->ops.name = name;            \
		}                                      \
	} while (0)

static void attach(struct ibv_context *c)
{
	STAND_BEFORE(poll_cq);
	STAND_BEFORE(post_send);
	STAND_BEFORE(req_notify_cq);
}

static bool is_our_start(const void *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(our_starts); i++)
		if (our_starts[i] == function)
			return true;
	return false;
}

/* Ours for one of libmlx5's, which stays that one's; itself, should there be more of them than of ours */
static start_fn *stand_before_start(start_fn *theirs)
{
	for (size_t i = 0; i < ARRAY_SIZE(our_starts); i++) {
		if (!real_starts[i])
			real_starts[i] = theirs;
		if (real_starts[i] == theirs)
			return our_starts[i];
	}
	return theirs;
}

/* Only an extended CQ has the function */
static void attach_cq(struct ibv_cq_ex *cq)
{
	int cancelling;

	if (!cq->start_poll || is_our_start(cq->start_poll))
		return;
	cancelling = device_enter();
	cq->start_poll = stand_before_start(cq->start_poll);
	device_leave(cancelling);
}

/*
 * struct verbs_context grows at its top from release to release. What it ends with stays: its size, which libibverbs
 * writes there, and the context.
 */
static struct ibv_context *context_in(void *extended)
{
	const size_t before = offsetof(struct verbs_context, sz), after = sizeof(struct verbs_context) - before;
	const size_t *word = extended;

	for (size_t at = 0; at <= 2 * before; at += sizeof(*word), word++)
		if (*word == at + after)
			return (struct ibv_context *)(word + 1);
	return NULL;
}

/* A plugin's libraries are not among those that RTLD_NEXT looks through */
static void *function_of(const char *library, const char *name)
{
	void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	void *function = loaded ? dlsym(loaded, name) : NULL;

	if (loaded)
		dlclose(loaded);
	return function;
}

void verbs_set_ops(struct verbs_context *extended, const void *ops);

/* Of libibverbs, for libmlx5 alone, which calls it more than once for a context */
INTERPOSED void verbs_set_ops(struct verbs_context *extended, const void *ops)
{
	__typeof__(&verbs_set_ops) set = function_of("libibverbs.so.1", __func__);
	struct ibv_context *c = context_in(extended);

	set(extended, ops);
	if (c && fd_held(c->cmd_fd, FD_CONTEXT))
		attach(c);
}

void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *c, struct ibv_comp_channel *ch, void *cq_context);

/* Likewise; all CQs of libmlx5 have room for an extended one */
INTERPOSED void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *c, struct ibv_comp_channel *ch, void *cq_context)
{
	__typeof__(&verbs_init_cq) init = function_of("libibverbs.so.1", __func__);

	init(cq, c, ch, cq_context);
	if (fd_held(c->cmd_fd, FD_CONTEXT))
		attach_cq((struct ibv_cq_ex *)cq);
}

/* Whose function that is: who asks for a device's provider is told it by the one that we stand before */
static const void *stands_before(const void *function)
{
	static const void *const ours[] = { poll_cq, post_send, req_notify_cq };
	bool found = is_our_start(function);

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		found |= ours[i] == function;
	return found ? function_of("libmlx5.so.1", "mlx5dv_is_supported") : NULL;
}

INTERPOSED int dladdr(const void *address, Dl_info *info)
{
	const void *theirs = stands_before(address);

	return REAL(dladdr)(theirs ? theirs : address, info);
}
