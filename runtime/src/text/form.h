/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FORM_H
#define VERBSX_SRC_FORM_H

/* What a number or a blob means to people, by enum vx_form. All of it is printable ASCII. */

#include "out.h"
#include "table.h"

#define VX_FORM_LONGEST 512	/* more than the longest text of any form */

/** "67.1 ms". @return whether the value has a meaning in this form; nothing is written where it has none */
bool vx_form_put(struct vx_out *out, enum vx_form form, uint64_t value);

/** Whether the raw value beside the text, or in its place, reads best in hexadecimal. */
bool vx_form_is_hex(enum vx_form form);

/** Whether it is an address or an identifier: a text of its own, without a raw value beside it. */
bool vx_form_is_address(enum vx_form form);

/** "fe80::1". @return whether the bytes make such an address; nothing is written where they do not */
bool vx_address_put(struct vx_out *out, enum vx_form form, const unsigned char *bytes, size_t count);

/* ---- scaled to three digits and a unit ---- */

/** "4 KiB", "1.46 KiB": what is a whole number of units has no decimals. */
void vx_put_bytes_scaled(struct vx_out *out, uint64_t bytes);

/** "67.1 ms". */
void vx_put_ns_scaled(struct vx_out *out, uint64_t ns);

/** "25.0 Gb/s". */
void vx_put_kbps_scaled(struct vx_out *out, uint64_t kbps);

/** "156 MHz". */
void vx_put_khz_scaled(struct vx_out *out, uint64_t khz);

/* A number with a name, held in place: a table of these needs no relocation. */
struct vx_word {
	int32_t value;
	char text[20];
};

/** The text of a value in a table of @p count words, or NULL. */
const char *vx_word_find(const struct vx_word *words, size_t count, int64_t value);

#define VX_WORD(words, value) vx_word_find(words, sizeof(words) / sizeof((words)[0]), value)

/** "ENOMEM" of 12, or NULL. */
const char *vx_errno_word(int64_t code);

#endif
