/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The objects: the same on any device of RoCE. */
#include "agree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum {
	CQ_SIZE = 63,
	MAX_GIDS = 16,
	ACCESS_ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND
};

struct bed bed = { .side = { { .name = 'a' }, { .name = 'b' } } };
uint8_t buffer[2 * HALF] __attribute__((aligned(4096)));

static bool is_ipv4(const union ibv_gid *g)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };

	for (size_t i = 0; i < sizeof(prefix); i++)
		if (g->raw[i] != prefix[i])
			return false;
	return true;
}

/* RoCE v2 with IPv4 */
static void find_path(void)
{
	for (int i = 0; i < MAX_GIDS; i++) {
		struct ibv_gid_entry e;

		if (ibv_query_gid_ex(bed.ctx, 1, i, &e, 0) || e.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    !is_ipv4(&e.gid))
			continue;
		bed.path = (struct ibv_ah_attr){
			.port_num = 1, .is_global = 1, .grh = { .dgid = e.gid, .sgid_index = i, .hop_limit = 64 }
		};
		return;
	}
	die("no GID of RoCE v2 and IPv4");
}

static void open_side(struct side *s)
{
	s->channel = ibv_create_comp_channel(bed.ctx);
	if (!s->channel)
		die("ibv_create_comp_channel");
	fcntl(s->channel->fd, F_SETFL, O_NONBLOCK);
}

void open_bed(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list || !list[0])
		die("no device");
	bed.ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	if (!bed.ctx)
		die("ibv_open_device");
	fcntl(bed.ctx->async_fd, F_SETFL, O_NONBLOCK);
	find_path();
	bed.pd = ibv_alloc_pd(bed.ctx);
	bed.other_pd = ibv_alloc_pd(bed.ctx);
	if (!bed.pd || !bed.other_pd)
		die("ibv_alloc_pd");
	bed.mr[KEY_ALL] = ibv_reg_mr(bed.pd, buffer, sizeof(buffer), ACCESS_ALL);
	bed.mr[KEY_READ_ONLY] = ibv_reg_mr(bed.pd, buffer, sizeof(buffer), IBV_ACCESS_REMOTE_READ);
	bed.mr[KEY_OTHER_PD] = ibv_reg_mr(bed.other_pd, buffer, sizeof(buffer), ACCESS_ALL);
	for (int i = 0; i < REGIONS; i++)
		if (!bed.mr[i])
			die("ibv_reg_mr");
	for (int i = 0; i < SIDES; i++)
		open_side(&bed.side[i]);
}

void close_bed(void)
{
	for (int i = 0; i < SIDES; i++)
		tell("destroy channel", ibv_destroy_comp_channel(bed.side[i].channel));
	for (int i = 0; i < REGIONS; i++)
		tell("dereg_mr", ibv_dereg_mr(bed.mr[i]));
	tell("dealloc_pd", ibv_dealloc_pd(bed.other_pd));
	tell("dealloc_pd", ibv_dealloc_pd(bed.pd));
	tell("close", ibv_close_device(bed.ctx));
}

uint32_t key_of(enum key key, bool remote)
{
	if (key == KEY_WINDOW)
		return bed.mw_key;
	if (key == KEY_WRONG) /* other than all of them in what comes first */
		return (remote ? bed.mr[0]->rkey : bed.mr[0]->lkey) ^ 0xff;
	return remote ? bed.mr[key]->rkey : bed.mr[key]->lkey;
}

/* ---- QPs ---- */

static void make_qp(struct side *s, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = { .qp_type = bed.type,
					 .sq_sig_all = 1,
					 .srq = srq,
					 .cap = { MAX_WR, MAX_WR, MAX_SGE, MAX_SGE, MAX_INLINE } };

	s->sends = s->receives = s->sent = 0;
	s->cq = ibv_create_cq(bed.ctx, CQ_SIZE, NULL, s->channel, 0);
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = s->cq ? ibv_create_qp(bed.pd, &attr) : NULL;
	if (!s->qp)
		die("ibv_create_qp");
}

void make_qps(void)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	static const char *const names[] = { [IBV_QPT_RC] = "RC", [IBV_QPT_UC] = "UC", [IBV_QPT_UD] = "UD" };
	struct ibv_srq_init_attr srq = { .attr = { MAX_WR - 1, MAX_SGE, 0 } };

	bed.type = types[below(ARRAY_SIZE(types))];
	bed.srq = one_in(3) ? ibv_create_srq(bed.pd, &srq) : NULL;
	bed.srq_receives = 0;
	bed.ah = bed.type == IBV_QPT_UD ? ibv_create_ah(bed.pd, &bed.path) : NULL;
	bed.mw = bed.type == IBV_QPT_RC ? ibv_alloc_mw(bed.pd, IBV_MW_TYPE_2) : NULL;
	bed.bound = false;
	bed.mw_key = bed.mw ? bed.mw->rkey : 0;
	make_qp(&bed.side[0], NULL);
	make_qp(&bed.side[1], bed.srq);
	printf("%s%s\n", names[bed.type], bed.srq ? " with SRQ" : "");
}

/* The window first: with rxe of Linux 6.1 destroy_qp waits for it */
void destroy_qps(void)
{
	if (bed.mw)
		tell("dealloc_mw", ibv_dealloc_mw(bed.mw));
	for (int i = 0; i < SIDES; i++) {
		tell("destroy_qp", ibv_destroy_qp(bed.side[i].qp));
		tell("destroy_cq", ibv_destroy_cq(bed.side[i].cq));
	}
	if (bed.srq)
		tell("destroy_srq", ibv_destroy_srq(bed.srq));
	if (bed.ah)
		tell("destroy_ah", ibv_destroy_ah(bed.ah));
}

struct ibv_qp_attr attr_for(const struct side *s, enum ibv_qp_state to, int *mask)
{
	bool rc = bed.type == IBV_QPT_RC, ud = bed.type == IBV_QPT_UD;

	*mask = IBV_QP_STATE;
	if (to == IBV_QPS_INIT)
		*mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	if (to == IBV_QPS_RTR && !ud)
		*mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (to == IBV_QPS_RTR && rc)
		*mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (to == IBV_QPS_RTS)
		*mask |= IBV_QP_SQ_PSN;
	if (to == IBV_QPS_RTS && rc)
		*mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	return (struct ibv_qp_attr){ .qp_state = to,
				     .port_num = 1,
				     .qkey = QKEY,
				     .qp_access_flags = ACCESS_ALL & ~IBV_ACCESS_MW_BIND,
				     .path_mtu = IBV_MTU_512,
				     .dest_qp_num = bed.side[s == &bed.side[0]].qp->qp_num,
				     .ah_attr = bed.path,
				     .max_rd_atomic = 4,
				     .max_dest_rd_atomic = 4,
				     .min_rnr_timer = 1,
				     .timeout = 10,
				     .retry_cnt = 2,
				     .rnr_retry = 1 };
}

/* What was posted is forgotten with the reset, but for an SRQ's */
void bring_up(void)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };

	for (size_t step = 0; step < ARRAY_SIZE(way); step++)
		for (struct side *s = bed.side; s < bed.side + SIDES; s++) {
			int mask;
			struct ibv_qp_attr a = attr_for(s, way[step], &mask);

			tell("modify", ibv_modify_qp(s->qp, &a, mask));
			s->sent = s->sends;
		}
}

bool is_up(void)
{
	for (int i = 0; i < SIDES; i++) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr a;

		if (ibv_query_qp(bed.side[i].qp, &a, IBV_QP_STATE, &init) || a.qp_state != IBV_QPS_RTS)
			return false;
	}
	return true;
}
