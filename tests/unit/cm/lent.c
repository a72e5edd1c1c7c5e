/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What librdmacm lends is of all ids: who closes it gives back what he was given, and takes nothing along. */

#include <errno.h>

#include "pair.h"

TestSuite(cm_lent, .init = open_device, .fini = close_device);

Test(cm_lent, closing_a_pd_leaves_the_qps_of_ids)
{
	struct vx_pd *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	cr_expect_not_null(vx_cm_id_raw(pair.passive)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, closing_a_context_leaves_what_ids_have_on_it)
{
	struct vx_ctx *lent, *listed;
	struct pair pair;
	size_t count;

	made(vx_cm_contexts(&listed, 1, &count)); /* before an id has anything on it */
	pair_connect(&pair);
	made(vx_close(listed));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_cm_id_ctx(pair.passive, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.passive)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, closing_a_cq_leaves_the_qp_that_librdmacm_made_it_for)
{
	struct vx_cq *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_recv_cq(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_not_null(vx_cm_id_raw(pair.active)->qp);
	made(vx_close(pair.channel));
}

Test(cm_lent, what_is_closed_too_often_names_a_user)
{
	struct vx_pd *lent;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_close(lent));
	cr_expect_eq(vx_close(lent), -EBUSY);
	expect_reason("it was closed as often as it was given, and ");
	expect_reason("cm_qp ");
	made(vx_close(pair.channel));
}

/* librdmacm may give the same address to the next. */
Test(cm_lent, a_pd_goes_with_the_last_id_and_what_was_made_on_it)
{
	static char buf[64];
	const int before = live(NULL);
	struct vx_pd *lent;
	struct vx_mr *mr;
	struct vx_ctx *ctx_of;
	struct pair pair;

	pair_connect(&pair);
	made(vx_cm_id_ctx(pair.active, &ctx_of));
	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_mr_create(lent, &(struct vx_mr_init){ .addr = buf, .length = sizeof(buf) }, &mr));
	made(vx_close(lent));
	made(vx_close(pair.channel));
	made(vx_close(ctx_of));
	cr_expect_eq(live(NULL), before);
}
