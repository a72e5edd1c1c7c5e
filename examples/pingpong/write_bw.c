/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How fast the client writes to the server's memory, as ib_write_bw does; the server looks at what is there in the end. */

#include "pingpong.h"

static struct vx_qp *qp;
static int64_t begun[DEPTH];

/*
 * The slot of the server's memory that a write goes to is that of the buffer here: each has DEPTH of them. Where nobody looks at what is
 * in them, all writes are of the first, as those of ib_write_bw are: DEPTH buffers may be more than a processor's caches hold.
 */
static uint64_t offset_of(const struct end *end, uint32_t slot)
{
	return end->options.check ? (uint64_t)slot * end->options.size : 0;
}

static void write_one(const struct end *end, const struct vx_mr *mr, uint32_t number, int64_t at)
{
	const uint64_t offset = offset_of(end, number % DEPTH);
	struct ibv_sge sge = { (uintptr_t)vx_mr_addr(mr) + offset, end->options.size, vx_mr_lkey(mr) };

	fill_message(end, (char *)vx_mr_addr(mr) + offset, number);
	begun[number % DEPTH] = at;
	must(vx_qp_post_rdma_write(qp, number, IBV_SEND_SIGNALED, &sge, 1, be32toh(end->peer.rkey),
				   be64toh(end->peer.addr) + offset));
}

/* As many writes are under way as there are slots. The time is asked for once a batch: a small write does not take much longer than that. */
static void write_all(struct end *end, const struct vx_mr *mr)
{
	const uint32_t count = end->options.count;
	int64_t *times = calloc(count, sizeof(*times)), start = now_ns(), at = start;
	uint32_t posted = 0, done = 0;
	struct ibv_wc wc[BATCH];
	int i, some;

	while (done < count) {
		while (posted < count && posted - done < DEPTH)
			write_one(end, mr, posted++, at);
		some = take_some(end, wc);
		at = now_ns();
		for (i = 0; i < some; i++)
			times[done++] = at - begun[wc[i].wr_id % DEPTH];
	}
	report(end, "write_bw", times, (uint64_t)count * end->options.size, now_ns() - start);
	free(times);
}

/* The last write to each slot is what it has. */
static void check_all(const struct end *end, const struct vx_mr *mr)
{
	const uint32_t count = end->options.count;
	uint32_t number;

	for (number = count > DEPTH ? count - DEPTH : 0; number < count; number++)
		check_message(end, (const char *)vx_mr_addr(mr) + offset_of(end, number % DEPTH), number);
}

int main(int argc, char **argv)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct end end = open_end(parse_options(argc, argv), 0, 0);
	struct vx_mr *mr;

	must(vx_mr_create(end.pd, &(struct vx_mr_init){ .length = (size_t)DEPTH * end.options.size, .access = access }, &mr));
	memset(vx_mr_addr(mr), 1, end.options.size); /* what nobody has written to is one page of zeros to a kernel, and no memory */
	must(vx_qp_create(end.pd, &(struct vx_qp_init){ .send_cq = end.cq, .recv_cq = end.cq }, &qp));
	connect_end(&end, &qp, 1, told_of(mr), access);
	if (end.options.host)
		write_all(&end, mr);
	meet(&end);
	if (!end.options.host)
		check_all(&end, mr);
	must(vx_close(end.ctx));
	return 0;
}
