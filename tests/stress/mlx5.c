/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only mlx5 has, a little beside all else: writes to DC targets of any thread, keys that are configured, objects that come and go. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <verbsx/mlx5.h>
#include <verbsx/mlx5_cmd.h>
#include <verbsx/mlx5_wr.h>

#include "stress.h"

#define DC_KEY 0x5eed
#define PIECES 4
#define MOST_OF_PIECE (LARGEST / PIECES)
#define SLOTS 16 /* for objects */
#define PATIENCE_MS 20000

/* Places in the memory of a thread: what is sent, where a key leads, and behind these one for each thread that writes there. */
enum { SOURCE, KEYED, WRITTEN };

struct vendor {
	uint32_t number;
	struct vx_cq *cq;
	struct vx_poller *poller;
	struct vx_srq *srq;
	struct vx_qp *dct, *dci, *rc;
	struct vx_mlx5_wr dci_wr, rc_wr;
	struct vx_mlx5_mkey *mkey;
	struct vx_mr *mr;
	struct vx_ah *ah;	/* to any of them */
	struct vx_object *slots[SLOTS];
	uint64_t writes, keys, objects;
};

static struct vendor vendors[MOST_THREADS];
static uint32_t count;
static bool has_deks;

static unsigned char *place(const struct vendor *v, uint32_t index)
{
	return (unsigned char *)vx_mr_addr(v->mr) + (size_t)index * LARGEST;
}

static void wait_for_one(struct vendor *v)
{
	int64_t end = now_ms() + PATIENCE_MS;
	struct ibv_wc wc;
	int rc;

	do
		rc = vx_poller_poll(v->poller, 1, &wc, 1000);
	while ((rc == -EAGAIN || rc == -ECANCELED) && now_ms() < end);
	made(rc);
	must(rc == 1 && wc.status == IBV_WC_SUCCESS);
}

static void post_and_wait(struct vendor *v, struct vx_wr *wr)
{
	made(vx_wr_complete(wr));
	wait_for_one(v);
}

/* ---- DC ---- */

static void write_to_target(struct vendor *v, struct chance *chance)
{
	const struct vendor *to = &vendors[draw_below(chance, count)];
	uint32_t length = 1 + draw_below(chance, LARGEST);
	unsigned char *there = place(to, WRITTEN + v->number);
	uint64_t stamp = draw(chance);
	struct vx_wr *wr;

	write_data(place(v, SOURCE), length, stamp);
	memset(there, 0, length);
	wr = vx_wr_start(v->dci);
	vx_wr_rdma_write(wr, stamp, IBV_SEND_SIGNALED, vx_mr_rkey(to->mr), (uintptr_t)there);
	vx_mlx5_wr_set_dc_addr(&v->dci_wr, v->ah, vx_qp_raw(to->dct)->qp_num, DC_KEY);
	vx_wr_set_sge(wr, vx_mr_lkey(v->mr), (uintptr_t)place(v, SOURCE), length);
	post_and_wait(v, wr);
	must(is_data(there, length, stamp));
	v->writes++;
}

/* ---- keys ---- */

/* Of pieces that lie apart. @return how many bytes they are, which "expected" then has */
static uint32_t gather(struct vendor *v, struct chance *chance, struct vx_wr *wr, unsigned char *expected)
{
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	uint32_t pieces = 1 + draw_below(chance, PIECES), length = 0, i;
	struct ibv_sge list[PIECES];

	for (i = 0; i < pieces; i++) {
		list[i] = (struct ibv_sge){ (uintptr_t)place(v, SOURCE) + i * MOST_OF_PIECE, 1 + draw_below(chance, MOST_OF_PIECE), vx_mr_lkey(v->mr) };
		memcpy(expected + length, (void *)(uintptr_t)list[i].addr, list[i].length);
		length += list[i].length;
	}
	if (draw_below(chance, 2)) {
		vx_mlx5_wr_mr_list(&v->rc_wr, 0, IBV_SEND_SIGNALED, v->mkey, IBV_ACCESS_LOCAL_WRITE, (uint16_t)pieces, list);
	} else {
		vx_mlx5_wr_mkey_configure(&v->rc_wr, 0, IBV_SEND_SIGNALED, v->mkey, 2, &conf);
		vx_mlx5_wr_set_mkey_access_flags(&v->rc_wr, IBV_ACCESS_LOCAL_WRITE);
		vx_mlx5_wr_set_mkey_layout_list(&v->rc_wr, (uint16_t)pieces, list);
	}
	post_and_wait(v, wr);
	return length;
}

/* Likewise of pieces of one size, at one distance. */
static uint32_t stride(struct vendor *v, struct chance *chance, struct vx_wr *wr, unsigned char *expected)
{
	struct mlx5dv_mr_interleaved data = { (uintptr_t)place(v, SOURCE), 1 + draw_below(chance, 64), draw_below(chance, 64), vx_mr_lkey(v->mr) };
	struct mlx5dv_mkey_conf_attr conf = { 0 };
	uint32_t repeat = 1 + draw_below(chance, LARGEST / 128), i;

	for (i = 0; i < repeat; i++)
		memcpy(expected + i * data.bytes_count, place(v, SOURCE) + i * (data.bytes_count + data.bytes_skip), data.bytes_count);
	if (draw_below(chance, 2)) {
		vx_mlx5_wr_mr_interleaved(&v->rc_wr, 0, IBV_SEND_SIGNALED, v->mkey, IBV_ACCESS_LOCAL_WRITE, repeat, 1, &data);
	} else {
		vx_mlx5_wr_mkey_configure(&v->rc_wr, 0, IBV_SEND_SIGNALED, v->mkey, 2, &conf);
		vx_mlx5_wr_set_mkey_layout_interleaved(&v->rc_wr, repeat, 1, &data);
		vx_mlx5_wr_set_mkey_access_flags(&v->rc_wr, IBV_ACCESS_LOCAL_WRITE);
	}
	post_and_wait(v, wr);
	return repeat * (uint32_t)data.bytes_count;
}

static void write_by_key(struct vendor *v, struct chance *chance)
{
	unsigned char expected[LARGEST];
	struct vx_wr *wr = vx_wr_start(v->rc);
	uint32_t length;

	write_data(place(v, SOURCE), LARGEST, draw(chance));
	length = (draw_below(chance, 2) ? gather : stride)(v, chance, wr, expected);
	memset(place(v, KEYED), 0, length);
	wr = vx_wr_start(v->rc);
	vx_wr_rdma_write(wr, 0, IBV_SEND_SIGNALED, vx_mr_rkey(v->mr), (uintptr_t)place(v, KEYED));
	vx_wr_set_sge(wr, vx_mlx5_mkey_raw(v->mkey)->lkey, 0, length);
	post_and_wait(v, wr);
	must(!memcmp(place(v, KEYED), expected, length));
	v->keys++;
	wr = vx_wr_start(v->rc);
	vx_wr_local_inv(wr, 0, IBV_SEND_SIGNALED, vx_mlx5_mkey_raw(v->mkey)->rkey);
	post_and_wait(v, wr);
}

/* A key of its own each time, now and then. */
static void renew_key(struct vendor *v)
{
	made(vx_close(v->mkey));
	made(vx_mlx5_mkey_create(shared.pd, &(struct vx_mlx5_mkey_init){ .max_entries = PIECES }, &v->mkey));
}

/* ---- objects ---- */

static struct vx_object *new_devx_obj(void)
{
	uint32_t in[4], out[4];
	struct vx_mlx5_devx_obj_init init = { .in = in, .inlen = sizeof(in), .out = out, .outlen = sizeof(out) };
	struct vx_mlx5_devx_obj *object;

	made(vx_mlx5_cmd_begin(in, sizeof(in), VX_MLX5_CMD_ALLOC_PD));
	made(vx_mlx5_devx_obj_create(shared.ctx, &init, &object));
	return (struct vx_object *)object;
}

static struct vx_object *new_uar(void)
{
	struct vx_mlx5_devx_uar *uar;

	made(vx_mlx5_devx_uar_create(shared.ctx, &(struct vx_mlx5_devx_uar_init){ .flags = MLX5DV_UAR_ALLOC_TYPE_NC }, &uar));
	return (struct vx_object *)uar;
}

static struct vx_object *new_var(void)
{
	struct vx_mlx5_var *var;

	made(vx_mlx5_var_create(shared.ctx, NULL, &var));
	return (struct vx_object *)var;
}

static struct vx_object *new_pp(void)
{
	uint32_t rate[12] = { 0 };
	struct vx_mlx5_pp *pp;

	made(vx_mlx5_pp_create(shared.ctx, &(struct vx_mlx5_pp_init){ .pp_context = rate, .pp_context_sz = sizeof(rate) }, &pp));
	return (struct vx_object *)pp;
}

static struct vx_object *new_dek(void)
{
	struct vx_mlx5_dek_init init = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = shared.pd, .key = "of data" };
	struct vx_mlx5_dek *dek;

	made(vx_mlx5_dek_create(shared.ctx, &init, &dek));
	return (struct vx_object *)dek;
}

static void change_an_object(struct vendor *v, struct chance *chance)
{
	static struct vx_object *(*const ways[])(void) = { new_devx_obj, new_uar, new_var, new_pp, new_dek };
	struct vx_object **slot = &v->slots[draw_below(chance, SLOTS)];

	if (*slot)
		made(vx_close(*slot));
	v->objects++;
	*slot = draw_below(chance, 2) ? ways[draw_below(chance, has_deks ? 5 : 4)]() : NULL;
}

/* ---- all of a thread ---- */

static void open_dc(struct vendor *v, const struct vx_path *path)
{
	struct mlx5dv_qp_init_attr dct = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = DC_KEY } };
	struct mlx5dv_qp_init_attr dci = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct vx_mlx5_qp_init init = { .send_cq = v->cq, .recv_cq = v->cq, .mlx5dv_qp_init_attr = &dci, .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE };

	made(vx_mlx5_qp_create(shared.pd, &init, &v->dci));
	init = (struct vx_mlx5_qp_init){ .send_cq = v->cq, .recv_cq = v->cq, .srq = v->srq, .mlx5dv_qp_init_attr = &dct };
	made(vx_mlx5_qp_create(shared.pd, &init, &v->dct));
	made(vx_qp_to_rtr(v->dct, path));
	made(vx_qp_to_rts(v->dci, path));
	made(vx_mlx5_qp_wr(v->dci, &v->dci_wr));
}

static void open_rc(struct vendor *v)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					    .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |
							      MLX5DV_QP_EX_WITH_MKEY_CONFIGURE };
	const struct vx_mlx5_qp_init init = { .send_cq = v->cq, .recv_cq = v->cq, .cap.max_inline_data = 256, .mlx5dv_qp_init_attr = &attr,
					      .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_LOCAL_INV };
	struct vx_path path = { .mask = VX_PATH_SPSN };

	made(vx_mlx5_qp_create(shared.pd, &init, &v->rc));
	made(vx_mlx5_qp_wr(v->rc, &v->rc_wr));
	made(vx_mlx5_mkey_create(shared.pd, &(struct vx_mlx5_mkey_init){ .max_entries = PIECES }, &v->mkey));
	made(vx_path_fill(&path, v->rc));
	vx_path_reverse(&path);
	path.access = IBV_ACCESS_REMOTE_WRITE;
	made(vx_qp_to_rts(v->rc, &path));
	made(vx_pd_ah(shared.pd, &path, &v->ah));
}

struct vendor *open_vendor(void)
{
	struct vendor *v = &vendors[count];
	struct vx_comp_channel *channel;
	struct vx_mlx5_dek *dek;

	if (is_soft_roce())
		return NULL;
	v->number = count++;
	made(vx_comp_channel_create(shared.ctx, NULL, &channel));
	made(vx_cq_create(shared.ctx, &(struct vx_cq_init){ .channel = channel, .cqe = 64 }, &v->cq));
	made(vx_poller_create(v->cq, NULL, &v->poller));
	made(vx_srq_create(shared.pd, NULL, &v->srq));
	made(vx_mr_create(shared.pd, &(struct vx_mr_init){ .length = (WRITTEN + MOST_THREADS) * LARGEST,
							   .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &v->mr));
	open_dc(v, &(struct vx_path){ .mask = VX_PATH_SPSN, .access = IBV_ACCESS_REMOTE_WRITE });
	open_rc(v);
	has_deks = vx_mlx5_dek_create(shared.ctx, &(struct vx_mlx5_dek_init){ .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = shared.pd,
									      .key = "of data" }, &dek) >= 0;
	if (has_deks)
		made(vx_close(dek));
	return v;
}

void use_vendor(struct vendor *v, struct chance *chance)
{
	switch (v ? draw_below(chance, 8) : 8) {
	case 0: case 1: case 2: write_to_target(v, chance); break;
	case 3: case 4: case 5: write_by_key(v, chance); break;
	case 6: change_an_object(v, chance); break;
	case 7: renew_key(v); break;
	default: break;
	}
}

void tell_of_vendors(void)
{
	struct vendor all = { 0 };
	uint32_t i;

	for (i = 0; i < count; i++) {
		all.writes += vendors[i].writes;
		all.keys += vendors[i].keys;
		all.objects += vendors[i].objects;
	}
	if (!count)
		return;
	printf("of mlx5 %" PRIu64 " writes by DC, %" PRIu64 " by keys, %" PRIu64 " objects%s\n", all.writes, all.keys, all.objects,
	       has_deks ? "" : ", and no DEKs");
	must(all.writes && all.keys && all.objects);
}
