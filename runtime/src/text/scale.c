/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include "form.h"

#define ROUNDS_UP 0.9995	/* with three digits, 999.5 and more of a unit is one of the next */

struct unit {
	uint64_t scale;
	char name[8];
};

static const struct unit byte_units[] = {
	{ 1, " B" }, { UINT64_C(1) << 10, " KiB" }, { UINT64_C(1) << 20, " MiB" },
	{ UINT64_C(1) << 30, " GiB" }, { UINT64_C(1) << 40, " TiB" }, { UINT64_C(1) << 50, " PiB" }, { UINT64_C(1) << 60, " EiB" },
};

static const struct unit time_units[] = {
	{ 1, " ns" }, { 1000, " us" }, { 1000000, " ms" }, { 1000000000, " s" },
	{ UINT64_C(60000000000), " min" }, { UINT64_C(3600000000000), " h" },
};

static const struct unit rate_units[] = {
	{ 1, " kb/s" }, { 1000, " Mb/s" }, { 1000000, " Gb/s" }, { 1000000000, " Tb/s" },
};

static const struct unit clock_units[] = { { 1, " kHz" }, { 1000, " MHz" }, { 1000000, " GHz" } };

static const struct unit *suitable(const struct unit *units, size_t count, uint64_t value)
{
	size_t i = 0;

	while (i + 1 < count && (double)value >= ROUNDS_UP * (double)units[i + 1].scale)
		i++;
	return &units[i];
}

static void put_two_digits(struct vx_out *out, unsigned int value)
{
	vx_put_char(out, (char)('0' + value / 10));
	vx_put_char(out, (char)('0' + value % 10));
}

static void put_three_digits(struct vx_out *out, double value)
{
	unsigned int rounded;

	if (value < 9.995) {
		rounded = (unsigned int)(value * 100 + 0.5);
		vx_put_unsigned(out, rounded / 100);
		vx_put_char(out, '.');
		put_two_digits(out, rounded % 100);
	} else if (value < 99.95) {
		rounded = (unsigned int)(value * 10 + 0.5);
		vx_put_unsigned(out, rounded / 10);
		vx_put_char(out, '.');
		vx_put_unsigned(out, rounded % 10);
	} else {
		vx_put_unsigned(out, (uint64_t)(value + 0.5));
	}
}

static void put_scaled(struct vx_out *out, const struct unit *unit, uint64_t value, bool whole)
{
	if (unit->scale == 1 || whole)
		vx_put_unsigned(out, value / unit->scale);
	else
		put_three_digits(out, (double)value / (double)unit->scale);
	vx_put_string(out, unit->name);
}

void vx_put_bytes_scaled(struct vx_out *out, uint64_t bytes)
{
	const struct unit *unit = suitable(byte_units, sizeof(byte_units) / sizeof(byte_units[0]), bytes);

	put_scaled(out, unit, bytes, bytes && bytes % unit->scale == 0);
}

void vx_put_ns_scaled(struct vx_out *out, uint64_t ns)
{
	put_scaled(out, suitable(time_units, sizeof(time_units) / sizeof(time_units[0]), ns), ns, false);
}

void vx_put_kbps_scaled(struct vx_out *out, uint64_t kbps)
{
	put_scaled(out, suitable(rate_units, sizeof(rate_units) / sizeof(rate_units[0]), kbps), kbps, false);
}

void vx_put_khz_scaled(struct vx_out *out, uint64_t khz)
{
	put_scaled(out, suitable(clock_units, sizeof(clock_units) / sizeof(clock_units[0]), khz), khz, false);
}
