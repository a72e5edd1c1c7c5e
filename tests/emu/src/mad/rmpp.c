/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "mad/rmpp.h"

#include <string.h>

#include "calls/prm.h"

enum {
	VERSION = 1,
	DATA = 1,
	ACK = 2,
	ACTIVE = 1,
	FIRST = 2,
	LAST = 4,
	CLASS_HEADER = 20 /* counted with the data of each segment */
};

static const struct field RMPP_RMPP_VERSION = { 0, 8 };
static const struct field RMPP_TYPE = { 8, 8 };
static const struct field RMPP_FLAGS = { 21, 3 };
static const struct field RMPP_SEGMENT_NUMBER = { 32, 32 };
static const struct field RMPP_PAYLOAD_LENGTH = { 64, 32 };
static const struct field RMPP_NEW_WINDOW_LAST = { 64, 32 };

uint32_t rmpp_segments(uint32_t size)
{
	return size ? (size + RMPP_SEGMENT_DATA - 1) / RMPP_SEGMENT_DATA : 1;
}

/* The first tells of all, the last of itself */
static uint32_t payload(uint32_t number, uint32_t segments, uint32_t size)
{
	if (number == 1)
		return segments * CLASS_HEADER + size;
	return number == segments ? CLASS_HEADER + size - (segments - 1) * RMPP_SEGMENT_DATA : 0;
}

void rmpp_put(uint8_t to[12], uint32_t number, uint32_t segments, uint32_t size)
{
	uint8_t rmpp[12] __attribute__((aligned(4))) = { 0 };

	prm_set(rmpp, RMPP_RMPP_VERSION, VERSION);
	prm_set(rmpp, RMPP_TYPE, DATA);
	prm_set(rmpp, RMPP_FLAGS, ACTIVE | (number == 1 ? FIRST : 0) | (number == segments ? LAST : 0));
	prm_set(rmpp, RMPP_SEGMENT_NUMBER, number);
	prm_set(rmpp, RMPP_PAYLOAD_LENGTH, payload(number, segments, size));
	memcpy(to, rmpp, sizeof(rmpp));
}

static uint32_t get(const uint8_t from[12], struct field f)
{
	uint8_t rmpp[12] __attribute__((aligned(4)));

	memcpy(rmpp, from, sizeof(rmpp));
	return prm_get(rmpp, f);
}

bool rmpp_is_control(const uint8_t rmpp[12])
{
	return get(rmpp, RMPP_FLAGS) & ACTIVE && get(rmpp, RMPP_TYPE) > DATA;
}

bool rmpp_is_ack(const uint8_t rmpp[12])
{
	return get(rmpp, RMPP_TYPE) == ACK;
}

uint32_t rmpp_segment(const uint8_t rmpp[12])
{
	return get(rmpp, RMPP_SEGMENT_NUMBER);
}

uint32_t rmpp_window(const uint8_t rmpp[12])
{
	return get(rmpp, RMPP_NEW_WINDOW_LAST);
}
