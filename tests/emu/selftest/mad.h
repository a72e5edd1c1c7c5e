/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_SELFTEST_MAD_H
#define EMU_SELFTEST_MAD_H

/* MADs by the node of a port, and what is asked by them. */

#include <endian.h>
#include <rdma/ib_user_mad.h>

#include "selftest.h"

enum {
	MAD_SIZE = 256,
	HEADER = 24, /* of a MAD, which is all that comes back of one that nobody answered */
	SM_LID = 1,
	NOBODY = 0x7777, /* a LID */
	FULL_MEMBER = 1,
	TIME = 5000 /* ms */
};

enum {
	SUBN = 0x01,
	SUBN_ADM = 0x03,
	PERF = 0x04,
	VENDOR = 0x32,
	DIRECTED = 0x81
};

enum {
	GET = 0x01,
	SET = 0x02,
	GET_TABLE = 0x12,
	DELETE = 0x15,
	RESP = 0x80
};

struct mad {
	uint8_t base_version, mgmt_class, class_version, method;
	__be16 status;
	uint8_t hop_pointer, hop_count;
	__be64 tid;
	__be16 attr_id, reserved;
	__be32 attr_mod;
	uint8_t data[MAD_SIZE - HEADER];
};

/* Offsets in its data */
enum {
	SMP_DR_SLID = 8,
	SMP_DATA = 40,
	SMP_PATH = 104,
	SA_ATTR_OFFSET = 20,
	SA_COMP_MASK = 24,
	SA_DATA = 32,
	VENDOR_OUI = 13,
	VENDOR_DATA = 16
};

struct user_mad {
	struct ib_user_mad_hdr hdr;
	struct mad mad;
	uint8_t more[2048];
};

extern int fd; /* the node of the port while a test runs */

int open_node(int flags);
void open_umad(void);
void close_umad(void);

struct ib_user_mad_reg_req request(uint8_t mgmt_class);
uint32_t agent(int node, uint8_t mgmt_class, unsigned long methods);

/* A request to a LID, with nothing in its data but what the class needs. */
struct user_mad make(uint32_t id, uint8_t mgmt_class, uint8_t method, uint16_t attr, uint16_t lid);
void post(int node, const struct user_mad *u);
struct user_mad wait_mad(int node, size_t *size);

/* Its answer, which has to come. */
struct user_mad ask(const struct user_mad *u);
uint16_t status_of(const struct user_mad *u);

uint16_t get16(const uint8_t *at);
uint32_t get32(const uint8_t *at);

#endif
