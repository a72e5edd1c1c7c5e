/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Upstream's tests that send, each a row of what it sends, or several. */

#include "traffic.h"

#define Traffic(file, class, name, ...) \
	Twin(file, class, name) \
	{ \
		run((struct traffic){ __VA_ARGS__ }); \
	}

/* ---- atomics, also where the peer does not allow them ---- */

#define Atomic(name, ...) Traffic(test_atomic, AtomicTest, name, __VA_ARGS__)
#define BadAtomic(name, ...) Atomic(name, .op = IBV_WR_ATOMIC_FETCH_AND_ADD, .fails = true, __VA_ARGS__)

Atomic(test_atomic_cmp_and_swap, .op = IBV_WR_ATOMIC_CMP_AND_SWP)
Atomic(test_atomic_fetch_and_add, .op = IBV_WR_ATOMIC_FETCH_AND_ADD)
Atomic(test_xrc_atomic_cmp_and_swap, .op = IBV_WR_ATOMIC_CMP_AND_SWP, .type = IBV_QPT_XRC_SEND)
Atomic(test_xrc_atomic_fetch_and_add, .op = IBV_WR_ATOMIC_FETCH_AND_ADD, .type = IBV_QPT_XRC_SEND)
BadAtomic(test_atomic_invalid_lkey, .wrong_lkey = 1)
BadAtomic(test_atomic_invalid_mr_access, .closed_mr = true)
BadAtomic(test_atomic_invalid_qp_access, .closed_qp = true)
BadAtomic(test_atomic_invalid_rkey, .wrong_rkey = 1)
BadAtomic(test_atomic_non_aligned_addr, .wrong_addr = 1)

/* ---- ways to complete ---- */

/* By hand, and by what libverbsx has for it. */
Twin(test_cq_events, CqEventsTestCase, test_cq_events_rc)
{
	run((struct traffic){ .op = IBV_WR_SEND, .taken = BY_EVENTS });
	run((struct traffic){ .op = IBV_WR_SEND, .taken = BY_POLLER });
}

Twin(test_cq_events, CqEventsTestCase, test_cq_events_ud)
{
	run((struct traffic){ .op = IBV_WR_SEND, .type = IBV_QPT_UD, .taken = BY_EVENTS });
	run((struct traffic){ .op = IBV_WR_SEND, .type = IBV_QPT_UD, .taken = BY_POLLER });
}

#define OneByOne(name, ...) Traffic(test_cqex, CqExTestCase, name, .op = IBV_WR_SEND, .taken = ONE_BY_ONE, __VA_ARGS__)

OneByOne(test_rc_traffic_cq_ex, .type = IBV_QPT_RC)
OneByOne(test_ud_traffic_cq_ex, .type = IBV_QPT_UD)
OneByOne(test_xrc_traffic_cq_ex, .type = IBV_QPT_XRC_SEND, .qps = 2)

/* ---- requests that are built ---- */

#define Built(name, ...) Traffic(test_qpex, QpExTestCase, name, .posted = BY_BUILDER, __VA_ARGS__)

Built(test_qp_ex_rc_atomic_cmp_swp, .op = IBV_WR_ATOMIC_CMP_AND_SWP)
Built(test_qp_ex_rc_atomic_fetch_add, .op = IBV_WR_ATOMIC_FETCH_AND_ADD)
Built(test_qp_ex_rc_rdma_read, .op = IBV_WR_RDMA_READ)
Built(test_qp_ex_rc_rdma_read_zero_size, .op = IBV_WR_RDMA_READ, .empty = true)
Built(test_qp_ex_rc_rdma_write, .op = IBV_WR_RDMA_WRITE)
Built(test_qp_ex_rc_rdma_write_imm, .op = IBV_WR_RDMA_WRITE_WITH_IMM)
Built(test_qp_ex_rc_rdma_write_zero_length, .op = IBV_WR_RDMA_WRITE, .empty = true)
Built(test_qp_ex_rc_send, .op = IBV_WR_SEND)
Built(test_qp_ex_rc_send_imm, .op = IBV_WR_SEND_WITH_IMM)
Built(test_qp_ex_ud_send, .op = IBV_WR_SEND, .type = IBV_QPT_UD)
Built(test_qp_ex_ud_send_imm, .op = IBV_WR_SEND_WITH_IMM, .type = IBV_QPT_UD)
Built(test_qp_ex_ud_zero_size, .op = IBV_WR_SEND, .type = IBV_QPT_UD, .empty = true)
Built(test_qp_ex_xrc_send, .op = IBV_WR_SEND, .type = IBV_QPT_XRC_SEND, .qps = 2)
Built(test_qp_ex_xrc_send_imm, .op = IBV_WR_SEND_WITH_IMM, .type = IBV_QPT_XRC_SEND, .qps = 2)

/* ---- kinds of memory ---- */

#define Relaxed(name, ...) \
	Traffic(test_relaxed_ordering, RoTestCase, name, .op = IBV_WR_SEND, .access = IBV_ACCESS_RELAXED_ORDERING, __VA_ARGS__)

Relaxed(test_ro_rc_traffic, .type = IBV_QPT_RC)
Relaxed(test_ro_ud_traffic, .type = IBV_QPT_UD)
Relaxed(test_ro_xrc_traffic, .type = IBV_QPT_XRC_SEND)

#define OfDevice(name, ...) Traffic(test_mr, DeviceMemoryTest, name, .memory = OF_DEVICE, __VA_ARGS__)

OfDevice(test_dm_traffic, .op = IBV_WR_SEND)
OfDevice(test_dm_remote_traffic, .op = IBV_WR_RDMA_WRITE)

#define OnDemand(name, ...) Traffic(test_odp, OdpTestCase, name, .access = IBV_ACCESS_ON_DEMAND, __VA_ARGS__)
#define Sent(name, ...) \
	OnDemand(name, .op = IBV_WR_SEND, .on_demand = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV, __VA_ARGS__)
#define Shared(name, ...) \
	OnDemand(name, .op = IBV_WR_SEND, .on_demand = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_SRQ_RECV, __VA_ARGS__)

OnDemand(test_odp_rc_atomic_cmp_and_swp, .op = IBV_WR_ATOMIC_CMP_AND_SWP, .on_demand = IBV_ODP_SUPPORT_ATOMIC)
OnDemand(test_odp_rc_atomic_fetch_and_add, .op = IBV_WR_ATOMIC_FETCH_AND_ADD, .on_demand = IBV_ODP_SUPPORT_ATOMIC)
OnDemand(test_odp_rc_rdma_read, .op = IBV_WR_RDMA_READ, .on_demand = IBV_ODP_SUPPORT_READ)
OnDemand(test_odp_rc_rdma_write, .op = IBV_WR_RDMA_WRITE, .on_demand = IBV_ODP_SUPPORT_WRITE)
OnDemand(test_odp_ud_traffic, .op = IBV_WR_SEND, .type = IBV_QPT_UD, .on_demand = IBV_ODP_SUPPORT_SEND)
Shared(test_odp_rc_srq_traffic, .srq = true, .qps = 2)
Shared(test_odp_xrc_traffic, .type = IBV_QPT_XRC_SEND)
Sent(test_odp_rc_traffic, .type = IBV_QPT_RC)
Sent(test_odp_implicit_rc_traffic, .memory = OF_PROCESS)
Sent(test_odp_rc_huge_traffic, .flags = VX_MR_HUGE_IF_THERE)
Sent(test_odp_rc_huge_user_addr_traffic, .memory = OF_CALLER)

#define PREFETCH (ADVISED | IBV_ADVISE_MR_ADVICE_PREFETCH)
#define PREFETCH_WRITE (ADVISED | IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE)
#define PREFETCH_NO_FAULT (ADVISED | IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)

Sent(test_odp_sync_prefetch_rc_traffic, .advice = PREFETCH)
Sent(test_odp_async_prefetch_rc_traffic, .advice = PREFETCH, .in_background = true)
Sent(test_odp_implicit_sync_prefetch_rc_traffic, .memory = OF_PROCESS, .advice = PREFETCH_WRITE)
Sent(test_odp_implicit_async_prefetch_rc_traffic, .memory = OF_PROCESS, .advice = PREFETCH_WRITE, .in_background = true)
Sent(test_odp_prefetch_sync_no_page_fault_rc_traffic, .advice = PREFETCH_NO_FAULT)
Sent(test_odp_prefetch_async_no_page_fault_rc_traffic, .advice = PREFETCH_NO_FAULT, .in_background = true)
