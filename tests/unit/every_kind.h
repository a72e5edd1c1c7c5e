/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_EVERY_KIND_H
#define VERBSX_TESTS_UNIT_EVERY_KIND_H

/* What the tests share that each kind gets by itself, see every_kind.py. */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "vendors.h" /* before what has variables of these names */

#include "unit/device.h"
#include "unit/vendor/be_of.h"

/* With checks, a handle of another kind ends the program. */
#define OF_A_WRONG_HANDLE (VERBSX_CHECKS ? SIGABRT : 0)

/* Of a mask of 64 bits one that has no place in an int. */
#define HIGH_BIT(mask) ((__typeof__(mask))1 << (8 * sizeof(mask) - 2))

static inline void expect_unknown(const char *mask, uint64_t bits)
{
	char words[64];

	snprintf(words, sizeof(words), "%s has %#" PRIx64 ", which", mask, bits);
	expect_reason(words);
}

static inline struct vx_ctx *ctx_for_tests(void)
{
	return ctx;
}

static inline struct vx_pd *pd_for_tests(void)
{
	return pd;
}

static inline struct vx_qp *qp_for_tests(void)
{
	static struct vx_qp *qp;
	struct vx_cq *cq;

	if (!qp) {
		made(vx_cq_create(ctx, NULL, &cq));
		made(vx_qp_create(pd,
				  &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD },
				  &qp));
	}
	return qp;
}

static struct vx_cm_channel *cm_channel;

static inline struct vx_cm_channel *cm_channel_for_tests(void)
{
	if (!cm_channel)
		made(vx_cm_channel_create(NULL, &cm_channel));
	return cm_channel;
}

static inline void close_all(void)
{
	vx_close(cm_channel);
	close_device();
}

/* One that has a device. */
static inline struct vx_cm_id *cm_id_for_tests(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(0x0a010001) } };
	static struct vx_cm_id *id;

	if (!id) {
		made(vx_cm_id_create(cm_channel_for_tests(), NULL, &id));
		made(vx_cm_id_bind_addr(id, (struct sockaddr *)&address));
	}
	return id;
}

/* The calls that are traced, but for those that look for a reason. */
static char heard[16][64], first_line[4096];
static int heard_count;

static inline void hear(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (!call->aside && heard_count == 0)
		snprintf(first_line, sizeof(first_line), "%s", call->line);
	if (!call->aside && heard_count < 16)
		snprintf(heard[heard_count++], sizeof(heard[0]), "%s", call->call);
}

static inline void start_listening(void)
{
	made(vx_trace_callback(hear, NULL));
}

/* A value as it is, or behind words for it. */
static inline bool is_value(const char *text, size_t length, const char *value)
{
	size_t end = strlen(value);

	if (length >= end && !strncmp(text, value, end) && (length == end || text[end] == '('))
		return true;
	return length > end && text[length - end - 1] == '(' && !strncmp(text + length - end, value, end);
}

/* A field that the first call was told, if it is of those that its line has: of a GRH it has none where there is none. */
static inline void expect_told(const char *name, const char *value)
{
	char wanted[128];
	const char *found;

	snprintf(wanted, sizeof(wanted), "%s=", name);
	cr_assert(*first_line, "nothing was called");
	found = strstr(first_line, wanted);
	if (found)
		cr_expect(is_value(found + strlen(wanted), strcspn(found + strlen(wanted), " ,})"), value),
			  "%s is not %s: %s", name, value, first_line);
}

static inline bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* By one of its calls, which the trace and an error name, unless it was refused before; and ended by another. */
static inline void expect_made(int rc, void *object, const char *const *calls, const char *ending)
{
	if (heard_count == 0) {
		cr_expect_lt(rc, 0);
		return;
	}
	cr_expect(is_one_of(heard[0], calls), "%s", heard[0]);
	if (rc == 0) {
		cr_expect_eq(vx_close(object), 0, "%s", vx_error_text());
		cr_expect_str_eq(heard[heard_count - 1], ending);
	} else {
		cr_expect(is_one_of(vx_error()->call, calls), "%s", vx_error()->call);
	}
	made(vx_trace_callback(NULL, NULL));
}

static inline void expect_refused(int rc, void *object, const char *const *calls, int before)
{
	int asked = 0;

	made(vx_trace_callback(NULL, NULL));
	for (int i = 0; i < heard_count; i++)
		asked += is_one_of(heard[i], calls);
	cr_expect_leq(asked, 1, "it was asked again for the reason");
	fail_calls("");
	if (rc == 0)
		cr_expect_eq(vx_close(object), 0, "%s", vx_error_text());
	else if (rc == -EIO)
		cr_expect(is_one_of(vx_error()->call, calls), "%s", vx_error()->call);
	cr_expect_eq(live(NULL), before);
}

#endif
