/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Queues as only mlx5 has them, what they are told of ports, and the device's clock. */

#include <stdlib.h>

#include <verbsx/mlx5.h>

#include "pair.h"

/* ---- completions of a size, and how they are packed ---- */

#define CQE_SIZE (MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE)
#define CQE_FLAGS (MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE | MLX5DV_CQ_INIT_ATTR_MASK_FLAGS)

static int make_cq(struct mlx5dv_cq_init_attr attr, struct vx_cq **out)
{
	return vx_mlx5_cq_create(ctx, &(struct vx_mlx5_cq_init){ .cqe = 16, .mlx5dv_cq_init_attr = &attr }, out);
}

static void expect_size(const struct vx_cq *cq, uint32_t size)
{
	struct mlx5dv_cq view;

	made(vx_mlx5_cq_view(cq, &view));
	cr_expect_eq(view.cqe_size, size);
}

/* What is sent over a pair whose server has the CQ for its receives. */
static void send_over(struct vx_cq *cq)
{
	const struct pair p = connected_to(pd, cq);
	struct ibv_sge to = { (uintptr_t)vx_mr_addr(p.mr) + ROOM / 2, 32, vx_mr_lkey(p.mr) }, from = { (uintptr_t)vx_mr_addr(p.mr), 32, vx_mr_lkey(p.mr) };
	char *memory = vx_mr_addr(p.mr);
	struct pair at_server = p;
	int i;

	at_server.cq = cq;
	for (i = 0; i < 40; i++) { /* more often than the CQ has entries */
		memset(memory, i + 1, 32);
		memset(memory + ROOM / 2, 0, 32);
		made(vx_qp_post_recv(p.server, &(struct ibv_recv_wr){ .sg_list = &to, .num_sge = 1 }, NULL));
		cr_assert_eq(done(&p, p.client, (struct ibv_send_wr){ .opcode = IBV_WR_SEND, .sg_list = &from, .num_sge = 1 }), IBV_WC_SUCCESS);
		cr_assert_eq(next(&at_server), IBV_WC_SUCCESS);
		cr_assert_eq(memcmp(memory, memory + ROOM / 2, 32), 0);
	}
}

#define DvCq(name) Twin(test_mlx5_cq, DvCqTest, name)

DvCq(test_dv_cq_cqe_size_128)
{
	struct vx_cq *cq;

	made(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = CQE_SIZE, .cqe_size = 128 }, &cq));
	expect_size(cq, 128);
	send_over(cq);
}

DvCq(test_dv_cq_cqe_size_64)
{
	struct vx_cq *cq;

	made(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = CQE_SIZE, .cqe_size = 64 }, &cq));
	expect_size(cq, 64);
	send_over(cq);
}

DvCq(test_dv_cq_cqe_size_with_bad_size)
{
	struct vx_cq *cq;

	refused(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = CQE_SIZE, .cqe_size = 100 }, &cq));
	setenv("MLX5_CQE_SIZE", "100", 1);
	refused(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = 0 }, &cq));
	unsetenv("MLX5_CQE_SIZE");
}

DvCq(test_dv_cq_cqe_size_environment_var)
{
	struct vx_cq *cq;

	setenv("MLX5_CQE_SIZE", "128", 1);
	made(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = 0 }, &cq));
	unsetenv("MLX5_CQE_SIZE");
	expect_size(cq, 128);
	send_over(cq);
}

static struct mlx5dv_cq_init_attr compressed(unsigned int format)
{
	return (struct mlx5dv_cq_init_attr){ .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE, .cqe_comp_res_format = (uint8_t)format };
}

/* Of what comes alone nothing is compressed. */
DvCq(test_dv_cq_compression_flags)
{
	const unsigned int formats[] = { MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX, MLX5DV_CQE_RES_FORMAT_CSUM, MLX5DV_CQE_RES_FORMAT_HASH };
	struct mlx5dv_context device = { .comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION };
	struct vx_cq *cq;
	size_t i;

	made(vx_mlx5_ctx_query_device(ctx, &device));
	cr_expect_gt(device.cqe_comp_caps.max_num, 0);
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!(device.cqe_comp_caps.supported_format & formats[i])) {
			refused(make_cq(compressed(formats[i]), &cq));
			continue;
		}
		made(make_cq(compressed(formats[i]), &cq));
		send_over(cq);
	}
	refused(make_cq(compressed(MLX5DV_CQE_RES_FORMAT_HASH | MLX5DV_CQE_RES_FORMAT_CSUM), &cq));
}

DvCq(test_dv_cq_padding)
{
	struct vx_cq *cq;

	made(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = CQE_FLAGS, .cqe_size = 128, .flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD }, &cq));
	send_over(cq);
}

DvCq(test_dv_cq_padding_not_aligned_cqe_size)
{
	struct vx_cq *cq;

	refused(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = CQE_FLAGS, .cqe_size = 64, .flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD }, &cq));
}

DvCq(test_dv_cq_traffic)
{
	struct vx_cq *cq;

	made(make_cq((struct mlx5dv_cq_init_attr){ .comp_mask = 0 }, &cq));
	send_over(cq);
}

static int make_qp(struct vx_cq *cq, uint32_t create_flags, struct vx_qp **out)
{
	struct mlx5dv_qp_init_attr attr = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS, .create_flags = create_flags };

	return vx_mlx5_qp_create(pd, &(struct vx_mlx5_qp_init){ .send_cq = cq, .recv_cq = cq, .mlx5dv_qp_init_attr = &attr }, out);
}

DvCq(test_scatter_to_cqe_control_by_qp)
{
	struct vx_qp *qp;
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	made(make_qp(cq, MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE, &qp));
	made(make_qp(cq, MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE, &qp));
	refused(make_qp(cq, MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE | MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE, &qp));
}

/* ---- by which port and from which ---- */

static struct vx_qp *in_rts(void)
{
	return connected().client;
}

static void expect_port(struct vx_qp *qp, uint32_t port)
{
	uint8_t configured = 0, active = 0;

	made(vx_mlx5_qp_modify_lag_port(qp, port));
	made(vx_mlx5_qp_query_lag_port(qp, &configured, &active));
	cr_expect_eq(configured, port);
	cr_expect(active, "it goes out by one of them");
}

#define Lag(name) Twin(test_mlx5_lag_affinity, LagPortTestCase, name)

Lag(test_rc_modify_lag_port)
{
	struct vx_qp *qp = in_rts();

	expect_port(qp, 2);
	expect_port(qp, 1);
	refused(vx_mlx5_qp_modify_lag_port(qp, 3));
}

static struct vx_qp *without_peer(enum ibv_qp_type type, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11 };
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = type, .send_cq = cq, .recv_cq = cq }, &qp));
	made(vx_qp_modify(qp, &attr, mask));
	attr.qp_state = IBV_QPS_RTR;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	made(vx_qp_modify(qp, &attr, IBV_QP_STATE | (type == IBV_QPT_UD ? IBV_QP_SQ_PSN : 0)));
	return qp;
}

Lag(test_ud_modify_lag_port)
{
	expect_port(without_peer(IBV_QPT_UD, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 2);
}

Lag(test_raw_modify_lag_port)
{
	need_ethernet();
	expect_port(without_peer(IBV_QPT_RAW_PACKET, IBV_QP_STATE | IBV_QP_PORT), 2);
}

Twin(test_mlx5_udp_sport, UdpSportTestCase, test_rc_modify_udp_sport)
{
	need_ethernet();
	made(vx_mlx5_qp_modify_udp_sport(in_rts(), 49162));
}

/* ---- time ---- */

Twin(test_mlx5_timestamp, TimeAPITest, test_query_rt_values)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK }, later = values;

	made(vx_ctx_query_rt_values_ex(ctx, &values));
	cr_expect(values.comp_mask & IBV_VALUES_MASK_RAW_CLOCK);
	made(vx_ctx_query_rt_values_ex(ctx, &later));
	cr_expect(later.raw_clock.tv_sec > values.raw_clock.tv_sec ||
		  (later.raw_clock.tv_sec == values.raw_clock.tv_sec && later.raw_clock.tv_nsec >= values.raw_clock.tv_nsec));
}

/* ---- rules ---- */

static struct {
	struct mlx5dv_flow_match_parameters parameters;
	uint8_t bits[64];
} mask = { .parameters = { .match_sz = sizeof(mask.bits) } };

static void make_matcher(uint8_t enable)
{
	const struct vx_mlx5_flow_matcher_init init = { .match_criteria_enable = enable, .match_mask = &mask.parameters };
	struct vx_mlx5_flow_matcher *matcher;

	need_ethernet();
	made(vx_mlx5_flow_matcher_create(ctx, &init, &matcher));
	closed(matcher);
}

Twin(test_mlx5_flow, Mlx5MatcherTest, test_create_empty_matcher)
{
	make_matcher(0);
}

/* The source's address is what the headers' fields begin with. */
Twin(test_mlx5_flow, Mlx5MatcherTest, test_create_smac_matcher)
{
	memset(mask.bits, 0xff, 6);
	make_matcher(1);
}

Twin(test_mlx5_dr, Mlx5DrDumpTest, test_domain_dump)
{
	struct vx_mlx5_dr_domain *domain;
	char *text = NULL;
	size_t size, dumped;
	FILE *file;

	need_ethernet();
	made(vx_mlx5_dr_domain_create(ctx, &(struct vx_mlx5_dr_domain_init){ .type = MLX5DV_DR_DOMAIN_TYPE_NIC_RX }, &domain));
	file = open_memstream(&text, &size);
	cr_assert_not_null(file);
	made(vx_mlx5_dr_domain_dump(domain, file, &dumped));
	fclose(file);
	cr_expect(size > 0, "a domain is dumped");
	free(text);
	closed(domain);
}

/* ---- keys and addresses ---- */

/* A plain key, of whatever bytes; what it is called comes back. */
Twin(test_mlx5_crypto, Mlx5CryptoAPITest, test_mlx5_dek_management)
{
	struct vx_mlx5_dek_init init = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = pd, .key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
					 .key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS, .opaque = "a twin" };
	struct mlx5dv_dek_attr attr = { 0 };
	struct vx_mlx5_dek *dek;

	memset(init.key, 0x5a, 32);
	made(vx_mlx5_dek_create(ctx, &init, &dek));
	made(vx_mlx5_dek_query(dek, &attr));
	cr_expect_eq(attr.state, MLX5DV_DEK_STATE_READY);
	cr_expect_str_eq(attr.opaque, "a twin");
	closed(dek);
}

Twin(test_mlx5_dc, DCTest, test_dc_ah_to_qp_mapping)
{
	struct vx_qp *peer = without_peer(IBV_QPT_UD, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	struct vx_path path = { 0 };
	struct vx_ah *ah;

	made(vx_path_fill(&path, peer));
	vx_path_reverse(&path);
	made(vx_pd_ah(pd, &path, &ah));
	made(vx_mlx5_ah_map_to_qp(ah, vx_qp_raw(peer)->qp_num));
}
