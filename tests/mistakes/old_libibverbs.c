/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A library that has one symbol of its own, for those of libibverbs to be missed. */

extern const char libibverbs_of_long_ago[];
const char libibverbs_of_long_ago[] = "25";
