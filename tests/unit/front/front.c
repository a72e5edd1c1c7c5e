/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What stands before an object: in which order, and how long. free() is that of this file (ld --wrap). */

#include <stdlib.h>
#include <string.h>

#include "front/front.h"
#include "unit/object/toys.h"

void __real_free(void *memory);
void __wrap_free(void *memory);

static const void *watched[2];
static int freed;

void __wrap_free(void *memory)
{
	freed += memory && (memory == watched[0] || memory == watched[1]);
	__real_free(memory);
}

/* An object with two fronts. */
static struct vx_node *make_fronted(struct vx_node *root, char *raw, void *fronts[2])
{
	struct vx_node *node = make(root, raw);
	int i;

	freed = 0;
	for (i = 0; i < 2; i++) {
		fronts[i] = vx_front_new(8, "make_fronted");
		cr_assert_not_null(fronts[i]);
		watched[i] = vx_front_head(fronts[i]);
		vx_front_put(node, fronts[i]);
	}
	return node;
}

Test(front, of_a_new_object_is_the_raw_one)
{
	char raw;
	struct vx_node *root = make_root();

	cr_expect_eq(make(root, &raw)->object.front, &raw);
	cr_expect_eq(vx_close(root), 0);
}

Test(front, that_comes_later_goes_on_to_that_before_it)
{
	char raw;
	void *fronts[2];
	struct vx_node *root = make_root(), *node = make_fronted(root, &raw, fronts);

	cr_expect_eq(node->object.raw, &raw);
	cr_expect_eq(node->object.front, fronts[1]);
	cr_expect_eq(vx_front_next(fronts[1]), fronts[0]);
	cr_expect_eq(vx_front_next(fronts[0]), &raw);
	cr_expect_eq(vx_front_head(fronts[0])->node, node);
	cr_expect_eq(vx_close(root), 0);
}

Test(front, is_aligned_for_anything_and_zero)
{
	static const char zero[100];
	char *front = vx_front_new(sizeof(zero), "test");

	cr_expect_eq((uintptr_t)front % _Alignof(max_align_t), 0);
	cr_expect_eq(memcmp(front, zero, sizeof(zero)), 0);
	free(vx_front_head(front));
}

Test(front, ends_with_its_object)
{
	char raw;
	void *fronts[2];
	struct vx_node *root = make_root(), *node = make_fronted(root, &raw, fronts);

	cr_expect_eq(vx_close(node), 0);
	cr_expect_eq(freed, 2);
	cr_expect_eq(vx_close(root), 0);
}

Test(front, ends_with_the_handle_of_what_is_given_back)
{
	char raw;
	void *fronts[2];
	struct vx_node *root = make_root(), *node = make_fronted(root, &raw, fronts);

	cr_expect_eq(vx_give_back(node), &raw);
	cr_expect_eq(freed, 2);
	cr_expect_eq(vx_close(root), 0);
}
