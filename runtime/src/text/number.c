/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Numbers as text. snprintf(3) would cost more than all the rest of a line. */

#include "out.h"

#define DECIMAL_DIGITS 20	/* of UINT64_MAX */

static const char digit_pairs[] =
	"00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839"
	"40414243444546474849" "50515253545556575859" "60616263646566676869" "70717273747576777879"
	"80818283848586878889" "90919293949596979899";

static const char hex_digits[] = "0123456789abcdef";

void vx_put_unsigned(struct vx_out *out, uint64_t value)
{
	char text[DECIMAL_DIGITS];
	char *first = text + sizeof(text);

	if (value < 10) {
		vx_put_char(out, (char)('0' + value));
		return;
	}
	while (value >= 100) {
		first -= 2;
		memcpy(first, digit_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		first -= 2;
		memcpy(first, digit_pairs + 2 * value, 2);
	} else {
		*--first = (char)('0' + value);
	}
	vx_put(out, first, (size_t)(text + sizeof(text) - first));
}

void vx_put_signed(struct vx_out *out, int64_t value)
{
	if (value < 0) {
		vx_put_char(out, '-');
		vx_put_unsigned(out, 0 - (uint64_t)value);
	} else {
		vx_put_unsigned(out, (uint64_t)value);
	}
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
