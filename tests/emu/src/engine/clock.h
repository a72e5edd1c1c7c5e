/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Time: the host's monotonic clock is also the device's, at 1 GHz. */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull

uint64_t clock_now(void); /* ns */

/* Of the day: seconds in the upper half, nanoseconds in the lower */
uint64_t clock_real_time(void);

/* Let the counter that programs read catch up. */
void clock_tick(void);

/* Put the page of the counter, or the factors of the clock, where @page is mapped; the first may fail: -1. */
int clock_map_counter(void *page, size_t size);
void clock_fill_info(void *page);

#endif
