/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <time.h>

#include "pair.h"

#define LONGEST_WAIT 20 /* seconds */
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND)

static void join(struct vx_qp *qp, struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	path.ctx = NULL; /* the server may be of another */
	path.access = IBV_ACCESS_REMOTE_WRITE;
	made(vx_qp_to_rts(qp, &path));
}

static struct vx_qp *new_qp(struct vx_pd *parent, struct vx_cq *cq)
{
	struct vx_qp *qp;

	made(vx_qp_create(parent, &(struct vx_qp_init){ .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

struct pair connected_to(struct vx_pd *server_pd, struct vx_cq *server_cq)
{
	struct pair p;

	made(vx_cq_create(ctx, NULL, &p.cq));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = ROOM, .access = ACCESS }, &p.mr));
	p.client = new_qp(pd, p.cq);
	p.server = new_qp(server_pd, server_cq ? server_cq : p.cq);
	join(p.client, p.server);
	join(p.server, p.client);
	return p;
}

struct pair connected(void)
{
	return connected_to(pd, NULL);
}

struct ibv_wc next_wc(const struct pair *p)
{
	time_t end = time(NULL) + LONGEST_WAIT;
	struct ibv_wc wc;
	int got;

	do {
		got = vx_cq_poll(p->cq, 1, &wc);
	} while (!got && time(NULL) < end);
	cr_assert_eq(got, 1, "no completion");
	return wc;
}

enum ibv_wc_status next(const struct pair *p)
{
	return next_wc(p).status;
}

void connect_again(const struct pair *p)
{
	made(vx_qp_reset(p->client));
	made(vx_qp_reset(p->server));
	join(p->client, p->server);
	join(p->server, p->client);
}

static void post(struct vx_qp *qp, struct ibv_send_wr wr)
{
	wr.send_flags = IBV_SEND_SIGNALED;
	made(vx_qp_post_send(qp, &wr, NULL));
}

enum ibv_wc_status done(const struct pair *p, struct vx_qp *qp, struct ibv_send_wr wr)
{
	post(qp, wr);
	return next(p);
}

void post_write(const struct pair *p, void *to, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(p->mr), ROOM / 2, vx_mr_lkey(p->mr) };

	made(vx_qp_post_rdma_write(p->client, 0, IBV_SEND_SIGNALED, &sge, 1, rkey, (uintptr_t)to));
}

enum ibv_wc_status write_to(const struct pair *p, void *to, uint32_t rkey)
{
	char *from = vx_mr_addr(p->mr);
	enum ibv_wc_status status;

	memset(from, 'c', ROOM / 2);
	memset(to, 's', ROOM / 2);
	post_write(p, to, rkey);
	status = next(p);
	cr_expect_eq(memcmp(from, to, ROOM / 2) == 0, status == IBV_WC_SUCCESS, "status %d, but the memory tells otherwise",
		     (int)status);
	return status;
}

enum ibv_wc_status write_by(const struct pair *p, uint32_t rkey)
{
	return write_to(p, (char *)vx_mr_addr(p->mr) + ROOM / 2, rkey);
}
