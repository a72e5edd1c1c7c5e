/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The header of reliable multi-packet transactions, in MADs of subnet administration. */
#ifndef EMU_RMPP_H
#define EMU_RMPP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RMPP_SEGMENT_DATA = 200,
	RMPP_HEADERS = 56 /* before the data of a segment: that of the MAD, its own, and that of the class */
};

/* A table without records is a segment, too. */
uint32_t rmpp_segments(uint32_t size);

/* Of a segment with data, of so many, with @size bytes in all. */
void rmpp_put(uint8_t to[12], uint32_t number, uint32_t segments, uint32_t size);

/* What the other end says: an ACK, or that it stops; what has come until then, and up to which segment it wants more. */
bool rmpp_is_control(const uint8_t rmpp[12]);
bool rmpp_is_ack(const uint8_t rmpp[12]);
uint32_t rmpp_segment(const uint8_t rmpp[12]);
uint32_t rmpp_window(const uint8_t rmpp[12]);

#endif
