/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Cleaning up when a signal ends the process, and faults of the device's own copies. */
#ifndef EMU_SIGNALS_H
#define EMU_SIGNALS_H

/* From now on, remove the sysfs tree on the usual signals where nothing else is set, and see faults before the program does. */
void signals_start(void);

#endif
