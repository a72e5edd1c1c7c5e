/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Frames that flow actions change: fields of headers, and headers around them. */
#ifndef EMU_REWRITE_H
#define EMU_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_ROOM 16384

struct frame;

/* A frame that can be changed */
struct rewrite {
	uint8_t data[FRAME_ROOM];
	uint32_t len;
};

/* Begin with a frame, which may be one that was changed there before. */
void rewrite_begin(struct rewrite *r, const struct frame *f);

/* Whether a modify-header action, as in a mailbox, is one that can be done. */
bool rewrite_knows(const uint8_t action[8]);

/* Do such an action; where the header is not there, nothing happens. */
void rewrite_field(struct rewrite *r, const uint8_t action[8]);

/* Put headers before the frame, whose lengths and IPv4 checksum are made to fit; false without room. */
bool rewrite_encapsulate(struct rewrite *r, const uint8_t *headers, size_t size);

/* Take off the headers up to the frame that VXLAN or GRE carries; false where there is none. */
bool rewrite_decapsulate(struct rewrite *r);

/* The same of tunnels that carry packets: a header of layer 2 comes off as others go on, and goes on as they come off. */
bool rewrite_encapsulate_packet(struct rewrite *r, const uint8_t *headers, size_t size);
bool rewrite_decapsulate_packet(struct rewrite *r, const uint8_t *ethernet, size_t size);

/* Put a tag, its Ethertype before the rest, before all others; take the first one off, if there is one. */
void rewrite_push_vlan(struct rewrite *r, uint32_t tag);
void rewrite_pop_vlan(struct rewrite *r);

#endif
