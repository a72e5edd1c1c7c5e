/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Programs on a subnet that has a manager: that of the emulated device, and opensm on a simulated fabric (ibsim.sh). Data go through
 * the emulated device in either.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#define made(call) cr_assert_eq(call, 0, "%s", vx_error_text())
#define expect_reason(words) cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text())

#define PATIENCE 5000 /* ms */
#define ROOM 64
#define GRH 40

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static struct vx_mr *mr;
static struct vx_end_port port;

/* The port is found as a user would: the machine has one. */
static void open_subnet(void)
{
	struct vx_end_ports *ports;

	made(vx_end_ports_get(NULL, &ports));
	port = *ports->ports[0];
	vx_end_ports_free(ports);
	made(vx_ctx_open(port.device, &ctx));
	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4 * ROOM }, &mr));
}

static void close_subnet(void)
{
	cr_expect_eq(vx_close(ctx), 0, "%s", vx_error_text());
}

TestSuite(subnet, .init = open_subnet, .fini = close_subnet, .timeout = 30);

/* As it stands on the label: the path is made of nothing else. */
static struct vx_path path_from_guid(void)
{
	const unsigned char *b = (const unsigned char *)&port.port_guid;
	struct vx_path path;
	char guid[24];

	snprintf(guid, sizeof(guid), "%02x%02x:%02x%02x:%02x%02x:%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
	made(vx_path_parse(guid, ctx, &path));
	path.ctx = ctx;
	return path;
}

static char *place(unsigned int number)
{
	return (char *)vx_mr_raw(mr)->addr + number * ROOM;
}

static struct ibv_sge sge_of(unsigned int number)
{
	return (struct ibv_sge){ (uintptr_t)place(number), ROOM, vx_mr_raw(mr)->lkey };
}

/* The next completion, which is to be of this request. */
static struct ibv_wc complete(uint64_t wr_id)
{
	struct timespec pause = { .tv_nsec = 100000 };
	struct ibv_wc wc;
	int i, rc = 0;

	for (i = 0; !rc && i < PATIENCE * 10; i++) {
		rc = vx_cq_poll(cq, 1, &wc);
		if (!rc)
			nanosleep(&pause, NULL);
	}
	cr_assert_eq(rc, 1, "nothing completed");
	cr_expect_eq(wc.status, IBV_WC_SUCCESS);
	cr_expect_eq(wc.wr_id, wr_id);
	return wc;
}

static void receive_at(struct vx_qp *qp, unsigned int number)
{
	struct ibv_sge sge = sge_of(number);
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;

	cr_assert_eq(vx_qp_post_recv(qp, &wr, &bad), 0, "%s", vx_error_text());
}

static void send_from(struct vx_qp *qp, unsigned int number, const char *text)
{
	struct ibv_sge sge = sge_of(number);
	struct ibv_send_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	snprintf(place(number), ROOM, "%s", text);
	cr_assert_eq(vx_qp_post_send(qp, &wr, &bad), 0, "%s", vx_error_text());
}

Test(subnet, a_path_from_a_guid_gets_all_that_connecting_needs)
{
	struct vx_path path = path_from_guid();

	made(vx_path_resolve(&path, PATIENCE));
	cr_expect_eq(path.dlid, port.lid);
	cr_expect_eq(path.slid, port.lid);
	cr_expect_eq(path.pkey, 0xffff);
	cr_expect(path.path_mtu >= IBV_MTU_2048 && path.static_rate, "MTU %u, rate %u", path.path_mtu, path.static_rate);
	cr_expect(!path.is_global, "packets within a subnet have no GIDs");
	cr_expect_eq(path.port_num, 1);
}

Test(subnet, a_path_from_a_lid_gets_its_gid)
{
	struct vx_path path = { .ctx = ctx, .dlid = port.lid };

	made(vx_path_resolve(&path, PATIENCE));
	cr_expect_eq(memcmp(path.dgid.raw + 8, &port.port_guid, sizeof(port.port_guid)), 0);
}

/* To all peers it would take a second MAD, of which the simulator knows nothing: saquery(8) prints rubbish there as well. */
Test(subnet, all_paths_to_a_peer_are_told_at_once)
{
	struct vx_path to_me = path_from_guid(), paths[4];
	size_t count = 0;

	made(vx_path_resolve_all(&to_me, PATIENCE, paths, 4, &count));
	cr_assert_eq(count, 1);
	made(vx_path_resolve(&to_me, PATIENCE));
	cr_expect_eq(memcmp(&paths[0], &to_me, sizeof(to_me)), 0);
	to_me = (struct vx_path){ .ctx = ctx, .dlid = 0x1234 };
	cr_expect_eq(vx_path_resolve_all(&to_me, PATIENCE, paths, 4, &count), -ENOENT);
	expect_reason("DLID = 4660, Reversible = 1: there is no such record (0x0300)");
}

Test(subnet, a_guid_that_nobody_has_is_told_with_what_was_asked)
{
	struct vx_path path = { .ctx = ctx, .dgid.raw = { 0xfe, 0x80, [15] = 0x99 }, .dlid = 5 }, before = path;

	cr_expect_eq(vx_path_resolve(&path, PATIENCE), -ENOENT);
	expect_reason("PathRecord with DGID = fe80::99, SGID = fe80::");
	cr_expect_eq(memcmp(&path, &before, sizeof(path)), 0, "the path is as it was");
}

Test(subnet, a_lid_that_nobody_has_is_told)
{
	struct vx_path path = { .ctx = ctx, .dlid = 0x1234 };

	cr_expect_eq(vx_path_resolve(&path, PATIENCE), -ENOENT);
	expect_reason("DLID = 4660, Reversible = 1, NumbPath = 1: there is no such record (0x0300)");
}

Test(subnet, a_partition_that_the_port_is_not_in_has_no_path)
{
	struct vx_path path = path_from_guid();

	path.pkey = 0x8123;
	cr_expect_eq(vx_path_resolve(&path, PATIENCE), -ENOENT);
	expect_reason("P_Key = 0x8123");
}

/*
 * No connection manager: A tells B of its end, B asks the subnet for the way there, adds its own end and tells that. Text is what goes
 * between them, as it would by mail.
 */
static void connect_both(struct vx_qp *a, struct vx_qp *b)
{
	struct vx_path there = { 0 }, back;
	char text[2048];
	uint32_t spsn;

	made(vx_path_fill(&there, a));
	spsn = there.spsn;
	there.ctx = NULL;
	vx_path_snprint(text, sizeof(text), &there);

	made(vx_path_parse(text, NULL, &back));
	vx_path_reverse(&back);
	back.ctx = ctx;
	back.dlid = 0;
	made(vx_path_resolve(&back, PATIENCE));
	cr_expect_eq(back.dlid, port.lid);
	made(vx_path_fill(&back, b));
	made(vx_path_complete(&back));
	made(vx_qp_to_rts(b, &back));
	back.ctx = NULL;
	vx_path_snprint(text, sizeof(text), &back);

	made(vx_path_parse(text, NULL, &there));
	vx_path_reverse(&there);
	there.ctx = ctx;
	cr_expect_eq(there.spsn, spsn, "B counts from what A has told");
	made(vx_qp_to_rts(a, &there));
}

Test(subnet, two_qps_connect_by_what_the_subnet_says_and_answer_each_other)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq };
	struct vx_qp *a, *b;

	made(vx_qp_create(pd, &init, &a));
	made(vx_qp_create(pd, &init, &b));
	made(vx_qp_to_init(a, NULL));
	made(vx_qp_to_init(b, NULL));
	receive_at(a, 0);
	receive_at(b, 1);
	connect_both(a, b);
	send_from(a, 2, "hello");
	cr_expect_eq(complete(1).opcode, IBV_WC_RECV);
	complete(2);
	cr_expect_str_eq(place(1), "hello");
	send_from(b, 3, "and back");
	cr_expect_eq(complete(0).opcode, IBV_WC_RECV);
	complete(3);
	cr_expect_str_eq(place(0), "and back");
}

/* ---- groups ---- */

static const union ibv_gid mgid = { .raw = { 0xff, 0x12, 0x12, 0x34, 0xff, 0xff, [15] = 0x77 } };

Test(subnet, a_group_is_made_and_left)
{
	struct vx_sa_group_init init = { .mgid = mgid, .only_join = true, .timeout_ms = PATIENCE };
	struct vx_sa_group *group, *other;
	struct vx_path path;

	cr_expect_eq(vx_sa_group_create(ctx, &init, &group), -ENOENT);
	expect_reason("there is no group ff12:1234:ffff::77");
	init.only_join = false;
	init.qkey = 0x4321;
	made(vx_sa_group_create(ctx, &init, &group));
	made(vx_sa_group_path(group, &path));
	cr_expect_eq(memcmp(&path.dgid, &mgid, sizeof(mgid)), 0);
	cr_expect(path.dlid >= 0xc000 && path.dlid < 0xffff, "0x%x", path.dlid);
	cr_expect(path.qkey == 0x4321 && path.dqpn == 0xffffff && path.is_global && path.path_mtu);
	init.only_join = true;
	init.join_state = VX_SA_NON_MEMBER;
	made(vx_sa_group_create(ctx, &init, &other));
	made(vx_close(other));
	made(vx_close(group));
	init.join_state = 0;
	cr_expect_eq(vx_sa_group_create(ctx, &init, &group), -ENOENT, "it went with its only full member");
}

Test(subnet, a_new_group_gets_a_gid)
{
	struct vx_sa_group *group;
	struct vx_path path;

	made(vx_sa_group_create(ctx, NULL, &group));
	made(vx_sa_group_path(group, &path));
	cr_expect_eq(path.dgid.raw[0], 0xff);
	cr_expect_eq(path.qkey, 0x1ee7);
}

Test(subnet, a_group_is_not_other_than_it_is)
{
	struct vx_sa_group_init init = { .mgid = mgid, .qkey = 0x4321 };
	struct vx_sa_group *group, *other;

	made(vx_sa_group_create(ctx, &init, &group));
	init.qkey = 0x1234;
	cr_expect_eq(vx_sa_group_create(ctx, &init, &other), -EREMOTEIO);
	expect_reason("Q_Key = 0x1234");
}

/* The port leaves when its context is closed, however that comes. */
Test(subnet, a_group_goes_with_its_context)
{
	struct vx_sa_group_init init = { .mgid = mgid, .timeout_ms = PATIENCE };
	struct vx_sa_group *group;
	struct vx_ctx *other;

	made(vx_ctx_open(port.device, &other));
	made(vx_sa_group_create(other, &init, &group));
	made(vx_close(other));
	init.only_join = true;
	cr_expect_eq(vx_sa_group_create(ctx, &init, &group), -ENOENT);
}

Test(subnet, a_member_gets_what_is_sent_to_the_group)
{
	struct vx_qp_init init = { .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq };
	struct vx_sa_group *group;
	struct vx_mcast *mcast;
	struct vx_path path;
	struct vx_qp *qp;
	struct vx_ah *ah;
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 3, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	made(vx_sa_group_create(ctx, &(struct vx_sa_group_init){ .mgid = mgid }, &group));
	made(vx_sa_group_path(group, &path));
	made(vx_qp_create(pd, &init, &qp));
	made(vx_qp_to_rts(qp, &(struct vx_path){ .qkey = path.qkey }));
	made(vx_mcast_create(qp, &(struct vx_mcast_init){ .gid = path.dgid, .lid = path.dlid }, &mcast));
	made(vx_pd_ah(pd, &path, &ah));
	sge = sge_of(0);
	sge.length = 2 * ROOM;
	cr_assert_eq(vx_qp_post_recv(qp, &(struct ibv_recv_wr){ .sg_list = &sge, .num_sge = 1 }, &(struct ibv_recv_wr *){ NULL }), 0);
	sge = sge_of(3);
	sge.length = 6;
	strcpy(place(3), "all!!");
	wr.wr.ud.ah = vx_ah_raw(ah);
	wr.wr.ud.remote_qpn = path.dqpn;
	wr.wr.ud.remote_qkey = path.qkey;
	cr_assert_eq(vx_qp_post_send(qp, &wr, &bad), 0, "%s", vx_error_text());
	complete(0);
	complete(3);
	cr_expect_str_eq(place(0) + GRH, "all!!");
}

/* ---- where nobody answers: after opensm was stopped ---- */

TestSuite(stopped, .init = open_subnet, .fini = close_subnet, .timeout = 30);

Test(stopped, a_manager_that_does_not_answer_is_told_in_time)
{
	struct vx_path path = path_from_guid();

	if (!getenv("OPENSM_IS_STOPPED"))
		cr_skip_test("somebody answers");
	cr_expect_eq(vx_path_resolve(&path, -1), -ETIMEDOUT);
	expect_reason("did not answer 3 questions in");
	path = path_from_guid();
	path.packet_life_time = 4;
	path.mask = VX_PATH_RETRY_CNT;
	cr_expect_eq(vx_path_resolve(&path, 1000), -ETIMEDOUT);
	expect_reason("did not answer 1 question in");
}

Test(subnet, a_group_is_joined_as_what_there_is)
{
	struct vx_sa_group_init init = { .mgid = mgid, .join_state = 0x41 };
	struct vx_sa_group *group;

	cr_expect_eq(vx_sa_group_create(ctx, &init, &group), -EINVAL);
	expect_reason("join_state has 0x40, which is none of enum vx_sa_join_state");
}
