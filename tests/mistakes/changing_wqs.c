/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Moving a WQ from state to state. */

#include "mistakes.h"

/* As after an error that came with an event. */
static int change_failed_wq(struct bench *b, struct ibv_wq_attr attr)
{
	struct vx_wq *wq;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	must(vx_wq_modify(wq, &(struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY }));
	must(vx_wq_modify(wq, &(struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_ERR }));
	expect_answer(b);
	return vx_wq_modify(wq, &attr);
}

static int wq_out_of_error(struct bench *b)
{
	return change_failed_wq(b, (struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY });
}

static int stale_wq_state(struct bench *b)
{
	return change_failed_wq(b, (struct ibv_wq_attr){
		.attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE, .wq_state = IBV_WQS_RESET, .curr_wq_state = IBV_WQS_RDY });
}

static int error_of_new_wq(struct bench *b)
{
	struct vx_wq *wq;

	must(vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &wq));
	return vx_wq_modify(wq, &(struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_ERR });
}

static int no_such_wq_state(struct bench *b)
{
	return change_failed_wq(b, (struct ibv_wq_attr){ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = (enum ibv_wq_state)7 });
}

static const struct mistake mistakes[] = {
	{ "using a WQ on after an error", wq_out_of_error, -EINVAL, "a WQ goes from ERR to RESET, not to RDY", NULL, EMU_ROCE },
	{ "an error for a WQ that was never used", error_of_new_wq, -EINVAL, "a WQ goes from RESET to RDY, not to ERR",
	  NULL, EMU_ROCE },
	{ "curr_wq_state as somebody remembers it", stale_wq_state, -EINVAL, "curr_wq_state = RDY, but the WQ is in ERR", NULL, EMU_ROCE },
	{ "a state of WQs from an uninitialized variable", no_such_wq_state, -EINVAL, "wq_state = 7 is none of enum ibv_wq_state",
	  NULL, EMU_ROCE },
};

CHAPTER(changing_wqs, "States of a WQ");
