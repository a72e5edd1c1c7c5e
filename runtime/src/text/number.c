/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Numbers as text. snprintf(3) would cost more than all the rest of a line. */

#include "form.h"

#define DECIMAL_DIGITS 20	/* of UINT64_MAX */

static const char hex_digits[] = "0123456789abcdef";

void vx_put_unsigned(struct vx_out *out, uint64_t value)
{
	char text[DECIMAL_DIGITS];
	char *first = text + sizeof(text);

	do
		*--first = (char)('0' + value % 10);
	while (value /= 10);
	vx_put(out, first, (size_t)(text + sizeof(text) - first));
}

void vx_put_signed(struct vx_out *out, int64_t value)
{
	if (value < 0)
		vx_put_char(out, '-');
	vx_put_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void vx_put_hex_digits(struct vx_out *out, uint64_t value, unsigned int digits)
{
	char text[16];
	unsigned int i;

	for (i = digits; i-- > 0; value >>= 4)
		text[i] = hex_digits[value & 0xf];
	vx_put(out, text, digits);
}

void vx_put_hex(struct vx_out *out, uint64_t value)
{
	unsigned int digits = 1;

	while (digits < 16 && value >> (4 * digits))
		digits++;
	vx_put_literal(out, "0x");
	vx_put_hex_digits(out, value, digits);
}

void vx_put_hex_bytes(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		vx_put_hex_digits(out, bytes[i], 2);
}

/* ---- scaled, to three digits and a unit ---- */

#define ROUNDS_UP 0.9995	/* with three digits, 999.5 and more of a unit is one of the next */

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

/* A value of less than 1000 units, in units / 10^decimals. */
static void put_decimals(struct vx_out *out, unsigned int value, unsigned int divisor)
{
	vx_put_unsigned(out, value / divisor);
	for (vx_put_char(out, '.'); divisor > 1; divisor /= 10)
		vx_put_char(out, (char)('0' + value / (divisor / 10) % 10));
}

static void put_three_digits(struct vx_out *out, double value)
{
	if (value < 9.995)
		put_decimals(out, (unsigned int)(value * 100 + 0.5), 100);
	else if (value < 99.95)
		put_decimals(out, (unsigned int)(value * 10 + 0.5), 10);
	else
		vx_put_unsigned(out, (uint64_t)(value + 0.5));
}

bool vx_put_scaled(struct vx_out *out, enum vx_scale scale, uint64_t value)
{
	const struct unit *unit = scales[scale];

	while (unit[1].scale && (double)value >= ROUNDS_UP * (double)unit[1].scale)
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
