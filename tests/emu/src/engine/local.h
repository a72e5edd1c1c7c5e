/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Requests that a QP does by itself. */
#ifndef EMU_LOCAL_H
#define EMU_LOCAL_H

#include "engine/wqe.h"

/* Offsets in a UMR's WQE, after the control segment */
enum {
	UMR_CTRL = 16,
	MKEY_CONTEXT = 64,
	TRANSLATION = 128
};

/* In the WQE of a memcpy: metadata, source, destination */
enum {
	MMO_SOURCE = 2 * SEGMENT,
	MMO_DESTINATION = 3 * SEGMENT,
	MMO_SEGMENTS = 4
};

local_fn local_nop, local_umr, local_mmo;

#endif
