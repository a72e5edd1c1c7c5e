/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Requests that are wrong before they are posted. Checked QPs refuse them; what becomes of them with others is seen in a process of its
 * own, as some crash it, or never come back.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "posting.h"

static struct vx_qp *new_qp(const struct post *p, enum ibv_qp_type type)
{
	struct vx_qp_init init = { .send_cq = p->bench->cq, .recv_cq = p->bench->cq, .qp_type = type, .send_ops_flags = ALL, .checked = p->checked,
				   .cap = { .max_send_wr = DEPTH, .max_send_sge = 2, .max_inline_data = 64 } };
	struct vx_path path = { .qkey = 0x1234, .access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC };
	struct vx_qp *qp;

	if (type == IBV_QPT_UD)
		init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	if (type == IBV_QPT_XRC_SEND)
		init.recv_cq = NULL;
	must(vx_qp_create(p->pd, &init, &qp));
	must(vx_qp_to_init(qp, &path));
	return qp;
}

static void join(struct vx_qp *qp, struct vx_qp *peer)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	must(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	must(vx_qp_to_rts(qp, &path));
}

static struct post connected(struct bench *b, bool checked)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	struct post p = { .bench = b, .pd = b->pd, .checked = checked };

	must(vx_mr_create(b->pd, &(struct vx_mr_init){ .length = ROOM, .access = access }, &p.mr));
	p.qp = new_qp(&p, IBV_QPT_RC);
	join(p.qp, p.qp);
	return p;
}

/* ---- lists ---- */

static int no_data(struct post *p)
{
	begin_write(p);
	return vx_wr_complete(p->wr);
}

static int to_datagrams(struct post *p)
{
	p->qp = new_qp(p, IBV_QPT_UD);
	return vx_qp_to_rts(p->qp, NULL);
}

static int no_address(struct post *p)
{
	must(to_datagrams(p));
	begin(p);
	vx_wr_send(p->wr, 7, IBV_SEND_SIGNALED);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

static int data_twice(struct post *p)
{
	begin_write(p);
	add_sge(p, 8);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

static struct vx_ah *way_back(const struct post *p)
{
	struct ibv_qp_attr attr = usual_attr(p->bench, IBV_QPS_RTR);
	struct vx_ah *ah;

	must(vx_ah_create(p->pd, &(struct vx_ah_init){ .port_num = 1, .dlid = attr.ah_attr.dlid }, &ah));
	return ah;
}

static int address_of_another_type(struct post *p)
{
	begin_write(p);
	vx_wr_set_ud_addr(p->wr, way_back(p), 1, 2);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

static int outside(struct post *p)
{
	begin(p);
	vx_wr_abort(p->wr);
	vx_wr_rdma_write(p->wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024));
	add_sge(p, 8);
	begin(p);
	return vx_wr_complete(p->wr);
}

static int start_twice(struct post *p)
{
	begin(p);
	begin(p);
	return vx_wr_complete(p->wr);
}

static int not_in_the_flags(struct post *p)
{
	begin(p);
	vx_wr_send_imm(p->wr, 7, IBV_SEND_SIGNALED, 0);
	add_sge(p, 0);
	return vx_wr_complete(p->wr);
}

static int inline_of_a_read(struct post *p)
{
	begin(p);
	vx_wr_rdma_read(p->wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024));
	vx_wr_set_inline_data(p->wr, vx_mr_addr(p->mr), 8);
	return vx_wr_complete(p->wr);
}

static int too_much_inline(struct post *p)
{
	begin_write(p);
	vx_wr_set_inline_data(p->wr, vx_mr_addr(p->mr), 1000);
	return vx_wr_complete(p->wr);
}

static int too_many_entries(struct post *p)
{
	const struct ibv_sge list[100] = { { 0 } };

	begin_write(p);
	vx_wr_set_sge_list(p->wr, 100, list);
	return vx_wr_complete(p->wr);
}

static int past_the_region(struct post *p)
{
	begin_write(p);
	vx_wr_set_sge(p->wr, vx_mr_lkey(p->mr), at(p, ROOM - 7), 8);
	return vx_wr_complete(p->wr);
}

static int of_another_pd(struct post *p)
{
	struct vx_pd *other;
	struct vx_mr *mr;

	must(vx_pd_create(p->bench->ctx, NULL, &other));
	must(vx_mr_create(other, &(struct vx_mr_init){ .length = ROOM }, &mr));
	begin_write(p);
	vx_wr_set_sge(p->wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
	return vx_wr_complete(p->wr);
}

static int read_without_the_right(struct post *p)
{
	struct vx_mr *mr;

	must(vx_mr_create(p->pd, &(struct vx_mr_init){ .length = ROOM, .flags = VX_MR_READ_ONLY }, &mr));
	begin(p);
	vx_wr_rdma_read(p->wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024));
	vx_wr_set_sge(p->wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8);
	return vx_wr_complete(p->wr);
}

static int short_atomic(struct post *p)
{
	begin(p);
	vx_wr_atomic_fetch_add(p->wr, 7, IBV_SEND_SIGNALED, vx_mr_rkey(p->mr), at(p, 1024), 1);
	add_sge(p, 4);
	return vx_wr_complete(p->wr);
}

static int long_datagram(struct post *p)
{
	struct vx_mr *mr;

	must(to_datagrams(p));
	must(vx_mr_create(p->pd, &(struct vx_mr_init){ .length = 8192 }, &mr));
	begin(p);
	vx_wr_send(p->wr, 7, IBV_SEND_SIGNALED);
	vx_wr_set_ud_addr(p->wr, way_back(p), vx_qp_raw(p->qp)->qp_num, 0x1234);
	vx_wr_set_sge(p->wr, vx_mr_lkey(mr), (uintptr_t)vx_mr_addr(mr), 8192);
	return vx_wr_complete(p->wr);
}

static int too_early(struct post *p)
{
	p->qp = new_qp(p, IBV_QPT_RC);
	begin_write(p);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

static int data_before_requests(struct post *p)
{
	begin(p);
	add_sge(p, 8);
	return vx_wr_complete(p->wr);
}

/* ---- ibv_post_send(3), ibv_post_recv(3) ---- */

static int post_past_the_region(struct post *p)
{
	struct ibv_sge sge = { at(p, ROOM - 7), 8, vx_mr_lkey(p->mr) };

	return vx_qp_post_rdma_write(p->qp, 7, IBV_SEND_SIGNALED, &sge, 1, vx_mr_rkey(p->mr), at(p, 0));
}

static int post_within_a_list(struct post *p)
{
	begin(p);
	return post_past_the_region(p);
}

static int post_without_address(struct post *p)
{
	must(to_datagrams(p));
	return vx_qp_post_send_one(p->qp, 7, IBV_SEND_SIGNALED, NULL, 0);
}

static int post_without_srq(struct post *p)
{
	struct vx_xrcd *xrcd;
	struct vx_qp *peer;

	must(vx_xrcd_create(p->bench->ctx, NULL, &xrcd));
	must(vx_qp_create(p->pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_XRC_RECV, .xrcd = xrcd }, &peer));
	p->qp = new_qp(p, IBV_QPT_XRC_SEND);
	join(peer, p->qp);
	join(p->qp, peer);
	return vx_qp_post_send_one(p->qp, 7, IBV_SEND_SIGNALED, NULL, 0);
}

static int post_inline_of_nowhere(struct post *p)
{
	return vx_qp_post_rdma_write(p->qp, 7, IBV_SEND_SIGNALED | IBV_SEND_INLINE, &(struct ibv_sge){ 0, 64, 0 }, 1, vx_mr_rkey(p->mr), at(p, 0));
}

static int post_a_window_of_type_1(struct post *p)
{
	struct ibv_mw_bind_info info = { .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_READ };
	struct vx_mr *mr;
	struct vx_mw *mw;

	must(vx_mr_create(p->pd, &(struct vx_mr_init){ .length = 64, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND }, &mr));
	must(vx_mw_create(p->pd, NULL, &mw));
	info.mr = vx_mr_raw(mr);
	info.addr = (uintptr_t)vx_mr_addr(mr);
	return vx_qp_post_bind_mw(p->qp, 7, IBV_SEND_SIGNALED, mw, ibv_inc_rkey(vx_mw_raw(mw)->rkey), &info);
}

static int receive_past_the_region(struct post *p)
{
	struct ibv_sge sge = { at(p, ROOM - 7), 8, vx_mr_lkey(p->mr) };
	int rc = vx_qp_post_recv_one(p->qp, 7, &sge, 1);

	return rc ? rc : vx_qp_post_send_one(p->qp, 7, 0, &(struct ibv_sge){ at(p, 0), 8, vx_mr_lkey(p->mr) }, 1);
}

static int receive_of_xrc(struct post *p)
{
	p->qp = new_qp(p, IBV_QPT_XRC_SEND);
	return vx_qp_post_recv_one(p->qp, 7, NULL, 0);
}

/* ---- what becomes of it without checks ---- */

static const struct row {
	const char *name;
	int (*act)(struct post *p);
} acts[];

static const char *status_of(struct bench *b)
{
	struct ibv_wc wc;
	int count = vx_cq_poll(b->cq, 1, &wc);

	if (!count) {
		settle(b);
		count = vx_cq_poll(b->cq, 1, &wc);
	}
	return count == 1 ? vx_ibv_wc_status_name(wc.status) : "nothing happens";
}

static void tell(const struct post *p, int rc)
{
	struct vx_errno_info info;

	vx_errno_of(rc, &info);
	if (rc < 0)
		printf("%s%s\n", info.name, p->too ? p->too : "");
	else
		printf("0, %s\n", status_of(p->bench));
}

int post_unchecked(const char *name)
{
	struct bench b = { 0 };
	struct post p;
	size_t i;

	must(vx_ctx_open_index(0, &b.ctx));
	must(vx_pd_create(b.ctx, NULL, &b.pd));
	must(vx_cq_create(b.ctx, NULL, &b.cq));
	p = connected(&b, false);
	for (i = 0; acts[i].name; i++)
		if (!strcmp(acts[i].name, name)) {
			end_what_waits_for_ever();
			tell(&p, acts[i].act(&p));
		}
	fflush(stdout);
	_exit(0); /* without what may wait for ever */
}

static int on_checked(struct bench *b, const char *name, int (*act)(struct post *p))
{
	struct post p = connected(b, true);
	char action[64];
	int rc;

	snprintf(action, sizeof(action), "post %s", name);
	outcome_alone(action, b->raw, sizeof(b->raw));
	rc = act(&p);
	if (p.wr && rc < 0 && strcmp(vx_error()->call, "vx_wr_complete")) {
		snprintf(b->sentence, sizeof(b->sentence), "%s", vx_error_text());
		vx_wr_abort(p.wr);
	}
	return rc;
}

#define ACTS(row) \
	row(no_data) row(no_address) row(data_twice) row(address_of_another_type) row(too_many) row(full_by_posts) row(full_by_lists) row(outside) \
	row(start_twice) row(not_in_the_flags) row(inline_of_a_read) row(too_much_inline) row(too_many_entries) row(past_the_region) \
	row(of_another_pd) row(read_without_the_right) row(short_atomic) row(long_datagram) row(too_early) \
	row(data_before_requests) row(post_past_the_region) row(post_within_a_list) row(post_without_address) row(post_without_srq) row(post_inline_of_nowhere) row(post_a_window_of_type_1) \
	row(receive_past_the_region) row(receive_of_xrc)

#define ACT(name) { #name, name },
static const struct row acts[] = { ACTS(ACT) { NULL, NULL } };

#define CHECKED(name) \
	static int checked_##name(struct bench *b) \
	{ \
		return on_checked(b, #name, name); \
	}
ACTS(CHECKED)

static const struct mistake mistakes[] = {
	{ "a write without data", checked_no_data, -EINVAL,
	  "request 1 (vx_wr_rdma_write, wr_id = 0x7): it has no data: vx_wr_set_sge() or another must follow" },
	{ "a datagram without an address", checked_no_address, -EINVAL, "has no address: vx_wr_set_ud_addr() must follow" },
	{ "data given twice", checked_data_twice, -EINVAL, "has that already which vx_wr_set_sge() would give it" },
	{ "an address for a connected QP", checked_address_of_another_type, -EINVAL, "takes no vx_wr_set_ud_addr(), a QP of type IBV_QPT_RC has its address" },
	{ "more receives than an SRQ has room for", full_srq, -EAGAIN, "the SRQ is full (max_wr = 15, about half of which the provider may keep for itself)" },
	{ "more requests in a list than the queue has room for", checked_too_many, -EINVAL, "a list of more than max_send_wr = 16 requests never fits" },
	{ "a list behind a queue full of posts", checked_full_by_posts, -EAGAIN, "the send queue is full (max_send_wr = 16): 16 requests are posted, and vx_ functions have polled no completion of one of them" },
	{ "a list behind a queue full of lists", checked_full_by_lists, -EAGAIN, "the send queue is full (max_send_wr = 16): 16 requests are posted" },
	{ "a request before vx_wr_start()", checked_outside, -EINVAL, "vx_wr_rdma_write() was called before vx_wr_start() or after vx_wr_complete()" },
	{ "vx_wr_start() twice", checked_start_twice, -EDEADLK, "which would wait for ever" },
	{ "an operation that is not in send_ops_flags", checked_not_in_the_flags, -EOPNOTSUPP, "the QP was made without IBV_QP_EX_WITH_SEND_WITH_IMM" },
	{ "a read into data that are inline", checked_inline_of_a_read, -EINVAL, "takes no data inline" },
	{ "more data inline than max_inline_data", checked_too_much_inline, -EINVAL, "has 1000 bytes inline, and the QP was made with max_inline_data = " },
	{ "more entries than max_send_sge", checked_too_many_entries, -EINVAL, "has 100 entries, and the QP was made with max_send_sge = " },
	{ "an entry past its region", checked_past_the_region, -EINVAL, "ends at byte 4097 of mlx5_0 mr" },
	{ "an entry of a region of another PD", checked_of_another_pd, -EINVAL, "which is of another PD" },
	{ "a read into a region that is not to be written to", checked_read_without_the_right, -EINVAL, "which lacks IBV_ACCESS_LOCAL_WRITE" },
	{ "an atomic operation on 4 bytes", checked_short_atomic, -EINVAL, "has 4 bytes, and an atomic operation has 8" },
	{ "a datagram longer than the port's MTU", checked_long_datagram, -EINVAL, "must fit into the port's MTU, 4096" },
	{ "sending in INIT", checked_too_early, -EINVAL, "the QP is in INIT, and sends from RTS on" },
	{ "data before the request that they are of", checked_data_before_requests, -EINVAL, "vx_wr_set_sge() before the first request of the list" },
	{ "posting an entry past its region", checked_post_past_the_region, -EINVAL, "request 1 of 1 (wr_id = 0x7, IBV_WR_RDMA_WRITE): entry 1 ends at byte 4097" },
	{ "posting between vx_wr_start() and vx_wr_complete()", checked_post_within_a_list, -EDEADLK, "where it would wait for ever" },
	{ "posting a datagram without an address", checked_post_without_address, -EINVAL, "ah is NULL, and the QP has no address of its own" },
	{ "posting to a QP of XRC without an SRQ's number", checked_post_without_srq, -EINVAL, "it has 0 as the number of the peer's SRQ" },
	{ "posting inline data that are nowhere", checked_post_inline_of_nowhere, -EINVAL, "it has 64 bytes inline, and where they are is NULL" },
	{ "posting a window of type 1", checked_post_a_window_of_type_1, -EINVAL, "mw is of type 1, which vx_qp_bind_mw() binds" },
	{ "a receive past its region", checked_receive_past_the_region, -EINVAL, "request 1 of 1 (wr_id = 0x7): entry 1 ends at byte 4097" },
	{ "a receive for a QP of XRC, which has none", checked_receive_of_xrc, -EINVAL, "the receive queue was made for no requests (max_recv_wr = 0)" },
};

CHAPTER(posting, "Posting to a checked QP");
