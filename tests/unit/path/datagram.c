/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Datagrams by paths, to one QP and to a group, on any device: what came in says what was sent, and the way back. */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

#define made(call) cr_assert_eq(call, 0, "%s", vx_error_text())

#define QKEY 0x1234
#define EVERY_MEMBER 0xffffff
#define GRH 40
#define ROOM 128
#define PATIENCE 20 /* s */

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;
static struct ibv_port_attr port;
static struct end {
	struct vx_qp *qp;
	struct vx_mr *mr;
} ends[2];

static bool ethernet(void)
{
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

static bool soft_roce(void)
{
	return !strncmp(vx_ctx_name(ctx), "rxe", 3);
}

/* Whose address handles kernels make has the hop limit of the route, whatever was asked for. */
static uint8_t hops(uint8_t asked)
{
	return soft_roce() ? 64 : asked;
}

static void open_end(struct end *end)
{
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &end->qp));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * ROOM }, &end->mr));
	made(vx_qp_to_rts(end->qp, &(struct vx_path){ .qkey = QKEY }));
}

static void open_ends(void)
{
	made(vx_ctx_open_index(0, &ctx));
	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, NULL, &cq));
	open_end(&ends[0]);
	open_end(&ends[1]);
}

static void close_ends(void)
{
	made(vx_close(ctx));
}

TestSuite(datagram, .init = open_ends, .fini = close_ends);

static uint32_t number_of(const struct end *end)
{
	return vx_qp_raw(end->qp)->qp_num;
}

static char *received(const struct end *end)
{
	return vx_mr_addr(end->mr);
}

static void expect_message(const struct end *end)
{
	struct ibv_sge in = { (uintptr_t)received(end), ROOM, vx_mr_lkey(end->mr) };
	struct ibv_recv_wr recv = { .sg_list = &in, .num_sge = 1 }, *bad;

	cr_assert_eq(ibv_post_recv(vx_qp_raw(end->qp), &recv, &bad), 0);
}

static void send_by(const struct end *end, const struct vx_path *path, const char *text)
{
	char *out = received(end) + ROOM;
	struct ibv_sge sge = { (uintptr_t)out, (uint32_t)strlen(text) + 1, vx_mr_lkey(end->mr) };
	struct ibv_send_wr send = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	struct vx_ah *ah;

	made(vx_pd_ah(pd, path, &ah));
	strcpy(out, text);
	send.wr.ud.ah = vx_ah_raw(ah);
	send.wr.ud.remote_qpn = path->dqpn;
	send.wr.ud.remote_qkey = QKEY;
	cr_assert_eq(ibv_post_send(vx_qp_raw(end->qp), &send, &bad), 0);
}

/* The next message that any QP has received, and the path that it came by. */
static const struct end *hear(struct vx_path *path)
{
	time_t end = time(NULL) + PATIENCE;
	const struct end *at;
	struct ibv_wc wc;
	int count = 0;

	while (!count && time(NULL) < end)
		count = ibv_poll_cq(vx_cq_raw(cq), 1, &wc);
	cr_assert_eq(count, 1, "nothing came");
	cr_assert_eq(wc.status, IBV_WC_SUCCESS, "%s", ibv_wc_status_str(wc.status));
	at = wc.qp_num == number_of(&ends[0]) ? &ends[0] : &ends[1];
	made(vx_path_from_wc(ctx, 1, &wc, received(at), path));
	cr_expect_eq(path->dqpn, wc.qp_num);
	return at;
}

/* With all that a header can say. */
static struct vx_path way_to_second(void)
{
	struct vx_path path = { .dlid = port.lid, .dqpn = number_of(&ends[1]), .is_global = 1, .hop_limit = 23, .traffic_class = 0x89 };
	struct ibv_gid_entry gid;

	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	path.dgid = gid.gid;
	if (!IN6_IS_ADDR_V4MAPPED((struct in6_addr *)gid.gid.raw))
		path.flow_label = 0x1234;
	return path;
}

static void expect_way(const struct vx_path *came, const struct vx_path *sent)
{
	char text[2048];

	vx_path_snprint(text, sizeof(text), came);
	cr_expect_eq(came->sqpn, number_of(&ends[0]), "%s", text);
	cr_expect_eq(came->is_global, 1, "%s", text);
	cr_expect_eq(came->hop_limit, hops(sent->hop_limit), "%s", text);
	cr_expect_eq(came->flow_label, sent->flow_label, "%s", text);
	cr_expect_eq(came->traffic_class, sent->traffic_class, "%s", text);
	cr_expect_eq(memcmp(&came->dgid, &sent->dgid, sizeof(came->dgid)), 0, "%s", text);
	cr_expect_eq(came->gid_type, ethernet() ? IBV_GID_TYPE_ROCE_V2 : 0, "%s", text);
	cr_expect_eq(came->dlid, port.lid, "%s", text);
}

Test(datagram, tells_the_way_that_it_came)
{
	struct vx_path way = way_to_second(), came;

	expect_message(&ends[1]);
	send_by(&ends[0], &way, "who is there?");
	cr_expect_eq(hear(&came), &ends[1]);
	expect_way(&came, &way);
	cr_expect_eq(memcmp(&came.sgid, &way.dgid, sizeof(came.sgid)), 0, "it is the same port");
}

Test(datagram, is_answered_by_the_way_that_it_came)
{
	struct vx_path way = way_to_second(), came, back;

	expect_message(&ends[0]);
	expect_message(&ends[1]);
	send_by(&ends[0], &way, "who is there?");
	hear(&came);
	cr_expect_str_eq(received(&ends[1]) + GRH, "who is there?");
	vx_path_reply(&came);
	send_by(&ends[1], &came, "it is me");
	cr_expect_eq(hear(&back), &ends[0]);
	cr_expect_str_eq(received(&ends[0]) + GRH, "it is me");
	cr_expect_eq(back.sqpn, number_of(&ends[1]));
	cr_expect_eq(back.hop_limit, hops(255));
}

/* Nobody is told whose number the path has. */
Test(datagram, is_answered_by_another_qp)
{
	struct vx_path way = way_to_second(), came, back;

	expect_message(&ends[0]);
	expect_message(&ends[1]);
	send_by(&ends[0], &way, "who is there?");
	hear(&came);
	vx_path_reply(&came);
	made(vx_path_fill(&came, ends[0].qp));
	send_by(&ends[0], &came, "it is me");
	cr_expect_eq(hear(&back), &ends[0]);
	cr_expect_eq(back.sl, came.sl);
	cr_expect_eq(back.sqpn, number_of(&ends[0]));
}

/* Whoever gets one of a group answers its sender alone. A path's text is what programs tell each other. */
Test(datagram, of_a_group_is_answered_from_the_port)
{
	struct vx_mcast_init group = { .lid = 0xc001 };
	struct vx_path way, came, back;
	struct vx_mcast *member;
	char text[64];

	if (soft_roce())
		cr_skip_test("soft-RoCE does not loop what goes to a group back");
	inet_pton(AF_INET6, "ff12:401b::1", group.gid.raw);
	made(vx_mcast_create(ends[1].qp, &group, &member));
	snprintf(text, sizeof(text), "ff12:401b::1 dlid=%u dqpn=%#x is_global=1 hop_limit=23", ethernet() ? 0 : group.lid, EVERY_MEMBER);
	made(vx_path_parse(text, ctx, &way));
	expect_message(&ends[0]);
	expect_message(&ends[1]);
	send_by(&ends[0], &way, "who is there?");
	cr_expect_eq(hear(&came), &ends[1]);
	cr_expect_eq(memcmp(&came.dgid, &group.gid, sizeof(came.dgid)), 0);
	vx_path_reply(&came);
	send_by(&ends[1], &came, "it is me");
	cr_expect_eq(hear(&back), &ends[0]);
	cr_expect_str_eq(received(&ends[0]) + GRH, "it is me");
	made(vx_close(member));
}
