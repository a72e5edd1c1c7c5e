/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "form.h"

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

void vx_put_scaled(struct vx_out *out, enum vx_scale scale, uint64_t value)
{
	const struct unit *unit = scales[scale];

	while (unit[1].scale && (double)value >= ROUNDS_UP * (double)unit[1].scale)
		unit++;
	if (unit->scale == 1 || (scale == VX_SCALE_BYTES && value % unit->scale == 0))
		vx_put_unsigned(out, value / unit->scale);
	else
		put_three_digits(out, (double)value / (double)unit->scale);
	vx_put_string(out, unit->name);
}

const char *vx_bytes_in(char *buf, uint64_t value)
{
	struct vx_out out;

	vx_out_buffer(&out, buf, VX_LONGEST_BYTES);
	vx_put_scaled(&out, VX_SCALE_BYTES, value);
	vx_out_finish(&out);
	return buf;
}
