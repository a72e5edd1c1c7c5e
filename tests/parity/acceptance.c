/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the tests and documents of python-rdma do with its data path, done with libverbsx on any device: README.md says which is
 * which. Statuses of what fails differ between devices, so it is asked only that they tell of a failure.
 */

#include "bed.h"

TestSuite(acceptance, .init = open_all, .fini = close_device);

/* ---- A1: each kind is made, asked, printed and closed ---- */

static void expect_printed(struct vx_type type, const void *object)
{
	char text[4096];

	cr_expect_gt(vx_snprint(text, sizeof(text), type, object, VX_TEXT), 0);
}

static void enter_group(struct vx_qp *qp)
{
	struct vx_mcast_init group = { .lid = 0xc000 };
	struct ibv_port_attr port;
	struct vx_mcast *member;

	made(vx_ctx_query_port(ctx, 1, &port));
	expect_printed(VX_TYPEOF(&port), &port);
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET)
		group.lid = 0;
	memcpy(group.gid.raw, "\xff\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\1", sizeof(group.gid.raw));
	made(vx_mcast_create(qp, &group, &member));
	closed(member);
}

static void try_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 4 };

	made(vx_srq_create(pd, NULL, &srq));
	made(vx_srq_modify(srq, &attr, IBV_SRQ_LIMIT));
	made(vx_srq_query(srq, &attr));
	cr_expect_eq(attr.srq_limit, 4);
	expect_printed(VX_TYPEOF(srq), srq);
	closed(srq);
	srq = NULL;
}

Test(acceptance, a1_all_is_made_asked_printed_and_closed)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct vx_path path;
	struct vx_ah *ah;
	struct ibv_wc wc;

	cr_expect_eq(vx_cq_poll(cq, 1, &wc), 0);
	cr_expect(vx_cq_resize(cq, 600) == 0 || vx_error()->code == -EOPNOTSUPP, "%s", vx_error_text());
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));
	made(vx_qp_query(qp, &attr, IBV_QP_STATE | IBV_QP_QKEY, &init));
	cr_expect_eq(attr.qp_state, IBV_QPS_RTS);
	expect_printed(VX_TYPEOF(qp), qp);
	enter_group(qp);
	path = way_to(qp);
	made(vx_pd_ah(pd, &path, &ah));
	refused(vx_ah_create(pd, NULL, &ah));
	try_srq();
	closed(qp);
}

/* ---- A2: both send, and both hear ---- */

static int count_received(const struct ibv_wc *wc, int count)
{
	int i, received = 0;

	for (i = 0; i < count; i++) {
		cr_expect_eq(wc[i].status, IBV_WC_SUCCESS, "%s", vx_ibv_wc_status_name(wc[i].status));
		if (wc[i].status == IBV_WC_SUCCESS && wc[i].opcode & IBV_WC_RECV) {
			cr_expect_eq(((char *)vx_pool_at(pool, wc[i].wr_id))[MESSAGE - 1], 'm');
			received++;
		}
	}
	return received;
}

static void both_send(enum ibv_qp_type type, bool shared)
{
	struct vx_qp *qps[2];
	struct vx_path paths[2];
	struct ibv_wc wc[4];
	int i;

	if (type != IBV_QPT_UD) /* there messages begin where buffers do */
		made(vx_pool_create(pd, &(struct vx_pool_init){ .count = BUFFERS, .size = MESSAGE }, &pool));
	if (shared)
		made(vx_srq_create(pd, &(struct vx_srq_init){ .attr.max_wr = 16 }, &srq));
	for (i = 0; i < 2; i++)
		qps[i] = new_qp(type);
	for (i = 0; i < 2; i++) {
		paths[i] = way_to(qps[!i]);
		join(qps[i], qps[!i], 0);
		if (!shared)
			made(vx_pool_post_recv(pool, qps[i], 8));
	}
	if (shared)
		made(vx_pool_post_srq_recv(pool, srq, 16));
	for (i = 0; i < 2; i++)
		send_buffer(qps[i], type == IBV_QPT_UD ? &paths[i] : NULL);
	take(wc, 4);
	cr_expect_eq(count_received(wc, 4), 2);
	made(vx_pool_done(pool, NULL, wc, 4));
	cr_expect_eq(vx_pool_left(pool), BUFFERS - 16 + 2, "the two that were received are not posted again");
}

Test(acceptance, a2_datagrams_go_both_ways)
{
	both_send(IBV_QPT_UD, true);
}

Test(acceptance, a2_a_reliable_connection_goes_both_ways)
{
	both_send(IBV_QPT_RC, true);
}

Test(acceptance, a2_an_unreliable_connection_goes_both_ways)
{
	both_send(IBV_QPT_UC, false);
}

/* ---- A5: more requests than there is room for ---- */

#define MANY 16384

Test(acceptance, a5_the_request_that_found_no_room_is_named)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq, .cap.max_send_wr = 16 };
	struct ibv_send_wr *list = calloc(MANY, sizeof(*list)), *bad = NULL;
	struct vx_path path;
	struct vx_qp *qp;
	struct vx_ah *ah;
	char words[64];
	int i;

	made(vx_qp_create(pd, &init, &qp));
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = QKEY }));
	path = way_to(qp);
	made(vx_pd_ah(pd, &path, &ah));
	for (i = 0; i < MANY; i++) {
		list[i] = (struct ibv_send_wr){ .wr_id = (uint64_t)i, .opcode = IBV_WR_SEND, .next = i + 1 < MANY ? &list[i + 1] : NULL };
		list[i].wr.ud.ah = vx_ah_raw(ah);
		list[i].wr.ud.remote_qpn = path.dqpn;
		list[i].wr.ud.remote_qkey = QKEY;
	}
	cr_expect_eq(vx_qp_post_send(qp, list, &bad), -EAGAIN, "%s", vx_error_text());
	cr_assert(bad >= list + 16 && bad < list + MANY);
	snprintf(words, sizeof(words), "request %d of %d", (int)(bad - list) + 1, MANY);
	cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text());
	free(list);
}

/* ---- A6, A7: completions that failed ---- */

Test(acceptance, a6_a_request_past_its_region_is_explained)
{
	struct ibv_sge entry;
	struct vx_qp *qps[2];
	char text[1536];
	struct ibv_wc wc;
	uint32_t index;

	open_pair(IBV_QPT_RC, qps);
	made(vx_pool_get(pool, &index));
	made(vx_pool_sge(pool, index, MESSAGE, &entry));
	entry.addr += 1 << 20;
	made(vx_qp_post_send_one(qps[0], vx_pool_wr_id(pool, index), IBV_SEND_SIGNALED, &entry, 1));
	take(&wc, 1);
	cr_expect_neq(wc.status, IBV_WC_SUCCESS);
	vx_wc_error(text, sizeof(text), &wc, qps[0], IBV_WC_SEND);
	cr_expect_not_null(strstr(text, vx_ibv_wc_status_name(wc.status)), "%s", text);
	cr_expect_eq(vx_pool_done(pool, qps[0], &wc, 1), -EIO);
	cr_expect_not_null(strstr(vx_error_text(), vx_ibv_wc_status_name(wc.status)), "%s", vx_error_text());
	cr_expect_eq(vx_pool_left(pool), BUFFERS, "the buffer is back all the same");
}

static void post_small_receive(struct vx_qp *qp)
{
	struct ibv_sge entry;
	uint32_t index;

	made(vx_pool_get(pool, &index));
	made(vx_pool_sge(pool, index, 16, &entry));
	made(vx_qp_post_recv_one(qp, 99, &entry, 1));
}

Test(acceptance, a7_a_message_that_is_too_long_fails_on_both_sides)
{
	struct vx_qp *qps[2];
	struct ibv_wc wc[2];

	open_pair(IBV_QPT_RC, qps);
	post_small_receive(qps[1]);
	send_buffer(qps[0], NULL);
	take(wc, 2);
	cr_expect_neq(wc[0].status, IBV_WC_SUCCESS);
	cr_expect_neq(wc[1].status, IBV_WC_SUCCESS);
	cr_expect_neq(wc[0].qp_num, wc[1].qp_num);
}

/* The sender never hears of it. */
Test(acceptance, a7_a_message_that_is_too_long_fails_one_side_where_nobody_answers)
{
	struct vx_qp *qps[2];
	struct ibv_wc wc[2];
	int there;

	open_pair(IBV_QPT_UC, qps);
	post_small_receive(qps[1]);
	send_buffer(qps[0], NULL);
	take(wc, 2);
	there = wc[1].qp_num == vx_qp_raw(qps[1])->qp_num;
	cr_expect_eq(wc[!there].status, IBV_WC_SUCCESS);
	cr_expect_neq(wc[there].status, IBV_WC_SUCCESS);
}
