/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Management datagrams (chapters 13 to 16 of the InfiniBand Architecture Specification), and where they go: the fabric is one
 * switch, which has the subnet manager, and the hosts around it. All of it is under the device lock.
 */
#ifndef EMU_MAD_H
#define EMU_MAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "objects/gid.h"

struct nearest;

#define MAD_SIZE 256
#define MAD_HEADER 24
#define MAD_LONGEST 65536 /* of RMPP: it goes as a whole */
#define BASE_VERSION 1
#define PERMISSIVE_LID 0xffff

enum mad_class {
	CLASS_SUBN_LID_ROUTED = 0x01,
	CLASS_SUBN_ADM = 0x03,
	CLASS_PERF = 0x04,
	CLASS_BM = 0x05,
	CLASS_DEV_MGT = 0x06,
	CLASS_BIS = 0x12,
	CLASS_VENDOR_RANGE2_START = 0x30,
	CLASS_VENDOR_RANGE2_END = 0x4f,
	CLASS_SUBN_DIRECTED_ROUTE = 0x81
};

enum mad_method {
	METHOD_GET = 0x01,
	METHOD_SET = 0x02,
	METHOD_SEND = 0x03,
	METHOD_TRAP = 0x05,
	METHOD_REPORT = 0x06,
	METHOD_TRAP_REPRESS = 0x07,
	METHOD_GET_TABLE = 0x12,
	METHOD_DELETE = 0x15,
	METHOD_RESP = 0x80, /* of each of them, but for TRAP_REPRESS */
	METHOD_GET_RESP = 0x81
};

/* The status of a response */
enum {
	STATUS_OK = 0,
	STATUS_UNSUP_VERSION = 0x0004,
	STATUS_UNSUP_METHOD_ATTR = 0x000c,
	STATUS_INVALID_FIELD = 0x001c,
	STATUS_SA_NO_RESOURCES = 0x0100,
	STATUS_SA_REQ_INVALID = 0x0200,
	STATUS_SA_NO_RECORDS = 0x0300,
	STATUS_SA_TOO_MANY_RECORDS = 0x0400,
	STATUS_SA_INVALID_GID = 0x0500,
	STATUS_SA_INSUF_COMPS = 0x0600,
	STATUS_DIRECTION = 0x8000 /* of a directed route: it is on its way back */
};

/* Attributes, of all classes or of one */
enum mad_attribute {
	ATTR_CLASS_PORT_INFO = 0x0001,

	ATTR_NODE_DESC = 0x0010,
	ATTR_NODE_INFO = 0x0011,
	ATTR_SWITCH_INFO = 0x0012,
	ATTR_GUID_INFO = 0x0014,
	ATTR_PORT_INFO = 0x0015,
	ATTR_P_KEY_TABLE = 0x0016,
	ATTR_SL_TO_VL = 0x0017,
	ATTR_VL_ARB = 0x0018,
	ATTR_LINEAR_FT = 0x0019,
	ATTR_MCAST_FT = 0x001b,
	ATTR_SM_INFO = 0x0020,
	ATTR_MLNX_EXT_PORT_INFO = 0xff90,

	ATTR_PORT_COUNTERS = 0x0012,
	ATTR_PORT_COUNTERS_EXT = 0x001d,

	ATTR_NODE_RECORD = 0x0011,
	ATTR_PORT_INFO_RECORD = 0x0012,
	ATTR_SWITCH_INFO_RECORD = 0x0014,
	ATTR_LFT_RECORD = 0x0015,
	ATTR_SM_INFO_RECORD = 0x0018,
	ATTR_LINK_RECORD = 0x0020,
	ATTR_GUID_INFO_RECORD = 0x0030,
	ATTR_SERVICE_RECORD = 0x0031,
	ATTR_P_KEY_RECORD = 0x0033,
	ATTR_PATH_RECORD = 0x0035,
	ATTR_MC_MEMBER_RECORD = 0x0038,
	ATTR_INFORM_INFO_RECORD = 0x00f3
};

struct mad {
	uint8_t base_version, mgmt_class, class_version, method;
	__be16 status;
	union {
		__be16 class_specific;
		struct {
			uint8_t hop_pointer, hop_count; /* of a directed route */
		};
	};
	__be64 tid;
	__be16 attr_id, reserved;
	__be32 attr_mod;
	union {
		uint8_t data[MAD_SIZE - MAD_HEADER];
		struct {
			__be64 m_key;
			__be16 dr_slid, dr_dlid;
			uint8_t reserved_too[28];
			uint8_t data[64];
			uint8_t initial_path[64], return_path[64];
		} smp;
		struct {
			uint8_t rmpp[12];
			__be64 sm_key;
			__be16 attr_offset, reserved_too;
			__be64 comp_mask;
			uint8_t data[200];
		} __attribute__((packed)) sa;
		struct {
			uint8_t reserved_too[40];
			uint8_t data[192];
		} perf;
		struct {
			uint8_t rmpp[12], reserved_too, oui[3];
			uint8_t data[216];
		} vendor;
	};
};
_Static_assert(sizeof(struct mad) == MAD_SIZE, "a MAD");

/* One end of the way: a port of a process, or a port of the switch */
struct mad_end {
	bool is_switch;
	uint32_t place; /* of a process */
	uint8_t port;
	uint16_t lid;
	uint32_t qpn; /* 0 or 1 */
};

/* A MAD on its way. What goes to another process is this, to the end of the data. */
struct mad_packet {
	struct mad_end from, to;
	uint8_t sl, path_bits;
	uint16_t pkey_index;
	bool has_grh;
	uint8_t sgid[GID_SIZE], dgid[GID_SIZE];
	uint8_t hop_limit, traffic_class;
	uint32_t flow_label;
	uint32_t size; /* of what is in the MAD, which may be larger than it is declared */
	struct mad mad;
};
#define MAD_PACKET_HEAD offsetof(struct mad_packet, mad)

/* NULL without memory; as large as a MAD at least */
struct mad_packet *mad_packet_new(size_t size);
struct mad_packet *mad_packet_copy(const struct mad_packet *p);
static inline size_t mad_packet_size(const struct mad_packet *p)
{
	return MAD_PACKET_HEAD + (p->size < MAD_SIZE ? MAD_SIZE : p->size);
}

bool mad_is_response(const struct mad *m);
bool mad_is_smp(const struct mad *m);

/* Have @m answer: a response of that method, with a status. */
void mad_make_response(struct mad *m, uint16_t status);

/* mad_route.c: find the other end; false where there is nobody */
bool mad_route(struct mad_packet *p);

/* mad_wire.c: it goes out, and is the wire's from now on */
void mad_post(struct mad_packet *p);
/* From another process. */
void mad_receive(const void *data, size_t size);
/* A turn of the engine: whether there was anything to do. */
bool mad_serve(void);
/* In a forked child, all of it is the parent's. */
void mad_forget(void);

/* mad_agent.c: what takes a MAD that has come: agents of the device, or of programs */
void mad_take(struct mad_packet *p);

/* mad_name.c: "SubnGet(NodeInfo)"; for faults, attributes by name: 0 for none */
void mad_name(char *name, size_t size, const struct mad *m);
uint32_t mad_kind(const struct mad *m);
uint32_t mad_kind_by_name(const char *name);
void mad_kind_names(struct nearest *n);

/*
 * What answers of the device: true where @m is now a response, false where it is none of theirs. @to: where it came in.
 */
bool sma_answer(struct mad *m, const struct mad_end *to);
bool pma_answer(struct mad *m, const struct mad_end *to);
/* An answer of the subnet administrator is larger than a MAD: another packet, or NULL. */
struct mad_packet *sa_answer(const struct mad_packet *request);

#endif
