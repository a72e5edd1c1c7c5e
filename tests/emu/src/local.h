/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests that a QP does by itself. */
#ifndef EMU_LOCAL_H
#define EMU_LOCAL_H

#include "wqe.h"

local_fn local_nop, local_umr, local_mmo;

#endif
