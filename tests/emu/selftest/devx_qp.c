/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* QPs by mailbox, and the CQ of their completions. */
#include <endian.h>
#include <unistd.h>

#include "devx_queues.h"

TestSuite(devx_qp, .init = open_queues, .fini = close_queues);

static uint64_t query(const struct queue_pair *q, int offset, int width)
{
	struct mailbox m = mailbox_of(QUERY_QP);

	mailbox_set(&m, 72, 24, q->number);
	CHECK(!mailbox_query(q->o, &m, SHORT_LENGTH));
	return mailbox_get(&m, QPC + offset, width);
}

Test(devx_qp, two_exchange_a_message)
{
	struct queue_pair a = make_pair_end(0, 0), b = make_pair_end(1, 0);

	start_end(&a, b.number);
	start_end(&b, a.number);
	strcpy(bed.buf, "by mailbox");
	post_receive(&b, 8192, 64);
	post_wqe(&a, MLX5_OPCODE_SEND, 0, 11);
	expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
	CHECK(!strcmp(bed.buf + 8192, "by mailbox"));
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o));
}

static struct mailbox compressing_cq(int format)
{
	struct mailbox m = cq_mailbox();

	mailbox_set(&m, 128 + 17, 1, 1);
	mailbox_set(&m, 128 + 18, 2, format);
	return m;
}

/* The lengths are in an array where the second entry would be */
Test(devx_qp, a_cq_compresses_what_comes_at_once)
{
	struct queue_pair a, b;
	struct mlx5_cqe64 title, array;
	__be32 minis[4];

	CHECK(!mlx5dv_devx_obj_destroy(queues.cq));
	make_cq(compressing_cq(0));
	a = make_pair_end(0, 0);
	b = make_pair_end(1, 0);
	start_end(&a, b.number);
	start_end(&b, a.number);
	for (int i = 0; i < 2; i++) {
		post_receive(&b, 8192 + 64 * i, 64);
		put_wqe(&a, MLX5_OPCODE_SEND, 0, 0, 11 + i);
	}
	ring(&a);
	title = next_cqe();
	CHECK(title.op_own >> 4 == MLX5_CQE_RESP_SEND && (title.op_own >> 2 & 3) == 3 && be32toh(title.byte_cnt) == 2);
	array = *(struct mlx5_cqe64 *)(queues.memory + CQES + 64);
	memcpy(minis, &array, sizeof(minis));
	CHECK(be32toh(minis[1]) == 11 && be32toh(minis[3]) == 12);
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o));
}

Test(devx_qp, a_cq_compresses_by_hash_or_checksum_and_64_bytes)
{
	struct mailbox strides = compressing_cq(3), large = compressing_cq(1);

	mailbox_set(&large, 128 + 8, 3, 1);
	CHECK(!mailbox_create(&strides, LENGTH) && mailbox_status(&strides) == STATUS_BAD_PARAM);
	CHECK(!mailbox_create(&large, LENGTH) && mailbox_status(&large) == STATUS_BAD_PARAM);
}

/* UCX clears the queue and leaves the doorbell record as it was */
Test(devx_qp, a_reset_forgets_what_the_doorbell_record_said)
{
	struct queue_pair q = make_pair_end(0, 0);

	for (int i = 0; i < 2; i++) {
		struct mailbox rst = mailbox_of(TO_RST);

		start_end(&q, q.number);
		usleep(20000);
		post_receive(&q, 8192, 64);
		post_wqe(&q, MLX5_OPCODE_SEND, 0, 8);
		expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
		CHECK(!transit(&q, &rst));
		memset(queues.memory + q.send_queue, 0, WORK_SIZE - RQ_BYTES);
		*doorbell(DOORBELLS) = 0; /* of the receive queue */
		q.sent = q.posted = 0;
	}
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, a_query_tells_state_peer_and_access)
{
	struct queue_pair q = make_pair_end(0, 0);

	CHECK(query(&q, 0, 4) == 0);
	start_end(&q, q.number);
	CHECK(query(&q, 0, 4) == 3 && query(&q, 168, 24) == q.number && query(&q, 64, 3) == IBV_MTU_1024);
	CHECK(query(&q, 1168, 3) == 7 && query(&q, 912, 3) == NO_RNR_LIMIT && query(&q, 488, 8) == 1);
	CHECK(query(&q, 1000, 24) == queues.cqn);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, a_transition_from_another_state_has_a_status)
{
	struct queue_pair q = make_pair_end(0, 0);
	struct mailbox rts = mailbox_of(RTR2RTS), err = mailbox_of(TO_ERR), rst = mailbox_of(TO_RST);

	CHECK(transit(&q, &rts) == EREMOTEIO && mailbox_status(&rts) == STATUS_BAD_RES_STATE);
	CHECK(transit(&q, &err) == EREMOTEIO);
	start_end(&q, q.number);
	err = mailbox_of(TO_ERR);
	CHECK(!transit(&q, &err) && query(&q, 0, 4) == 6);
	CHECK(!transit(&q, &rst) && query(&q, 0, 4) == 0);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, what_it_needs_has_to_be_there)
{
	static const struct {
		int offset, width;
		uint32_t wrong;
	} wrong[] = {
		{ QPC + 40, 24, 0xffff }, /* PD */
		{ QPC + 8, 8, 7 }, /* service: QP0 */
		{ QPC + 1000, 24, 0xffff }, /* CQ of the send queue */
		{ QPC + 1824, 32, 0xffff }, /* umem of the doorbell record */
		{ 2112, 32, 0xffff }, /* umem of the queues */
		{ 2048, 32, 1 }, /* beyond its end */
		{ QPC + 1381, 3, 1 }, /* an RMP, but none is given */
	};

	for (size_t i = 0; i < SIZE(wrong); i++) {
		struct mailbox m = qp_mailbox(0, 0);

		mailbox_set(&m, wrong[i].offset, wrong[i].width, wrong[i].wrong);
		cr_expect(!mailbox_create(&m, LENGTH) && mailbox_status(&m) == STATUS_BAD_PARAM, "%zu", i);
	}
}

Test(devx_qp, memory_that_a_queue_uses_stays)
{
	struct queue_pair q = make_pair_end(0, 0);

	CHECK(mlx5dv_devx_umem_dereg(queues.umem) == EBUSY);
	CHECK(mlx5dv_devx_obj_destroy(queues.cq) == EBUSY);
	CHECK(!mlx5dv_devx_obj_destroy(q.o));
}

Test(devx_qp, one_of_verbs_is_queried_and_stopped_by_mailbox)
{
	struct mailbox m = mailbox_of(QUERY_QP), err = mailbox_of(TO_ERR);

	mailbox_set(&m, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_query(bed.a, m.in, SHORT_LENGTH, m.out, sizeof(m.out)));
	CHECK(mailbox_get(&m, QPC, 4) == 3 && mailbox_get(&m, QPC + 168, 24) == bed.b->qp_num);
	mailbox_set(&err, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_modify(bed.a, err.in, SHORT_LENGTH, err.out, sizeof(err.out)));
	CHECK(state_of(bed.a) == IBV_QPS_ERR);
}

Test(devx_qp, packets_of_roce_come_from_the_port_that_is_asked_for)
{
	struct mailbox m = mailbox_of(QUERY_QP);

	if (!bed.ethernet) {
		CHECK(mlx5dv_modify_qp_udp_sport(bed.a, 0xdead) == EOPNOTSUPP);
		return;
	}
	CHECK(!mlx5dv_modify_qp_udp_sport(bed.a, 0xdead));
	mailbox_set(&m, 72, 24, bed.a->qp_num);
	CHECK(!mlx5dv_devx_qp_query(bed.a, m.in, SHORT_LENGTH, m.out, sizeof(m.out)));
	CHECK(mailbox_get(&m, QPC + 464, 16) == 0xdead);
}
