/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "calls/prm.h"

#include <endian.h>
#include <linux/types.h>

static int shift_of(struct field f)
{
	return 32 - f.offset % 32 - f.width;
}

static uint32_t mask_of(struct field f)
{
	return (uint32_t)((1ull << f.width) - 1);
}

uint32_t prm_get(const void *mailbox, struct field f)
{
	const __be32 *word = (const __be32 *)mailbox + f.offset / 32;

	return be32toh(*word) >> shift_of(f) & mask_of(f);
}

void prm_set(void *mailbox, struct field f, uint32_t value)
{
	__be32 *word = (__be32 *)mailbox + f.offset / 32;
	uint32_t mask = mask_of(f) << shift_of(f);

	*word = htobe32((be32toh(*word) & ~mask) | (value << shift_of(f) & mask));
}

static struct field half(struct field f, int i)
{
	return (struct field){ f.offset + 32 * i, 32 };
}

uint64_t prm_get64(const void *mailbox, struct field f)
{
	return (uint64_t)prm_get(mailbox, half(f, 0)) << 32 | prm_get(mailbox, half(f, 1));
}

void prm_set64(void *mailbox, struct field f, uint64_t value)
{
	prm_set(mailbox, half(f, 0), value >> 32);
	prm_set(mailbox, half(f, 1), value);
}
