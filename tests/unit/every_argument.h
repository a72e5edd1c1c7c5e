/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_EVERY_ARGUMENT_H
#define VERBSX_TESTS_UNIT_EVERY_ARGUMENT_H

/*
 * What the tests share that each function of a vendor's header gets by itself, see every_argument.py: what the function in the place of
 * rdma-core's was given, argument by argument, and what a program gets of it.
 */

#include "unit/every_gate.h" /* includes vendors.h first */

#include "unit/vendor/be_of.h"

enum { MOST_ARGUMENTS = 8, MOST_BYTES = 1024, ANSWERED = 0x33, SAID = 77 };

/* What is given: a byte of 1 is true as well, and a bit of each mask. */
#define GIVEN_BYTE 1

static struct {
	uint64_t number;
	size_t size;
	unsigned char bytes[MOST_BYTES];
} took[MOST_ARGUMENTS];

static int called;
static const void *ended;
static uint64_t new_raw[MOST_BYTES / sizeof(uint64_t)];

/* An argument that is a number or an address; a structure, which may be gone when the call returns. */
static inline void take(int at, uint64_t value)
{
	took[at].number = value;
	took[at].size = 0;
}

static inline void take_bytes(int at, const void *bytes, size_t size)
{
	cr_assert_leq(size, MOST_BYTES);
	take(at, (uintptr_t)bytes);
	took[at].size = size;
	if (bytes)
		memcpy(took[at].bytes, bytes, size);
}

/* What an object is, whoever is asked to end it. */
static inline int end_raw(const void *raw)
{
	ended = raw;
	return 0;
}

static inline void begin_recording(void)
{
	memset(took, 0, sizeof(took));
	memset(new_raw, 0, sizeof(new_raw));
	called = 0;
	ended = NULL;
}

static int cmd_fd;

static inline void be_of_vfio(void)
{
	cmd_fd = vx_ctx_raw(ctx)->cmd_fd;
	vx_ctx_raw(ctx)->cmd_fd = -1;
}

static inline void be_of_the_kernel(void)
{
	vx_ctx_raw(ctx)->cmd_fd = cmd_fd;
}

static inline void record_as(const char *call, vx_function function)
{
	made(vx_loader_replace(call, function));
}

static inline void fill_given(void *memory, size_t size)
{
	memset(memory, GIVEN_BYTE, size);
}

static inline bool is_answer(const void *memory, size_t size)
{
	const unsigned char *bytes = memory;
	size_t i;

	for (i = 0; i < size && bytes[i] == ANSWERED; i++)
		;
	return i == size;
}

#define expect_called(call) cr_assert_eq(called, 1, "%s was called %d times", call, called)
#define expect_number(at, name, value) cr_expect_eq(took[at].number, (uint64_t)(value), name " is %#llx", (unsigned long long)took[at].number)
#define expect_address(at, name, value) expect_number(at, name, (uintptr_t)(value))
#define expect_bytes(at, name, memory, length) cr_expect(!memcmp(took[at].bytes, memory, length), name " differs")
#define expect_bytes_at(at, name, index, value) \
	cr_expect_eq(((const uint64_t *)(const void *)took[at].bytes)[index], (uint64_t)(uintptr_t)(value), name " differs")
#define expect_answer(name, memory) cr_expect(is_answer(memory, sizeof(*(memory))), name " is not what was answered")

#endif
