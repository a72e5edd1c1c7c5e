/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_QUERY_H
#define VERBSX_SRC_REASON_QUERY_H

/* Why a question about a device failed, each as vx_call_fail(). */

#include "verbs/ctx.h"

/* About a port: most often there is no such port. */
int vx_port_fail(const struct vx_ctx *ctx, int code, const char *call, unsigned int port);

/* About an entry of a GID table: it is past the end, or empty. */
int vx_gid_fail(const struct vx_ctx *ctx, int code, uint8_t port, uint32_t index);

/* About an entry of a P_Key table. */
int vx_pkey_fail(const struct vx_ctx *ctx, int code, uint8_t port, uint16_t index);

/* The room that the GID tables of all ports need when no entry is empty; 0 where the device does not tell. */
size_t vx_all_gids(const struct vx_ctx *ctx);

#endif
