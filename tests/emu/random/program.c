/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A program: from opening the device to closing it. */
#include "random.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../emu.h"

enum {
	MIN_STEPS = 10,
	HANG_SECONDS = 20,
	PROGRESS = 1000, /* programs */
	ROCE_V2_IPV4 = 3, /* the index of such a GID */
	HEALING_TRIES = 10000
};

/* The device is linked in, or preloaded */
static __typeof__(&vx_emu_fail) emu_fail;
static __typeof__(&vx_emu_live) emu_live;

struct world world;
char buffer[BUFFER_SIZE] __attribute__((aligned(4096)));
const union ibv_gid group = { .raw = { 0xff, 0x12, [15] = 1 } };

void fail(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "seed %lu: ", record->seed);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void on_alarm(int sig)
{
	static const char text[] = "it hangs\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

static void random_fault(void)
{
	static const char *const faults[] = {
		"drop#2",
		"drop_answer#3-4",
		"delay#2@1",
		"corrupt#3",
		"call#5:ENOMEM",
		"LOC_PROT_ERR#3",
		"REM_OP_ERR#4",
		"recv_LOC_LEN_ERR#2",
		"RNR_RETRY_EXC_ERR#2",
		"port_down",
		"port_up",
		"SM_CHANGE",
		"QP_FATAL@1",
		"lid:9", /* of InfiniBand only */
	};
	uint32_t count = ARRAY_SIZE(faults) - world.ethernet;

	world.faulty = true;
	emu_fail(one_in(3) ? NULL : faults[below(count)]);
}

/* Every other program is without faults, which hide much behind them */
static void step(void)
{
	static void (*const things[])(void) = {
		random_create, random_create, random_create, random_create, random_modify, random_modify,
		random_modify, random_post,   random_post,   random_post,   random_post,   random_post,
		random_post,   poll_all,      wait_and_poll, random_use,    random_destroy,
	};

	if (record->seed % 2 && one_in(30))
		random_fault();
	else
		things[below(ARRAY_SIZE(things))]();
}

static bool is_healed(void)
{
	struct ibv_port_attr port;

	return !ibv_query_port(world.ctx, 1, &port) && port.state == IBV_PORT_ACTIVE &&
	       (world.ethernet || port.lid == FIRST_LID);
}

/* No fault is to outlive its program */
static void heal(void)
{
	if (!world.faulty)
		return;
	emu_fail(world.ethernet ? "port_up" : "port_up,lid:7");
	for (int tries = 0; !is_healed(); tries++) {
		if (tries == HEALING_TRIES)
			fail("the port does not come back");
		usleep(100);
	}
	emu_fail(NULL);
}

static void open_device(struct ibv_device *device)
{
	struct ibv_port_attr port;

	world = (struct world){ .path = { .port_num = 1, .dlid = FIRST_LID } };
	world.ctx = ibv_open_device(device);
	if (!world.ctx || ibv_query_port(world.ctx, 1, &port))
		fail("no context");
	world.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (!world.ethernet)
		return;
	world.path = (struct ibv_ah_attr){ .port_num = 1,
					   .is_global = 1,
					   .grh = { .sgid_index = ROCE_V2_IPV4, .hop_limit = 64 } };
	if (ibv_query_gid(world.ctx, 1, ROCE_V2_IPV4, &world.path.grh.dgid))
		fail("no GID");
}

static void run_program(struct ibv_device *device, const bool steps[MAX_STEPS])
{
	uint32_t count;

	alarm(HANG_SECONDS);
	open_device(device);
	seed_step(record->seed, 0);
	count = MIN_STEPS + below(MAX_STEPS - MIN_STEPS);
	for (uint32_t i = 1; i < count; i++) {
		seed_step(record->seed, i);
		if (steps[i])
			step();
	}
	heal();
	drain();
	destroy_all();
	if (emu_live(NULL))
		fail("%d objects are left", emu_live(NULL));
	if (ibv_close_device(world.ctx))
		fail("it does not close");
}

void run_programs(const struct batch *b)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	emu_fail = dlsym(RTLD_DEFAULT, "vx_emu_fail");
	emu_live = dlsym(RTLD_DEFAULT, "vx_emu_live");
	if (!list || !list[0] || !emu_fail || !emu_live)
		fail("no emulated device");
	signal(SIGALRM, on_alarm);
	for (unsigned long i = 0; i < b->count; i++) {
		record->seed = b->first + i;
		run_program(list[0], b->steps);
		if ((i + 1) % PROGRESS == 0)
			fprintf(stderr, "%lu of %lu programs\n", i + 1, b->count);
	}
	ibv_free_device_list(list);
}
