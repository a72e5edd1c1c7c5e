/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_SCALE_H
#define VERBSX_SRC_SCALE_H

/* Quantities with three significant digits and the unit that suits them. */

#include "out.h"

/** "4 KiB", "1.46 KiB": what is a whole number of units has no decimals. */
void vx_put_bytes_scaled(struct vx_out *out, uint64_t bytes);

/** "67.1 ms". */
void vx_put_ns_scaled(struct vx_out *out, uint64_t ns);

/** "25.0 Gb/s". */
void vx_put_kbps_scaled(struct vx_out *out, uint64_t kbps);

/** "156 MHz". */
void vx_put_khz_scaled(struct vx_out *out, uint64_t khz);

#endif
