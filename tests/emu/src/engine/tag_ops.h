/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* TAG_MATCHING: a QP that is there for nothing else changes the list of tags of its SRQ. */
#ifndef EMU_TAG_OPS_H
#define EMU_TAG_OPS_H

#include "engine/wqe.h"

local_fn local_tag_matching;

#endif
