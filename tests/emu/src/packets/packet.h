/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A packet of a request, besides its data; each says what a device has only in the first. */
#ifndef EMU_PACKET_H
#define EMU_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "objects/gid.h"

struct port;
struct qp;
struct send_wqe;

/* The QP number that stands for a group */
#define MCAST_QPN 0xffffff

#define PSN_MASK 0xffffff

enum service {
	SERVICE_RC,
	SERVICE_UC,
	SERVICE_UD,
	SERVICE_XRC,
	SERVICE_DC,
	SERVICE_RAW
};

struct packet {
	uint8_t opcode; /* MLX5_OPCODE_... */
	uint8_t service;
	bool solicited;
	bool again; /* it may have been there before */
	uint32_t src_qpn, dest_qpn;
	uint32_t psn; /* counted from 0, in packets of the path's MTU */
	uint32_t first_psn; /* what the 0 stands for */
	uint32_t mtu; /* of the path, in bytes */
	uint32_t len; /* of the message's data or, for a read or an atomic, of what it asks for */
	uint32_t offset, size; /* the part of the data that is in this packet */
	__be32 imm; /* or the key to invalidate; 0 where the opcode has none */

	/* Of some opcodes */
	uint32_t rkey;
	uint64_t raddr;
	uint64_t compare, swap_add;

	/* Of some services */
	uint32_t xrc_srqn;
	uint32_t qkey;
	uint64_t dc_key;

	/* The path */
	bool ethernet;
	uint16_t slid, dlid; /* of InfiniBand */
	uint16_t pkey;
	bool has_grh;
	uint8_t gid_type; /* IB_UVERBS_GID_TYPE_... of the source */
	uint8_t sgid[GID_SIZE], dgid[GID_SIZE];
	uint32_t flow_label;
	uint8_t traffic_class, hop_limit;
};

/* The service of a QP, as requester or as responder. */
enum service packet_service(const struct qp *q);

/* How many packets a message of that length makes: none has no data, but is a packet. */
uint32_t packet_count(uint32_t len, uint32_t mtu);

/* Make it the message's packet number @n, from 0; of a request for data, all from there on. */
void packet_cut(struct packet *p, uint32_t n);

/* Its place in the message; all of a request for data is in one packet. */
bool packet_is_first(const struct packet *p);
bool packet_is_last(const struct packet *p);

/* Of the path of a QP, in bytes. */
uint32_t packet_mtu(const struct qp *q);

/* The QP that it is for, if that is on the device that it came to, or NULL. */
struct qp *packet_qp(const struct packet *p);

/* The port of ours that it is for, or NULL; a group is at every port. */
const struct port *packet_port(const struct packet *p);
bool packet_is_for_group(const struct packet *p);

/* Whether it stays in this process, as a group's does too. */
bool packet_is_here(const struct packet *p);

/* Whether the keys in it are those of a QP that it came to; where not, the port counts it. */
bool packet_has_pkey(const struct packet *p, const struct qp *to);
bool packet_has_qkey(const struct packet *p, const struct qp *to);

/* Describe the message of a WQE, which has been parsed, of a QP that is able to send. */
void packet_fill(struct packet *p, const struct qp *q, const struct send_wqe *w);

#endif
