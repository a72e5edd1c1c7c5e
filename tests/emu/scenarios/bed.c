/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "../emu.h"
#include "bed.h"

enum {
	SOFT_ROCE_VENDOR = 0xffffff
};

struct bed bed;

/*
 * Emulated devices of other tests, which run at the same time, are in another fabric: a member of a group hears all that is sent
 * to that in its own. Processes that a test forks inherit the name.
 */
static void be_among_ourselves(void)
{
	char name[32];

	snprintf(name, sizeof(name), "test%d", (int)getpid());
	CHECK(!setenv("VERBSX_EMU_FABRIC", name, 0));
}

struct ibv_device *first_device(void)
{
	struct ibv_device **list;

	be_among_ourselves();
	list = ibv_get_device_list(NULL);
	cr_assert(list && list[0], "there is no device");
	return list[0];
}

void furnish(struct ibv_context *ctx)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;

	CHECK(ctx);
	CHECK(!ibv_query_device(ctx, &device) && !ibv_query_port(ctx, 1, &port));
	bed.dev = ctx->device;
	bed.ctx = ctx;
	bed.pd = ibv_alloc_pd(ctx);
	bed.channel = ibv_create_comp_channel(ctx);
	bed.cq = ibv_create_cq(ctx, 63, &bed, bed.channel, 0);
	bed.mr = ibv_reg_mr(bed.pd, bed.buf, sizeof(bed.buf), ACCESS_ALL);
	CHECK(bed.pd && bed.channel && bed.cq && bed.mr);
	bed.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	bed.soft_roce = device.vendor_id == SOFT_ROCE_VENDOR;
	bed.lid = port.lid;
}

void connect_bed(void)
{
	strcpy(bed.buf, "hello mlx5");
	reconnect(bed.a, bed.b, NO_RNR_LIMIT);
}

void open_bed(void)
{
	furnish(ibv_open_device(first_device()));
	bed.a = make_rc(bed.cq, NULL);
	bed.b = make_rc(bed.cq, NULL);
	connect_bed();
}

/* What the emulated device counts, which others do not */
static int live(void)
{
	__typeof__(&vx_emu_live) count;

	*(void **)&count = dlsym(RTLD_DEFAULT, "vx_emu_live");
	return count ? count(NULL) : 0;
}

struct ibv_port_attr first_port(void)
{
	struct ibv_port_attr a;

	CHECK(!ibv_query_port(bed.ctx, 1, &a));
	return a;
}

void close_bed(void)
{
	struct ibv_wc wc;

	CHECK(!ibv_poll_cq(bed.cq, 1, &wc));
	CHECK(!ibv_destroy_qp(bed.a) && !ibv_destroy_qp(bed.b));
	CHECK(!readable(bed.ctx->async_fd, 0));
	CHECK(!ibv_dereg_mr(bed.mr) && !ibv_destroy_cq(bed.cq));
	CHECK(!ibv_destroy_comp_channel(bed.channel) && !ibv_dealloc_pd(bed.pd));
	cr_assert(live() == 0, "%d objects are left", live());
	CHECK(!ibv_close_device(bed.ctx));
}

/* The runner closes no bed of a test that is skipped */
void skip(const char *why)
{
	close_bed();
	cr_skip_test("%s", why);
}

void skip_on_soft_roce(const char *why)
{
	if (bed.soft_roce)
		skip(why);
}
