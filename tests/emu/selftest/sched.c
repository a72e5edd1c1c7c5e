/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Trees of scheduling elements, and the bandwidth that they leave to a QP. */
#include "mailbox.h"

TestSuite(sched, .init = open_mlx5, .fini = close_bed);

enum {
	SHARE = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE,
	LIMIT = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW,
	MBITS = 16,
	MESSAGE = 20000, /* bytes, which take 10 ms at that */
	MESSAGES = 5
};

static struct mlx5dv_sched_node *make_node(struct mlx5dv_sched_node *parent, uint32_t mbits)
{
	struct mlx5dv_sched_attr a = { .parent = parent, .flags = mbits ? LIMIT : 0, .max_avg_bw = mbits };
	struct mlx5dv_sched_node *n = mlx5dv_sched_node_create(bed.ctx, &a);

	CHECK(n);
	return n;
}

static struct mlx5dv_sched_leaf *make_leaf(struct mlx5dv_sched_node *parent, uint32_t mbits)
{
	struct mlx5dv_sched_attr a = { .parent = parent, .flags = SHARE | LIMIT, .bw_share = 2, .max_avg_bw = mbits };
	struct mlx5dv_sched_leaf *l = mlx5dv_sched_leaf_create(bed.ctx, &a);

	CHECK(l);
	return l;
}

static double time_to_write(void)
{
	double begin = now_ms();

	for (int i = 0; i < MESSAGES; i++) {
		struct ibv_sge sge = { address(0), MESSAGE, bed.mr->lkey };
		struct ibv_send_wr wr = { .wr_id = 1,
					  .opcode = IBV_WR_RDMA_WRITE,
					  .sg_list = &sge,
					  .num_sge = 1,
					  .send_flags = IBV_SEND_SIGNALED,
					  .wr.rdma = { address(32768), bed.mr->rkey } },
				   *bad;

		CHECK(!ibv_post_send(bed.a, &wr, &bad));
		expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	}
	return now_ms() - begin;
}

/* A busy machine makes it slower than the limit would, but not each time */
static bool is_ever_faster_than(double ms)
{
	double end = now_ms() + PATIENCE;

	while (time_to_write() >= ms)
		if (now_ms() > end)
			return false;
	return true;
}

/* By its leaf, by the node above it, and not any more once it has left */
Test(sched, a_qp_is_held_to_the_bandwidth_of_each_element)
{
	struct mlx5dv_sched_node *root = make_node(NULL, 0), *slow = make_node(root, MBITS);
	struct mlx5dv_sched_leaf *leaf = make_leaf(root, MBITS), *below = make_leaf(slow, 0);
	struct mlx5dv_sched_attr none = { .parent = root, .flags = LIMIT };
	/* Some 10 ms are for free, as it is an average */
	const uint64_t least = (MESSAGES - 2) * MESSAGE * 8 / MBITS / 1000;

	CHECK(!mlx5dv_modify_qp_sched_elem(bed.a, leaf, leaf));
	CHECK(time_to_write() >= least);
	CHECK(!mlx5dv_modify_qp_sched_elem(bed.a, below, NULL));
	CHECK(time_to_write() >= least);
	CHECK(mlx5dv_sched_leaf_destroy(below) && errno == EBUSY); /* it has a QP */
	CHECK(!mlx5dv_modify_qp_sched_elem(bed.a, leaf, NULL) && !mlx5dv_sched_leaf_modify(leaf, &none));
	CHECK(is_ever_faster_than(least));
	CHECK(!mlx5dv_modify_qp_sched_elem(bed.a, NULL, NULL));
	CHECK(!mlx5dv_sched_leaf_destroy(leaf) && !mlx5dv_sched_leaf_destroy(below));
	CHECK(mlx5dv_sched_node_destroy(root)); /* it has a child */
	CHECK(!mlx5dv_sched_node_destroy(slow) && !mlx5dv_sched_node_destroy(root));
}

/* What libmlx5 does not look at itself */
Test(sched, a_tree_has_a_root_of_nodes)
{
	struct mailbox m = mailbox_of(0xa00);
	const struct {
		uint32_t hierarchy, type, parent, share;
	} wrong[] = {
		{ 0, 0, 0, 0 }, /* not of the NIC */
		{ 3, 4, 0, 0 }, /* a leaf alone */
		{ 3, 0, 4711, 0 }, /* a parent that is not there */
		{ 3, 0, 0, 5 }, /* a root with a share */
	};

	for (size_t i = 0; i < SIZE(wrong); i++) {
		mailbox_set(&m, 48, 16, 0x26);
		mailbox_set(&m, 192, 8, wrong[i].hierarchy);
		mailbox_set(&m, 384, 8, wrong[i].type);
		mailbox_set(&m, 448, 32, wrong[i].parent);
		mailbox_set(&m, 544, 32, wrong[i].share);
		CHECK(!mailbox_create(&m, 144) && mailbox_status(&m) == STATUS_BAD_PARAM);
	}
}
