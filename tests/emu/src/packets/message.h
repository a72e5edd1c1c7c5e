/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What processes send each other: packets of requests and of answers, some in a message. */
#ifndef EMU_MESSAGE_H
#define EMU_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "packets/answer.h"
#include "packets/link.h"
#include "packets/packet.h"

/* Some of them are in a ring at a time: while one is read, the next is written */
#define MESSAGE_DATA 32768

enum message_type {
	MESSAGE_REQUEST,
	MESSAGE_ANSWER,
	MESSAGE_CM,
	MESSAGE_MAD,
	MESSAGE_FRAME
};

struct header {
	uint32_t version;
	uint8_t type;
	uint32_t place; /* of the sender */
	uint32_t qpn, session; /* of the requester */
	struct packet p; /* of a request: the first; those after it are of the same message */
	struct answer answer; /* its data come after the header */
};

struct flight;
struct qp;

/* Send @n packets of a request, from the one on that it is cut to. */
enum link_result message_request(const struct qp *q, const struct flight *f, uint32_t n);

/* A datagram to the members of a group in all other processes; what is not taken is lost. */
void message_to_group(const struct packet *p, const uint8_t *data);

/* Send packets of an answer to the process at a place; @to has what its request had. */
enum link_result message_answer(const struct header *to, const struct answer *a);

/* A message of the CM to the process that has an address. */
enum link_result message_cm(const struct address *to, const void *mad, uint32_t size);

/* A MAD, likewise. */
enum link_result message_mad(const struct address *to, const void *mad, uint32_t size);

/* A frame of Ethernet, likewise, or to all other processes; what is not taken is lost. */
enum link_result message_frame(const struct address *to, const uint8_t *data, uint32_t size);
void message_frame_to_all(const uint8_t *data, uint32_t size);

/* Whether there is somebody who could answer. */
bool message_probe(const struct packet *p);

/* Take in what is there, for requesters and responders: whether there was anything. @ask: as link_receive(). */
bool message_receive(bool ask);

#endif
