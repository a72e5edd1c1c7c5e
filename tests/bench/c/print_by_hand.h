/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_BENCH_PRINT_BY_HAND_H
#define VERBSX_BENCH_PRINT_BY_HAND_H

/* Structures printed as programs do it by hand, a snprintf() a line. They return the length of the text. */

#include <stddef.h>

#include <infiniband/verbs.h>

size_t device_by_hand(char *buf, size_t len, const struct ibv_device_attr *attr); /* 40 lines */
size_t wc_by_hand(char *buf, size_t len, const struct ibv_wc *wc);

#endif
