/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pools of buffers: what is posted from them, and that none gets lost whatever fails. */

#include <errno.h>
#include <stdlib.h>

#include "pool_bed.h"

TestSuite(pool_post, .init = open_loop, .fini = close_device, .timeout = 20);

/* ---- receives ---- */

Test(pool_post, posts_all_receives_or_takes_no_buffer)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	made(vx_pool_post_recv(pool, qp, 0));
	made(vx_pool_post_recv(pool, qp, COUNT - 1));
	cr_expect_eq(vx_pool_left(pool), 1);
	cr_expect_eq(vx_pool_post_recv(pool, qp, 2), -ENOBUFS);
	expect_reason("1 buffers are left of 8, and 2 receives were to be posted");
	cr_expect_eq(vx_pool_left(pool), 1);
	cr_expect_eq(get(pool), COUNT - 1);
}

Test(pool_post, loses_no_buffer_where_a_queue_is_full)
{
	struct vx_pool *pool = new_pool(1000, 0);
	struct ibv_wc wc[1000];
	int posted;

	cr_expect_eq(vx_pool_post_recv(pool, qp, 1000), -EAGAIN); /* it has room for 128, or a few more */
	expect_reason("max_recv_wr");
	posted = 1000 - (int)vx_pool_left(pool);
	cr_expect_geq(posted, 128);
	break_qp(qp);
	wait_for(cq, wc, posted);
	cr_expect_eq(vx_pool_done(pool, qp, wc, posted), -EIO);
	cr_expect_eq(vx_pool_left(pool), 1000);
}

Test(pool_post, loses_no_buffer_where_a_qp_takes_nothing)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct vx_qp *reset;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_recv_wr = VX_NONE }, &reset));
	cr_expect_lt(vx_pool_post_recv(pool, reset, 2), 0);
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool_post, receives_and_posts_again)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc[2];
	uint32_t index, i, turn;

	made(vx_pool_post_recv(pool, qp, 2));
	for (turn = 0; turn < 100; turn++) {
		index = get(pool);
		strcpy(vx_pool_at(pool, index), "hello");
		send_buffer(pool, qp, index, 6);
		wait_for(cq, wc, 2);
		for (i = 0; i < 2; i++) {
			cr_assert_eq(wc[i].status, IBV_WC_SUCCESS);
			cr_expect_str_eq(vx_pool_at(pool, wc[i].wr_id), "hello");
		}
		made(vx_pool_done(pool, qp, wc, 2));
		cr_expect_eq(vx_pool_left(pool), COUNT - 2);
	}
}

Test(pool_post, takes_back_what_a_qp_had_when_it_was_reset)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct vx_qp *other = new_qp_in_init(cq, IBV_QPT_RC, NULL);

	made(vx_pool_post_recv(pool, qp, 3));
	made(vx_pool_post_recv(pool, other, 2));
	cr_expect_eq(vx_pool_take_back(pool, qp), -EBUSY);
	expect_reason("it may still write to them, as it is not in RESET");
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_pool_left(pool), COUNT - 5);
	cr_expect_eq(vx_pool_take_back(pool, qp), 3);
	cr_expect_eq(vx_pool_left(pool), COUNT - 2);
	cr_expect_eq(vx_pool_take_back(pool, qp), 0);
	made(vx_qp_reset(other));
	cr_expect_eq(vx_pool_take_back(pool, other), 2);
	cr_expect_eq(vx_pool_take_back(pool, NULL), -EINVAL);
}

Test(pool_post, leaves_room_for_the_header_of_a_datagram)
{
	struct vx_qp *ud = new_qp_in_init(cq, IBV_QPT_UD, NULL);
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = COUNT, .headroom = HEADROOM });
	struct ibv_wc wc[2];
	uint32_t index, i;

	connect_to(ud, ud);
	made(vx_pool_post_recv(pool, ud, 1));
	index = get(pool);
	memset(vx_pool_at(pool, index), 'x', SIZE);
	send_buffer(pool, ud, index, SIZE);
	wait_for(cq, wc, 2);
	for (i = 0; i < 2; i++) {
		cr_expect_eq(wc[i].status, IBV_WC_SUCCESS);
		cr_expect(!(wc[i].opcode & IBV_WC_RECV) || wc[i].byte_len == SIZE + HEADROOM);
		cr_expect_eq(memcmp(vx_pool_at(pool, wc[i].wr_id), vx_pool_at(pool, index), SIZE), 0);
	}
	made(vx_pool_done(pool, ud, wc, 2));
}

/* ---- completions that failed, and those of others ---- */

Test(pool_post, names_the_completion_that_failed_not_the_last)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc[3];

	made(vx_pool_post_recv(pool, qp, 2));
	wc[0] = (struct ibv_wc){ .wr_id = vx_pool_wr_id(pool, 0) | 0x80000000u, .qp_num = vx_qp_raw(qp)->qp_num, .status = IBV_WC_WR_FLUSH_ERR };
	wc[1] = (struct ibv_wc){ .wr_id = vx_pool_wr_id(pool, 1) | 0x80000000u, .qp_num = vx_qp_raw(qp)->qp_num, .status = IBV_WC_LOC_LEN_ERR };
	wc[2] = (struct ibv_wc){ .wr_id = vx_pool_wr_id(pool, get(pool)), .qp_num = vx_qp_raw(qp)->qp_num, .status = IBV_WC_REM_OP_ERR };
	cr_expect_eq(vx_pool_done(pool, qp, wc, 3), -EIO);
	expect_reason("IBV_WC_LOC_LEN_ERR");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool_post, posts_nothing_to_a_qp_that_failed)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc[4];

	made(vx_pool_post_recv(pool, qp, 4));
	break_qp(qp);
	wait_for(cq, wc, 4);
	cr_expect_eq(vx_pool_done(pool, qp, wc, 4), -EIO);
	expect_reason("IBV_WC_WR_FLUSH_ERR");
	cr_expect_eq(vx_pool_left(pool), COUNT);
	cr_expect_eq(ibv_poll_cq(vx_cq_raw(cq), 4, wc), 0);
}

Test(pool_post, serves_an_srq_whoever_of_its_qps_failed)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct vx_srq *srq;
	struct vx_qp *with_srq;
	struct ibv_wc wc[2];
	uint32_t index;

	made(vx_srq_create(pd, NULL, &srq));
	with_srq = new_qp_in_init(cq, IBV_QPT_RC, srq);
	connect_to(with_srq, with_srq);
	cr_expect_eq(vx_pool_post_recv(pool, with_srq, 1), -EINVAL);
	expect_reason("it has an SRQ");
	cr_expect_eq(vx_pool_post_srq_recv(pool, srq, COUNT + 1), -ENOBUFS);
	expect_reason("vx_pool_post_srq_recv on mlx5_0 pool ");
	made(vx_pool_post_srq_recv(pool, srq, 3));
	index = get(pool);
	send_buffer(pool, with_srq, index, 8);
	wait_for(cq, wc, 2);
	wc[0].status = IBV_WC_GENERAL_ERR;
	cr_expect_eq(vx_pool_done(pool, with_srq, wc, 2), -EIO);
	cr_expect_eq(vx_pool_left(pool), COUNT - 3);
}

Test(pool_post, leaves_other_requests_and_other_qps_alone)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc[2] = { { .wr_id = 0, .qp_num = vx_qp_raw(qp)->qp_num }, { 0 } };

	made(vx_pool_post_recv(pool, qp, 1));
	wc[1] = (struct ibv_wc){ .wr_id = vx_pool_wr_id(pool, 0) | 0x80000000u, .qp_num = vx_qp_raw(qp)->qp_num + 1 };
	made(vx_pool_done(pool, qp, wc, 2));
	cr_expect_eq(vx_pool_left(pool), COUNT - 1);
	made(vx_pool_done(pool, NULL, wc, 2));
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool_post, tells_of_a_completion_that_it_got_before)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc = { .wr_id = vx_pool_wr_id(pool, get(pool)) };

	cr_expect_eq(vx_pool_done(pool, NULL, &wc, -EIO), -EINVAL);
	expect_reason("count is -5");
	made(vx_pool_done(pool, NULL, &wc, 1));
	cr_expect_eq(vx_pool_done(pool, NULL, &wc, 1), -EINVAL);
	expect_reason("was this completion given before?");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

static struct ibv_wc receive_one(struct vx_pool *pool)
{
	const uint32_t index = get(pool);
	struct ibv_wc wc[2];
	int at;

	send_buffer(pool, qp, index, 8);
	wait_for(cq, wc, 2);
	made(vx_pool_put(pool, index));
	at = wc[1].opcode & IBV_WC_RECV ? 1 : 0;
	return wc[at];
}

/* The first time that it is given has posted the same buffer again. */
static void give_receives_twice(uint32_t flags)
{
	struct vx_pool *pool = new_pool(COUNT, flags);
	struct ibv_wc wc;
	int turn;

	made(vx_pool_post_recv(pool, qp, 1));
	for (turn = 0; turn < 100; turn++) {
		wc = receive_one(pool);
		cr_expect_eq(vx_pool_at(pool, wc.wr_id), vx_pool_at(pool, 0));
		made(vx_pool_done(pool, qp, &wc, 1));
		cr_expect_eq(vx_pool_done(pool, qp, &wc, 1), -EINVAL);
		expect_reason("buffer 0, of wr_id = ");
		expect_reason("was this completion given before?");
	}
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_pool_take_back(pool, qp), 1);
	cr_expect_eq(vx_pool_done(pool, NULL, &wc, 1), -EINVAL);
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool_post, tells_of_a_receive_that_it_got_before_and_posted_again)
{
	give_receives_twice(0);
}

Test(pool_post, that_is_shared_tells_of_a_receive_that_it_got_before)
{
	give_receives_twice(VX_POOL_SHARED);
}

/* ---- at random ---- */

enum where { INSIDE, OUTSIDE, POSTED_THERE };

struct model {
	enum where where[64];
	uint32_t left;
};

static uint32_t pick_one(const struct model *model, unsigned int *seed, enum where where)
{
	uint32_t i, start = (uint32_t)rand_r(seed) % 64;

	for (i = 0; i < 64; i++)
		if (model->where[(start + i) % 64] == where)
			return (start + i) % 64;
	return 64;
}

static void get_or_put(struct vx_pool *pool, struct model *model, unsigned int *seed)
{
	uint32_t index = (uint32_t)rand_r(seed) % 70;
	bool is_out = index < 64 && model->where[index] == OUTSIDE;

	if (rand_r(seed) % 2) {
		cr_assert_eq(vx_pool_put(pool, index), is_out ? 0 : -EINVAL);
		if (is_out)
			model->where[index] = INSIDE, model->left++;
	} else if (vx_pool_get(pool, &index) == 0) {
		cr_assert_eq(model->where[index], INSIDE);
		model->where[index] = OUTSIDE, model->left--;
	} else {
		cr_assert_eq(model->left, 0);
	}
}

static void receive_into(struct vx_pool *pool, struct model *model, unsigned int *seed)
{
	uint32_t index = pick_one(model, seed, OUTSIDE), other;
	struct ibv_wc wc[2];
	int i;

	if (index == 64 || pick_one(model, seed, POSTED_THERE) == 64)
		return;
	send_buffer(pool, qp, index, (uint32_t)rand_r(seed) % SIZE);
	wait_for(cq, wc, 2);
	made(vx_pool_done(pool, rand_r(seed) % 4 ? qp : NULL, wc, 2));
	for (i = 0; i < 2; i++) {
		for (other = 0; vx_pool_at(pool, other) != vx_pool_at(pool, wc[i].wr_id); other++)
			;
		model->where[other] = INSIDE;
	}
}

/* Those that are posted are found by elimination: each is refused by put, and none of them can be got. */
static void look_again(struct vx_pool *pool, struct model *model)
{
	uint32_t i, inside[64], count = 0, index;

	for (i = 0; i < 64; i++)
		model->where[i] = model->where[i] == OUTSIDE ? OUTSIDE : POSTED_THERE;
	while (vx_pool_get(pool, &index) == 0) {
		cr_assert_eq(model->where[index], POSTED_THERE, "buffer %u was there twice", index);
		model->where[index] = INSIDE;
		inside[count++] = index;
	}
	model->left = count;
	while (count)
		made(vx_pool_put(pool, inside[--count]));
}

static void try_at_random(uint32_t flags)
{
	struct vx_pool *pool = new_pool(64, flags);
	struct model model = { .left = 64 };
	unsigned int seed = 1;
	int turn, rc;

	for (turn = 0; turn < 1000; turn++) {
		uint32_t count = (uint32_t)rand_r(&seed) % 8;

		get_or_put(pool, &model, &seed);
		if (turn % 4 == 0) {
			rc = vx_pool_post_recv(pool, qp, count);
			cr_assert_eq(rc, count > model.left ? -ENOBUFS : 0, "turn %d: %s", turn, vx_error_text());
			look_again(pool, &model);
		}
		if (turn % 4 == 2) {
			receive_into(pool, &model, &seed);
			look_again(pool, &model);
		}
		cr_assert_eq(vx_pool_left(pool), model.left, "turn %d", turn);
	}
}

Test(pool_post, does_what_a_model_does)
{
	try_at_random(0);
}

Test(pool_post, that_is_shared_does_what_a_model_does)
{
	try_at_random(VX_POOL_SHARED);
}
