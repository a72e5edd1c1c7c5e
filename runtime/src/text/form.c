/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <fcntl.h>

#include "form.h"
#include "parts.h"

#define TIMEOUT_BITS 5			/* timers of the InfiniBand architecture */
#define TIMEOUT_UNIT_NS UINT64_C(4096)

/* Values that are not what they seem. */
static const struct {
	int8_t value;
	char word[15];
} words[VX_FORMS] = {
#define WORD(form, value, word) [VX_FORM_##form] = { value, word },
	VX_SPECIAL_WORDS
#undef WORD
};

const char *vx_code_word(uint16_t code, uint64_t value)
{
	const struct vx_code_row *row = &vx_code_rows[vx_codes[code].row], *end = row + vx_codes[code].rows;

	for (; row < end; row++)
		if (row->value == value)
			return vx_struct_text(row->text);
	return NULL;
}

/* "4 KiB|2 MiB"; three sizes or more in a row as "4 KiB..2 MiB". */
static bool put_page_sizes(struct vx_out *out, uint64_t set)
{
	struct vx_join join = { .out = out, .between = "|" };
	unsigned int bit, run;

	for (bit = 0; bit < 64 && set >> bit; bit += run) {
		bit += (unsigned int)__builtin_ctzll(set >> bit);
		run = ~(set >> bit) ? (unsigned int)__builtin_ctzll(~(set >> bit)) : 64; /* bits that are set in a row */
		if (run == 2)
			run = 1;
		vx_join_next(&join);
		vx_put_scaled(out, VX_SCALE_BYTES, UINT64_C(1) << bit);
		if (run > 1) {
			vx_put_string(out, "..");
			vx_put_scaled(out, VX_SCALE_BYTES, UINT64_C(1) << (bit + run - 1));
		}
	}
	return set != 0;
}

static bool put_errno(struct vx_out *out, int64_t value)
{
	const char *word = value < 0 && value > -4096 ? vx_errno_word(-value) : NULL;

	if (word)
		vx_put_format(out, "-%s", word);
	return word;
}

/* open(2) flags, and what has no name. */
static bool put_mode(struct vx_out *out, uint64_t mode)
{
	static const struct {
		uint32_t mask, value;
		char word[12];
	} flags[] = {
#define FLAG(name, mask) { mask, name, #name },
		VX_OPEN_FLAGS
#undef FLAG
	};
	struct vx_join join = { .out = out, .between = "|" };
	uint64_t rest = mode;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if ((mode & flags[i].mask) != flags[i].value)
			continue;
		vx_join_next(&join);
		vx_put_string(out, flags[i].word);
		rest &= ~(uint64_t)flags[i].mask;
	}
	if (rest && join.entries)
		vx_put_format(out, "|0x%llx", (unsigned long long)rest);
	return join.entries;
}

bool vx_form_put(struct vx_out *out, enum vx_form form, uint64_t value)
{
	if (words[form].word[0] && words[form].value == (int64_t)value)
		return vx_put_if_any(out, words[form].word);
	switch (form) {
	case VX_FORM_PAGE_SIZES:
		return put_page_sizes(out, value);
	case VX_FORM_VX_NONE:
		return value == VX_FORM_NONE && vx_put_if_any(out, "VX_NONE");
	case VX_FORM_LOG2:
		if (value < 64)
			vx_put_unsigned(out, UINT64_C(1) << value);
		return value < 64;
	case VX_FORM_ACK_TIMEOUT:
	case VX_FORM_DELAY:
		return !(value >> TIMEOUT_BITS) && vx_put_scaled(out, VX_SCALE_NS, TIMEOUT_UNIT_NS << value);
	case VX_FORM_RATE_KBPS:
	case VX_FORM_KBPS:
		return value && vx_put_scaled(out, VX_SCALE_KBPS, value);
	case VX_FORM_CLOCK_KHZ:
		return vx_put_scaled(out, VX_SCALE_KHZ, value);
	case VX_FORM_BYTES:
		return vx_put_scaled(out, VX_SCALE_BYTES, value);
	case VX_FORM_NS:
		return vx_put_scaled(out, VX_SCALE_NS, value);
	case VX_FORM_ERRNO:
		return put_errno(out, (int64_t)value);
	case VX_FORM_MODE:
		return put_mode(out, value);
	case VX_FORM_VERSION: /* the firmware's: 32 bits, 16 bits, 16 bits */
		vx_put_format(out, "%u.%u.%u", (unsigned int)(value >> 32), (unsigned int)(value >> 16 & 0xffff), (unsigned int)(value & 0xffff));
		return true;
	default:
		return false;
	}
}
