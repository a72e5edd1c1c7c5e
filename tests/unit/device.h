/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_OBJECTS_DEVICE_H
#define VERBSX_TESTS_OBJECTS_DEVICE_H

/*
 * The device at hand, opened before each test of a suite; nothing may be left of the emulated one afterwards. What only that can do
 * skips the test on a real one.
 */

#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

extern struct vx_ctx *ctx;
extern struct vx_pd *pd;

void open_device(void);
void close_device(void);

/* How many objects of a kind, as tests/emu/emu.h names it, the device has; NULL: of all. */
int live(const char *kind);

/* Make calls of the kernel fail, as tests/emu/emu.h has it. */
void fail_calls(const char *list);

/* Have the device send an event about a QP of this number, or the CQ or SRQ by its place in the order of making, from 1. */
void send_event(const char *name, unsigned int number);

#define SOON 20000 /* ms; what has been sent is there long before */

/* The bytes that the library last asked malloc(3) for: the size of a new handle. */
extern size_t last_handle;

/* A reason that says so many words. */
#define expect_reason(words) cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text())

#define made(call) cr_assert_eq(call, 0, "%s", vx_error_text())

#endif
