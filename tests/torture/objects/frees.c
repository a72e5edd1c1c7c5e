/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What no failure of a call or an allocation leads to, and what is to be freed and closed there: LeakSanitizer looks when it ends. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <verbsx/verbsx.h>

#include "descriptors.h"

#define MANY 1000
#define SOON_MS 20000 /* on a busy machine */

int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);

static _Thread_local int refused;
static _Thread_local bool refuses;

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	printf("not so: %s; %s\n", what, vx_error_text());
	exit(1);
}

/* It wants memory of its own for keys beyond the first ones. */
int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
	if (!refuses)
		return __real_pthread_setspecific(key, value);
	refused++;
	return ENOMEM;
}

static void *fail_without_a_record(void *unused)
{
	struct vx_ctx *ctx;

	refuses = true;
	need(vx_ctx_open("nowhere", &ctx) < 0 && refused, "a thread that cannot keep its failure is told of it");
	return unused;
}

static void fail_in_a_thread(void)
{
	pthread_t thread;

	need(!pthread_create(&thread, NULL, fail_without_a_record, NULL) && !pthread_join(thread, NULL), "a thread runs");
}

/* In a process of its own: libibverbs asks once where sysfs is. */
static void open_with(const char *sysfs, int code)
{
	struct vx_ctx *ctx;
	pid_t child = fork();
	int status, before;

	if (!child) {
		setenv("SYSFS_PATH", sysfs, 1);
		vx_ctx_open_index(0, &ctx);
		before = open_files();
		exit(vx_ctx_open_index(0, &ctx) == code && open_files() == before ? 0 : 1);
	}
	need(child > 0 && waitpid(child, &status, 0) == child && status == 0, sysfs);
}

/* The kernel has a device, and libibverbs no driver for it. */
static void open_without_a_driver(void)
{
	static const char tree[] = "mkdir -p %1$s/class/infiniband/toy0 %1$s/class/infiniband_verbs/uverbs77 && "
				   "echo 6 >%1$s/class/infiniband_verbs/abi_version && "
				   "echo toy0 >%1$s/class/infiniband_verbs/uverbs77/ibdev";
	char root[] = "/tmp/verbsx-frees-XXXXXX", command[512];

	need(mkdtemp(root), "a folder");
	snprintf(command, sizeof(command), tree, root);
	need(!system(command), "a tree of sysfs");
	open_with(root, -ENODEV);
	snprintf(command, sizeof(command), "rm -r %s", root);
	need(!system(command), "the tree is gone");
}

/* The handle that there is already comes back. */
static void adopt_twice(struct vx_ctx *ctx, struct vx_pd *pd)
{
	struct vx_pd *again;

	need(!vx_pd_adopt(ctx, vx_pd_raw(pd), &again) && again == pd && !vx_close(again), "a PD is adopted once more");
}

static void take_from_elsewhere(struct vx_pd *pd, struct vx_ctx *other)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	need(!vx_cq_create(other, NULL, &cq), "another device has a CQ");
	need(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp) == -EINVAL,
	     "a CQ of another context is refused");
}

/* Only events of objects are to be acknowledged. */
static void acknowledge(struct vx_ctx *ctx, struct vx_pd *pd)
{
	int (*fault)(const char *, char *, size_t) = (int (*)(const char *, char *, size_t))dlsym(RTLD_DEFAULT, "vx_emu_fault");
	struct vx_async_event event;
	char text[32], why[128];
	struct vx_cq *cq;
	struct vx_qp *qp;

	need(!vx_cq_create(ctx, NULL, &cq), "there is a CQ");
	need(!vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp), "there is a QP");
	snprintf(text, sizeof(text), "QP_FATAL:%u", vx_qp_raw(qp)->qp_num);
	need(fault && !fault(text, why, sizeof(why)), "an event is sent");
	need(!vx_ctx_get_async_event(ctx, SOON_MS, &event) && event.number, "an event comes");
	vx_async_event_ack(&event);
}

/* What raw objects are found by grows more than once. */
static void make_many(struct vx_ctx *ctx)
{
	struct vx_pd *pd;
	int i;

	for (i = 0; i < MANY; i++)
		need(!vx_pd_create(ctx, NULL, &pd), "there are many PDs");
}

static void trace_elsewhere(void)
{
	need(!vx_trace_file("/dev/null") && !vx_trace_file("/dev/null") && !vx_trace_file(NULL), "traces go to one file after another");
}

static void use_all(void)
{
	struct vx_ctx *ctx, *other;
	struct vx_pd *pd;

	fail_in_a_thread();
	need(!vx_ctx_open_index(0, &ctx) && !vx_ctx_open_index(0, &other) && !vx_pd_create(ctx, NULL, &pd), "a device is there");
	adopt_twice(ctx, pd);
	take_from_elsewhere(pd, other);
	acknowledge(ctx, pd);
	make_many(ctx);
	trace_elsewhere();
	need(!vx_close(other) && !vx_close(ctx), "all is closed");
}

/* Once before, so that what is kept for good is there. */
int main(void)
{
	int before;

	open_with("/nonexistent", -ENOSYS);
	open_without_a_driver();
	use_all();
	before = open_files();
	use_all();
	need(open_files() == before, "all files are closed");
	return 0;
}
