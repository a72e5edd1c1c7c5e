/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What processes send each other: packets of requests and of answers, some in a message. */
#ifndef EMU_MESSAGE_H
#define EMU_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "packets/answer.h"
#include "packets/fabric.h"
#include "packets/packet.h"

/* As many as a receiver's queue takes (10 by default) are together less than a sender may have under way */
#define MESSAGE_DATA 16384

enum message_type {
	MESSAGE_REQUEST,
	MESSAGE_ANSWER,
	MESSAGE_PROBE, /* is there somebody? Not sending it is the answer */
	MESSAGE_CM
};

struct header {
	uint32_t version;
	uint8_t type;
	uint32_t place; /* of the sender */
	uint32_t qpn, session; /* of the requester */
	struct packet p; /* of a request: the first; those after it are of the same message */
	struct answer answer; /* its data come after the header */
};

struct qp;

/* Send @n packets from @p on, of the message that has that data. */
enum fabric_result message_request(const struct qp *q, const struct packet *p, const uint8_t *data, uint32_t n);

/* A datagram to the members of a group in all other processes; what is not taken is lost. */
void message_to_group(const struct packet *p, const uint8_t *data);

/* Send packets of an answer to the process at a place; @to has what its request had. */
enum fabric_result message_answer(const struct header *to, const struct answer *a);

/* A message of the CM to the process of that name. */
enum fabric_result message_cm(const char *to, const void *mad, uint32_t size);

/* Whether there is somebody who could answer. */
bool message_probe(const struct packet *p);

/* Take in what is there, for requesters and responders: whether there was anything. */
bool message_receive(void);

#endif
