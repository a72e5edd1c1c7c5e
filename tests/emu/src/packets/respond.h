/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The responder's part of a connected request. */
#ifndef EMU_RESPOND_H
#define EMU_RESPOND_H

#include "packets/request.h"

respond_fn respond_send, respond_send_inval, respond_write, respond_write_imm, respond_read, respond_atomic;

#endif
