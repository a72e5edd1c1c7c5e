/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* QPs and SRQs of ids that are checked, or whose data path is shown: also of what ids post themselves. */

#undef NDEBUG /* rdma_verbs.h has assertions, which most programs are compiled with */

#include <errno.h>

#include <verbsx/cm_post.h>
#include <verbsx/guard.h>

#include "pair.h"
#include "unit/trace/last_line.h"

/* Of those to come, this one fails; 0: none. */
static unsigned int failing;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return failing && --failing == 0 ? NULL : __real_calloc(count, size);
}

static struct pair pair;
static char buf[64];
static struct vx_mr *mr;

static void close_all(void)
{
	made(vx_close(pair.channel));
	close_device();
}

TestSuite(cm_checked, .init = open_device, .fini = close_all);

static void open_datagrams(bool checked)
{
	pair_resolve(&pair, RDMA_PS_UDP);
	made(vx_cm_qp_create(pair.active, &(struct vx_cm_qp_init){ .checked = checked }, &pair.active_qp));
	mr = pair_region(pair.active, buf, sizeof(buf));
}

static struct vx_ah *own_ah(void)
{
	struct vx_pd *lent;
	struct vx_ah *ah;
	struct ibv_gid_entry gid;

	made(vx_cm_id_pd(pair.active, &lent));
	made(vx_ctx_query_gid(ctx, 1, 0, &gid));
	made(vx_ah_create(lent, &(struct vx_ah_init){ .dlid = 7, .port_num = 1, .is_global = 1, .grh = { .dgid = gid.gid } }, &ah));
	return ah;
}

static int send_to(struct vx_ah *ah, size_t length, uint32_t number)
{
	return vx_cm_id_post_ud_send(pair.active, NULL, buf, length, mr, IBV_SEND_SIGNALED, ah, number);
}

Test(cm_checked, what_an_id_posts_is_looked_at)
{
	struct vx_ah *ah;
	struct ibv_wc wc;

	open_datagrams(true);
	ah = own_ah();
	cr_expect_eq(send_to(NULL, 8, 1), -EINVAL);
	expect_reason("ah is NULL");
	cr_expect_eq(send_to(ah, 8, 1 << 24), -EINVAL);
	expect_reason("it has 0x1000000 as the number of its peer");
	cr_expect_eq(send_to(ah, sizeof(buf) + 1, 1), -EINVAL);
	expect_reason("entry 1");
	cr_expect_eq(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf) + 1, mr), -EINVAL);
	expect_reason("entry 1");
	made(send_to(ah, 8, 1));
	cr_expect_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1);
}

Test(cm_checked, a_qp_that_is_checked_later_has_its_id_posts_looked_at)
{
	struct ibv_wc wc;

	pair_connect(&pair);
	mr = pair_region(pair.active, buf, sizeof(buf));
	made(vx_cm_id_post_recv(pair.passive, NULL, buf, sizeof(buf), pair_region(pair.passive, buf, sizeof(buf))));
	made(vx_qp_check(pair.active_qp));
	cr_expect_eq(vx_cm_id_post_send(pair.active, NULL, buf, sizeof(buf) + 1, mr, IBV_SEND_SIGNALED), -EINVAL);
	expect_reason("entry 1");
	made(vx_cm_id_post_send(pair.active, NULL, buf, sizeof(buf), mr, IBV_SEND_SIGNALED));
	cr_expect_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1);
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
}

/* librdmacm alone brings it to RTS. */
Test(cm_checked, a_message_is_no_longer_than_the_port_sends)
{
	struct ibv_sge entry = { 0, UINT32_MAX, 0 };

	pair_connect(&pair);
	made(vx_qp_check(pair.active_qp));
	cr_expect_eq(vx_qp_post_rdma_write(pair.active_qp, 7, 0, &entry, 1, 1, 0), -EINVAL);
	expect_reason("it has 4294967295 bytes, and the port's max_msg_sz is ");
}

/* Which librdmacm would cut to 32 bits. */
Test(cm_checked, what_an_id_posts_is_less_than_4_gib)
{
	const size_t length = ((size_t)1 << 32) + 8;

	open_datagrams(true);
	cr_expect_eq(send_to(own_ah(), length, 1), -EINVAL);
	expect_reason("length = 4294967304, and a request has room for 0xffffffff");
	cr_expect_eq(vx_cm_id_post_recv(pair.active, NULL, buf, length, mr), -EINVAL);
	expect_reason("length = 4294967304, ");
	cr_expect_eq(vx_cm_id_post_send(pair.active, NULL, buf, length, mr, 0), -EINVAL);
	expect_reason("vx_cm_id_post_ud_send() says where to");
}

Test(cm_checked, what_a_connected_id_posts_is_less_than_4_gib)
{
	const size_t length = ((size_t)1 << 32) + 8;

	pair_connect(&pair);
	mr = pair_region(pair.active, buf, sizeof(buf));
	cr_expect_eq(vx_cm_id_post_send(pair.active, NULL, buf, length, mr, 0), -EINVAL);
	expect_reason("length = 4294967304, ");
	cr_expect_eq(vx_cm_id_post_write(pair.active, NULL, buf, length, mr, 0, (uintptr_t)buf, 1), -EINVAL);
	expect_reason("length = 4294967304, ");
	cr_expect_eq(vx_cm_id_post_read(pair.active, NULL, buf, length, mr, 0, (uintptr_t)buf, 1), -EINVAL);
	expect_reason("length = 4294967304, ");
}

/* As often as there is no memory for something, it is as it was before. */
Test(cm_checked, a_qp_that_could_not_be_checked_is_checked_by_another_try)
{
	unsigned int fails = 0;
	int rc;

	open_datagrams(false);
	do {
		failing = ++fails;
		rc = vx_qp_check(pair.active_qp);
		cr_expect(rc == 0 || rc == -ENOMEM, "%s", vx_error_text());
	} while (rc < 0);
	failing = 0;
	cr_expect_gt(fails, 2);
	cr_expect_eq(send_to(own_ah(), sizeof(buf) + 1, 1), -EINVAL);
	expect_reason("entry 1");
}

/* Then errno is of a call before, which may have told of a failure of its own. */
Test(cm_checked, what_an_id_cannot_post_at_all_is_said_after_a_refusal_too)
{
	open_datagrams(true);
	cr_expect_eq(send_to(NULL, 8, 1), -EINVAL);
	expect_reason("ah is NULL");
	vx_error_clear();
	cr_expect_eq(vx_cm_id_post_send(pair.active, NULL, buf, 8, mr, IBV_SEND_SIGNALED), -EINVAL);
	expect_reason("vx_cm_id_post_ud_send() says where to");
}

/* Nobody counts what librdmacm's own CQ has: more go through the queue than it has room for. */
Test(cm_checked, the_queue_of_an_id_is_never_taken_for_full)
{
	struct vx_ah *ah;
	struct ibv_wc wc;
	int i;

	open_datagrams(true);
	ah = own_ah();
	for (i = 0; i < 1000; i++) {
		made(send_to(ah, 8, 1));
		cr_assert_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1);
	}
}

Test(cm_checked, so_is_the_srq_of_an_id)
{
	struct vx_srq *srq;

	pair_resolve(&pair, RDMA_PS_UDP);
	made(vx_cm_srq_create(pair.active, &(struct vx_cm_srq_init){ .checked = true }, &srq));
	mr = pair_region(pair.active, buf, sizeof(buf));
	cr_expect_eq(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf) + 1, mr), -EINVAL);
	expect_reason("entry 1");
	made(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf), mr));
	made(vx_srq_post_recv_one(srq, 1, &(struct ibv_sge){ (uintptr_t)buf, sizeof(buf), vx_mr_lkey(mr) }, 1));
}

Test(cm_checked, so_is_what_librdmacm_has_made)
{
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 0 }, .qp_type = IBV_QPT_UD };

	pair_resolve(&pair, RDMA_PS_UDP);
	cr_assert_eq(rdma_create_qp(vx_cm_id_raw(pair.active), NULL, &attr), 0);
	mr = pair_region(pair.active, buf, sizeof(buf));
	made(vx_cm_id_qp(pair.active, &pair.active_qp));
	made(vx_qp_check(pair.active_qp));
	cr_expect_eq(send_to(NULL, 8, 1), -EINVAL);
	expect_reason("ah is NULL");
	made(vx_close(pair.active_qp));
	rdma_destroy_qp(vx_cm_id_raw(pair.active));
}

/* The id outlives what stood before its QP. */
Test(cm_checked, an_id_posts_to_the_qp_that_it_has)
{
	struct ibv_wc wc;

	open_datagrams(true);
	made(vx_close(pair.active_qp));
	cr_expect_eq(send_to(own_ah(), 8, 1), -EINVAL);
	expect_reason("the id has no QP");
	made(vx_cm_qp_create(pair.active, NULL, &pair.active_qp));
	made(send_to(own_ah(), 8, 1));
	cr_expect_eq(vx_cm_id_get_send_comp(pair.active, &wc), 1);
}

Test(cm_checked, what_an_id_posts_is_shown)
{
	struct last_line last = { .call = "ibv_post_send" };

	made(vx_trace_data(100));
	made(vx_trace_callback(keep_line, &last));
	open_datagrams(false);
	made(send_to(own_ah(), 8, 0x123456));
	expect_line_part(&last, "remote_qpn=1193046");
	last = (struct last_line){ .call = "ibv_post_recv" };
	made(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf), mr));
	expect_line_part(&last, "ibv_post_recv(qp=");
	made(vx_trace_callback(NULL, NULL));
	made(vx_trace_data(0));
}

Test(cm_checked, so_is_what_an_id_posts_to_a_qp_that_librdmacm_has_made)
{
	struct ibv_qp_init_attr attr = { .cap = { 4, 4, 1, 1, 0 }, .qp_type = IBV_QPT_UD };
	struct last_line last = { .call = "ibv_post_recv" };

	made(vx_trace_data(100));
	made(vx_trace_callback(keep_line, &last));
	pair_resolve(&pair, RDMA_PS_UDP);
	cr_assert_eq(rdma_create_qp(vx_cm_id_raw(pair.active), NULL, &attr), 0);
	mr = pair_region(pair.active, buf, sizeof(buf));
	made(vx_cm_id_qp(pair.active, &pair.active_qp));
	made(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf), mr));
	expect_line_part(&last, "ibv_post_recv(qp=");
	made(vx_close(pair.active_qp));
	rdma_destroy_qp(vx_cm_id_raw(pair.active));
	made(vx_trace_callback(NULL, NULL));
	made(vx_trace_data(0));
}

Test(cm_checked, and_to_an_srq_that_librdmacm_has_made)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct last_line last = { .call = "ibv_post_srq_recv" };
	struct vx_srq *srq;

	made(vx_trace_data(100));
	made(vx_trace_callback(keep_line, &last));
	pair_resolve(&pair, RDMA_PS_UDP);
	cr_assert_eq(rdma_create_srq(vx_cm_id_raw(pair.active), NULL, &attr), 0);
	mr = pair_region(pair.active, buf, sizeof(buf));
	made(vx_cm_id_srq(pair.active, &srq));
	made(vx_cm_id_post_recv(pair.active, NULL, buf, sizeof(buf), mr));
	expect_line_part(&last, "ibv_post_srq_recv(srq=");
	made(vx_close(srq));
	rdma_destroy_srq(vx_cm_id_raw(pair.active));
	made(vx_trace_callback(NULL, NULL));
	made(vx_trace_data(0));
}
