/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How long the client takes to read the server's memory, one read after the other, as ib_read_lat does. */

#include "pingpong.h"

static struct vx_qp *qp;

static void read_one(struct end *end, const struct vx_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(mr), end->options.size, vx_mr_lkey(mr) };
	struct ibv_wc wc[BATCH];

	must(vx_qp_post_rdma_read(qp, 0, IBV_SEND_SIGNALED, &sge, 1, be32toh(end->peer.rkey), be64toh(end->peer.addr)));
	take_some(end, wc);
}

static void read_all(struct end *end, const struct vx_mr *mr)
{
	const uint32_t count = end->options.count;
	int64_t *times = calloc(count, sizeof(*times)), start = now_ns(), begun;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (end->options.check)
			memset(vx_mr_addr(mr), 0, end->options.size);
		begun = now_ns();
		read_one(end, mr);
		times[i] = now_ns() - begun;
		check_message(end, vx_mr_addr(mr), 1);
	}
	report(end, "read_lat", times, (uint64_t)count * end->options.size, now_ns() - start);
	free(times);
}

int main(int argc, char **argv)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct end end = open_end(parse_options(argc, argv), 0, 0);
	struct vx_mr *mr;

	must(vx_mr_create(end.pd, &(struct vx_mr_init){ .length = end.options.size, .access = access }, &mr));
	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .send_cq = end.cq, .recv_cq = end.cq }, &qp));
	fill_message(&end, vx_mr_addr(mr), 1);
	connect_end(&end, &qp, 1, told_of(mr), access);
	if (end.options.host)
		read_all(&end, mr);
	meet(&end);
	must(vx_close(end.ctx));
	return 0;
}
