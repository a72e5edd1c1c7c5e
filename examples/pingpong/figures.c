/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How long it took. */

#include "pingpong.h"

#include <time.h>

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_time(const void *a, const void *b)
{
	const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

void report(const struct end *end, const char *name, int64_t *times, uint64_t bytes, int64_t total)
{
	const uint32_t count = end->options.count;
	const char *format = end->options.json ?
		"{\"test\":\"%s\",\"size\":%u,\"count\":%u,\"min_us\":%.2f,\"p50_us\":%.2f,\"p99_us\":%.2f,\"max_us\":%.2f,\"gbps\":%.3f}\n" :
		"%s: %u bytes, %u times: %.2f us at least, %.2f median, %.2f 99 %%, %.2f at most; %.3f Gb/s\n";

	qsort(times, count, sizeof(*times), by_time);
	printf(format, name, end->options.size, count, (double)times[0] / 1e3, (double)times[count / 2] / 1e3,
	       (double)times[count - 1 - count / 100] / 1e3, (double)times[count - 1] / 1e3, (double)bytes * 8 / (double)total);
}
