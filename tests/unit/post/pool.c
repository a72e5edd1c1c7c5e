/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Pools of buffers: what is in them, out and posted, and that none gets lost whatever fails. */

#include <errno.h>
#include <stdlib.h>

#include "bed.h"

#define COUNT 8
#define SIZE 256
#define HEADROOM 40

TestSuite(pool, .init = open_loop, .fini = close_device, .timeout = 20);

static struct vx_pool *new_pool_with(struct vx_pool_init init)
{
	struct vx_pool *pool;

	init.size = SIZE;
	made(vx_pool_create(pd, &init, &pool));
	return pool;
}

static struct vx_pool *new_pool(uint32_t count, uint32_t flags)
{
	return new_pool_with((struct vx_pool_init){ .count = count, .flags = flags });
}

static uint32_t get(struct vx_pool *pool)
{
	uint32_t index;

	made(vx_pool_get(pool, &index));
	return index;
}

/* A message from a pool; a completion comes with its wr_id. */
static void send_buffer(struct vx_pool *pool, struct vx_qp *from, uint32_t index, uint32_t length)
{
	struct ibv_send_wr wr = { .wr_id = vx_pool_wr_id(pool, index), .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_sge sge;

	made(vx_pool_sge(pool, index, length, &sge));
	wr.sg_list = &sge;
	if (vx_qp_raw(from)->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = vx_ah_raw(way_back());
		wr.wr.ud.remote_qpn = vx_qp_raw(from)->qp_num;
		wr.wr.ud.remote_qkey = 0x1234;
	}
	cr_assert_eq(ibv_post_send(vx_qp_raw(from), &wr, &bad), 0);
}

/* ---- what is in it ---- */

Test(pool, needs_count_and_size)
{
	struct vx_pool *pool = NULL;

	cr_expect_eq(vx_pool_create(pd, NULL, &pool), -EINVAL);
	expect_reason("count is 0");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1u << 31, .size = 1 }, &pool), -EINVAL);
	expect_reason("count is 2147483648, and must be from 1 to 0x7fffffff");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1 }, &pool), -EINVAL);
	expect_reason("size is 0");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .headroom = UINT32_MAX }, &pool), -EINVAL);
	expect_reason("headroom and size are 4294967296 bytes");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .flags = 4 }, &pool), -EINVAL);
	expect_reason("flags has 0x4, which is none of enum vx_pool_flags");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1, .comp_mask = 1 }, &pool), -EINVAL);
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1 }, NULL), -EINVAL);
	cr_expect_null(pool);
	cr_expect_eq(live("mr"), 0);
}

Test(pool, is_made_whole_or_not_at_all)
{
	struct vx_pool *pool = NULL;

	fail_calls("reg_mr:ENOMEM");
	cr_expect_eq(vx_pool_create(pd, &(struct vx_pool_init){ .count = 1, .size = 1 }, &pool), -ENOMEM);
	expect_reason("ibv_reg_mr_iova2");
	cr_expect_null(pool);
}

Test(pool, has_each_buffer_once)
{
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = COUNT, .headroom = HEADROOM });
	char *messages[COUNT];
	uint32_t i, index;

	cr_expect_eq(vx_pool_left(pool), COUNT);
	for (i = 0; i < COUNT; i++) {
		index = get(pool);
		cr_expect_eq(index, i);
		messages[i] = vx_pool_at(pool, index);
		cr_expect_eq((uintptr_t)messages[i] % 64, 0);
		cr_expect(!i || messages[i] - messages[i - 1] >= SIZE + HEADROOM);
	}
	cr_expect_eq(vx_pool_left(pool), 0);
}

Test(pool, that_is_empty_is_no_error)
{
	struct vx_pool *pool = new_pool(1, 0);
	uint32_t index = get(pool);

	cr_expect_eq(vx_pool_put(pool, 7), -EINVAL);
	cr_expect_eq(vx_pool_get(pool, &index), -ENOBUFS);
	cr_expect_eq(vx_error()->code, -EINVAL);
}

Test(pool, gives_first_what_came_back_last)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t a = get(pool), b = get(pool);

	made(vx_pool_put(pool, b));
	made(vx_pool_put(pool, a));
	cr_expect_eq(get(pool), a);
	cr_expect_eq(get(pool), b);
}

Test(pool, takes_nothing_back_twice)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t index = get(pool);

	made(vx_pool_put(pool, index));
	cr_expect_eq(vx_pool_put(pool, index), -EINVAL);
	expect_reason("buffer 0 is in the pool");
	cr_expect_eq(vx_pool_put(pool, COUNT), -EINVAL);
	expect_reason("there is no buffer 8 of 8");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool, does_not_take_back_what_is_posted)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	made(vx_pool_post_recv(pool, qp, 1));
	cr_expect_eq(vx_pool_put(pool, 0), -EINVAL);
	expect_reason("buffer 0 is posted as a receive");
}

Test(pool, names_a_message_in_an_entry)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_sge sge;

	made(vx_pool_sge(pool, 3, 10, &sge));
	cr_expect_eq(sge.addr, (uintptr_t)vx_pool_at(pool, 3));
	cr_expect_eq(sge.length, 10);
	cr_expect_eq(sge.lkey, vx_mr_lkey(vx_pool_mr(pool)));
	made(vx_pool_sge(pool, 3, SIZE, &sge));
	cr_expect_eq(vx_pool_sge(pool, 3, SIZE + 1, &sge), -EINVAL);
	expect_reason("length = 257, and its buffers have 256 bytes");
	cr_expect_eq(vx_pool_sge(pool, COUNT, 1, &sge), -EINVAL);
	cr_expect_eq(vx_pool_sge(pool, 0, 1, NULL), -EINVAL);
}

Test(pool, knows_its_own_requests)
{
	struct vx_pool *pool = new_pool(COUNT, 0), *other = new_pool(COUNT, 0);
	uint64_t wr_id = vx_pool_wr_id(pool, 5);

	cr_expect_eq(vx_pool_at(pool, wr_id), vx_pool_at(pool, 5));
	cr_expect_null(vx_pool_at(other, wr_id));
	cr_expect_null(vx_pool_at(pool, COUNT));
	cr_expect_null(vx_pool_at(pool, wr_id - 5 + COUNT));
	cr_expect_null(vx_pool_at(pool, (uintptr_t)pool));
	cr_expect_eq(vx_pool_wr_id(pool, COUNT), 0);
}

Test(pool, has_memory_in_huge_pages_or_says_why_not)
{
	struct vx_pool *pool = NULL;
	const struct vx_pool_init init = { .count = COUNT, .size = SIZE, .flags = VX_POOL_HUGE };
	int rc = vx_pool_create(pd, &init, &pool);

	if (rc == 0)
		cr_expect_eq((uintptr_t)vx_mr_addr(vx_pool_mr(pool)) % (1 << 21), 0);
	else
		expect_reason("in huge pages of");
}

Test(pool, lets_a_peer_do_what_it_was_made_for)
{
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = 2, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE });
	struct ibv_sge sge;
	struct ibv_wc wc;

	strcpy(vx_pool_at(pool, 0), "hello");
	made(vx_pool_sge(pool, 0, 6, &sge));
	made(vx_qp_post_rdma_write(qp, 0, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(vx_pool_mr(pool)), (uintptr_t)vx_pool_at(pool, 1)));
	wait_for(cq, &wc, 1);
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_str_eq(vx_pool_at(pool, 1), "hello");
}

Test(pool, is_closed_with_all_that_it_has)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	cr_expect_eq(live("mr"), 1);
	made(vx_close(pool));
	cr_expect_eq(live("mr"), 0);
	new_pool(COUNT, VX_POOL_SHARED);
	made(vx_close(pd));
	cr_expect_eq(live("mr"), 0);
}

Test(pool, stays_where_its_region_cannot_go)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	uint32_t index = get(pool);

	fail_calls("dereg_mr:EBUSY");
	cr_expect_eq(vx_close(pool), -EBUSY);
	made(vx_pool_put(pool, index));
	made(vx_close(pool));
}

Test(pool, is_not_given_back_as_it_is_nobodys_but_ours)
{
	struct vx_pool *pool = new_pool(COUNT, 0);

	made(vx_close(qp));
	cr_expect_null(vx_give_back(pool));
	expect_reason("it is libverbsx's own, and vx_close() ends it");
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool, prints_what_it_is)
{
	const struct vx_pool_init init = { .count = 2, .flags = VX_POOL_HUGE };
	struct vx_pool *pool = new_pool_with((struct vx_pool_init){ .count = COUNT, .headroom = HEADROOM, .flags = VX_POOL_SHARED });
	char text[256] = "", expected[256], name[64];

	vx_object_name(name, sizeof(name), pd);
	vx_snprint(text, sizeof(text), VX_TYPEOF(pool), pool, VX_COMPACT);
	snprintf(expected, sizeof(expected), "{object=\"%s pool #1\" uses=[\"%s\"] count=8 size=\"256 B\"(256) headroom=\"40 B\"(40) "
		 "flags=VX_POOL_SHARED(0x1)}", vx_ctx_name(ctx), name);
	cr_expect_str_eq(text, expected);
	vx_snprint(text, sizeof(text), VX_TYPEOF(&init), &init, VX_COMPACT);
	cr_expect_str_eq(text, "{count=2 size=\"0 B\"(0) headroom=\"0 B\"(0) access=default(0) flags=VX_POOL_HUGE(0x2)}");
}

/* ---- receives ---- */

Test(pool, posts_all_receives_or_takes_no_buffer)
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

Test(pool, loses_no_buffer_where_a_queue_is_full)
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

Test(pool, loses_no_buffer_where_a_qp_takes_nothing)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct vx_qp *reset;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap.max_recv_wr = VX_NONE }, &reset));
	cr_expect_lt(vx_pool_post_recv(pool, reset, 2), 0);
	cr_expect_eq(vx_pool_left(pool), COUNT);
}

Test(pool, receives_and_posts_again)
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

Test(pool, takes_back_what_a_qp_had_when_it_was_reset)
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

Test(pool, leaves_room_for_the_header_of_a_datagram)
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

Test(pool, names_the_completion_that_failed_not_the_last)
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

Test(pool, posts_nothing_to_a_qp_that_failed)
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

Test(pool, serves_an_srq_whoever_of_its_qps_failed)
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

Test(pool, leaves_other_requests_and_other_qps_alone)
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

Test(pool, tells_of_a_completion_that_it_got_before)
{
	struct vx_pool *pool = new_pool(COUNT, 0);
	struct ibv_wc wc = { .wr_id = vx_pool_wr_id(pool, get(pool)) };

	made(vx_pool_done(pool, NULL, &wc, 1));
	cr_expect_eq(vx_pool_done(pool, NULL, &wc, 1), -EINVAL);
	expect_reason("was this completion given before?");
	cr_expect_eq(vx_pool_left(pool), COUNT);
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

Test(pool, does_what_a_model_does)
{
	try_at_random(0);
}

Test(pool, that_is_shared_does_what_a_model_does)
{
	try_at_random(VX_POOL_SHARED);
}
