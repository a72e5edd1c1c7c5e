/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The calls that do not enter the kernel: a thread that looks for completions in vain, or has just posted something,
 * does the device's work itself. Otherwise the engine, another thread, would have to be given a core for it. Whoever
 * comes past these calls (ibv_wr_*, libraries with WQEs of their own) has the engine all the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "calls/fd.h"
#include "calls/real.h"
#include "engine/engine.h"
#include "objects/object.h"

/* Those of libmlx5: one for all contexts */
static struct ibv_context_ops real;

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int found = real.poll_cq(cq, n, wc);

	return found || !engine_help() ? found : real.poll_cq(cq, n, wc);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	int rc = real.post_send(qp, wr, bad);

	engine_help();
	return rc;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int rc = real.req_notify_cq(cq, solicited_only);

	engine_expect();
	return rc;
}

static struct ibv_context *attach(struct ibv_context *c)
{
	if (!c || !fd_context(c->cmd_fd))
		return c;
	pthread_mutex_lock(&device_lock);
	if (!real.poll_cq)
		real = c->ops;
	if (!memcmp(&c->ops, &real, sizeof(real))) {
		c->ops.poll_cq = poll_cq;
		c->ops.post_send = post_send;
		c->ops.req_notify_cq = req_notify_cq;
	}
	pthread_mutex_unlock(&device_lock);
	return c;
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

INTERPOSED struct ibv_context *ibv_open_device(struct ibv_device *d)
{
	__typeof__(&ibv_open_device) open = function_of("libibverbs.so.1", __func__);

	return open ? attach(open(d)) : NULL;
}

INTERPOSED struct ibv_context *mlx5dv_open_device(struct ibv_device *d, struct mlx5dv_context_attr *attr)
{
	__typeof__(&mlx5dv_open_device) open = function_of("libmlx5.so.1", __func__);

	return open ? attach(open(d, attr)) : NULL;
}
