/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_VERBSX_H
#define VERBSX_VERBSX_H

/**
 * @file
 * All of libverbsx but for what only some devices have: verbsx/mlx5.h, mlx5_wr.h, mlx5_cmd.h, mlx5_event.h, mlx5_vfio.h and mlx5_wqe.h,
 * and mlx4.h, efa.h, hns.h, ionic.h and mana.h. The parts can be included one by one; those that only name and describe, enums.h,
 * describe.h and what they include, need no header of rdma-core. They are for C from C99 on, and for C++ from C++11 on.
 */

#include <verbsx/any_handle.h>
#include <verbsx/auto.h>
#include <verbsx/call.h>
#include <verbsx/calls.h>
#include <verbsx/cm.h>
#include <verbsx/cm_client.h>
#include <verbsx/cm_server.h>
#include <verbsx/cm_post.h>
#include <verbsx/config.h>
#include <verbsx/connect.h>
#include <verbsx/ctx.h>
#include <verbsx/defaults.h>
#include <verbsx/describe.h>
#include <verbsx/device.h>
#include <verbsx/dispatcher.h>
#include <verbsx/end_port.h>
#include <verbsx/enum.h>
#include <verbsx/enums.h>
#include <verbsx/error.h>
#include <verbsx/event.h>
#include <verbsx/extended.h>
#include <verbsx/flow.h>
#include <verbsx/gid.h>
#include <verbsx/guard.h>
#include <verbsx/front.h>
#include <verbsx/handshake.h>
#include <verbsx/have.h>
#include <verbsx/mr.h>
#include <verbsx/object.h>
#include <verbsx/objects.h>
#include <verbsx/own.h>
#include <verbsx/parse.h>
#include <verbsx/path.h>
#include <verbsx/path_ah.h>
#include <verbsx/path_text.h>
#include <verbsx/pool.h>
#include <verbsx/poller.h>
#include <verbsx/poll.h>
#include <verbsx/post.h>
#include <verbsx/print.h>
#include <verbsx/sa.h>
#include <verbsx/sa_group.h>
#include <verbsx/setters.h>
#include <verbsx/structs.h>
#include <verbsx/trace.h>
#include <verbsx/version.h>
#include <verbsx/wc_error.h>
#include <verbsx/wr.h>

#endif /* VERBSX_VERBSX_H */
