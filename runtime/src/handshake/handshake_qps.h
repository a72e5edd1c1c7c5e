/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_HANDSHAKE_QPS_H
#define VERBSX_SRC_HANDSHAKE_QPS_H

/* A handshake of QPs that there are: what vx_connect() and handles of handshakes are made of. */

#include "handshake.h"
#include "path/asked.h"

struct vx_shake_qps {
	struct vx_shake shake;			/* first */
	struct vx_shake_ops ops;		/* no table that would need relocations */
	struct vx_asked here;			/* of the device, once for all QPs */
};

/**
 * Begin, with what is there in of->shake: call, qps, count and init, which have to live as long. Its time begins, too.
 *
 * @return 0, or a negative errno with vx_error() filled, and no byte said: a QP is none, or is connected, or is there twice;
 *         vx_shake_end() in either case
 */
int vx_shake_qps_begin(struct vx_shake_qps *of, bool connects);

#endif
