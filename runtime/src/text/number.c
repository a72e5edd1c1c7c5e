/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Numbers as text. snprintf(3) would cost more than all the rest of a line. */

#include "form.h"

static const char hex_digits[] = "0123456789abcdef";

/* Two a step, as each takes a division. */
static const char two_digits[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960"
				 "616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* How many a value has: the bits tell it but for one. */
static unsigned int digits_of(uint64_t value)
{
	static const uint64_t powers[VX_MOST_DIGITS] = {
#define POWERS(p) (p) * 10, (p) * 100, (p) * 1000, (p) * 10000
		0, POWERS(UINT64_C(1)), POWERS(UINT64_C(10000)), POWERS(UINT64_C(100000000)), POWERS(UINT64_C(1000000000000)),
		UINT64_C(100000000000000000), UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
#undef POWERS
	};
	const unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1), about = bits * 1233 >> 12; /* by the logarithm of 2 */

	return about + (value >= powers[about]);
}

size_t vx_write_unsigned(char *to, uint64_t value)
{
	const unsigned int digits = digits_of(value);
	char *at = to + digits;
	uint32_t rest;
	for (; value > UINT32_MAX; value /= 100)
		memcpy(at -= 2, &two_digits[value % 100 * 2], 2);
	for (rest = (uint32_t)value; rest >= 100; rest /= 100) /* which takes half of the time */
		memcpy(at -= 2, &two_digits[rest % 100 * 2], 2);
	if (rest >= 10)
		memcpy(to, &two_digits[rest * 2], 2);
	else
		*to = (char)('0' + rest);
	return digits;
}

void vx_put_unsigned(struct vx_out *out, uint64_t value)
{
	char text[VX_MOST_DIGITS];

	if (out->end - out->pos >= VX_MOST_DIGITS)
		out->pos += vx_write_unsigned(out->pos, value);
	else
		vx_put(out, text, vx_write_unsigned(text, value));
}

void vx_put_signed(struct vx_out *out, int64_t value)
{
	if (value < 0)
		vx_put_char(out, '-');
	vx_put_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

size_t vx_write_hex(char *to, uint64_t value)
{
	const unsigned int len = 2 + (67 - (unsigned int)__builtin_clzll(value | 1)) / 4;
	unsigned int at;

	memcpy(to, "0x", 2);
	for (at = len; at-- > 2; value >>= 4)
		to[at] = hex_digits[value & 0xf];
	return len;
}

void vx_put_hex(struct vx_out *out, uint64_t value)
{
	char text[VX_MOST_DIGITS];

	vx_put(out, text, vx_write_hex(text, value));
}

void vx_put_hex_bytes(struct vx_out *out, const unsigned char *bytes, size_t count, size_t group)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i && !(i & (group - 1)))
			vx_put_char(out, ':');
		vx_put(out, (char[2]){ hex_digits[bytes[i] >> 4], hex_digits[bytes[i] & 0xf] }, 2);
	}
}

/* ---- scaled, to three digits and a unit ---- */

#define ROUNDS_UP 2000	/* with three digits, what is short of the next unit by this part of it is one of it */

struct unit {
	uint64_t scale;
	char name[8];
};

/* The units of each scale, from the smallest on. */
static const struct unit scales[][8] = {
	[VX_SCALE_BYTES] = {
		{ 1, " B" }, { UINT64_C(1) << 10, " KiB" }, { UINT64_C(1) << 20, " MiB" }, { UINT64_C(1) << 30, " GiB" },
		{ UINT64_C(1) << 40, " TiB" }, { UINT64_C(1) << 50, " PiB" }, { UINT64_C(1) << 60, " EiB" },
	},
	[VX_SCALE_NS] = {
		{ 1, " ns" }, { 1000, " us" }, { 1000000, " ms" }, { 1000000000, " s" },
		{ UINT64_C(60000000000), " min" }, { UINT64_C(3600000000000), " h" },
	},
	[VX_SCALE_KBPS] = { { 1, " kb/s" }, { 1000, " Mb/s" }, { 1000000, " Gb/s" }, { 1000000000, " Tb/s" } },
	[VX_SCALE_KHZ] = { { 1, " kHz" }, { 1000, " MHz" }, { 1000000, " GHz" } },
};

static void put_three_digits(struct vx_out *out, double value)
{
	unsigned int one = value < 9.995 ? 100 : value < 99.95 ? 10 : 1; /* of the last digit so many are a unit */
	const uint64_t rounded = (uint64_t)(value * one + 0.5);

	vx_put_unsigned(out, rounded / one);
	if (one > 1)
		vx_put_char(out, '.');
	while (one /= 10)
		vx_put_char(out, (char)('0' + rounded / one % 10));
}

bool vx_put_scaled(struct vx_out *out, enum vx_scale scale, uint64_t value)
{
	const struct unit *unit = scales[scale];

	while (unit[1].scale && value >= unit[1].scale - unit[1].scale / ROUNDS_UP)
		unit++;
	if (unit->scale == 1 || (scale == VX_SCALE_BYTES && value % unit->scale == 0))
		vx_put_unsigned(out, value / unit->scale);
	else
		put_three_digits(out, (double)value / (double)unit->scale);
	vx_put_string(out, unit->name);
	return true;
}

const char *vx_bytes_in(char *buf, uint64_t value)
{
	struct vx_out out = vx_out_in(buf, VX_LONGEST_BYTES);

	vx_put_scaled(&out, VX_SCALE_BYTES, value);
	vx_out_finish(&out);
	return buf;
}
