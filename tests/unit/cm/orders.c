/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A server with live connections is closed in any order: nothing waits, nothing is left. */

#include <stdlib.h>

#include "pair.h"

TestSuite(cm_orders, .init = open_device, .fini = close_device);

#define ORDERS 60
#define MOST 16

/* What a program may have of it. */
struct things {
	void *of[MOST];
	size_t count;
};

static void add(struct things *things, void *object)
{
	things->of[things->count++] = object;
}

static void shuffle(struct things *things, unsigned int *seed)
{
	size_t i, j;

	for (i = things->count; i > 1; i--) {
		void *swapped = things->of[i - 1];

		j = (size_t)rand_r(seed) % i;
		things->of[i - 1] = things->of[j];
		things->of[j] = swapped;
	}
}

/* What is a handle no more prints as its address. */
static bool is_open(void *object)
{
	const struct vx_async_event holder = { .object = object };
	char text[1024];

	vx_snprint(text, sizeof(text), VX_TYPEOF(&holder), &holder, VX_COMPACT);
	return !strstr(text, "object=0x");
}

/* Those that are of a program's own making, some lent things among them; what one took along is gone. */
static void fill(struct things *things, const struct pair *pair, unsigned int *seed)
{
	struct vx_pd *lent;
	struct vx_mr *mr;
	struct vx_cq *cq;
	static char buf[64];

	add(things, pair->listener);
	add(things, pair->active);
	add(things, pair->passive);
	add(things, pair->active_qp);
	add(things, pair->passive_qp);
	made(vx_cm_id_pd(pair->active, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .addr = buf, .length = sizeof(buf) }, &mr));
	add(things, mr);
	if (rand_r(seed) % 2)
		add(things, lent);
	made(vx_cm_id_recv_cq(pair->passive, &cq));
	add(things, cq);
}

static void close_in_order(unsigned int seed)
{
	struct things things = { 0 };
	struct vx_ctx *lent;
	struct pair pair;
	size_t i;

	pair_connect(&pair);
	made(vx_cm_id_ctx(pair.active, &lent));
	fill(&things, &pair, &seed);
	shuffle(&things, &seed);
	for (i = 0; i < things.count; i++)
		if (is_open(things.of[i]))
			cr_assert_eq(vx_close(things.of[i]), 0, "%s", vx_error_text());
	made(vx_close(pair.channel));
	made(vx_close(lent));
}

Test(cm_orders, of_closing_leave_nothing)
{
	int before = live(NULL);
	unsigned int seed;

	for (seed = 1; seed <= ORDERS; seed++) {
		close_in_order(seed);
		cr_assert_eq(live(NULL), before, "order %u", seed);
	}
}

/* The number of an order as that of what is next, each time of what is left. */
static void take_order(struct things *things, unsigned int order)
{
	size_t left, next;
	void *taken;

	for (left = things->count; left; left--) {
		next = order % left;
		order /= (unsigned int)left;
		taken = things->of[next];
		things->of[next] = things->of[left - 1];
		things->of[left - 1] = taken;
	}
}

/* Closing the channel takes all along. */
Test(cm_orders, each_of_a_channel_and_its_ids_leaves_nothing)
{
	int before = live(NULL);
	struct things things;
	struct pair pair;
	unsigned int order;
	size_t i;

	for (order = 0; order < 4 * 3 * 2; order++) {
		pair_connect(&pair);
		things = (struct things){ { pair.channel, pair.listener, pair.active, pair.passive }, 4 };
		take_order(&things, order);
		for (i = 0; i < things.count; i++)
			if (is_open(things.of[i]))
				cr_assert_eq(vx_close(things.of[i]), 0, "%s", vx_error_text());
		cr_assert_eq(live(NULL), before, "order %u", order);
	}
}
