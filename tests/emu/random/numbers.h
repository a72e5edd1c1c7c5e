/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Random numbers, which depend on nothing but the seed and the step. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

void seed_step(unsigned long seed, uint32_t step);
uint32_t below(uint32_t n);
bool one_in(uint32_t n);

#endif
