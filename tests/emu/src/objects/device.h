/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the device can do, for those who have to refuse the rest. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include <stdbool.h>

/* Whose it is, to IEEE and on the PCI bus, and which board */
#define VENDOR_ID 0x2c9
#define PCI_VENDOR_ID 0x15b3
#define BOARD_ID "EMU0000000001"

/* Of RoCE no driver has it: its QP for the operations has no GRH in its path. */
bool device_matches_tags(void);

#endif
