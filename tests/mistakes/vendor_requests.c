/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Requests that only mlx5 devices know, of checked QPs. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "mistakes.h"

/* ---- keys, by the requests of a checked QP ---- */

struct keys {
	struct bench *bench;
	struct vx_qp *qp;
	struct vx_mr *mr;
	struct vx_mlx5_mkey *mkey;
	struct vx_mlx5_wr mlx5;
	struct vx_wr *wr;
};

static void begin(struct keys *k, struct bench *b, struct mlx5dv_qp_init_attr of_mlx5, enum ibv_qp_type type)
{
	const struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .qp_type = type, .mlx5dv_qp_init_attr = &of_mlx5,
					      .send_ops_flags = IBV_QP_EX_WITH_SEND, .checked = true };

	*k = (struct keys){ .bench = b };
	must(vx_mlx5_qp_create(b->pd, &init, &k->qp));
	must(vx_mlx5_qp_wr(k->qp, &k->mlx5));
	must(vx_mr_create(b->pd, &(struct vx_mr_init){ .length = 4096 }, &k->mr));
	must(vx_mlx5_mkey_create(b->pd, &(struct vx_mlx5_mkey_init){ .max_entries = 4 }, &k->mkey));
}

static void begin_keys(struct keys *k, struct bench *b)
{
	struct vx_path path = { .mask = VX_PATH_SPSN };

	begin(k, b,
	      (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					    .send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST |
							      MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MEMCPY },
	      IBV_QPT_RC);
	must(vx_path_fill(&path, k->qp));
	vx_path_reverse(&path);
	must(vx_qp_to_rts(k->qp, &path));
	k->wr = vx_wr_start(k->qp);
}

static struct vx_wr *configure(struct keys *k, uint8_t setters)
{
	vx_mlx5_wr_mkey_configure(&k->mlx5, 7, IBV_SEND_SIGNALED, k->mkey, setters, &(struct mlx5dv_mkey_conf_attr){ 0 });
	return k->wr;
}

static int interleave(struct bench *b, uint32_t bytes, uint32_t skipped)
{
	struct keys k;
	struct mlx5dv_mr_interleaved piece = { .bytes_count = bytes, .bytes_skip = skipped };

	begin_keys(&k, b);
	piece.lkey = vx_mr_lkey(k.mr);
	vx_mlx5_wr_mr_interleaved(&k.mlx5, 7, IBV_SEND_SIGNALED, k.mkey, IBV_ACCESS_LOCAL_WRITE, 1, 1, &piece);
	return vx_wr_complete(k.wr);
}

static int long_stride(struct bench *b)
{
	return interleave(b, 70000, 0);
}

static int long_stride_in_all(struct bench *b)
{
	return interleave(b, 4096, 65536 - 4096);
}

static int long_stride_of_a_layout(struct bench *b)
{
	struct keys k;
	struct mlx5dv_mr_interleaved piece = { .bytes_count = 1, .bytes_skip = UINT32_MAX };

	begin_keys(&k, b);
	piece.lkey = vx_mr_lkey(k.mr);
	configure(&k, 1);
	vx_mlx5_wr_set_mkey_layout_interleaved(&k.mlx5, 1, 1, &piece);
	return vx_wr_complete(k.wr);
}

static int long_list(struct bench *b)
{
	struct ibv_sge list[2] = { { .length = 1u << 31 }, { .length = 1u << 30 } };
	struct keys k;

	begin_keys(&k, b);
	list[0].lkey = list[1].lkey = vx_mr_lkey(k.mr);
	vx_mlx5_wr_mr_list(&k.mlx5, 7, IBV_SEND_SIGNALED, k.mkey, IBV_ACCESS_LOCAL_WRITE, 2, list);
	return vx_wr_complete(k.wr);
}

static int no_list(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	vx_mlx5_wr_mr_list(&k.mlx5, 7, IBV_SEND_SIGNALED, k.mkey, IBV_ACCESS_LOCAL_WRITE, 2, NULL);
	return vx_wr_complete(k.wr);
}

/* libmlx5 makes room for four at least. */
static int many_pieces(struct bench *b)
{
	struct ibv_sge list[8] = { 0 };
	struct keys k;

	begin_keys(&k, b);
	vx_mlx5_wr_mr_list(&k.mlx5, 7, IBV_SEND_SIGNALED, k.mkey, IBV_ACCESS_LOCAL_WRITE, 8, list);
	return vx_wr_complete(k.wr);
}

static void set_access(struct keys *k)
{
	vx_mlx5_wr_set_mkey_access_flags(&k->mlx5, IBV_ACCESS_LOCAL_WRITE);
}

static int setter_lacking(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	configure(&k, 2);
	set_access(&k);
	return vx_wr_complete(k.wr);
}

static int setter_twice(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	configure(&k, 2);
	set_access(&k);
	set_access(&k);
	return vx_wr_complete(k.wr);
}

static int key_with_windows(struct bench *b)
{
	struct ibv_sge list = { .length = 8 };
	struct keys k;

	begin_keys(&k, b);
	list.lkey = vx_mr_lkey(k.mr);
	vx_mlx5_wr_mr_list(&k.mlx5, 7, IBV_SEND_SIGNALED, k.mkey, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, 1, &list);
	return vx_wr_complete(k.wr);
}

static int setter_of_windows(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	configure(&k, 1);
	vx_mlx5_wr_set_mkey_access_flags(&k.mlx5, IBV_ACCESS_MW_BIND);
	return vx_wr_complete(k.wr);
}

static int copy_of_no_bytes(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	vx_mlx5_wr_memcpy(&k.mlx5, 7, IBV_SEND_SIGNALED, vx_mr_lkey(k.mr), (uintptr_t)vx_mr_addr(k.mr), vx_mr_lkey(k.mr), (uintptr_t)vx_mr_addr(k.mr) + 8, 0);
	return vx_wr_complete(k.wr);
}

static int check_of_any_key(struct bench *b)
{
	struct mlx5dv_mkey_err error;
	struct keys k;

	begin_keys(&k, b);
	return vx_mlx5_mkey_check(k.mkey, &error);
}

static int setter_of_no_key(struct bench *b)
{
	struct keys k;

	begin_keys(&k, b);
	vx_wr_send(k.wr, 7, IBV_SEND_SIGNALED);
	set_access(&k);
	return vx_wr_complete(k.wr);
}

/* ---- a DCI's requests ---- */

static void begin_dci(struct keys *k, struct bench *b)
{
	begin(k, b, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI },
	      IBV_QPT_DRIVER);
	must(vx_qp_to_rts(k->qp, &(struct vx_path){ .dlid = 1 }));
	k->wr = vx_wr_start(k->qp);
}

static int nowhere(struct bench *b)
{
	struct keys k;

	begin_dci(&k, b);
	vx_wr_send(k.wr, 7, 0);
	vx_wr_set_sge(k.wr, vx_mr_lkey(k.mr), (uintptr_t)vx_mr_addr(k.mr), 8);
	return vx_wr_complete(k.wr);
}

static int posted_nowhere(struct bench *b)
{
	struct keys k;

	begin_dci(&k, b);
	vx_wr_abort(k.wr);
	return vx_qp_post_send_one(k.qp, 7, 0, NULL, 0);
}

static int to_an_ah_of_another_pd(struct bench *b)
{
	struct vx_pd *other;
	struct vx_ah *ah;
	struct keys k;

	must(vx_pd_create(b->ctx, NULL, &other));
	must(vx_ah_create(other, &(struct vx_ah_init){ .port_num = 1, .dlid = 1 }, &ah));
	begin_dci(&k, b);
	vx_wr_send(k.wr, 7, 0);
	vx_mlx5_wr_set_dc_addr(&k.mlx5, ah, 1, 2);
	return vx_wr_complete(k.wr);
}

static int by_stream(struct keys *k, uint16_t stream)
{
	struct vx_ah *ah;

	must(vx_ah_create(k->bench->pd, &(struct vx_ah_init){ .port_num = 1, .dlid = 1 }, &ah));
	must(vx_qp_to_rts(k->qp, &(struct vx_path){ .dlid = 1 }));
	k->wr = vx_wr_start(k->qp);
	vx_wr_send(k->wr, 7, 0);
	vx_mlx5_wr_set_dc_addr_stream(&k->mlx5, ah, 1, 2, stream);
	return vx_wr_complete(k->wr);
}

static int stream_beyond(struct bench *b)
{
	const struct mlx5dv_qp_init_attr of_mlx5 = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS,
						     .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI, .dci_streams = { .log_num_concurent = 2, .log_num_errored = 1 } } };
	struct keys k;

	begin(&k, b, of_mlx5, IBV_QPT_DRIVER);
	return by_stream(&k, 4);
}

static int stream_of_none(struct bench *b)
{
	struct keys k;

	begin(&k, b, (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI }, IBV_QPT_DRIVER);
	return by_stream(&k, 1);
}

static int key_by_a_dci(struct bench *b)
{
	struct keys k;

	begin_dci(&k, b);
	return vx_wr_complete(configure(&k, 0));
}

static const struct mistake mistakes[] = {
	{ "a key of pieces that are longer than a stride can be", long_stride, -EINVAL, "bytes_count + bytes_skip of data[0] is 70000, which goes into 16 bits" },
	{ "a key of pieces that are so with what is skipped", long_stride_in_all, -EINVAL, "bytes_count + bytes_skip of data[0] is 65536, which goes into 16 bits" },
	{ "the same in a layout", long_stride_of_a_layout, -EINVAL, "vx_mlx5_wr_set_mkey_layout_interleaved(), of which bytes_count + bytes_skip of data[0] is 4294967296" },
	{ "a key of more than 2 GiB", long_list, -EINVAL, "all of sge[].length are 3221225472, which goes into 31 bits before release 61" },
	{ "a key of pieces that are not there", no_list, -EINVAL, "sge is NULL" },
	{ "a key of more pieces than it was made for", many_pieces, -ENOMEM, "a key was given more entries than the max_entries that it was made with" },
	{ "a key that lacks a setter", setter_lacking, -EINVAL, "lacks 1 of its setters" },
	{ "a key with a setter twice", setter_twice, -EINVAL, "has vx_mlx5_wr_set_mkey_access_flags() twice" },
	{ "a key by which windows are bound", key_with_windows, -EINVAL, "request 1 (vx_mlx5_wr_mr_list, wr_id = 0x7): access_flags has more than" },
	{ "a setter that says so", setter_of_windows, -EINVAL, "has vx_mlx5_wr_set_mkey_access_flags(), of which access_flags has more than" },
	{ "a copy of nothing, checked", copy_of_no_bytes, -EINVAL, "request 1 (vx_mlx5_wr_memcpy, wr_id = 0x7): length is 0" },
	{ "the signature of a key that has none", check_of_any_key, -EINVAL, "the key signs nothing: it was made without MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE" },
	{ "a setter of a key for a send", setter_of_no_key, -EINVAL, "takes no vx_mlx5_wr_set_mkey_access_flags()" },
	{ "a send by a DCI that says not where to", nowhere, -EINVAL, "has no address: vx_mlx5_wr_set_dc_addr() must follow" },
	{ "a send posted to a DCI", posted_nowhere, -EINVAL, "a DCI has no address of its own, and a post has no place for one" },
	{ "a send by a DCI to an AH of another PD", to_an_ah_of_another_pd, -EINVAL, "ah is of another PD" },
	{ "a send by a stream that the DCI has not", stream_beyond, -EINVAL, "has stream_id = 4, and the DCI was made with 4 streams, from 0 on" },
	{ "a send by a stream, of a DCI that was made without", stream_of_none, -EINVAL, "has stream_id = 1, and the DCI was made without dci_streams: it has one stream, 0" },
	{ "a key made by a DCI", key_by_a_dci, -EINVAL, "it is nothing that a QP of type IBV_QPT_DRIVER can do" },
};

CHAPTER(vendor_requests, "Keys and requests of mlx5");
