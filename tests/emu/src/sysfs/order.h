/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* In which order a folder is read. */
#ifndef EMU_ORDER_H
#define EMU_ORDER_H

#include <dirent.h>
#include <stdbool.h>

/* Have the program read it by name; NULL is none. */
void order_by_name(DIR *dir);

/* In a forked child, where another thread of the parent may have been reading. */
void order_forget(void);

#endif
