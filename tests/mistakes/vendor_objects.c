/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only mlx5 devices have: queues, keys that guard, and what not each of them can. */

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_wr.h>

#include "mistakes.h"

/* ---- queues ---- */

static int make_qp(struct bench *b, enum ibv_qp_type type, uint64_t ops, struct mlx5dv_qp_init_attr attr)
{
	const struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .qp_type = type, .send_ops_flags = ops, .mlx5dv_qp_init_attr = &attr };

	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int keys_of_ud(struct bench *b)
{
	return make_qp(b, IBV_QPT_UD, IBV_QP_EX_WITH_SEND,
		       (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST });
}

static int unknown_operation(struct bench *b)
{
	return make_qp(b, IBV_QPT_RC, IBV_QP_EX_WITH_SEND,
		       (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = 1u << 20 });
}

static int many_streams(struct bench *b)
{
	return make_qp(b, IBV_QPT_DRIVER, 0,
		       (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS,
						     .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI, .dci_streams = { 30, 30 } } });
}

static int tunnels_of_rc(struct bench *b)
{
	return make_qp(b, IBV_QPT_RC, 0,
		       (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
						     .create_flags = MLX5DV_QP_CREATE_TUNNEL_OFFLOADS });
}

static int scatter_both_ways(struct bench *b)
{
	return make_qp(b, IBV_QPT_RC, 0,
		       (struct mlx5dv_qp_init_attr){ .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
						     .create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE | MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE });
}

static int dct_that_sends(struct bench *b)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT };
	struct vx_mlx5_qp_init init = { .send_cq = b->cq, .recv_cq = b->cq, .send_ops_flags = IBV_QP_EX_WITH_SEND, .mlx5dv_qp_init_attr = &attr };

	must(vx_srq_create(b->pd, NULL, &init.srq));
	return vx_mlx5_qp_create(b->pd, &init, &(struct vx_qp *){ NULL });
}

static int make_cq(struct bench *b, struct mlx5dv_cq_init_attr attr)
{
	return vx_mlx5_cq_create(b->ctx, &(struct vx_mlx5_cq_init){ .cqe = 16, .mlx5dv_cq_init_attr = &attr }, &(struct vx_cq *){ NULL });
}

static int odd_completions(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 96 });
}

static int compressed_in_all_ways(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
							.cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_HASH | MLX5DV_CQE_RES_FORMAT_CSUM });
}

static int unknown_flag_of_a_cq(struct bench *b)
{
	return make_cq(b, (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_FLAGS, .flags = 1u << 9 });
}

static int striding(struct bench *b)
{
	struct mlx5dv_wq_init_attr attr = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ,
					    .striding_rq_attrs = { .single_stride_log_num_of_bytes = 1, .single_wqe_log_num_of_strides = 1 } };

	return vx_mlx5_wq_create(b->pd, &(struct vx_mlx5_wq_init){ .cq = b->cq, .mlx5dv_wq_init_attr = &attr }, &(struct vx_wq *){ NULL });
}

/* ---- what not each device can ---- */

static int key_without_crypto(struct bench *b)
{
	return vx_mlx5_dek_create(b->ctx, &(struct vx_mlx5_dek_init){ .pd = b->pd }, &(struct vx_mlx5_dek *){ NULL });
}

static int plain_key(struct bench *b)
{
	return alone(b, "plain key", "VERBSX_EMU_CONFIG", "crypto=wrapped");
}

static int key_without_login(struct bench *b)
{
	return alone(b, "wrapped key", "VERBSX_EMU_CONFIG", "crypto=wrapped");
}

static int wrapped_key(struct bench *b)
{
	return alone(b, "wrapped key", "VERBSX_EMU_CONFIG", "crypto=plaintext");
}

static int login_without_crypto(struct bench *b)
{
	return vx_mlx5_crypto_login_create(b->ctx, NULL, &(struct vx_mlx5_crypto_login *){ NULL });
}

static int old_login_without_crypto(struct bench *b)
{
	struct mlx5dv_crypto_login_attr attr = { .credential_id = 1 };

	return vx_mlx5_ctx_crypto_login(b->ctx, &attr);
}

static int make_mkey(struct bench *b, uint32_t flags, uint16_t entries)
{
	return vx_mlx5_mkey_create(b->pd, &(struct vx_mlx5_mkey_init){ .create_flags = flags, .max_entries = entries }, &(struct vx_mlx5_mkey *){ NULL });
}

static int mkey_that_encrypts(struct bench *b)
{
	return make_mkey(b, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, 4);
}

static int mkey_of_unknown_flags(struct bench *b)
{
	return make_mkey(b, MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | 1u << 12, 4);
}

static int source_port_in_init(struct bench *b)
{
	return vx_mlx5_qp_modify_udp_sport(qp_in(b, IBV_QPT_RC, IBV_QPS_INIT), 50000);
}

static int source_port_of_ud(struct bench *b)
{
	return vx_mlx5_qp_modify_udp_sport(qp_in(b, IBV_QPT_UD, IBV_QPS_RTS), 50000);
}

static int port_of_no_bond(struct bench *b)
{
	return vx_mlx5_qp_modify_lag_port(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), 2);
}

static int asking_for_the_port_of_no_bond(struct bench *b)
{
	uint8_t configured, active;

	return vx_mlx5_qp_query_lag_port(qp_in(b, IBV_QPT_RC, IBV_QPS_RTS), &configured, &active);
}

static int rules(struct bench *b)
{
	return vx_mlx5_dr_domain_create(b->ctx, NULL, &(struct vx_mlx5_dr_domain *){ NULL });
}

static int memory_for_steering(struct bench *b)
{
	struct mlx5dv_alloc_dm_attr attr = { .type = MLX5DV_DM_TYPE_STEERING_SW_ICM };

	return vx_mlx5_dm_create(b->ctx, &(struct vx_mlx5_dm_init){ .length = 4096, .mlx5dv_alloc_dm_attr = &attr }, &(struct vx_dm *){ NULL });
}

static int interrupts_without_vfio(struct bench *b)
{
	return vx_mlx5_msi_vector_create(b->ctx, NULL, &(struct vx_mlx5_msi_vector *){ NULL });
}

static int events_without_vfio(struct bench *b)
{
	return vx_mlx5_ctx_vfio_process_events(b->ctx);
}

static int unknown_uar(struct bench *b)
{
	return vx_mlx5_devx_uar_create(b->ctx, &(struct vx_mlx5_devx_uar_init){ .flags = 0x77 }, &(struct vx_mlx5_devx_uar *){ NULL });
}

static int root_with_a_rate(struct bench *b)
{
	return vx_mlx5_sched_node_create(b->ctx, &(struct vx_mlx5_sched_node_init){ .flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE, .bw_share = 5 }, &(struct vx_mlx5_sched_node *){ NULL });
}

static int vport(struct bench *b)
{
	struct mlx5dv_port port;

	return vx_mlx5_ctx_query_port(b->ctx, 9, &port);
}

static int clock_of_nothing(struct bench *b)
{
	return vx_mlx5_ctx_get_clock_info(b->ctx, NULL);
}

static int view_of_nothing(struct bench *b)
{
	return vx_mlx5_pd_view(b->pd, NULL);
}

static int vector_that_is_not_there(struct bench *b)
{
	uint32_t eqn;

	return vx_mlx5_ctx_devx_query_eqn(b->ctx, 99, &eqn);
}

static struct vx_mlx5_event_channel *new_events(struct bench *b)
{
	struct vx_mlx5_event_channel *channel;

	must(vx_mlx5_event_channel_create(b->ctx, NULL, &channel));
	return channel;
}

static int event_that_is_none(struct bench *b)
{
	uint16_t events[] = { 0x7777 };

	return vx_mlx5_event_channel_subscribe(new_events(b), NULL, sizeof(events), events, 7);
}

static int events_to_nobody(struct bench *b)
{
	return vx_mlx5_event_channel_subscribe_fd(new_events(b), -1, NULL, 9);
}

static int strange_rights(struct bench *b)
{
	static char bytes[4096];
	const struct vx_mlx5_devx_umem_init init = { .addr = bytes, .size = sizeof(bytes), .access = IBV_ACCESS_MW_BIND };

	return vx_mlx5_devx_umem_create(b->ctx, &init, &(struct vx_mlx5_devx_umem *){ NULL });
}

static int long_and_compressed(struct bench *b)
{
	struct mlx5dv_cq_init_attr attr = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE | MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
					    .cqe_size = 128, .cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_CSUM };

	return vx_mlx5_cq_create(b->ctx, &(struct vx_mlx5_cq_init){ .cqe = 16, .mlx5dv_cq_init_attr = &attr }, &(struct vx_cq *){ NULL });
}

static int operations_in_memory(struct bench *b)
{
	struct vx_dm *dm;
	void *at;

	must(vx_mlx5_dm_create(b->ctx, &(struct vx_mlx5_dm_init){ .length = 64 }, &dm));
	return vx_mlx5_dm_map_op_addr(dm, 3, &at);
}

static int rate_of_a_root(struct bench *b)
{
	struct mlx5dv_sched_attr attr = { .flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW, .max_avg_bw = 5 };
	struct vx_mlx5_sched_node *root;

	must(vx_mlx5_sched_node_create(b->ctx, NULL, &root));
	return vx_mlx5_sched_node_modify(root, &attr);
}

static const struct mistake mistakes[] = {
	{ "keys that a UD QP is to configure", keys_of_ud, -EOPNOTSUPP, "the QP is of IBV_QPT_UD (4): it is RC QPs that configure mkeys" },
	{ "an operation of mlx5 that nobody knows", unknown_operation, -EOPNOTSUPP, "none of enum mlx5dv_qp_create_send_ops_flags" },
	{ "more streams of a DCI than the device has", many_streams, -EINVAL, "dc_init_attr.dci_streams.log_num_concurent" },
	{ "tunnels for a connected QP", tunnels_of_rc, -EINVAL, "tunnels and loopback are of IBV_QPT_RAW_PACKET" },
	{ "scattering to CQEs allowed and disabled", scatter_both_ways, -EINVAL, "MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE and MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE" },
	{ "a DCT that is to send", dct_that_sends, -EINVAL, "a DCT receives only: send_ops_flags must be zero" },
	{ "completions of another size", odd_completions, -EINVAL, "cqe_size = 96, and completions have 64 or 128 bytes" },
	{ "completions compressed in two ways", compressed_in_all_ways, -EOPNOTSUPP, "none of enum mlx5dv_cqe_comp_res_format" },
	{ "a flag of CQs that nobody knows", unknown_flag_of_a_cq, -EINVAL, "none of enum mlx5dv_cq_init_attr_flags" },
	{ "a striding receive queue where there are no WQs", striding, -EINVAL, "the device has no WQs (max_wq_type_rq = 0)" },
	{ "a DEK of a device that does not encrypt", key_without_crypto, -EOPNOTSUPP, "the device cannot encrypt (crypto_caps.crypto_engines is 0)" },
	{ "a plain DEK where they come wrapped", plain_key, -EINVAL, "the device takes wrapped keys only: crypto_login must be one" },
	{ "a wrapped DEK before the login", key_without_login, -EINVAL, "the context is not logged in: vx_mlx5_ctx_crypto_login() comes first" },
	{ "a wrapped DEK where they come plain", wrapped_key, -EINVAL, "the device takes plain keys only: comp_mask must have" },
	{ "a login of a device that does not encrypt", login_without_crypto, -EOPNOTSUPP, "the device cannot encrypt" },
	{ "the login of a context there", old_login_without_crypto, -EOPNOTSUPP, "the device cannot encrypt" },
	{ "an mkey that encrypts there", mkey_that_encrypts, -EOPNOTSUPP, "may not encrypt or sign as create_flags asks for" },
	{ "a flag of mkeys that nobody knows", mkey_of_unknown_flags, -EOPNOTSUPP, "none of enum mlx5dv_mkey_init_attr_flags" },
	{ "a source port before there is a connection", source_port_in_init, -EOPNOTSUPP, "the QP is in IBV_QPS_INIT (1): its port can be chosen in RTS" },
	{ "a source port of datagrams", source_port_of_ud, -EOPNOTSUPP, "the QP is of IBV_QPT_UD (4): RC and UC have a port of their own" },
	{ "a port of a bond that is none", port_of_no_bond, -EOPNOTSUPP, "the device's ports are not bonded" },
	{ "asking by which port of it a QP sends", asking_for_the_port_of_no_bond, -EOPNOTSUPP, "the device's ports are not bonded" },
	{ "direct rules of a device that has none", rules, -EOPNOTSUPP, "the port is of InfiniBand: it is packets of Ethernet that are steered" },
	{ "device memory for rules there", memory_for_steering, -EOPNOTSUPP, "type = MLX5DV_DM_TYPE_STEERING_SW_ICM (1) is memory of software steering, which the device or who has opened it lacks" },
	{ "an interrupt of a device that the kernel has", interrupts_without_vfio, -EOPNOTSUPP, "was not opened by VFIO: interrupts of others are the kernel's" },
	{ "looking after events that the kernel looks after", events_without_vfio, -EINVAL, "was not opened by VFIO" },
	{ "a UAR of a kind that nobody knows", unknown_uar, -EOPNOTSUPP, "none of enum mlx5_ib_uapi_uar_alloc_type" },
	{ "a rate for the root of a tree", root_with_a_rate, -EINVAL, "the root of a tree, which has no rate: flags must be zero" },
	{ "the vport of a port that is not there", vport, -EINVAL, "port_num = 9, but the device allows phys_port_cnt" },
	{ "the event queue of a vector that is not there", vector_that_is_not_there, -EINVAL, "vector = 99" },
	{ "a clock read to nowhere", clock_of_nothing, -EINVAL, "clock_info is NULL" },
	{ "an event that no device tells of", event_that_is_none, -EINVAL, "the device may tell of no such event" },
	{ "events told to no file", events_to_nobody, -EBADF, "fd = none (-1) is no open file" },
	{ "a umem that windows are bound to", strange_rights, -EINVAL, "a umem has IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE and IBV_ACCESS_REMOTE_READ" },
	{ "long completions that are compressed", long_and_compressed, -EOPNOTSUPP, "cqe_size is 128, and the device may compress completions of 64 bytes alone" },
	{ "an operation of device memory that it does not do", operations_in_memory, -EOPNOTSUPP, "op = 3 may be none that the device does on its memory" },
	{ "a rate for the root of a tree, later", rate_of_a_root, -EINVAL, "parent is NULL, which is said of the root of a tree, and that has no rate" },
	{ "a view to nowhere", view_of_nothing, -EINVAL, "view is NULL" },
};

CHAPTER(vendor_objects, "Queues and capabilities of mlx5");
