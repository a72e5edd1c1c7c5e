/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A request that a provider refused: which one it was, and why. */

#include <errno.h>

#include "error/fail.h"
#include "guard/refused.h"
#include "kinds.h"
#include "reach/loader.h"
#include "unit/post/counting.h"

TestSuite(refused);

static int asked;

static int tell_cap(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)attr;
	cr_expect_eq(qp, &qp_ex.qp_base);
	cr_expect_eq(mask, IBV_QP_CAP);
	init->cap = (struct ibv_qp_cap){ .max_send_wr = 16, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = 64 };
	asked++;
	return 0;
}

/* A QP that can be asked for its sizes, and of which the provider refuses the second of three requests. */
static struct vx_qp *make_sized(int code)
{
	struct vx_qp *qp = make_qp();

	cr_assert_eq(vx_loader_replace("ibv_query_qp", (vx_function)tell_cap), 0);
	answer = code;
	return qp;
}

static struct ibv_sge list[3] = { { .length = 40 }, { .length = 40 }, { .length = 40 } };
static struct ibv_send_wr third = { .wr_id = 9, .opcode = IBV_WR_SEND };
static struct ibv_send_wr second = { .wr_id = 8, .next = &third, .sg_list = list, .num_sge = 1, .opcode = IBV_WR_SEND };
static struct ibv_send_wr first = { .wr_id = 7, .next = &second, .opcode = IBV_WR_SEND };

/* Post the three; the second is refused, which is what the text ends with. */
static void expect_refused(struct vx_qp *qp, int code, const char *text)
{
	struct ibv_send_wr *bad = NULL;

	refused = &second;
	cr_expect_eq(vx_qp_post_send(qp, &first, &bad), code);
	cr_expect_eq(bad, &second);
	cr_expect_eq(vx_error()->code, code);
	cr_expect_str_eq(vx_error()->call, "ibv_post_send");
	cr_expect_str_eq(vx_error()->object, "toy qp 17");
	cr_expect_str_eq(vx_error()->reason, text);
}

Test(refused, as_the_queue_is_full_is_eagain_with_every_provider)
{
	const int codes[] = { ENOMEM, ENOSPC, EAGAIN, -ENOMEM };
	struct vx_qp *qp = make_sized(0);
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		answer = codes[i];
		expect_refused(qp, -EAGAIN, "request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): the send queue is full (max_send_wr = 16): "
			       "poll its completions first, which signaled requests alone have");
	}
	cr_expect_eq(asked, 1, "the sizes of a QP do not change");
}

/* It is put into words when somebody asks, which may be after the QP and its memory are gone. */
Test(refused, as_the_queue_is_full_is_told_of_a_qp_that_was_closed)
{
	const struct vx_error_info *kept;
	struct vx_qp *qp = make_sized(ENOMEM);
	struct ibv_send_wr *bad = NULL;

	refused = &second;
	cr_expect_eq(vx_qp_post_send(qp, &first, &bad), -EAGAIN);
	kept = vx_error();
	cr_expect_eq(vx_qp_post_send(qp, &first, &bad), -EAGAIN);
	cr_expect_eq(kept->code, -EAGAIN);
	cr_expect_str_eq(kept->reason, "the queue is full, or was made for no requests", "it was not asked for again");
	cr_expect_eq(vx_close(qp), 0);
	second.wr_id = 1;
	cr_expect_str_eq(vx_error_text(), "ibv_post_send on toy qp 17: Resource temporarily unavailable: request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): "
			 "the send queue is full (max_send_wr = 16): poll its completions first, which signaled requests alone have");
}

Test(refused, as_the_queue_is_full_is_no_more_told_once_it_was_forgotten_or_tried_with_success)
{
	struct vx_qp *qp = make_sized(ENOMEM);
	struct ibv_send_wr *bad = NULL;

	refused = &second;
	cr_expect_eq(vx_qp_post_send(qp, &first, &bad), -EAGAIN);
	vx_error_clear();
	cr_expect_eq(vx_error()->code, 0);
	cr_expect_str_eq(vx_error()->reason, "");
	VX_QUIETLY(vx_qp_post_send(qp, &first, &bad));
	cr_expect_str_eq(vx_error_text(), "no error");
	vx_error_try();
	vx_error_tried(vx_qp_post_send(qp, &first, &bad));
	cr_expect_not_null(strstr(vx_error_text(), "toy qp 17: Resource temporarily unavailable: request 2 of 3"), "%s", vx_error_text());
}

/* Such a list fills every queue, and whoever looks for its end would look for ever. */
Test(refused, as_a_list_is_a_ring_is_told)
{
	third.next = &second;
	expect_refused(make_sized(ENOMEM), -EINVAL,
		       "request 2 (wr_id = 0x8, IBV_WR_SEND): the list has no end: by its next pointers it is a ring");
}

Test(refused, as_a_request_follows_itself_is_told)
{
	struct ibv_send_wr *bad = NULL, alone = { .wr_id = 7, .next = &alone, .opcode = IBV_WR_SEND };
	struct vx_qp *qp = make_sized(ENOMEM);

	refused = &alone;
	cr_expect_eq(vx_qp_post_send(qp, &alone, &bad), -EINVAL);
	cr_expect_eq(bad, &alone);
	cr_expect_str_eq(vx_error()->reason, "request 1 (wr_id = 0x7, IBV_WR_SEND): the list has no end: by its next pointers it is a ring");
}

Test(refused, with_too_many_entries_is_no_full_queue)
{
	second.num_sge = 3;
	expect_refused(make_sized(ENOMEM), -EINVAL,
		       "request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): it has 3 entries, and the QP was made with max_send_sge = 2");
}

Test(refused, with_too_many_bytes_inline_is_no_full_queue)
{
	second.num_sge = 2;
	second.send_flags = IBV_SEND_INLINE;
	expect_refused(make_sized(ENOMEM), -EINVAL,
		       "request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): it has 80 bytes inline, and the QP was made with max_inline_data = 64");
}

Test(refused, as_data_of_a_read_are_never_inline)
{
	second.opcode = IBV_WR_RDMA_READ;
	second.send_flags = IBV_SEND_INLINE;
	expect_refused(make_sized(EINVAL), -EINVAL,
		       "request 2 of 3 (wr_id = 0x8, IBV_WR_RDMA_READ): it takes no data inline, as it reads into them: vx_wr_set_sge(), no IBV_SEND_INLINE");
}

Test(refused, as_a_qp_of_this_type_cannot_do_it)
{
	struct vx_qp *qp = make_sized(EINVAL);

	qp_ex.qp_base.qp_type = IBV_QPT_UC;
	second.opcode = IBV_WR_RDMA_READ;
	expect_refused(qp, -EINVAL, "request 2 of 3 (wr_id = 0x8, IBV_WR_RDMA_READ): it is nothing that a QP of type IBV_QPT_UC can do");
}

Test(refused, with_an_opcode_that_nobody_knows)
{
	second.opcode = (enum ibv_wr_opcode)0x77;
	expect_refused(make_sized(EINVAL), -EINVAL, "request 2 of 3 (wr_id = 0x8): opcode = 119 is none of enum ibv_wr_opcode");
}

/* libmlx5 says that it has no memory. */
Test(refused, before_the_qp_sends_says_so)
{
	struct vx_qp *qp = make_sized(ENOMEM);

	qp_ex.qp_base.state = IBV_QPS_INIT;
	expect_refused(qp, -EINVAL, "request 2 of 3 (wr_id = 0x8, IBV_WR_SEND): the QP is in INIT, and sends from RTS on");
}

Test(refused, for_another_reason_keeps_the_code_of_the_provider)
{
	struct vx_qp *qp = make_sized(EIO);

	expect_refused(qp, -EIO, "");
}

/* A provider that cannot post at all; what is where it should have said so is not followed. */
Test(refused, without_a_word_about_which_is_the_first)
{
	struct ibv_send_wr *bad = (struct ibv_send_wr *)1;

	refused = NULL;
	cr_expect_eq(vx_qp_post_send(make_sized(EOPNOTSUPP), &first, &bad), -EOPNOTSUPP);
	cr_expect_eq(bad, &first);
	cr_expect_eq(vx_qp_post_send(make_sized(EOPNOTSUPP), &first, NULL), -EOPNOTSUPP);
}

Test(refused, tells_of_itself_and_not_of_an_older_failure)
{
	struct vx_qp *qp = make_sized(EIO);

	vx_fail(-EPERM, "ibv_reg_mr", NULL, "older");
	cr_expect_eq(vx_qp_post_rdma_write(qp, 7, 0, list, 1, 1, 2), -EIO);
	cr_expect_str_eq(vx_error_text(), "ibv_post_send on toy qp 17: Input/output error");
}

/* What is where one that cannot post should have said so may be one of the list, from an earlier call. */
Test(refused, without_a_word_is_not_what_was_refused_before)
{
	struct ibv_send_wr *bad = &second;

	refused = NULL;
	cr_expect_eq(vx_qp_post_send(make_sized(EOPNOTSUPP), &first, &bad), -EOPNOTSUPP);
	cr_expect_eq(bad, &first);
	cr_expect_str_eq(vx_error()->reason, "");
}

/* ---- receives ---- */

static void expect_recv_refused(int rc, const char *call, int code, const char *text)
{
	cr_expect_eq(rc, code);
	cr_expect_str_eq(vx_error()->call, call);
	cr_expect_str_eq(vx_error()->reason, text);
}

Test(refused, receives_that_do_not_fit_are_eagain)
{
	struct vx_qp *qp = make_sized(ENOMEM);

	expect_recv_refused(vx_qp_post_recv_one(qp, 7, list, 1), "ibv_post_recv", -EAGAIN,
			    "request 1 of 1 (wr_id = 0x7): the receive queue is full (max_recv_wr = 8): poll its completions first");
	expect_recv_refused(vx_wq_post_recv_one(make_wq(), 7, list, 1), "ibv_post_wq_recv", -EAGAIN,
			    "request 1 of 1 (wr_id = 0x7): the queue is full: poll its completions first");
}

Test(refused, receives_with_too_many_entries_are_not_eagain)
{
	expect_recv_refused(vx_qp_post_recv_one(make_sized(ENOMEM), 7, list, 2), "ibv_post_recv", -EINVAL,
			    "request 1 of 1 (wr_id = 0x7): it has 2 entries, and it was made with max_recv_sge = 1");
}

static unsigned int cap_flags;
static int device_gone;

static int tell_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	(void)of;
	attr->device_cap_flags = cap_flags;
	return device_gone;
}

static bool takes_checksums(enum ibv_qp_type type, unsigned int caps)
{
	cap_flags = caps;
	qp_ex.qp_base.qp_type = type;
	return vx_has_checksums(&qp_ex.qp_base);
}

Test(refused, checksums_are_for_types_of_qps_that_the_device_has_them_for)
{
	make_qp();
	cr_assert_eq(vx_loader_replace("ibv_query_device", (vx_function)tell_device), 0);
	cr_expect(takes_checksums(IBV_QPT_UD, IBV_DEVICE_UD_IP_CSUM));
	cr_expect(takes_checksums(IBV_QPT_RAW_PACKET, IBV_DEVICE_RAW_IP_CSUM));
	cr_expect_not(takes_checksums(IBV_QPT_UD, IBV_DEVICE_RAW_IP_CSUM));
	cr_expect_not(takes_checksums(IBV_QPT_RAW_PACKET, IBV_DEVICE_UD_IP_CSUM));
	cr_expect_not(takes_checksums(IBV_QPT_RC, IBV_DEVICE_UD_IP_CSUM | IBV_DEVICE_RAW_IP_CSUM));
	device_gone = EIO;
	cr_expect(takes_checksums(IBV_QPT_UD, 0), "nobody knows");
}

static void expect_flag_refused(enum ibv_qp_type type, const char *text)
{
	char why[VX_LONGEST_REFUSAL] = "";

	cr_expect(vx_flags_wrong(why, "wr_flags", IBV_SEND_IP_CSUM, false, type));
	cr_expect(strstr(why, text), "%s", why);
	cr_expect_not(vx_flags_wrong(why, "wr_flags", IBV_SEND_IP_CSUM, true, type));
}

/* The device is not asked for each request. */
Test(refused, checksums_are_told_by_the_bit_of_the_type)
{
	expect_flag_refused(IBV_QPT_UD, "wr_flags has IBV_SEND_IP_CSUM, and device_cap_flags of the device has no IBV_DEVICE_UD_IP_CSUM");
	expect_flag_refused(IBV_QPT_RAW_PACKET, " has no IBV_DEVICE_RAW_IP_CSUM");
	expect_flag_refused(IBV_QPT_RC, "which is for QPs of type IBV_QPT_UD and IBV_QPT_RAW_PACKET");
}

static int tell_srq(struct ibv_srq *of, struct ibv_srq_attr *attr)
{
	(void)of;
	*attr = (struct ibv_srq_attr){ .max_wr = 4, .max_sge = 2 };
	return 0;
}

/* libmlx5 takes it for none, and where it fails says so of nothing. */
Test(refused, fewer_entries_than_none_are_told_of_each_queue)
{
	cr_assert_eq(vx_loader_replace("ibv_query_srq", (vx_function)tell_srq), 0);
	answer = EINVAL;
	expect_recv_refused(vx_wq_post_recv_one(make_wq(), 7, list, -1), "ibv_post_wq_recv", -EINVAL, "request 1 of 1 (wr_id = 0x7): it has -1 entries");
	expect_recv_refused(vx_srq_post_recv_one(make_srq(), 7, list, -1), "ibv_post_srq_recv", -EINVAL, "request 1 of 1 (wr_id = 0x7): it has -1 entries");
	expect_recv_refused(vx_qp_post_recv_one(make_sized(EINVAL), 7, list, -1), "ibv_post_recv", -EINVAL, "request 1 of 1 (wr_id = 0x7): it has -1 entries");
}

/* Nobody can be asked for the sizes of a WQ, which has no checked form: they are those that it was made with. */
Test(refused, receives_of_a_wq_are_told_by_what_it_was_made_with)
{
	struct vx_wq *small = make_wq();

	*(struct vx_kept_wq *)vx_node_extra((struct vx_node *)(void *)small) = (struct vx_kept_wq){ .known = true, .max_wr = 4, .max_sge = 2 };
	answer = EINVAL;
	expect_recv_refused(vx_wq_post_recv_one(small, 7, list, 3), "ibv_post_wq_recv", -EINVAL,
			    "request 1 of 1 (wr_id = 0x7): it has 3 entries, and it was made with max_sge = 2");
	answer = ENOMEM;
	expect_recv_refused(vx_wq_post_recv_one(small, 7, list, 2), "ibv_post_wq_recv", -EAGAIN,
			    "request 1 of 1 (wr_id = 0x7): the WQ is full (max_wr = 4): poll its completions first");
}

/* libmlx5 says that it has no memory. */
Test(refused, receives_of_a_qp_with_an_srq_go_there)
{
	struct vx_qp *qp = make_sized(ENOMEM);
	struct ibv_recv_wr last = { .wr_id = 4 }, one = { .wr_id = 3, .next = &last }, *bad = &last;

	qp_ex.qp_base.srq = &srq;
	refused = NULL;
	expect_recv_refused(vx_qp_post_recv(qp, &one, &bad), "ibv_post_recv", -EINVAL,
			    "request 1 of 2 (wr_id = 0x3): the QP has an SRQ, which its receives are posted to: vx_srq_post_recv()");
	cr_expect_eq(bad, &one);
	expect_recv_refused(vx_qp_post_recv_one(qp, 7, list, 1), "ibv_post_recv", -EINVAL,
			    "request 1 of 1 (wr_id = 0x7): the QP has an SRQ, which its receives are posted to: vx_srq_post_recv()");
}

/* ---- lists between start and complete ---- */

static int complete(struct ibv_qp_ex *qp)
{
	(void)qp;
	return answer;
}

static void expect_not_complete(enum ibv_qp_state state, int rc, int code, const char *text)
{
	struct vx_qp *qp = make_sized(rc);
	struct vx_wr *wr = vx_wr_start(qp);

	qp_ex.wr_complete = complete;
	qp_ex.qp_base.state = state;
	cr_expect_eq(vx_wr_complete(wr), code);
	cr_expect_str_eq(vx_error()->call, "ibv_wr_complete");
	cr_expect_str_eq(vx_error()->object, "toy qp 17");
	cr_expect_str_eq(vx_error()->reason, text);
}

Test(refused, lists_keep_the_code_which_may_mean_three_things)
{
	expect_not_complete(IBV_QPS_RTS, ENOMEM, -ENOMEM,
			    "the send queue is full (max_send_wr = 16), or a request has more than max_send_sge = 2 entries or max_inline_data = 64 bytes inline");
}

Test(refused, lists_before_the_qp_sends_say_so)
{
	expect_not_complete(IBV_QPS_RESET, EINVAL, -EINVAL, "the QP is in RESET, and sends from RTS on");
}

Test(lists, that_are_complete_are_0)
{
	struct vx_qp *qp = make_sized(0);
	struct vx_wr *wr = vx_wr_start(qp);

	qp_ex.wr_complete = complete;
	cr_expect_eq(vx_wr_complete(wr), 0);
}
