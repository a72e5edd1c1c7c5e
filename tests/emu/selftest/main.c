/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The self-test of the emulated device: drives the installed libibverbs and libmlx5 on it.
 *
 *	LD_PRELOAD=./libverbsx-emu.so ./verbsx-emu-selftest [TEST...]
 *
 * Exit status: 0 passed, 1 failed or the device is not there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "selftest.h"

struct bed bed;
__typeof__(&vx_emu_fault) emu_fault;
__typeof__(&vx_emu_fail) emu_fail;
__typeof__(&vx_emu_live) emu_live;

static const struct {
	const struct test *tests;
	uint8_t link_layer; /* that they are for; 0: any */
} areas[] = {
	{ connected_tests, 0 },
	{ datagram_tests, 0 },
	{ dc_tests, 0 },
	{ devx_tests, 0 },
	{ dm_tests, 0 },
	{ mkey_tests, 0 },
	{ mr_tests, 0 },
	{ cq_tests, 0 },
	{ async_tests, 0 },
	{ error_tests, 0 },
	{ check_tests, 0 },
	{ retry_tests, 0 },
	{ state_tests, 0 },
	{ limit_tests, 0 },
	{ fail_tests, 0 },
	{ fault_tests, 0 },
	{ fabric_tests, 0 },
	{ infiniband_tests, IBV_LINK_LAYER_INFINIBAND },
	{ roce_tests, IBV_LINK_LAYER_ETHERNET },
};

#define AREAS (sizeof(areas) / sizeof(areas[0]))

static void find_functions(void)
{
	*(void **)&emu_fault = dlsym(RTLD_DEFAULT, "vx_emu_fault");
	*(void **)&emu_fail = dlsym(RTLD_DEFAULT, "vx_emu_fail");
	*(void **)&emu_live = dlsym(RTLD_DEFAULT, "vx_emu_live");
	if (emu_fault && emu_fail && emu_live)
		return;
	fprintf(stderr, "libverbsx-emu.so is not preloaded\n");
	exit(1);
}

void open_bed(struct ibv_device *dev)
{
	struct ibv_port_attr port;
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	CHECK(mlx5dv_is_supported(dev));
	bed.dev = dev;
	bed.ctx = mlx5dv_open_device(bed.dev, &attr);
	CHECK(bed.ctx);
	bed.pd = ibv_alloc_pd(bed.ctx);
	bed.channel = ibv_create_comp_channel(bed.ctx);
	bed.cq = ibv_create_cq(bed.ctx, 63, &bed, bed.channel, 0);
	bed.mr = ibv_reg_mr(bed.pd, bed.buf, sizeof(bed.buf), ACCESS_ALL);
	CHECK(bed.pd && bed.channel && bed.cq && bed.mr);
	CHECK(!ibv_query_port(bed.ctx, 1, &port));
	bed.link_layer = port.link_layer;
	bed.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	bed.lid = port.lid;
}

static void close_bed(void)
{
	CHECK(!ibv_dereg_mr(bed.mr) && !ibv_destroy_cq(bed.cq));
	CHECK(!ibv_destroy_comp_channel(bed.channel) && !ibv_dealloc_pd(bed.pd));
	CHECK(emu_live("uar") > 0 && emu_live(NULL) == 0);
	CHECK(!ibv_close_device(bed.ctx));
}

/* Without MRs, of which libmlx5 makes and keeps one for itself at the first memcpy */
static int live(void)
{
	return emu_live(NULL) - emu_live("mr");
}

/* Nothing may be left by a test: no completion, no event, no object */
static void run(const struct test *t)
{
	struct ibv_wc wc;
	int before;

	printf("%s\n", t->name);
	fflush(stdout);
	before = live();
	memset(bed.buf, 0, sizeof(bed.buf));
	strcpy(bed.buf, "hello mlx5");
	bed.a = make_rc(bed.cq, NULL);
	bed.b = make_rc(bed.cq, NULL);
	reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	t->run();
	emu_fault(NULL, NULL, 0);
	CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
	CHECK(!ibv_destroy_qp(bed.a) && !ibv_destroy_qp(bed.b));
	CHECK(!readable(bed.ctx->async_fd, 0));
	CHECK(live() == before);
}

static int is_wanted(const struct test *t, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, t->name))
			return 1;
	return 0;
}

static int run_area(const struct test *tests, char **names)
{
	int ran = 0;

	for (const struct test *t = tests; t->name; t++)
		if (is_wanted(t, names)) {
			run(t);
			ran++;
		}
	return ran;
}

int main(int argc, char **argv)
{
	struct ibv_device **list;
	int n, ran = 0;

	(void)argc;
	find_functions();
	list = ibv_get_device_list(&n);
	CHECK(list && n == 1);
	open_bed(list[0]);
	for (size_t i = 0; i < AREAS; i++)
		if (!areas[i].link_layer || areas[i].link_layer == bed.link_layer)
			ran += run_area(areas[i].tests, argv + 1);
	close_bed();
	ibv_free_device_list(list);
	CHECK(ran > 0);
	printf("all %d passed\n", ran);
	return 0;
}
