/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random programs of create, modify, post, poll and destroy, with faults:
 *
 *	verbsx-emu-random [SEED [COUNT]]
 *
 * Program N has the seed SEED + N, so that SEED 1 runs one again. The device is linked in. A
 * program fails when an object is left, a completion is missing or out of order, or it hangs.
 */
#include "random.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../emu.h"

enum {
	STEPS = 120,
	HANG_SECONDS = 20,
	HEALING_US = 3000, /* more than the device ever naps */
	DEFAULT_COUNT = 2000
};

struct world world;
char buffer[BUFFER_SIZE] __attribute__((aligned(4096)));

static unsigned long seed;
static uint64_t state;

/* xorshift64* */
static uint32_t next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull >> 32;
}

uint32_t below(uint32_t n)
{
	return next() % n;
}

bool one_in(uint32_t n)
{
	return !below(n);
}

void fail(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "seed %lu: ", seed);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Also where a sanitizer ends the program */
static void tell_seed(void)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "seed %lu\n", seed);

	if (write(STDERR_FILENO, text, n) < 0)
		_exit(1);
}

void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void on_alarm(int sig)
{
	static const char text[] = "it hangs: ";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0)
		tell_seed();
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
		"lid:9",
		"lid:7",
	};

	vx_emu_fail(one_in(3) ? NULL : faults[below(sizeof(faults) / sizeof(faults[0]))]);
}

static void step(void)
{
	static void (*const things[])(void) = {
		random_create, random_create, random_create, random_modify,  random_modify,
		random_modify, random_post,   random_post,   random_post,    random_post,
		random_post,   poll_all,      poll_all,	     random_destroy,
	};

	if (one_in(30))
		random_fault();
	else
		things[below(sizeof(things) / sizeof(things[0]))]();
}

/* No fault is to outlive its program */
static void heal(void)
{
	vx_emu_fail("port_up,lid:7");
	usleep(HEALING_US);
	vx_emu_fail(NULL);
}

static void run(struct ibv_device *device)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	alarm(HANG_SECONDS);
	memset(&world, 0, sizeof(world));
	world.ctx = ibv_open_device(device);
	if (!world.ctx)
		fail("no context");
	for (uint32_t n = 10 + below(STEPS); n; n--)
		step();
	heal();
	drain();
	destroy_all();
	if (vx_emu_live(NULL))
		fail("%d objects are left", vx_emu_live(NULL));
	if (ibv_close_device(world.ctx))
		fail("it does not close");
}

int main(int argc, char **argv)
{
	unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : DEFAULT_COUNT;
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list || !list[0])
		fail("no device");
	signal(SIGALRM, on_alarm);
	if (__asan_set_death_callback)
		__asan_set_death_callback(tell_seed);
	for (seed = first; seed < first + count; seed++)
		run(list[0]);
	ibv_free_device_list(list);
	printf("%lu programs from seed %lu\n", count, first);
	return 0;
}
