/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FORM_H
#define VERBSX_SRC_FORM_H

/* What a number or a blob means to people, by enum vx_form. All of it is printable ASCII. */

#include <arpa/inet.h>

#include "out.h"
#include "table.h"

#define VX_FORM_LONGEST 512	/* more than the longest text of any form */

/** "67.1 ms". @return whether the value has a meaning in this form; nothing is written where it has none */
bool vx_form_put(struct vx_out *out, enum vx_form form, uint64_t value);

/** Whether the raw value beside the text, or in its place, reads best in hexadecimal. */
static inline bool vx_form_is_hex(enum vx_form form)
{
	return form == VX_FORM_HEX || form == VX_FORM_PAGE_SIZES || form == VX_FORM_MODE || form == VX_FORM_VERSION;
}

/** Whether it is an address or an identifier: a text of its own, without a raw value beside it. */
static inline bool vx_form_is_address(enum vx_form form)
{
	return form >= VX_FORM_GUID && form <= VX_FORM_SOCKADDR;
}

/** How many bytes of an address say what it is: those that its family has, of an unknown one the family. */
size_t vx_sockaddr_length(const void *address);

/** "fe80::1". @return whether the bytes make such an address; nothing is written where they do not */
bool vx_address_put(struct vx_out *out, enum vx_form form, const unsigned char *bytes, size_t count);

/** A struct timespec, by a format for its two numbers of 64 bits. */
void vx_put_time(struct vx_out *out, const char *format, const unsigned char *bytes);

/** A word that may be NULL. @return whether it is there */
static inline bool vx_put_if_any(struct vx_out *out, const char *word)
{
	if (word)
		vx_put_string(out, word);
	return word;
}

/* What a number counts. */
enum vx_scale {
	VX_SCALE_BYTES,
	VX_SCALE_NS,
	VX_SCALE_KBPS,
	VX_SCALE_KHZ,
};

/** Three digits and a unit: "67.1 ms", "25.0 Gb/s"; bytes that are a whole number of units have no decimals: "4 KiB". True. */
bool vx_put_scaled(struct vx_out *out, enum vx_scale scale, uint64_t value);

/** A number of bytes by it, for printf(3): in memory of the block that asks for it. */
#define VX_BYTES(value) vx_bytes_in((char[VX_LONGEST_BYTES]){ "" }, value)
#define VX_LONGEST_BYTES 48
const char *vx_bytes_in(char *buf, uint64_t value);

/** A GID, "fe80::1", for printf(3): likewise. */
#define VX_GID_TEXT(gid) inet_ntop(AF_INET6, gid, (char[INET6_ADDRSTRLEN]){ "" }, INET6_ADDRSTRLEN)

/** What a number stands for, of vx_codes; NULL where that is not known. */
const char *vx_code_word(uint16_t code, uint64_t value);

/** "ENOMEM" of 12, or NULL. */
static inline const char *vx_errno_word(int64_t code)
{
	return vx_code_word(vx_errno_code, (uint64_t)code);
}

#endif
