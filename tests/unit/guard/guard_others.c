/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Checked QPs where devices of other vendors do not say what libmlx5 says: played by what the library is told in their place. */

#include <errno.h>

#include "guard_bed.h"
#include "reach/loader.h"

TestSuite(guard_others, .init = open_checked, .fini = close_device);

/* ---- iWARP ---- */

/* The kernel brings its QPs to RTS, and nobody tells libibverbs. */
static void play_iwarp(enum ibv_qp_state known)
{
	vx_ctx_raw(ctx)->device->transport_type = IBV_TRANSPORT_IWARP;
	vx_qp_raw(qp)->state = known;
}

Test(guard_others, of_iwarp_sends_whatever_is_known_of_its_state)
{
	struct ibv_sge entry = { at(0), 8, lkey };

	play_iwarp(IBV_QPS_INIT);
	wr = vx_wr_start(qp);
	write_one(7, IBV_SEND_SIGNALED);
	made(vx_wr_complete(wr));
	made(vx_qp_post_rdma_write(qp, 8, IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024)));
	poll_all(2);
	play_iwarp(IBV_QPS_RESET);
	wr = vx_wr_start(qp);
	write_one(7, 0);
	cr_expect_eq(vx_wr_complete(wr), -EINVAL);
	expect_reason("the QP is in RESET, and sends from RTS on");
	play_iwarp(IBV_QPS_RTS);
}

Test(guard_others, of_iwarp_a_full_queue_is_told_of_where_nothing_is_checked)
{
	struct ibv_sge entry = { at(0), 8, lkey };
	int rc = 0, count;

	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
	play_iwarp(IBV_QPS_RTR);
	for (count = 0; rc == 0 && count < 10000; count++)
		rc = vx_qp_post_rdma_write(qp, 7, 0, &entry, 1, vx_mr_rkey(mr), at(1024));
	cr_expect_eq(rc, -EAGAIN, "%s", vx_error_text());
	expect_reason("the send queue is full");
}

/* ---- sizes that nobody fills ---- */

static struct ibv_qp_cap told;

/* As siw and EFA: what memory had is taken for what the QP was made with. */
static int say_that_all_are_signaled(struct ibv_qp *of, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	(void)of, (void)mask;
	*attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .port_num = 1 };
	*init = (struct ibv_qp_init_attr){ .cap = told, .sq_sig_all = 1 };
	return 0;
}

Test(guard_others, what_is_signaled_is_what_the_program_says)
{
	struct ibv_sge entry = { at(0), 8, lkey };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int i, rc = 0;

	qp = new_qp_in_init(done, IBV_QPT_RC, NULL);
	connect_to(qp, qp);
	made(vx_qp_query(qp, &attr, IBV_QP_CAP, &init));
	told = init.cap;
	made(vx_loader_replace("ibv_query_qp", (vx_function)say_that_all_are_signaled));
	made(vx_qp_check(qp));
	for (i = 1; rc == 0 && i <= 4 * (int)told.max_send_wr; i++) {
		rc = vx_qp_post_rdma_write(qp, (uint64_t)i, i % 8 ? 0 : IBV_SEND_SIGNALED, &entry, 1, vx_mr_rkey(mr), at(1024));
		if (rc == 0 && i % 8 == 0)
			poll_all(1);
	}
	cr_expect_eq(rc, 0, "request %d: %s", i, vx_error_text());
	made(vx_loader_replace("ibv_query_qp", NULL));
}

/* ---- how long a datagram is ---- */

static uint32_t max_msg_sz;
static enum ibv_mtu active_mtu = IBV_MTU_4096;

static int say_how_long(struct ibv_context *of, uint8_t port_num, struct ibv_port_attr *port, size_t size)
{
	(void)of, (void)port_num;
	memset(port, 0, size);
	port->active_mtu = active_mtu;
	port->max_msg_sz = max_msg_sz;
	return 0;
}

static void play_port(uint32_t longest)
{
	max_msg_sz = longest;
	verbs_get_ctx(vx_ctx_raw(ctx))->query_port = say_how_long;
}

static int send_datagram(uint32_t length)
{
	static char large[16384];
	struct vx_mr *region;
	struct ibv_sge entry = { (uintptr_t)large, length, 0 };
	int rc;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .addr = large, .length = sizeof(large), .access = IBV_ACCESS_LOCAL_WRITE }, &region));
	entry.lkey = vx_mr_lkey(region);
	rc = vx_qp_post_send_to(qp, 7, IBV_SEND_SIGNALED, &entry, 1, way_back(), 1, 2);
	return rc;
}

static struct vx_qp *new_datagrams(void)
{
	struct vx_qp *out = new_checked(IBV_QPT_UD, IBV_QP_EX_WITH_SEND);

	made(vx_qp_to_rts(out, &(struct vx_path){ .qkey = 2 }));
	return out;
}

Test(guard_others, of_efa_a_datagram_is_longer_than_any_mtu)
{
	qp = new_datagrams();
	play_port(8928);
	made(send_datagram(8928));
	cr_expect_eq(send_datagram(8929), -EINVAL);
	expect_reason("it has 8929 bytes, and what a UD QP sends must fit into the port's MTU, 8928");
}

/* The MTU of RoCE is that of its network device, which may grow. */
Test(guard_others, a_datagram_is_held_to_the_mtu_that_there_is_now)
{
	qp = new_datagrams();
	play_port(0);
	cr_expect_eq(send_datagram(4097), -EINVAL);
	play_port(5000);
	made(send_datagram(4097));
}

/* As providers leave it that have no such thing. */
Test(guard_others, a_datagram_is_held_to_no_mtu_that_is_none)
{
	qp = new_datagrams();
	active_mtu = (enum ibv_mtu)0;
	play_port(8928);
	cr_expect_eq(send_datagram(8929), -EINVAL);
	play_port(0);
	made(send_datagram(8929));
	qp = new_datagrams();
	active_mtu = (enum ibv_mtu)40;
	made(send_datagram(8929));
}
