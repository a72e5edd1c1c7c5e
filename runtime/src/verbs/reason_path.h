/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_PATH_H
#define VERBSX_SRC_REASON_PATH_H

/* Why a path cannot begin where it is to: what tables of limits cannot say. */

#include "reason/reason.h"

/** Its GID is not set, or of another kind than the peer's. @param path  how the sentence begins: "ah_attr.", or "" */
void vx_reason_of_gid(struct vx_failure *failure, uint8_t port, const char *path, const struct ibv_ah_attr *attr);

#endif
