/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_ASLEEP_H
#define UNIT_ASLEEP_H

/* Whether a thread sleeps, by its number, which is 0 until it has begun. */

#include <stdio.h>
#include <sys/types.h>

#include <criterion/criterion.h>

/* "123 (name) S" */
static inline bool is_asleep(const pid_t *number)
{
	const pid_t thread = __atomic_load_n(number, __ATOMIC_ACQUIRE);
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = thread ? fopen(path, "r") : NULL;
	if (!file)
		return false;
	cr_assert_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'S';
}

#endif
