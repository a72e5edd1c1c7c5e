/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What can be set, for who reads it. */
#ifndef EMU_CONFIG_KEYS_H
#define EMU_CONFIG_KEYS_H

#include <stddef.h>

#include "config.h"

struct config_key;

/* NULL, or what the value should have been */
typedef const char *config_set_fn(const struct config_key *k, const char *value);

struct config_word {
	const char *text;
	uint32_t value;
};

struct config_key {
	const char *name;
	config_set_fn *set;
	uint32_t *to; /* of the device; in the first port for what each port has */
	uint32_t min, max;
	const struct config_word *words; /* the last one is empty */
};

extern const struct config_key config_keys[];
extern const size_t config_nkeys;

#endif
