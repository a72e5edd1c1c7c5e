/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the program does with objects in functions of its own, which closing calls. A test that blocks ends by its timeout. */

#include <stdio.h>
#include <stdlib.h>

#include "unit/device.h"

static struct vx_cq *cq;

static struct vx_qp *new_qp(struct vx_pd *parent)
{
	struct vx_qp *qp;

	made(vx_qp_create(parent, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

static void open_with_cq(void)
{
	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
}

static void end(void)
{
	made(vx_trace_callback(NULL, NULL));
	close_device();
}

TestSuite(nested, .init = open_with_cq, .fini = end, .timeout = 20);

/* ---- memory for rings ---- */

#define RINGS 16

/* Rings in memory that is registered as well, so that a region lives as long as each of them. */
static struct ring {
	struct vx_mr *mr;
	void *addr;
} rings[RINGS];
static unsigned int given, taken;

static void *give(struct ibv_pd *domain, void *context, size_t size, size_t alignment, uint64_t type)
{
	struct ring *ring = &rings[given++];

	(void)domain, (void)context, (void)alignment, (void)type;
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = size }, &ring->mr));
	ring->addr = vx_mr_addr(ring->mr);
	return ring->addr;
}

static void take(struct ibv_pd *domain, void *context, void *addr, uint64_t type)
{
	unsigned int i;

	(void)domain, (void)context, (void)type;
	for (i = 0; i < given && rings[i].addr != addr; i++)
		;
	cr_assert_lt(i, given);
	taken++;
	cr_expect_eq(vx_close(rings[i].mr), 0, "%s", vx_error_text());
}

Test(nested, memory_of_a_ring_is_closed_with_its_qp)
{
	struct vx_pd *domain;
	struct vx_qp *qp;

	made(vx_parent_domain_create(pd, &(struct vx_parent_domain_init){ .alloc = give, .free = take }, &domain));
	qp = new_qp(domain);
	cr_assert_gt(given, 0);
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	cr_expect_eq(taken, given);
	cr_expect_eq(live("mr"), 0);
}

/* ---- tracing ---- */

static struct vx_mr *regions[3];

static void close_neighbour(const struct vx_trace_call *call, void *data)
{
	struct vx_mr *neighbour = *(struct vx_mr **)data;

	if (strcmp(call->call, "ibv_dereg_mr") || !neighbour)
		return;
	*(struct vx_mr **)data = NULL;
	cr_expect_eq(vx_close(neighbour), 0, "%s", vx_error_text());
}

/* The next in turn, then one that is far off. */
static void close_beside(unsigned int neighbour)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 64 }, &regions[i]));
	made(vx_trace_callback(close_neighbour, &regions[neighbour]));
	cr_expect_eq(vx_close(pd), 0, "%s", vx_error_text());
	cr_expect_eq(live("mr") + live("pd"), 0);
}

Test(nested, the_next_to_be_closed_is_closed_by_a_traced_call)
{
	close_beside(1);
}

Test(nested, the_last_to_be_closed_is_closed_by_a_traced_call)
{
	close_beside(0);
}

static void close_at(const struct vx_trace_call *call, const char *name, void *object)
{
	static bool inside;

	if (inside || strcmp(call->call, name))
		return;
	inside = true;
	cr_expect_eq(vx_close(object), 0, "%s", vx_error_text());
}

static void close_when_acknowledged(const struct vx_trace_call *call, void *qp)
{
	close_at(call, "ibv_ack_async_event", qp);
}

/* What is left to be acknowledged of the other vanishes from the list that is being gone through. */
Test(nested, another_object_is_closed_by_the_acknowledgement_of_an_event)
{
	struct vx_qp *one = new_qp(pd), *other = new_qp(pd);
	struct vx_async_event event;

	send_event("COMM_EST", vx_qp_raw(one)->qp_num);
	send_event("COMM_EST", vx_qp_raw(other)->qp_num);
	made(vx_ctx_get_async_event(ctx, SOON, &event));
	made(vx_ctx_get_async_event(ctx, SOON, &event));
	made(vx_trace_callback(close_when_acknowledged, other));
	cr_expect_eq(vx_close(one), 0, "%s", vx_error_text());
	cr_expect_eq(live("qp"), 0);
}

static void close_when_joined(const struct vx_trace_call *call, void *mcast)
{
	close_at(call, "ibv_attach_mcast", mcast);
}

/* As another thread might, before there is a handle for the second time. */
Test(nested, a_group_is_left_while_it_is_joined_again)
{
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct vx_mcast *first, *second;
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_mcast_create(qp, &group, &first));
	made(vx_trace_callback(close_when_joined, first));
	made(vx_mcast_create(qp, &group, &second));
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	cr_expect_eq(live("qp"), 0);
}

static void print_cq(const struct vx_trace_call *call, void *data)
{
	if (!strcmp(call->call, "ibv_destroy_qp"))
		vx_print(data, cq);
}

Test(nested, a_traced_call_prints_another_object)
{
	struct vx_qp *qp = new_qp(pd);
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	made(vx_trace_callback(print_cq, out));
	cr_expect_eq(vx_close(qp), 0, "%s", vx_error_text());
	fclose(out);
	cr_expect_not_null(strstr(text, ": mlx5_0 cq"), "%s", text);
	free(text);
}
