/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * @file
 * What a test can ask of the emulated device from inside.
 *
 * Found with dlsym(RTLD_DEFAULT, ...), NULL when the device is not there; or linked
 * against when the device is linked in.
 */
#ifndef VERBSX_EMU_H
#define VERBSX_EMU_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Send an async event.
 *
 * @param spec  "EVENT[:NUM][@MS]", as in VERBSX_EMU_ASYNC
 * @return 0, or -1 for an unknown event or too many that wait
 */
int vx_emu_async(const char *spec);

/**
 * Make calls fail.
 *
 * @param list  as in VERBSX_EMU_FAIL, counted from here; it replaces the one before, and
 *              NULL ends all failures
 */
void vx_emu_fail(const char *list);

/**
 * Count live objects.
 *
 * @param kind  "pd", "mr", "mkey", "mw", "comp_channel", "cq", "srq", "qp", "xrcd" or "uar";
 *              NULL: all but UARs, some of which libmlx5 keeps until the device is closed
 */
int vx_emu_live(const char *kind);

/** Count the calls into the kernel so far. */
unsigned long vx_emu_ioctls(void);

#ifdef __cplusplus
}
#endif

#endif
