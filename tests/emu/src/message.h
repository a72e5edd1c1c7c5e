/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What processes send each other: requests and answers, in fragments. */
#ifndef EMU_MESSAGE_H
#define EMU_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric.h"
#include "packet.h"

enum message_type {
	MESSAGE_REQUEST,
	MESSAGE_ANSWER,
	MESSAGE_PROBE /* is there somebody? Not sending it is the answer */
};

/* Of each fragment */
struct header {
	uint32_t version;
	uint8_t type;
	uint8_t rnr_timer; /* of an answer that is STALL_RNR */
	int16_t answer; /* 0, a syndrome or a stall */
	uint32_t place; /* of the sender */
	uint32_t qpn; /* of the requester */
	uint64_t id; /* of the request, among all of its process */
	uint32_t len, offset; /* of the data: in all, of this fragment */
	struct packet p; /* of a request */
};

/* On its way out */
struct message {
	char to[FABRIC_NAME_SIZE];
	struct header h; /* without what changes from fragment to fragment */
	uint8_t *data;
	bool begun;
	uint32_t sent;
};

/* Make the header of a message with @len bytes of data. */
void message_init(struct message *m, enum message_type type, uint32_t len);

/* Send as much as is taken: FABRIC_SENT when it is all gone. */
enum fabric_result message_push(struct message *m);

/* Whether there is somebody who could answer. */
bool message_probe(const char *to);

/* Take in what is there, for requesters and responders: whether there was anything. */
bool message_receive(void);

/* Where fragments are put together again. */
struct parcel {
	uint8_t *data;
	uint32_t len, received;
};

/**
 * Add a fragment.
 *
 * @return 1 when it is complete, 0 when not yet, -1 where the fragment does not fit
 */
int parcel_add(struct parcel *p, const struct header *h, const uint8_t *data, uint32_t n);

#endif
