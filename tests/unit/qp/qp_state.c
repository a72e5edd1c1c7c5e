/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* QPs of all types through their states by one call, on either link layer. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "reason/reason.h"
#include "unit/path/device.h"

TestSuite(qp_state, .init = open_device, .fini = close_device, .timeout = 60);

static const unsigned int types[] = {
	IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, IBV_QPT_RAW_PACKET, VX_QPT_DCI, VX_QPT_DCT,
};

static bool is_missing(unsigned int type)
{
	return type == IBV_QPT_RAW_PACKET && !is_roce();
}

/* One of each type that the device has. */
#define FOR_EACH_TYPE(type) \
	for (size_t i_ = 0; i_ < sizeof(types) / sizeof(types[0]); i_++) \
		for (unsigned int type = types[i_], once_ = !is_missing(type); once_; once_ = 0)

Test(qp_state, of_nothing_is_not_known)
{
	cr_expect_eq(vx_qp_state(NULL), IBV_QPS_UNKNOWN);
}

Test(qp_state, of_every_type_is_ready_after_one_call)
{
	FOR_EACH_TYPE(type) {
		struct vx_qp *qp = new_qp(type);
		struct vx_path path = path_to_itself(qp);

		cr_expect_eq(type == VX_QPT_DCT ? vx_qp_to_rtr(qp, &path) : vx_qp_to_rts(qp, &path), 0, "type %u: %s", type, vx_error_text());
		cr_expect_eq(vx_qp_state(qp), type == VX_QPT_DCT ? IBV_QPS_RTR : IBV_QPS_RTS, "type %u", type);
		cr_expect_eq(state_of(qp), vx_qp_state(qp), "type %u", type);
	}
}

static bool shows(const struct vx_qp *qp, const char *field)
{
	char text[8192], label[32];

	snprintf(label, sizeof(label), " %s=", field);
	vx_snprint(text, sizeof(text), VX_TYPEOF(qp), qp, VX_COMPACT);
	return strstr(text, label);
}

/* ibv_query_qp(3) fills all of it: a timeout of 0 would be infinite. */
Test(qp_state, is_printed_with_what_its_type_has)
{
	FOR_EACH_TYPE(type) {
		struct vx_qp *qp = new_qp(type);
		struct vx_path path = path_to_itself(qp);
		bool acknowledges = type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND || type == VX_QPT_DCI;

		made(type == VX_QPT_DCT ? vx_qp_to_rtr(qp, &path) : vx_qp_to_rts(qp, &path));
		cr_expect(shows(qp, "cur_qp_state") && shows(qp, "cap"), "type %u", type);
		cr_expect_eq(shows(qp, "timeout"), acknowledges || type == IBV_QPT_XRC_RECV, "type %u", type);
		cr_expect_eq(shows(qp, "rnr_retry"), acknowledges, "type %u", type);
		cr_expect_eq(shows(qp, "qkey"), type == IBV_QPT_UD, "type %u", type);
		cr_expect_eq(shows(qp, "path_mtu"), type != IBV_QPT_UD && type != IBV_QPT_RAW_PACKET, "type %u", type);
		cr_expect_eq(shows(qp, "sq_psn"), type != IBV_QPT_RAW_PACKET && type != VX_QPT_DCT, "type %u", type);
	}
}

Test(qp_state, is_reached_from_each_before_it)
{
	FOR_EACH_TYPE(type) {
		struct vx_qp *qp = new_qp(type);
		struct vx_path path = path_to_itself(qp);

		made(vx_qp_to_init(qp, &path));
		cr_expect_eq(state_of(qp), IBV_QPS_INIT, "type %u", type);
		made(vx_qp_to_rtr(qp, &path));
		cr_expect_eq(state_of(qp), IBV_QPS_RTR, "type %u", type);
		if (type != VX_QPT_DCT)
			made(vx_qp_to_rts(qp, &path));
	}
}

Test(qp_state, needs_no_path_where_there_is_no_peer)
{
	FOR_EACH_TYPE(type) {
		struct vx_qp *qp;

		if (type != IBV_QPT_UD && type != IBV_QPT_RAW_PACKET && type != VX_QPT_DCI)
			continue;
		qp = new_qp(type);
		cr_expect_eq(vx_qp_to_rts(qp, NULL), 0, "type %u: %s", type, vx_error_text());
		cr_expect_eq(state_of(qp), IBV_QPS_RTS, "type %u", type);
	}
}

Test(qp_state, of_a_datagram_qp_has_the_qkey_of_its_path)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	/* And no more: its addresses are those of some message. */
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = 0x1234, .is_global = 1, .sgid.raw = { 0xfe, 0x80, [15] = 9 } }));
	cr_expect_eq(queried(qp, IBV_QP_QKEY).qkey, 0x1234);
}

Test(qp_state, of_a_qp_that_waited_in_init_has_the_rights_of_the_path)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC), *other = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);

	path.access = IBV_ACCESS_REMOTE_READ;
	made(vx_qp_to_init(other, &path));
	made(vx_qp_to_init(qp, NULL));
	made(vx_qp_to_rtr(qp, &path));
	cr_expect_eq(queried(qp, IBV_QP_ACCESS_FLAGS).qp_access_flags, IBV_ACCESS_REMOTE_READ);
	path.access = 0;
	path.sqpn = 0;
	made(vx_qp_to_rtr(other, &path));
	cr_expect_eq(queried(other, IBV_QP_ACCESS_FLAGS).qp_access_flags, IBV_ACCESS_REMOTE_READ, "it keeps what it has");
}

Test(qp_state, stays_where_it_is_wanted_already)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	made(vx_qp_to_rts(qp, NULL));
	cr_expect_eq(vx_qp_to_rts(qp, NULL), 0);
}

Test(qp_state, does_not_go_back_but_by_a_reset)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	made(vx_qp_to_rts(qp, NULL));
	cr_expect_eq(vx_qp_to_init(qp, NULL), -EINVAL);
	expect_reason("vx_qp_to_init on mlx5_0 qp ");
	expect_reason("from RTS no way leads to INIT: vx_qp_reset() it first");
	made(vx_qp_reset(qp));
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RESET);
	cr_expect_eq(vx_qp_to_init(qp, NULL), 0);
}

/* libibverbs goes on believing that it is in RTS. */
Test(qp_state, is_asked_for_as_a_qp_can_fail_by_itself)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };

	made(vx_qp_to_rts(qp, &path));
	cr_assert_eq(ibv_modify_qp(vx_qp_raw(qp), &err, IBV_QP_STATE), 0);
	vx_qp_raw(qp)->state = IBV_QPS_RTS;
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason("from ERR no way leads to RTS: vx_qp_reset() it first");
	made(vx_qp_reset(qp));
	made(vx_qp_to_rts(qp, &path));
}

Test(qp_state, goes_on_after_a_request_failed_or_the_queue_was_drained)
{
	struct vx_qp *drained = qp_in(IBV_QPT_RC, IBV_QPS_SQD), *failed = qp_in(IBV_QPT_UD, IBV_QPS_SQE);

	made(vx_qp_to_rts(drained, NULL));
	made(vx_qp_to_rts(failed, NULL));
	cr_expect_eq(state_of(failed), IBV_QPS_RTS);
}

Test(qp_state, of_a_dct_ends_at_rtr)
{
	struct vx_qp *qp = new_qp(VX_QPT_DCT);
	struct vx_path path = path_to_itself(qp);

	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason("a DCT has no way from RTR to RTS");
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RTR);
}

Test(qp_state, of_a_failed_qp_is_err)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD);

	cr_expect_eq(vx_qp_to_err(qp), -EINVAL);
	expect_reason("RESET -> ERR");
	made(vx_qp_to_init(qp, NULL));
	made(vx_qp_to_err(qp));
	cr_expect_eq(state_of(qp), IBV_QPS_ERR);
}

/* ---- what goes wrong ---- */

static void expect_lacking(struct vx_path path, const char *what)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);

	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason(what);
	expect_reason(", INIT -> RTR: ");
	cr_expect_eq(state_of(qp), IBV_QPS_INIT);
}

Test(qp_state, of_a_connected_qp_needs_to_know_the_peer)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);

	cr_expect_eq(vx_qp_to_rts(qp, NULL), -EINVAL);
	expect_reason(", INIT -> RTR: Invalid argument: RC needs a path: where the peer is");
	cr_expect_eq(state_of(qp), IBV_QPS_INIT);
	path.dqpn = 0;
	expect_lacking(path, "RC needs dqpn of the path: the QP number there");
	path.dqpn = 5;
	path.dlid = 0;
	memset(&path.dgid, 0, sizeof(path.dgid));
	expect_lacking(path, is_roce() ? "RC needs dgid of the path: the GID there" :
				 "RC needs dlid of the path: the LID there, which vx_path_resolve() finds by dgid");
}

/* No packet gets anywhere without a LID, nor with a GID: that of another subnet is sent to a router's. */
Test(qp_state, of_a_connected_qp_needs_a_lid_of_another_subnet_as_well)
{
	struct vx_path path = path_to_itself(new_qp(IBV_QPT_RC));

	if (is_roce())
		return;
	path.dgid.raw[7] ^= 1;
	path.dlid = 0;
	expect_lacking(path, "RC needs dlid of the path: the LID there");
}

Test(qp_state, of_a_connected_qp_is_not_for_groups)
{
	struct vx_path path = path_to_itself(new_qp(IBV_QPT_RC));

	path.is_global = 1;
	path.dgid = path.sgid;
	if (is_roce())
		path.dgid.raw[12] = 224;
	else
		path.dgid.raw[0] = 0xff;
	expect_lacking(path, "RC needs one peer, and dgid of the path is that of a group");
}

/* Its packets would be acknowledged and thrown away. */
Test(qp_state, of_a_connected_qp_needs_what_the_peer_was_told)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);

	path.spsn = 0;
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason(", RESET -> RTS: Invalid argument: RC needs spsn of the path");
	cr_expect_eq(state_of(qp), IBV_QPS_RESET, "a step would have kept what the next path may say otherwise");
	made(vx_qp_to_rtr(qp, &path));
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason(", RTR -> RTS: Invalid argument: RC needs spsn of the path");
	path.spsn = path.dpsn;
	made(vx_qp_to_rts(qp, &path));
	made(vx_qp_reset(qp));

	path.spsn = 0;
	path.mask = VX_PATH_SPSN;
	cr_expect_eq(vx_qp_to_rts(qp, &path), 0, "%s", vx_error_text());
}

Test(qp_state, is_the_last_one_reached_where_a_step_fails)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp);

	made(vx_qp_to_init(qp, NULL));
	path.access = IBV_ACCESS_MW_BIND;
	let_fail("modify_qp:EINVAL");
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason("ibv_modify_qp on mlx5_0 qp ");
	expect_reason(", INIT -> RTR: ");
	expect_reason("qp_access_flags");
	cr_expect_eq(state_of(qp), IBV_QPS_INIT);
	let_fail("");
	made(vx_qp_to_rts(qp, &path));
}

Test(qp_state, of_no_qp_is_refused)
{
	cr_expect_eq(vx_qp_to_rts(NULL, NULL), -EINVAL);
	cr_expect_eq(vx_qp_reset(NULL), -EINVAL);
	expect_reason("qp is NULL");
}

/* Nobody would tell of it: the steps from RTR on have no place for a peer. */
Test(qp_state, of_a_qp_that_has_its_peer_is_no_way_to_another)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC), *other = new_qp(IBV_QPT_RC), *alone = new_qp(IBV_QPT_UD);
	struct vx_path path = path_to_itself(qp), elsewhere = path_to_itself(other);

	made(vx_qp_to_rtr(qp, &path));
	cr_expect_eq(vx_qp_to_rts(qp, &elsewhere), -EINVAL);
	expect_reason("it is in RTR with qp 0x");
	made(vx_qp_to_rts(qp, &path));
	cr_expect_eq(vx_qp_to_rts(qp, &elsewhere), -EINVAL);
	expect_reason("it is in RTS with qp 0x");
	expect_reason(": vx_qp_reset() it first");
	made(vx_qp_to_rts(qp, &path));
	made(vx_qp_to_rts(qp, NULL));
	made(vx_qp_to_rts(alone, &path));
	made(vx_qp_to_rts(alone, &elsewhere)); /* which has no peer */
}

/* Of which there may be one with the same number elsewhere. */
Test(qp_state, of_a_qp_that_has_its_peer_is_no_way_to_another_address)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_path path = path_to_itself(qp), elsewhere = path;

	elsewhere.dlid++;
	elsewhere.dgid.raw[15]++;
	made(vx_qp_to_rtr(qp, &path));
	cr_expect_eq(vx_qp_to_rts(qp, &elsewhere), -EINVAL);
	expect_reason(is_roce() ? "it is in RTR with another dgid than the path has: vx_qp_reset() it first" : "it is in RTR with dlid 0x");
	cr_expect_eq(state_of(qp), IBV_QPS_RTR);
	elsewhere.dlid = path.dlid;
	if (!is_roce()) {
		made(vx_qp_to_rts(qp, &elsewhere)); /* whose packets have no GID */
		made(vx_qp_reset(qp));
		elsewhere.is_global = 1;
		made(vx_qp_to_rts(qp, &elsewhere));
		path.is_global = 1;
	} else {
		made(vx_qp_to_rts(qp, &path));
		path.dgid.raw[15]++;
	}
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason("it is in RTS with another dgid than the path has");
}

Test(qp_state, of_a_datagram_qp_that_has_its_qkey_is_no_way_to_another)
{
	struct vx_qp *qp = new_qp(IBV_QPT_UD), *waits = new_qp(IBV_QPT_UD);
	const struct vx_path path = { .qkey = 5 }, other = { .qkey = 6 };

	made(vx_qp_to_init(waits, &path));
	cr_expect_eq(vx_qp_to_init(waits, &other), -EINVAL);
	expect_reason("it is in INIT with Q_Key 0x5, and the path has 0x6: vx_qp_reset() it first");
	made(vx_qp_to_rtr(waits, &other)); /* which that step can tell */
	made(vx_qp_to_rts(qp, &path));
	cr_expect_eq(vx_qp_to_rts(qp, &other), -EINVAL);
	expect_reason("it is in RTS with Q_Key 0x5, and the path has 0x6: vx_qp_reset() it first");
	made(vx_qp_to_rts(qp, &path));
	cr_expect_eq(vx_qp_to_rts(waits, &path), -EINVAL);
	made(vx_qp_to_rts(waits, &other));
	cr_expect_eq(queried(waits, IBV_QP_QKEY).qkey, 6);
}

/* From SQD and SQE, which come after RTS in their numbers, a way leads back there. */
Test(qp_state, of_a_queue_that_stands_still_is_no_way_to_another_peer)
{
	struct vx_qp *drained = qp_in(IBV_QPT_RC, IBV_QPS_SQD), *failed = qp_in(IBV_QPT_UC, IBV_QPS_SQE);
	struct vx_path elsewhere = path_to_itself(new_qp(IBV_QPT_RC));

	cr_expect_eq(vx_qp_to_rts(drained, &elsewhere), -EINVAL);
	expect_reason("it is in SQD with qp 0x");
	cr_expect_eq(vx_qp_to_rts(failed, &elsewhere), -EINVAL);
	expect_reason("it is in SQE with qp 0x");
	cr_expect_eq(state_of(failed), IBV_QPS_SQE);
	made(vx_qp_to_err(failed));
	cr_expect_eq(vx_qp_to_rts(failed, &elsewhere), -EINVAL);
	expect_reason("from ERR no way leads to RTS");
	made(vx_qp_to_rts(drained, NULL));
}

static void *ask_why_cancelled(void *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = UINT16_MAX };
	int rc;

	pthread_cancel(pthread_self());
	rc = vx_qp_modify(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	cr_expect_lt(rc, 0);
	return (void *)(uintptr_t)vx_error_text();
}

/* Who explains it reads the P_Key, whose file would stay open. */
Test(qp_state, is_explained_to_a_thread_that_is_cancelled)
{
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, ask_why_cancelled, new_qp(IBV_QPT_RC)), 0);
	pthread_join(thread, &left);
	cr_expect_neq(left, PTHREAD_CANCELED);
}
