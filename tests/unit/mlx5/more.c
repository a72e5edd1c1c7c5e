/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* DEVX objects and what else the emulated device has, beside tests/unit/mlx5/kinds.c. */

#include <endian.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>
#include <verbsx/mlx5_event.h>
#include <verbsx/mlx5_var.h>

#include "unit/device.h"

TestSuite(mlx5_more, .init = open_device, .fini = close_device);

enum { CREATE_GENERAL = 0xa00, QUERY_GENERAL = 0xa02, SOME_TYPE = 0x13 };

static uint32_t number; /* of the last one that was made */

static struct vx_mlx5_devx_obj *new_object(void *const *uses, size_t count)
{
	uint32_t in[8] = { htobe32(CREATE_GENERAL << 16), htobe32(SOME_TYPE) }, out[8] = { 0 };
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out), .uses = uses, .count = count };
	struct vx_mlx5_devx_obj *obj;

	made(vx_mlx5_devx_obj_create(ctx, &init, &obj));
	cr_expect_eq(be32toh(out[0]) >> 24, 0);
	number = be32toh(out[2]);
	return obj;
}

Test(mlx5_more, a_devx_object_is_made_by_its_command)
{
	struct vx_mlx5_devx_obj *obj = new_object(NULL, 0);
	uint32_t in[8] = { htobe32(QUERY_GENERAL << 16), htobe32(SOME_TYPE), htobe32(number) }, out[8];

	cr_expect_eq(live("devx"), 1);
	made(vx_mlx5_devx_obj_query(obj, in, sizeof(in), out, sizeof(out)));
	in[2] = htobe32(number + 1);
	cr_expect_lt(vx_mlx5_devx_obj_query(obj, in, sizeof(in), out, sizeof(out)), 0);
	cr_expect_str_eq(vx_error()->call, "mlx5dv_devx_obj_query");
	made(vx_close(obj));
	cr_expect_eq(live("devx"), 0);
}

Test(mlx5_more, what_a_devx_object_uses_is_closed_after_it)
{
	struct vx_mlx5_devx_uar *uar;
	void *uses[1];

	made(vx_mlx5_devx_uar_create(ctx, NULL, &uar));
	uses[0] = uar;
	new_object(uses, 1);
	made(vx_close(uar));
	cr_expect_eq(live("devx"), 0);
}

static bool is_mapped(void *page, size_t length)
{
	return !msync(page, length, MS_ASYNC);
}

Test(mlx5_more, a_var_is_mapped_until_it_is_closed)
{
	struct vx_mlx5_var *var;
	uint32_t length;
	void *page, *again;

	made(vx_mlx5_var_create(ctx, NULL, &var));
	length = vx_mlx5_var_raw(var)->length;
	made(vx_mlx5_var_map(var, &page));
	*(volatile uint32_t *)page = 1;
	made(vx_mlx5_var_map(var, &again));
	cr_expect_eq(again, page);
	cr_expect_null(vx_give_back(var), "its memory would be of nobody");
	cr_expect_eq(vx_error()->code, -EBUSY);
	cr_expect(is_mapped(page, length));
	made(vx_close(var));
	cr_expect_not(is_mapped(page, length));
	cr_expect_eq(live("var"), 0);
}

/* The VAR stays with somebody else, who did not map it. */
Test(mlx5_more, a_borrowed_var_is_unmapped_with_its_handle)
{
	struct mlx5dv_var *raw = mlx5dv_alloc_var(vx_ctx_raw(ctx), 0);
	struct vx_mlx5_var *var;
	void *page;

	cr_assert_not_null(raw);
	made(vx_mlx5_var_borrow(ctx, raw, &var));
	made(vx_mlx5_var_map(var, &page));
	made(vx_close(var));
	cr_expect_not(is_mapped(page, raw->length));
	mlx5dv_free_var(raw);
}

/* Its owner may free it first, or write there: the mapping is as long as it was made. */
Test(mlx5_more, what_becomes_of_a_borrowed_var_is_not_read_when_it_is_unmapped)
{
	struct mlx5dv_var *raw = mlx5dv_alloc_var(vx_ctx_raw(ctx), 0), theirs;
	struct vx_mlx5_var *var;
	void *page;

	cr_assert_not_null(raw);
	theirs = *raw;
	made(vx_mlx5_var_borrow(ctx, &theirs, &var));
	made(vx_mlx5_var_map(var, &page));
	memset(&theirs, 0, sizeof(theirs));
	made(vx_close(var));
	cr_expect_not(is_mapped(page, raw->length));
	mlx5dv_free_var(raw);
}

Test(mlx5_more, what_cannot_be_mapped_is_told_and_leaves_nothing)
{
	struct vx_mlx5_var *var;
	void *page = &var;
	uint32_t length;

	made(vx_mlx5_var_create(ctx, NULL, &var));
	cr_expect_eq(vx_mlx5_var_map(var, NULL), -EINVAL);
	length = vx_mlx5_var_raw(var)->length;
	vx_mlx5_var_raw(var)->length = 0;
	cr_expect_eq(vx_mlx5_var_map(var, &page), -EINVAL);
	cr_expect_str_eq(vx_error()->call, "mmap");
	cr_expect_null(page);
	vx_mlx5_var_raw(var)->length = length;
	made(vx_mlx5_var_map(var, &page));
}

Test(mlx5_more, a_command_of_no_bytes_is_refused)
{
	struct vx_mlx5_devx_obj *obj = NULL;

	cr_expect_eq(vx_mlx5_devx_obj_create(ctx, NULL, &obj), -EINVAL);
	expect_reason("in is NULL");
	cr_expect_null(obj);
}

Test(mlx5_more, events_of_no_object_can_be_subscribed_to)
{
	struct vx_mlx5_event_channel *channel;
	uint16_t port_change[] = { 9 };
	int rc;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	rc = vx_mlx5_event_channel_subscribe(channel, NULL, sizeof(port_change), port_change, 7);
	cr_expect(rc == 0 || (rc < 0 && vx_error()->code == rc), "%d", rc);
}

/* ---- with deadlines ---- */

static struct vx_mlx5_cmd_comp *new_answers(void)
{
	struct vx_mlx5_cmd_comp *answers;

	made(vx_mlx5_cmd_comp_create(ctx, NULL, &answers));
	return answers;
}

static void send_query(struct vx_mlx5_devx_obj *obj, uint64_t wr_id, struct vx_mlx5_cmd_comp *answers)
{
	const uint32_t in[8] = { htobe32(QUERY_GENERAL << 16), htobe32(SOME_TYPE), htobe32(number) };

	made(vx_mlx5_devx_obj_query_async(obj, in, sizeof(in), 32, wr_id, answers));
}

/* As where an answer is waited for. */
Test(mlx5_more, what_asks_for_an_answer_later_is_looked_at_and_told)
{
	const uint32_t in[8] = { htobe32(VX_MLX5_CMD_QUERY_FLOW_COUNTER << 16) }, none[8] = { htobe32(VX_MLX5_CMD_ALLOC_FLOW_COUNTER << 16) };
	struct vx_mlx5_cmd_comp *answers = new_answers();
	struct vx_mlx5_devx_obj *obj = new_object(NULL, 0);

	cr_expect_eq(vx_mlx5_devx_obj_query_async(obj, in, sizeof(in), 8, 1, answers), -EINVAL);
	expect_reason("outlen is 8, and the answer to QUERY_FLOW_COUNTER");
	cr_expect_eq(vx_mlx5_devx_obj_query_async(obj, none, sizeof(none), 64, 1, answers), -EINVAL);
	expect_reason("the kernel refused ALLOC_FLOW_COUNTER");
}

Test(mlx5_more, an_answer_is_waited_for_and_has_its_number)
{
	struct { struct mlx5dv_devx_async_cmd_hdr hdr; uint32_t out[8]; } answer = { { 0 }, { 0 } };
	struct vx_mlx5_cmd_comp *answers = new_answers();
	struct vx_mlx5_devx_obj *obj = new_object(NULL, 0);
	uint64_t wr_id;

	for (wr_id = 7; wr_id < 10; wr_id++) {
		send_query(obj, wr_id, answers);
		made(vx_mlx5_cmd_comp_wait(answers, 5000, &answer.hdr, sizeof(answer)));
		cr_expect_eq(answer.hdr.wr_id, wr_id);
		cr_expect_eq(be32toh(answer.out[0]) >> 24, 0);
	}
	cr_expect_eq(vx_mlx5_cmd_comp_get(answers, &answer.hdr, sizeof(answer)), -EAGAIN); /* it waits for nothing any more */
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

Test(mlx5_more, what_does_not_come_in_time_is_no_error)
{
	struct mlx5dv_devx_async_cmd_hdr answer;
	struct mlx5dv_devx_async_event_hdr event;
	struct vx_mlx5_cmd_comp *answers = new_answers();
	struct vx_mlx5_event_channel *channel;
	const int64_t start = now_ms();
	size_t length;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	vx_error_clear();
	cr_expect_eq(vx_mlx5_cmd_comp_wait(answers, 0, &answer, sizeof(answer)), -EAGAIN);
	cr_expect_eq(vx_mlx5_cmd_comp_wait(answers, 30, &answer, sizeof(answer)), -EAGAIN);
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, 0, &event, sizeof(event), &length), -EAGAIN);
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, 30, &event, sizeof(event), &length), -EAGAIN);
	cr_expect_eq(vx_error()->code, 0);
	cr_expect_geq(now_ms() - start, 60);
}

Test(mlx5_more, an_event_is_waited_for_and_has_the_cookie_of_who_subscribed)
{
	struct { struct mlx5dv_devx_async_event_hdr hdr; uint8_t eqe[64]; } event;
	struct vx_mlx5_event_channel *channel;
	uint16_t types[] = { 9 }; /* a change of the port */
	size_t length = 0;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	made(vx_mlx5_event_channel_subscribe(channel, NULL, sizeof(types), types, 42));
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, 0, &event, sizeof(event), &length), -EAGAIN);
	send_event("devx_event", types[0]);
	made(vx_mlx5_event_channel_wait(channel, 5000, &event, sizeof(event), &length));
	cr_expect_eq(event.hdr.cookie, 42);
	cr_expect_eq(length, sizeof(event));
	cr_expect_eq(vx_mlx5_event_channel_get_event(channel, &event.hdr, sizeof(event), &length), -EAGAIN);
}

Test(mlx5_more, an_answer_without_a_place_is_refused_and_stays)
{
	struct { struct mlx5dv_devx_async_cmd_hdr hdr; uint32_t out[8]; } answer;
	struct mlx5dv_devx_async_event_hdr event;
	struct vx_mlx5_cmd_comp *answers = new_answers();
	struct vx_mlx5_devx_obj *obj = new_object(NULL, 0);
	struct vx_mlx5_event_channel *channel;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	send_query(obj, 7, answers);
	cr_expect_eq(vx_mlx5_cmd_comp_wait(answers, 1000, NULL, sizeof(answer)), -EINVAL);
	expect_reason("cmd_resp is NULL");
	cr_expect_eq(vx_mlx5_event_channel_wait(channel, 1000, &event, sizeof(event), NULL), -EINVAL);
	expect_reason("out is NULL");
	made(vx_mlx5_cmd_comp_wait(answers, 1000, &answer.hdr, sizeof(answer)));
	cr_expect_eq(answer.hdr.wr_id, 7);
}

Test(mlx5_more, who_waits_for_answers_by_something_else_is_told, .signal = VERBSX_CHECKS ? SIGABRT : 0)
{
	struct { struct mlx5dv_devx_async_cmd_hdr hdr; uint32_t out[8]; } answer;
	struct vx_mlx5_event_channel *channel;

	made(vx_mlx5_event_channel_create(ctx, NULL, &channel));
	cr_expect_eq(vx_mlx5_cmd_comp_wait((void *)channel, 1000, &answer.hdr, sizeof(answer)), -EINVAL);
	expect_reason("is no mlx5_cmd_comp");
}

Test(mlx5_more, a_wq_of_mlx5_is_a_wq)
{
	struct vx_cq *cq;
	struct vx_wq *wq = NULL;
	int rc;

	made(vx_cq_create(ctx, NULL, &cq));
	rc = vx_mlx5_wq_create(pd, &(struct vx_mlx5_wq_init){ .cq = cq }, &wq);
	cr_expect((rc == 0) == !!wq);
	cr_expect_eq(vx_mlx5_wq_create(pd, NULL, &wq), -EINVAL);
	expect_reason("cq is NULL");
}

/* What the device does not have is refused by it, in a sentence, and leaves nothing. */
Test(mlx5_more, what_the_device_lacks_is_told)
{
	struct vx_mlx5_dek *dek = NULL;
	struct vx_mlx5_dr_domain *domain = NULL;
	const int before = live(NULL);
	int rc;

	rc = vx_mlx5_dek_create(ctx, &(struct vx_mlx5_dek_init){ .pd = pd }, &dek);
	cr_expect_lt(rc, 0);
	cr_expect_str_eq(vx_error()->call, "mlx5dv_dek_create");
	cr_expect_eq(vx_mlx5_dek_create(ctx, NULL, &dek), -EINVAL);
	expect_reason("pd is NULL");
	rc = vx_mlx5_dr_domain_create(ctx, NULL, &domain);
	cr_expect_lt(rc, 0);
	cr_expect_str_eq(vx_error()->call, "mlx5dv_dr_domain_create");
	cr_expect_eq(live(NULL), before);
}

Test(mlx5_more, an_action_leads_to_raw_packet_qps_only)
{
	struct vx_mlx5_dr_action *action = NULL;
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(vx_mlx5_dr_dest_qp_create(qp, NULL, &action), -EINVAL);
	expect_reason("the QP is of IBV_QPT_RC (2): rules lead to those of IBV_QPT_RAW_PACKET");
	cr_expect_null(action);
}
