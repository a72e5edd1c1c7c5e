/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a device knows of a path, and what ibv_modify_qp() is told of it. */

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <criterion/criterion.h>

#include "unit/path/device.h"

TestSuite(fill, .init = open_device, .fini = close_device, .timeout = 60);

static struct vx_qp *qp;

static struct vx_path filled(struct vx_path path)
{
	qp = new_qp(IBV_QPT_RC);
	made(vx_path_fill(&path, qp));
	return path;
}

static struct vx_ctx *context_of(const struct vx_path *path)
{
	return path->ctx;
}

static struct ibv_port_attr port_of(const struct vx_path *path)
{
	struct ibv_port_attr port;

	made(vx_ctx_query_port(context_of(path), path->port_num, &port));
	return port;
}

static union ibv_gid gid_of(const char *text)
{
	union ibv_gid gid;

	cr_assert_eq(inet_pton(AF_INET6, text, gid.raw), 1);
	return gid;
}

static bool is_gid(union ibv_gid gid, const char *text)
{
	union ibv_gid other = gid_of(text);

	return !memcmp(&gid, &other, sizeof(gid));
}

Test(fill, takes_from_the_port_where_it_begins)
{
	struct vx_path path = filled((struct vx_path){ 0 });

	cr_expect_eq(path.port_num, 1);
	cr_expect_eq(path.pkey, 0xffff);
	cr_expect_eq(path.path_mtu, port_of(&path).active_mtu);
	cr_expect_eq(path.slid, is_roce() ? 0 : port_of(&path).lid);
	cr_expect_eq(path.is_global, is_roce());
	cr_expect_eq(path.packet_life_time, is_roce() ? 16 : port_of(&path).subnet_timeout);
}

Test(fill, takes_from_the_device_what_it_can)
{
	struct vx_path path = filled((struct vx_path){ .drd_atomic = 2 }), more = filled((struct vx_path){ .srd_atomic = 255 });
	struct ibv_device_attr device;

	made(vx_ctx_query_device(context_of(&path), &device));
	cr_expect_eq(path.srd_atomic, device.max_qp_init_rd_atom);
	cr_expect_eq(path.drd_atomic, 2);
	cr_expect_eq(path.sack_delay, device.local_ca_ack_delay);
	cr_expect_eq(path.dack_delay, 0, "only the other side knows");
	cr_expect_eq(more.srd_atomic, device.max_qp_init_rd_atom);
	cr_expect_eq(more.drd_atomic, device.max_qp_rd_atom);
}

Test(fill, takes_from_the_qp_its_number_and_draws_that_of_its_first_packet)
{
	struct vx_path path = filled((struct vx_path){ 0 }), other = filled((struct vx_path){ 0 });

	cr_expect_eq(other.sqpn, vx_qp_raw(qp)->qp_num);
	cr_expect_neq(path.sqpn, other.sqpn);
	cr_expect(path.spsn && path.spsn <= 0xffffff && path.spsn != other.spsn, "0x%x 0x%x", path.spsn, other.spsn);
	cr_expect_eq(path.dpsn, 0);
}

Test(fill, has_defaults_for_times_and_retries)
{
	struct vx_path path = filled((struct vx_path){ 0 });

	cr_expect_eq(path.hop_limit, 64);
	cr_expect_eq(path.min_rnr_timer, 12);
	cr_expect_eq(path.retry_cnt, 6);
	cr_expect_eq(path.rnr_retry, 7);
	cr_expect_eq(path.timeout, 0, "it comes of what the peer says");
}

Test(fill, leaves_a_0_that_is_meant)
{
	const uint32_t all = (VX_PATH_HOP_LIMIT << 1) - 1;
	struct vx_path path = filled((struct vx_path){ .mask = all });

	cr_expect_eq(path.spsn | path.srd_atomic | path.drd_atomic | path.sack_delay | path.packet_life_time | path.min_rnr_timer |
		     path.retry_cnt | path.rnr_retry | path.hop_limit | path.timeout, 0);
	cr_expect_eq(path.mask, all);
}

Test(fill, leaves_what_is_known)
{
	struct vx_path path = filled((struct vx_path){ .path_mtu = IBV_MTU_256, .hop_limit = 1, .spsn = 7, .retry_cnt = 1, .pkey = 0x7fff });

	cr_expect_eq(path.path_mtu, IBV_MTU_256);
	cr_expect_eq(path.hop_limit, 1);
	cr_expect_eq(path.spsn, 7);
	cr_expect_eq(path.retry_cnt, 1);
	cr_expect_eq(path.pkey, 0x7fff);
}

Test(fill, changes_nothing_where_it_fails)
{
	struct vx_path path = { .port_num = 9 }, before = path;

	qp = new_qp(IBV_QPT_RC);
	cr_expect_lt(vx_path_fill(&path, qp), 0);
	cr_expect_eq(memcmp(&path, &before, sizeof(path)), 0);
}

Test(fill, refuses_a_path_of_another_context)
{
	struct vx_path path = { 0 };

	qp = new_qp(IBV_QPT_RC);
	made(vx_ctx_open(device_name(), &path.ctx));
	cr_expect_eq(vx_path_fill(&path, qp), -EINVAL);
	expect_reason("the path begins at mlx5_0#2");
	made(vx_close(path.ctx));
}

/* Of a path that came by a socket the context is a pointer of another process. */
Test(fill, does_not_look_at_what_a_path_of_another_process_has_for_its_context)
{
	struct vx_ctx *ctx = filled((struct vx_path){ 0 }).ctx;
	struct vx_path path = { .ctx = (struct vx_ctx *)(uintptr_t)0xdead000, .dlid = 7, .port_num = 1 };
	struct ibv_qp_attr attr;
	char text[64];
	struct vx_pd *pd;
	struct vx_ah *ah;
	size_t count;

	made(vx_pd_borrow(ctx, vx_qp_raw(qp)->pd, &pd));
	cr_expect_eq(vx_path_fill(&path, qp), -EINVAL);
	expect_reason("ctx of the path is no context that is open in this process");
	cr_expect_eq(vx_qp_to_rts(qp, &path), -EINVAL);
	expect_reason("ctx of the path is no context");
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EINVAL);
	expect_reason("ctx of the path is no context");
	cr_expect_eq(vx_path_complete(&path), -EINVAL);
	expect_reason("ctx of the path is no context");
	cr_expect_eq(vx_path_qp_attr(&path, &attr), -EINVAL);
	expect_reason("ctx of the path is no context");
	cr_expect_eq(vx_path_resolve(&path, 0), -EINVAL);
	expect_reason("ctx of the path is no context");
	cr_expect_eq(vx_path_resolve_all(&path, 0, NULL, 0, &count), -EINVAL);
	expect_reason("ctx of the path is no context");
	vx_path_snprint(text, sizeof(text), &path);
	cr_expect_str_eq(text, "7");
	made(vx_close(pd));
}

Test(fill, refuses_nothing_to_fill)
{
	cr_expect_eq(vx_path_fill(NULL, new_qp(IBV_QPT_RC)), -EINVAL);
	cr_expect_eq(vx_path_fill(&(struct vx_path){ 0 }, NULL), -EINVAL);
	cr_expect_eq(vx_path_complete(NULL), -EINVAL);
}

/* ---- its GID ---- */

Test(fill, begins_with_ipv4_of_roce_v2)
{
	struct vx_path path = filled((struct vx_path){ 0 });

	if (!is_roce())
		cr_skip_test("InfiniBand has one GID");
	cr_expect(is_gid(path.sgid, "::ffff:10.1.0.1"));
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
}

Test(fill, begins_with_a_gid_of_the_kind_that_the_peer_has)
{
	struct vx_path path = filled((struct vx_path){ .dgid = gid_of("fe80::1") });

	if (!is_roce())
		cr_skip_test("InfiniBand has one GID");
	cr_expect_eq(path.sgid.raw[0], 0xfe);
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
}

Test(fill, finds_the_gid_that_is_given_of_the_type_that_is_given)
{
	struct vx_path path;

	if (!is_roce())
		cr_skip_test("InfiniBand has one GID");
	path = filled((struct vx_path){ .sgid = gid_of("::ffff:10.1.0.1"), .gid_type = IBV_GID_TYPE_ROCE_V1 });
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V1);
	path = filled((struct vx_path){ .sgid = gid_of("::ffff:10.1.0.1") });
	cr_expect_eq(path.gid_type, IBV_GID_TYPE_ROCE_V2);
	path.sgid = gid_of("::ffff:10.9.9.9");
	path.gid_type = 0;
	cr_expect_eq(vx_path_fill(&path, qp), -EADDRNOTAVAIL);
	expect_reason("port 1 has no GID ::ffff:10.9.9.9");
}

Test(fill, of_a_gid_that_is_not_there_tells_at_once)
{
	struct vx_path path = filled((struct vx_path){ 0 });

	path.sgid = gid_of("fe80::dead:beef");
	cr_expect_eq(vx_path_fill(&path, qp), -EADDRNOTAVAIL);
	expect_reason("port 1 has no GID fe80::dead:beef");
}

Test(fill, goes_by_gid_to_another_subnet_only)
{
	struct vx_path here = filled((struct vx_path){ 0 }), path;

	if (is_roce())
		cr_skip_test("Ethernet always does");
	path = filled((struct vx_path){ .dgid = here.sgid });
	cr_expect_eq(path.is_global, 0);
	path = filled((struct vx_path){ .dgid = gid_of("fec0::1") });
	cr_expect_eq(path.is_global, 1);
}

/* ---- what is missing ---- */

static void expect_missing(struct vx_path path, const char *what)
{
	cr_expect_eq(vx_path_complete(&path), -EINVAL);
	expect_reason(what);
}

Test(fill, is_not_all_that_connecting_needs)
{
	struct vx_path path;

	qp = new_qp(IBV_QPT_RC);
	path = path_to_itself(qp);
	made(vx_path_complete(&path));
	path.dqpn = 0;
	expect_missing(path, "dqpn, the QP number there, is not known");
	path.is_global = 0;
	path.dlid = 0;
	expect_missing(path, is_roce() ? "vx_path_complete on mlx5_0: Invalid argument: packets of its port have GIDs, and it is not filled yet: vx_path_fill()" :
				 "dlid, the LID there, is not known");
	made(vx_path_fill(&path, qp));
	memset(&path.dgid, 0, sizeof(path.dgid));
	path.dlid = 0;
	expect_missing(path, is_roce() ? "dgid, the GID there, is not known" : "dlid, the LID there, is not known");
	path.ctx = NULL;
	expect_missing(path, "ctx, the device here, is not known");
}

/* ---- of a newer release ---- */

static void expect_unknown(struct vx_path path, int code, const char *what)
{
	struct vx_pd *pd;
	struct vx_ah *ah;
	struct ibv_qp_attr attr;
	size_t count;

	made(vx_pd_borrow((struct vx_ctx *)path.ctx, vx_qp_raw(qp)->pd, &pd));
	cr_expect_eq(vx_path_fill(&path, qp), code);
	expect_reason(what);
	cr_expect_eq(vx_qp_to_rts(qp, &path), code);
	cr_expect_eq(vx_path_qp_attr(&path, &attr), code);
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), code);
	expect_reason(what);
	cr_expect_eq(vx_path_complete(&path), code);
	expect_reason(what);
	cr_expect_eq(vx_path_resolve(&path, 0), code);
	expect_reason(what);
	cr_expect_eq(vx_path_resolve_all(&path, 0, NULL, 0, &count), code);
	expect_reason(what);
	cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	made(vx_close(pd));
}

/* A program that sets a member which this library does not know would get something else than it has asked for. */
Test(fill, refuses_what_it_does_not_know)
{
	struct vx_path newer, bit, right, rate, type;

	qp = new_qp(IBV_QPT_RC);
	newer = bit = right = rate = type = path_to_itself(qp);
	newer.reserved_[0] = 1;
	expect_unknown(newer, -E2BIG, "the path has something at byte 100, in a field behind mask");
	bit.mask |= VX_PATH_HOP_LIMIT << 1;
	expect_unknown(bit, -EINVAL, "mask has 0x1000, which is none of enum vx_path_mask");
	right.access = IBV_ACCESS_REMOTE_READ | 1 << 18;
	expect_unknown(right, -EINVAL, "access has 0x40000, which is none of enum ibv_access_flags");
	rate.static_rate = 200;
	expect_unknown(rate, -EINVAL, "static_rate = 200 is none of enum ibv_rate");
	type.gid_type = 7;
	expect_unknown(type, -EINVAL, "gid_type = 7 is none of enum ibv_gid_type");
}

Test(fill, refuses_numbers_that_packets_have_no_room_for)
{
	struct vx_path level, there, mtu, timer;

	qp = new_qp(IBV_QPT_RC);
	level = there = mtu = timer = path_to_itself(qp);
	level.sl = 16;
	expect_unknown(level, -EINVAL, "sl = 16, but the most is 15");
	there.dqpn = 0x1000000;
	expect_unknown(there, -EINVAL, "dqpn = 0x1000000, but the most is 0xffffff");
	mtu.path_mtu = 9;
	expect_unknown(mtu, -EINVAL, "path_mtu = 9 is none of enum ibv_mtu");
	timer.min_rnr_timer = 77;
	expect_unknown(timer, -EINVAL, "min_rnr_timer = 77, but the most is 31");
}

/* Devices may pass them over, so a device that knows them may get them. */
Test(fill, takes_rights_that_are_optional)
{
	struct vx_path path;

	qp = new_qp(IBV_QPT_RC);
	path = path_to_itself(qp);
	path.access = IBV_ACCESS_RELAXED_ORDERING | 1 << 29;
	made(vx_path_fill(&path, qp));
}

/* ---- for ibv_modify_qp() ---- */

Test(fill, tells_modify_all_that_a_path_has)
{
	struct vx_path path;
	struct ibv_qp_attr attr;

	qp = new_qp(IBV_QPT_RC);
	path = path_to_itself(qp);
	path.dpsn = 5;
	path.flow_label = 0x12345;
	path.sl = 3;
	path.traffic_class = 0x68;
	path.qkey = 9;
	path.timeout = 11;
	path.access = IBV_ACCESS_REMOTE_READ;
	made(vx_path_qp_attr(&path, &attr));
	cr_expect_eq(attr.path_mtu, (enum ibv_mtu)path.path_mtu);
	cr_expect_eq(attr.dest_qp_num, path.dqpn);
	cr_expect_eq(attr.sq_psn, path.spsn);
	cr_expect_eq(attr.rq_psn, path.dpsn);
	cr_expect_eq(attr.max_rd_atomic, path.srd_atomic);
	cr_expect_eq(attr.max_dest_rd_atomic, path.drd_atomic);
	cr_expect_eq(attr.timeout, 11);
	cr_expect_eq(attr.retry_cnt, 6);
	cr_expect_eq(attr.rnr_retry, 7);
	cr_expect_eq(attr.qkey, 9);
	cr_expect_eq(attr.qp_access_flags, (unsigned int)IBV_ACCESS_REMOTE_READ);
	cr_expect_eq(attr.ah_attr.sl, 3);
	cr_expect_eq(attr.ah_attr.dlid, path.dlid);
	cr_expect_eq(attr.ah_attr.src_path_bits, 0, "of a port with one LID");
	cr_expect_eq(attr.ah_attr.grh.flow_label, 0x12345u);
	cr_expect_eq(attr.ah_attr.grh.traffic_class, 0x68);
	cr_expect_eq(attr.ah_attr.grh.hop_limit, 64);
	cr_expect_eq(memcmp(&attr.ah_attr.grh.dgid, &path.dgid, 16), 0);
}

Test(fill, tells_modify_the_places_of_gid_and_partition)
{
	struct ibv_gid_entry gid;
	struct vx_path path;
	struct ibv_qp_attr attr;

	qp = new_qp(IBV_QPT_RC);
	path = path_to_itself(qp);
	path.is_global = 1;
	path.pkey = 0x7fff;
	made(vx_path_qp_attr(&path, &attr));
	made(vx_ctx_query_gid(path.ctx, 1, attr.ah_attr.grh.sgid_index, &gid));
	cr_expect_eq(memcmp(&gid.gid, &path.sgid, 16), 0);
	cr_expect_eq(gid.gid_type, path.gid_type);
	path.pkey = 0x1234;
	cr_expect_lt(vx_path_qp_attr(&path, &attr), 0);
}

Test(fill, tells_modify_the_place_of_a_gid_of_the_type_that_is_given)
{
	struct ibv_gid_entry gid;
	struct ibv_qp_attr attr;
	struct vx_path path;

	if (!is_roce())
		cr_skip_test("InfiniBand has one GID");
	path = filled((struct vx_path){ .sgid = gid_of("::ffff:10.1.0.1"), .gid_type = IBV_GID_TYPE_ROCE_V1 });
	made(vx_path_qp_attr(&path, &attr));
	made(vx_ctx_query_gid(path.ctx, 1, attr.ah_attr.grh.sgid_index, &gid));
	cr_expect_eq(gid.gid_type, IBV_GID_TYPE_ROCE_V1);
}

Test(fill, tells_modify_of_no_path_without_a_device)
{
	struct ibv_qp_attr attr;

	cr_expect_eq(vx_path_qp_attr(&(struct vx_path){ 0 }, &attr), -EINVAL);
	cr_expect_eq(vx_path_qp_attr(NULL, &attr), -EINVAL);
}

static void *find_pkey_cancelled(void *passed)
{
	struct vx_path path = { .ctx = (struct vx_ctx *)filled((struct vx_path){ 0 }).ctx, .pkey = 0xffff };
	struct ibv_qp_attr attr;

	pthread_cancel(pthread_self());
	made(vx_path_qp_attr(&path, &attr));
	*(bool *)passed = true;
	pthread_testcancel();
	return NULL;
}

/* Else the file of a P_Key would stay open. */
Test(fill, finds_a_p_key_for_a_thread_that_is_cancelled)
{
	bool returned = false;
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, find_pkey_cancelled, &returned), 0);
	pthread_join(thread, &left);
	cr_assert(returned);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
}
