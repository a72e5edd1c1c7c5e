/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the device advertises, and then enforces. */
#ifndef EMU_LIMITS_H
#define EMU_LIMITS_H

#define DEVICE_NAME "mlx5_0"
#define DEVICE_NODE "/dev/infiniband/uverbs0"
#define NODE_GUID 0x0002c90300a1b2c3ull
#define NODE_GUID_TEXT "0002:c903:00a1:b2c3"
#define GID_PREFIX 0xfe80000000000000ull
#define PORT_GUID 0x0002c90300a1b2c4ull
#define PORT_GID_TEXT "fe80:0000:0000:0000:0002:c903:00a1:b2c4"

#define PORT_LID 7
#define PORT_LID_TEXT "0x7"
#define SM_LID 1
#define SM_LID_TEXT "0x1"

#define MAX_QP_WR 32768
#define MAX_SGE 30
#define MAX_INLINE 1024
#define MAX_MESSAGE (1u << 30)
#define MAX_CQE (1 << 22)
#define MAX_SRQ_WR 32767
#define MAX_SRQ_SGE 31
#define MAX_RD_ATOMIC 16
#define MAX_COMP_VECTORS 4
#define MAX_GIDS 4
#define MAX_PKEYS 4
#define MAX_KLM 55 /* as many as a WQE has room for */
#define MAX_STRIDED 32
#define MAX_MCAST 64

/* Objects of all kinds together; their handles are below it */
#define MAX_OBJECTS 65536

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
