/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TORTURE_H
#define VERBSX_TESTS_TORTURE_H

/*
 * What the programs share: random numbers that a seed repeats, bytes of several sorts, and a failure that tells how to
 * see it again. Each program is run as PROGRAM SEED ROUNDS.
 */

#include <stddef.h>
#include <stdint.h>

#include <verbsx/print.h>

#include "text/table.h"

/* ---- random.c ---- */

void torture_seed(uint64_t seed);
uint64_t torture_random(void);

/** From 0 to @p end - 1. */
size_t torture_below(size_t end);

/** A number of any magnitude: small ones are as likely as those of 64 bits. */
uint64_t torture_number(void);

/** Fill bytes with noise, zeros, ones, a few bits, or words of small numbers, which are likely selectors and counts. */
void torture_fill(unsigned char *bytes, size_t size);

/* ---- web.c ---- */

/**
 * A structure of any bytes, but with valid pointers: NULL, or to exactly as many elements as the field that counts them
 * says, which have pointers of their own. Lists may be rings. Lives until torture_web_free().
 */
unsigned char *torture_web(const struct vx_struct *s);
void torture_web_free(void);

/* ---- print.c ---- */

/** Print a structure in one of the styles, with any flags and mask, in all ways that there are; they must agree. */
void torture_print(struct vx_type type, const void *bytes, int style);

/* ---- main.c ---- */

/** Memory of exactly this size, so that a sanitizer notices one byte beyond. */
void *torture_exactly(size_t size);

/** One round of a program, over all that it tortures. */
void torture_round(void);

/** What is being done; printed when it fails or the sanitizer stops it. */
void torture_doing(const char *text, ...) VX_PRINTF(1, 2);

/** Count a case; end the program where it does not hold. */
#define torture_check(holds) torture_check_at(holds, #holds, __FILE__, __LINE__)
void torture_check_at(int holds, const char *text, const char *file, int line);

#endif
