/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PARITY_DEVICE_H
#define VERBSX_TESTS_PARITY_DEVICE_H

/* The first device, whichever it is, opened before each test of a suite and closed after it. */

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

extern struct vx_ctx *ctx;
extern struct vx_pd *pd;
extern struct ibv_device_attr limits;

void open_device(void);
void close_device(void);

/* What a call has returned; skips the test, saying why, where the device lacks what was asked for. */
int unless_lacking(int code);

/* Skips the test where the port is of InfiniBand: raw packets are those of Ethernet. */
void need_ethernet(void);

#define made(call) cr_assert_eq(unless_lacking(call), 0, "%s", vx_error_text())
#define closed(object) cr_assert_eq(vx_close(object), 0, "%s", vx_error_text())
#define refused(call) cr_expect_lt(call, 0, "not refused")

/* The test NAME of the class CLASS in upstream's file FILE. */
#define Twin(file, class, name) Test(file##_##class, name, .init = open_device, .fini = close_device)

#endif
