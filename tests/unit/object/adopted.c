/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects of raw code: each kind shows the raw object it was given, is given back whole, and ends by its own call. */

#include <pthread.h>

#include "unit/record.h"

static int ended;

TestSuite(adopted, .init = open_device, .fini = close_device);

/* The third and fourth parameter are the functions themselves; the last puts end_KIND() in the place of rdma-core's. */
#define ADOPTED(kind, parent, adopt, borrow, install)                            \
	static struct ibv_##kind raw_##kind;                                     \
                                                                                 \
	static int end_##kind(struct ibv_##kind *raw)                            \
	{                                                                        \
		cr_expect_eq(raw, &raw_##kind);                                  \
		ended++;                                                         \
		return 0;                                                        \
	}                                                                        \
                                                                                 \
	Test(adopted, kind)                                                      \
	{                                                                        \
		struct vx_##kind *handle;                                        \
		void *released;                                                  \
                                                                                 \
		install;                                                         \
		raw_##kind.context = vx_ctx_raw(ctx);                        \
		made(adopt(parent, &raw_##kind, &handle));                       \
		cr_expect_eq(vx_##kind##_raw(handle), &raw_##kind);              \
		released = vx_give_back(handle);                                 \
		cr_expect_eq(released, &raw_##kind);                             \
		cr_expect_eq(ended, 0, "given back whole");                      \
		made(borrow(parent, &raw_##kind, &handle));                      \
		made(vx_close(handle));                                          \
		cr_expect_eq(ended, 0, "left to its owner");                     \
		made(adopt(parent, &raw_##kind, &handle));                       \
		made(vx_close(handle));                                          \
		cr_expect_eq(ended, 1);                                          \
	}

ADOPTED(ah, pd, vx_ah_adopt, vx_ah_borrow, replace("ibv_destroy_ah", end_ah))
ADOPTED(comp_channel, ctx, vx_comp_channel_adopt, vx_comp_channel_borrow, replace("ibv_destroy_comp_channel", end_comp_channel))
ADOPTED(counters, ctx, vx_counters_adopt, vx_counters_borrow, provider()->destroy_counters = end_counters)
ADOPTED(dm, ctx, vx_dm_adopt, vx_dm_borrow, provider()->free_dm = end_dm)
ADOPTED(flow_action, ctx, vx_flow_action_adopt, vx_flow_action_borrow, provider()->destroy_flow_action = end_flow_action)
ADOPTED(qp, pd, vx_qp_adopt, vx_qp_borrow, replace("ibv_destroy_qp", end_qp))
ADOPTED(srq, pd, vx_srq_adopt, vx_srq_borrow, replace("ibv_destroy_srq", end_srq))
ADOPTED(td, ctx, vx_td_adopt, vx_td_borrow, provider()->dealloc_td = end_td)
ADOPTED(wq, pd, vx_wq_adopt, vx_wq_borrow, provider()->destroy_wq = end_wq)
ADOPTED(xrcd, ctx, vx_xrcd_adopt, vx_xrcd_borrow, provider()->close_xrcd = end_xrcd)
#if VX_RDMA_CORE >= 59
ADOPTED(dmah, ctx, vx_dmah_adopt, vx_dmah_borrow, replace("ibv_dealloc_dmah", end_dmah))
#endif
#if VX_RDMA_CORE >= 65
ADOPTED(comp_cntr, ctx, vx_comp_cntr_adopt, vx_comp_cntr_borrow, replace("ibv_destroy_comp_cntr", end_comp_cntr))
#endif

/* ---- a thread that is cancelled in the midst of it ---- */

static void cancel_in_ack(struct ibv_async_event *event)
{
	(void)event;
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void *released;

static void *give_back(void *object)
{
	released = vx_give_back(object);
	return NULL;
}

/* Others would wait for ever for an object that nobody ends. */
Test(adopted, object_is_given_back_before_its_thread_is_cancelled)
{
	struct vx_async_event event;
	struct vx_cq *cq;
	struct vx_qp *qp;
	pthread_t thread;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	send_event("COMM_EST", vx_qp_raw(qp)->qp_num);
	made(vx_ctx_get_async_event(ctx, SOON, &event));
	replace("ibv_ack_async_event", cancel_in_ack);
	cr_assert_eq(pthread_create(&thread, NULL, give_back, qp), 0);
	pthread_join(thread, NULL);
	replace("ibv_ack_async_event", NULL);
	ibv_ack_async_event(&event.raw);
	cr_assert_not_null(released);
	cr_expect_eq(ibv_destroy_qp(released), 0);
}
