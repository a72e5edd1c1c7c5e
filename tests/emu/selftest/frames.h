/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Frames, put together header by header, and the QPs that flows bring them to. */
#ifndef FRAMES_H
#define FRAMES_H

#include "selftest.h"

/* Where in bed.buf the first frame goes that a receiver gets, and how far from it the next */
enum {
	FRAMES_AT = 8192,
	FRAME_ROOM = 256
};

/* A QP with a CQ of its own, which gets what flows bring */
struct receiver {
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
};

extern struct receiver one, two;
extern uint32_t frame_len;

/* The .init of a suite whose frames are for nobody else: other tests run at the same time */
void open_alone(void);

/* Two receivers and who sends to them; a test is skipped where there is no Ethernet */
void open_raw(void);
void close_raw(void);

/* The next frame, at the start of bed.buf: it begins with an Ethernet header */
void begin_frame(uint16_t type);
void eth(uint16_t type);
void ipv4(uint8_t protocol);
void ipv6(uint8_t next);
void ports(uint16_t from, uint16_t to, size_t size);
void word(uint32_t w);

/* As request 99 of bed.cq; it has arrived when the latter two return */
void send_it(void);
void send_frame(void);
void send_udp(void);

/* How many came, all of them whole, and the tag of the last */
int arrived(struct receiver *r, uint32_t *tag);
int got(struct receiver *r);

/* Flows, specification by specification */
struct rule {
	struct ibv_flow_attr attr;
	uint8_t specs[512];
};

struct rule rule_of(uint16_t priority);
void add(struct rule *r, const void *spec, size_t size);
struct ibv_flow *steer(struct rule *r, struct receiver *to);

#endif
