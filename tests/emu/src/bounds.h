/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the device can be configured up to, and how large its tables are. */
#ifndef EMU_BOUNDS_H
#define EMU_BOUNDS_H

#define DEVICE_NODE "/dev/infiniband/uverbs" /* and the number of the device */

#define UVERBS_MAJOR 231
#define UVERBS_FIRST_MINOR 192

#define MAX_PORTS 4 /* of all devices together */
#define MAX_DEVICES MAX_PORTS
#define LAG_PORTS 2 /* that are bonded */
#define MAX_GIDS 16
#define MAX_PKEYS 4
#define MAX_UNICAST_LID 0xbfff

#define MAX_QP_WR 32768
#define MAX_SGE 30
#define MAX_INLINE 1024
#define MAX_MESSAGE (1u << 30)
#define MAX_CQE (1 << 22)
#define MAX_SRQ_WR 32767
#define MAX_SRQ_SGE 31
#define MAX_RD_ATOMIC 16
#define MAX_COMP_VECTORS 64
#define MAX_KLM 55 /* as many as a WQE has room for */
#define MAX_STRIDED 32
#define MAX_DEPTH 3 /* an indirect key of indirect keys of indirect keys is deep enough */
#define MAX_MCAST 64
#define MAX_SERVICES 16 /* of a process, that the subnet knows */
#define MAX_DM_SIZE (1 << 20) /* of all device memory together */

/* Objects of all kinds together; their numbers are below it */
#define MAX_OBJECTS 65536

/* Descriptors are below it */
#define MAX_FDS 65536

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
