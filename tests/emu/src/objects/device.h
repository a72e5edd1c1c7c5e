/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the device can do, for those who have to refuse the rest. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_NAME 80 /* what one has room in */

/* Whose it is, to IEEE and on the PCI bus, and which board */
#define VENDOR_ID 0x2c9
#define PCI_VENDOR_ID 0x15b3
#define BOARD_ID "EMU0000000001"

/* Of RoCE no driver has it: its QP for the operations has no GRH in its path. */
bool device_matches_tags(uint8_t device);

/* Its ports are, of which the first one tells. */
bool device_is_ethernet(uint8_t device);

/* mlx5_1, the number counted up from that of the first one. */
void device_name(char name[DEVICE_NAME], uint8_t device);

#endif
