/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_JSON_H
#define VERBSX_TESTS_JSON_H

#include <stdbool.h>

/** Whether a text is one JSON value in UTF-8, and nothing else, as RFC 8259 has it. */
bool json_is_valid(const char *text);

#endif
