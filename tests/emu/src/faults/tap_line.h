/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A line of the tap, and the names in it. */
#ifndef EMU_TAP_LINE_H
#define EMU_TAP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/object.h"

struct packet;

struct tap_line {
	char text[1024];
	size_t len;
	uint8_t device; /* whose keys are meant */
};

struct tap_flag {
	uint64_t bits, value; /* it stands there where these bits have that value */
	const char *name;
};

/* Numbers, keys and addresses are shown as they are. */
extern bool tap_raw;

/* Add to the line; what does not fit is cut off. */
void tap_say(struct tap_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* " cq1": the first one that was made. Raw: " cq 0x5", the handle */
void tap_say_object(struct tap_line *l, enum kind kind, uint32_t number);

/* " qp2"; " peer" for one of another process, and " qp?" for one that is not there. */
void tap_say_qpn(struct tap_line *l, uint32_t qpn, bool is_here);

/* " mr1+0x10": relative to where the key's region begins. Raw: " 0x1200:0x7f..." */
void tap_say_address(struct tap_line *l, uint32_t key, uint64_t address);

/* The same of a packet's memory, or " peer" for that of another process. */
void tap_say_remote(struct tap_line *l, const struct packet *p, uint64_t address);

/* From now on keys are those of the device that a packet goes to, if that is here. */
void tap_is_for(struct tap_line *l, const struct packet *p);

/* " mr1" */
void tap_say_key(struct tap_line *l, uint32_t key);

/* " FENCE|SOLICITED", from the rows whose bits are all set; an empty row ends the table. */
void tap_say_flags(struct tap_line *l, const struct tap_flag *flags, uint64_t value);

#endif
