/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_FAKE_H
#define VERBSX_TESTS_FAKE_H

/*
 * The fake libraries, whose files CMakeLists.txt names: FAKE_44 has ibv_fork_init() and ibv_rate_to_mult() and passes
 * for release 44; FAKE_STRANGE has them at versions that there never were and passes for 65; FAKE_NAMELESS is as
 * FAKE_STRANGE, with a file name that tells no release. Each test is a process of its own, which starts with empty slots.
 */

#include <stdlib.h>

#define FAKE_ANSWER 4711 /* of ibv_fork_init() */
#define NO_LIBRARY "/nonexistent/libibverbs.so.1"

static inline void use_libibverbs(const char *file)
{
	setenv("VERBSX_IBVERBS_LIB", file, 1);
}

#endif
