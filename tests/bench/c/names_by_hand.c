/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "names_by_hand.h"

#include <string.h>

#include <infiniband/verbs.h>

#define CASE(name) \
	case name: \
		return #name;
#define AT_VALUE(name) [name] = #name,
#define AT_BIT(name) [__builtin_ctz(name)] = #name,

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const statuses[] = { STATUSES(AT_VALUE) };
static const char *const access_flags[] = { ACCESS_FLAGS(AT_BIT) };
static const char *const rates[] = { RATES(AT_VALUE) };

const char *status_by_switch(int value)
{
	switch (value) {
		STATUSES(CASE)
	default:
		return NULL;
	}
}

const char *access_by_switch(int value)
{
	switch (value) {
		ACCESS_FLAGS(CASE)
	default:
		return NULL;
	}
}

const char *rate_by_switch(int value)
{
	switch (value) {
		RATES(CASE)
	default:
		return NULL;
	}
}

const char *status_by_pointers(int value)
{
	return (unsigned int)value < COUNT(statuses) ? statuses[value] : NULL;
}

const char *access_by_pointers(int value)
{
	unsigned int flag = (unsigned int)value;

	if (__builtin_popcount(flag) != 1 || (size_t)__builtin_ctz(flag) >= COUNT(access_flags))
		return NULL;
	return access_flags[__builtin_ctz(flag)];
}

const char *rate_by_pointers(int value)
{
	return (unsigned int)value < COUNT(rates) ? rates[value] : NULL;
}

static int index_of(const char *const *names, size_t count, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (names[i] && strlen(names[i]) == length && !memcmp(names[i], name, length))
			return (int)i;
	return -1;
}

int status_of(const char *name)
{
	return index_of(statuses, COUNT(statuses), name, strlen(name));
}

int access_of(const char *names)
{
	int flags = 0;

	for (;;) {
		size_t length = strcspn(names, "|");
		int bit = index_of(access_flags, COUNT(access_flags), names, length);

		if (bit < 0)
			return -1;
		flags |= 1 << bit;
		if (!names[length])
			return flags;
		names += length + 1;
	}
}
