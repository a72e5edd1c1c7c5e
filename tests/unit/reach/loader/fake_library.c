/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A library that passes for libibverbs. The version script says at which versions it exports what is here. Where
 * NEWER is defined, it has ibv_fork_init() at a newer version as well, as its default.
 */

#include <errno.h>

int fake_loads(void);
int fork_init(void);
int fork_init_newer(void);
int ibv_rate_to_mult(int rate);

static int loads;

/* As libraries do that look for files. */
__attribute__((constructor)) static void load(void)
{
	loads++;
	errno = ENOENT;
}

int fake_loads(void)
{
	return loads;
}

__asm__(".symver fork_init, ibv_fork_init@" VERSION);

int fork_init(void)
{
	return 4711;
}

#ifdef NEWER

__asm__(".symver fork_init_newer, ibv_fork_init@@" NEWER);

int fork_init_newer(void)
{
	return 4712;
}

#endif

int ibv_rate_to_mult(int rate)
{
	return rate + 1;
}
