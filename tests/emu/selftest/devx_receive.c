/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What several QPs receive by, made by mailbox: RMP, DCT, XRQ. */
#include <endian.h>

#include "devx_queues.h"

TestSuite(devx_receive, .init = open_queues, .fini = close_queues);

static struct mlx5dv_devx_obj *make_rmp(bool cyclic, uint32_t *number)
{
	struct mailbox m = mailbox_of(CREATE_RMP);
	struct mlx5dv_devx_obj *o;

	mailbox_set(&m, 264, 4, 1);
	mailbox_set(&m, 640, 4, cyclic);
	mailbox_set(&m, 712, 24, pd_number(bed.pd));
	mailbox_set(&m, 768, 64, RMP_DOORBELL);
	mailbox_set(&m, 908, 4, 5);
	mailbox_set(&m, 923, 5, 3);
	mailbox_set(&m, 960, 32, queues.umem->umem_id);
	mailbox_set(&m, 992, 32, queues.umem->umem_id);
	mailbox_set(&m, 1024, 64, RMP_WQES);
	o = mailbox_create(&m, LENGTH);
	CHECK(o);
	*number = mailbox_get(&m, 72, 24);
	return o;
}

/* WQE i receives at 8192 + 64 * i, and is followed by @next */
static void fill_rmp(int i, uint16_t next)
{
	uint8_t *wqe = queues.memory + RMP_WQES + i * RMP_STRIDE;

	memset(wqe, 0, 16);
	((struct mlx5_wqe_srq_next_seg *)wqe)->next_wqe_index = htobe16(next);
	data_segment((void *)(wqe + 16), 8192 + 64 * i, 64);
}

/* Two messages, to the WQEs that come first and next */
static void receive_by_rmp(bool cyclic, int second)
{
	uint32_t rmp;
	struct mlx5dv_devx_obj *o = make_rmp(cyclic, &rmp);
	struct queue_pair a = make_pair_end(0, 0), b = make_pair_end(1, rmp);

	start_end(&a, b.number);
	start_end(&b, a.number);
	for (int i = 0; i < RMP_ENTRIES; i++)
		fill_rmp(i, 5);
	*doorbell(RMP_DOORBELL) = htobe32(2);
	strcpy(bed.buf, "pool");
	for (int i = 0; i < 2; i++) {
		post_wqe(&a, MLX5_OPCODE_SEND, 0, 5);
		expect_two(MLX5_CQE_REQ, MLX5_CQE_RESP_SEND);
	}
	CHECK(!strcmp(bed.buf + 8192, "pool") && !strcmp(bed.buf + 8192 + 64 * second, "pool"));
	CHECK(mlx5dv_devx_obj_destroy(o) == EBUSY);
	CHECK(!mlx5dv_devx_obj_destroy(a.o) && !mlx5dv_devx_obj_destroy(b.o) && !mlx5dv_devx_obj_destroy(o));
}

Test(devx_receive, an_rmp_is_a_list_of_wqes)
{
	receive_by_rmp(false, 5);
}

Test(devx_receive, an_rmp_may_be_cyclic)
{
	receive_by_rmp(true, 1);
}

Test(devx_receive, the_last_wqe_of_a_shared_queue_is_an_event)
{
	struct mlx5dv_devx_event_channel *channel = mlx5dv_devx_create_event_channel(
		bed.ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	struct mlx5dv_devx_async_event_hdr event;
	uint16_t type = EVENT_LAST_WQE;
	uint32_t rmp;
	struct mlx5dv_devx_obj *o = make_rmp(true, &rmp);
	struct queue_pair q = make_pair_end(0, rmp);
	struct mailbox err = mailbox_of(TO_ERR);

	CHECK(channel);
	CHECK(!mlx5dv_devx_subscribe_devx_event(channel, q.o, sizeof(type), &type, 42));
	start_end(&q, q.number);
	CHECK(!transit(&q, &err));
	wait_readable(channel->fd);
	CHECK(mlx5dv_devx_get_event(channel, &event, sizeof(event)) > 0 && event.cookie == 42);
	CHECK(!mlx5dv_devx_obj_destroy(q.o) && !mlx5dv_devx_obj_destroy(o));
	mlx5dv_devx_destroy_event_channel(channel);
}

Test(devx_receive, a_dct_is_made_ready_and_drained)
{
	struct mailbox m = mailbox_of(CREATE_DCT), drain = mailbox_of(DRAIN_DCT);
	struct mlx5dv_devx_obj *dct, *o;
	uint32_t rmp;

	o = make_rmp(true, &rmp);
	mailbox_set(&m, 200, 24, queues.cqn);
	mailbox_set(&m, 296, 24, rmp);
	mailbox_set(&m, 328, 24, pd_number(bed.pd));
	mailbox_set(&m, 384, 64, DC_KEY);
	mailbox_set(&m, 453, 3, IBV_MTU_1024);
	mailbox_set(&m, 456, 8, 9);
	CHECK(!mailbox_create(&m, DCT_LENGTH) && mailbox_status(&m) == STATUS_BAD_PARAM);
	mailbox_set(&m, 456, 8, 1);
	dct = mailbox_create(&m, DCT_LENGTH);
	CHECK(dct);
	CHECK(mailbox_modify(dct, &drain, SHORT_LENGTH));
	mailbox_set(&drain, 72, 24, mailbox_get(&m, 72, 24));
	CHECK(!mailbox_modify(dct, &drain, SHORT_LENGTH));
	CHECK(!mlx5dv_devx_obj_destroy(dct) && !mlx5dv_devx_obj_destroy(o));
}

static struct mailbox xrq_mailbox(void)
{
	struct mailbox m = mailbox_of(CREATE_XRQ);

	mailbox_set(&m, 148, 4, 1); /* tag matching */
	mailbox_set(&m, 156, 4, 1); /* with rendezvous */
	mailbox_set(&m, 200, 24, queues.cqn);
	mailbox_set(&m, 384, 4, 4); /* up to 15 tags */
	mailbox_set(&m, XRQ_WQ + 712, 24, pd_number(bed.pd));
	mailbox_set(&m, XRQ_WQ + 768, 64, RMP_DOORBELL);
	mailbox_set(&m, XRQ_WQ + 908, 4, 5);
	mailbox_set(&m, XRQ_WQ + 923, 5, 3);
	mailbox_set(&m, XRQ_WQ + 960, 32, queues.umem->umem_id);
	mailbox_set(&m, XRQ_WQ + 992, 32, queues.umem->umem_id);
	mailbox_set(&m, XRQ_WQ + 1024, 64, RMP_WQES);
	return m;
}

Test(devx_receive, a_queue_with_tags_is_as_an_rmp_but_for_its_tags)
{
	static const struct {
		int offset, width;
		uint64_t value;
	} wrong[] = { { 148, 4, 0 }, { 156, 4, 0 }, { 200, 24, 4711 }, { 255, 1, 1 }, { 384, 4, 0 }, { 384, 4, 15 },
		      { XRQ_WQ + 712, 24, 4711 }, { XRQ_WQ + 908, 4, 3 }, { XRQ_WQ + 992, 32, 4711 } };
	struct mailbox m = xrq_mailbox();
	struct mlx5dv_devx_obj *xrq = mailbox_create(&m, XRQ_LENGTH);

	CHECK(xrq && !mlx5dv_devx_obj_destroy(xrq));
	for (size_t i = 0; i < SIZE(wrong); i++) {
		m = xrq_mailbox();
		mailbox_set(&m, wrong[i].offset, wrong[i].width, wrong[i].value);
		CHECK(!mailbox_create(&m, XRQ_LENGTH) && errno == EREMOTEIO && mailbox_status(&m) == STATUS_BAD_PARAM);
	}
}
