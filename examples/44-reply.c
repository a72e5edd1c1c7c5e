/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Answering a datagram by the path that it came by. */
/* By RoCE: vx emu -c link_layer=ethernet,ipv4=127.0.0.1 -- example-44-reply shows the way back as an IPv4 address. */

#include "connect.h"
#include "example.h"

#define QKEY 0x1234
#define GRH 40	/* bytes before what a UD QP receives */
#define ROOM 128

/* An end of the conversation: its QP, and memory for one message in and one out. */
struct end {
	struct vx_qp *qp;
	struct vx_mr *mr;
};

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;

static struct end make_end(void)
{
	struct end end;
	struct ibv_sge in;

	must(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &end.qp));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 2 * ROOM }, &end.mr));
	must(vx_qp_to_rts(end.qp, &(struct vx_path){ .qkey = QKEY }));
	in = (struct ibv_sge){ (uintptr_t)vx_mr_addr(end.mr), ROOM, vx_mr_lkey(end.mr) };
	must(vx_qp_post_recv_one(end.qp, 0, &in, 1));
	return end;
}

/* The PD makes an address handle of the path, or has one. */
static void say(const struct end *from, const struct vx_path *path, const char *text)
{
	char *out = (char *)vx_mr_addr(from->mr) + ROOM;
	struct ibv_sge sge = { (uintptr_t)out, (uint32_t)strlen(text) + 1, vx_mr_lkey(from->mr) };
	struct vx_ah *ah;

	must(vx_pd_ah(pd, path, &ah));
	strcpy(out, text);
	must(vx_qp_post_send_to(from->qp, 0, 0, &sge, 1, ah, path->dqpn, QKEY));
}

/* What has come in, and by which path. */
static void hear(const struct end *end, struct vx_path *path)
{
	char *in = vx_mr_addr(end->mr);
	struct ibv_wc wc;

	must_poll(cq, &wc);
	must_complete(&wc, end->qp);
	must(vx_path_from_wc(ctx, 1, &wc, in, path));
	printf("received: %s\n", in + GRH);
}

int main(void)
{
	struct end client, server;
	struct vx_path path;
	char text[2048];

	must(vx_ctx_open_index(0, &ctx));
	must(vx_pd_create(ctx, NULL, &pd));
	must(vx_cq_create(ctx, NULL, &cq));
	client = make_end();
	server = make_end();

	/* What a server would tell: by which way it is reached. */
	path = way_to(server.qp);
	say(&client, &path, "who is there?");

	hear(&server, &path);
	vx_path_reply(&path);
	vx_path_snprint(text, sizeof(text), &path);
	printf("back to %s\n", text);
	say(&server, &path, "it is me");
	hear(&client, &path);
	must(vx_close(ctx));
	return 0;
}
