/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Time: the host's monotonic clock is also the device's, at 1 GHz. */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include <stdint.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull

uint64_t clock_now(void); /* ns */

/* Of the day: seconds in the upper half, nanoseconds in the lower */
uint64_t clock_real_time(void);

/* Let the counter that programs read catch up. */
void clock_tick(void);

/* The page of the counter, and a page to put the factors of the clock in. */
void clock_set_counter(void *page);
void clock_fill_info(void *page);

#endif
