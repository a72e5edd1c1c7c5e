/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What the emulated device refuses of mlx5, or does by no call that can be made to fail: answered in libmlx5's place. What such objects are
 * made of is somebody else's, and borrowed.
 */

#include <stdio.h>
#include <stdlib.h>

#include <verbsx/mlx5.h>

#include "reach/loader.h"
#include "torture.h"

#if VERBSX_LOADER

enum { NEW, DOMAIN, PEER, TABLE, MATCHER, ACTION, OBJ, LEAF, VECTOR, DEK, LOGIN, UAR, UMEM, VAR, RAWS };

static uint64_t raws[RAWS][64];
static struct ibv_flow_action raw_action;
static struct ibv_wq raw_wq;
static char given[64]; /* whatever is asked for */

/* ---- who answers ---- */

static int agree(void)
{
	return inject_refuses();
}

static void *begin(void)
{
	return inject_made(raws[NEW]);
}

static void *find_address(void)
{
	return inject_refuses() ? NULL : given;
}

static struct ibv_flow_action *begin_action(struct ibv_context *context)
{
	raw_action.context = context;
	return inject_made(&raw_action);
}

#if VX_RDMA_CORE >= 54
static struct ibv_mr raw_mr;

static struct ibv_mr *begin_mr(struct ibv_pd *pd)
{
	raw_mr = (struct ibv_mr){ .context = pd->context, .pd = pd };
	return inject_made(&raw_mr);
}
#endif

#if VX_RDMA_CORE >= 63
static int agree_by_fd(void)
{
	return inject_refuses() ? -1 : 77;
}

/* It cannot refuse. */
static void unimport(void)
{
	standing--;
}
#endif

static const struct {
	const char *call;
	vx_function function;
} answers[] = {
	{ "mlx5dv_create_flow_action_esp", (vx_function)begin_action },
	{ "mlx5dv_devx_cq_modify", (vx_function)agree },
	{ "mlx5dv_devx_cq_query", (vx_function)agree },
	{ "mlx5dv_devx_wq_modify", (vx_function)agree },
	{ "mlx5dv_devx_wq_query", (vx_function)agree },
	{ "mlx5dv_dr_action_create_aso", (vx_function)begin },
	{ "mlx5dv_dr_action_create_dest_array", (vx_function)begin },
	{ "mlx5dv_dr_action_create_dest_devx_tir", (vx_function)begin },
	{ "mlx5dv_dr_action_create_dest_table", (vx_function)begin },
	{ "mlx5dv_dr_action_create_dest_vport", (vx_function)begin },
	{ "mlx5dv_dr_action_create_flow_meter", (vx_function)begin },
	{ "mlx5dv_dr_action_create_flow_sampler", (vx_function)begin },
	{ "mlx5dv_dr_action_create_push_vlan", (vx_function)begin },
	{ "mlx5dv_dr_action_destroy", (vx_function)inject_ended },
	{ "mlx5dv_dr_domain_sync", (vx_function)agree },
	{ "mlx5dv_modify_qp_lag_port", (vx_function)agree },
	{ "mlx5dv_modify_qp_udp_sport", (vx_function)agree },
	{ "mlx5dv_query_qp_lag_port", (vx_function)agree },
	{ "mlx5dv_sched_leaf_modify", (vx_function)agree },
#if VX_RDMA_CORE >= 42
	{ "mlx5dv_crypto_login_create", (vx_function)begin },
	{ "mlx5dv_crypto_login_destroy", (vx_function)inject_ended },
	{ "mlx5dv_crypto_login_query", (vx_function)agree },
	{ "mlx5dv_dci_stream_id_reset", (vx_function)agree },
	{ "mlx5dv_dek_create", (vx_function)begin },
	{ "mlx5dv_dek_destroy", (vx_function)inject_ended },
	{ "mlx5dv_dek_query", (vx_function)agree },
	{ "mlx5dv_devx_alloc_msi_vector", (vx_function)begin },
	{ "mlx5dv_devx_create_eq", (vx_function)begin },
	{ "mlx5dv_devx_destroy_eq", (vx_function)inject_ended },
	{ "mlx5dv_devx_free_msi_vector", (vx_function)inject_ended },
	{ "mlx5dv_dm_map_op_addr", (vx_function)find_address },
	{ "mlx5dv_dr_action_create_dest_ib_port", (vx_function)begin },
	{ "mlx5dv_dr_action_create_dest_root_table", (vx_function)begin },
	{ "mlx5dv_dr_aso_other_domain_link", (vx_function)agree },
	{ "mlx5dv_dr_aso_other_domain_unlink", (vx_function)agree },
	{ "mlx5dv_dr_matcher_set_layout", (vx_function)agree },
#endif
#if VX_RDMA_CORE >= 54
	{ "mlx5dv_reg_dmabuf_mr", (vx_function)begin_mr },
#endif
#if VX_RDMA_CORE >= 63
	{ "mlx5dv_devx_obj_export", (vx_function)agree },
	{ "mlx5dv_devx_obj_import", (vx_function)begin },
	{ "mlx5dv_devx_obj_unimport", (vx_function)unimport },
	{ "mlx5dv_devx_uar_export_dmabuf_fd", (vx_function)agree_by_fd },
	{ "mlx5dv_devx_umem_export", (vx_function)agree },
	{ "mlx5dv_devx_umem_import", (vx_function)begin },
	{ "mlx5dv_devx_umem_unimport", (vx_function)unimport },
	{ "mlx5dv_var_export", (vx_function)agree },
	{ "mlx5dv_var_import", (vx_function)begin },
	{ "mlx5dv_var_unimport", (vx_function)unimport },
#endif
};

void answered_mlx5_install(void)
{
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (vx_loader_replace(answers[i].call, answers[i].function) == 0)
			continue;
		fprintf(stderr, "%s\n", vx_error_text());
		exit(2);
	}
}

/* ---- of what it is made ---- */

static struct vx_mlx5_dr_domain *domain, *peer;
static struct vx_mlx5_dr_table *table;
static struct vx_mlx5_dr_matcher *matcher;
static struct vx_mlx5_dr_action *action;
static struct vx_mlx5_devx_obj *obj;
static struct vx_mlx5_sched_leaf *leaf;
static struct vx_wq *wq;

#define BORROW(kind, parent, number, out) (rc = rc ? rc : vx_##kind##_borrow(parent, (void *)raws[number], out))

static int borrow_rules(void)
{
	int rc = 0;

	BORROW(mlx5_dr_domain, stage.ctx, DOMAIN, &domain);
	BORROW(mlx5_dr_domain, stage.ctx, PEER, &peer);
	BORROW(mlx5_dr_table, domain, TABLE, &table);
	BORROW(mlx5_dr_matcher, table, MATCHER, &matcher);
	BORROW(mlx5_dr_action, stage.ctx, ACTION, &action);
	BORROW(mlx5_devx_obj, stage.ctx, OBJ, &obj);
	return BORROW(mlx5_sched_leaf, stage.ctx, LEAF, &leaf);
}

static int borrow_wq(void)
{
	raw_wq = (struct ibv_wq){ .context = vx_ctx_raw(stage.ctx), .pd = vx_pd_raw(stage.pd), .cq = vx_cq_raw(stage.cq) };
	return vx_wq_borrow(stage.pd, &raw_wq, &wq);
}

/* ---- what is asked ---- */

#define ASK(name, call)       \
	static int name(void) \
	{                     \
		return call;  \
	}

/* A function that makes an object by a call, whose last argument is &out. */
#define MAKING(function, kind, call)          \
	static int function(void)             \
	{                                     \
		struct vx_##kind *out = NULL; \
		const int rc = call;          \
					      \
		if (rc == 0)                  \
			made.object = out;    \
		return rc;                    \
	}

static int dest_array(void)
{
	const struct vx_mlx5_dr_action_dest dests[2] = { { .dest = action }, { .dest = action } };
	struct vx_mlx5_dr_action *out = NULL;
	const int rc = vx_mlx5_dr_dest_array_create(domain, &(struct vx_mlx5_dr_dest_array_init){ .dests = dests, .num_dest = 2 }, &out);

	if (rc == 0)
		made.object = out;
	return rc;
}

MAKING(dr_aso, mlx5_dr_action, vx_mlx5_dr_aso_create(domain, &(struct vx_mlx5_dr_aso_init){ .devx_obj = obj }, &out))
MAKING(dest_table, mlx5_dr_action, vx_mlx5_dr_dest_table_create(table, NULL, &out))
MAKING(dest_tir, mlx5_dr_action, vx_mlx5_dr_dest_tir_create(obj, NULL, &out))
MAKING(dest_vport, mlx5_dr_action, vx_mlx5_dr_dest_vport_create(domain, NULL, &out))
MAKING(dr_meter, mlx5_dr_action, vx_mlx5_dr_meter_create(stage.ctx, &(struct vx_mlx5_dr_meter_init){ .next_table = table }, &out))
MAKING(push_vlan, mlx5_dr_action, vx_mlx5_dr_push_vlan_create(domain, NULL, &out))
MAKING(dr_sampler, mlx5_dr_action,
       vx_mlx5_dr_sampler_create(stage.ctx, &(struct vx_mlx5_dr_sampler_init){ .default_next_table = table, .sample_actions = &action, .num_sample_actions = 1 }, &out))
MAKING(esp, flow_action, vx_mlx5_esp_create(stage.ctx, NULL, &out))
ASK(modify_cq, vx_mlx5_cq_devx_modify(stage.cq, given, 16, given + 32, 16))
ASK(query_cq, vx_mlx5_cq_devx_query(stage.cq, given, 16, given + 32, 16))
ASK(modify_wq, vx_mlx5_wq_devx_modify(wq, given, 16, given + 32, 16))
ASK(query_wq, vx_mlx5_wq_devx_query(wq, given, 16, given + 32, 16))
ASK(sync_domain, vx_mlx5_dr_domain_sync(domain, MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW))
ASK(set_lag_port, vx_mlx5_qp_modify_lag_port(stage.ud, 1))
ASK(set_udp_sport, vx_mlx5_qp_modify_udp_sport(stage.ud, 50000))
ASK(query_lag_port, vx_mlx5_qp_query_lag_port(stage.ud, (void *)given, (void *)(given + 1)))
ASK(modify_leaf, vx_mlx5_sched_leaf_modify(leaf, &(struct mlx5dv_sched_attr){ 0 }))
#if VX_RDMA_CORE >= 42
static struct vx_mlx5_msi_vector *vector;
static struct vx_mlx5_crypto_login *login;
static struct vx_mlx5_dek *dek;
static struct mlx5dv_crypto_login_query_attr login_state;
static struct mlx5dv_dek_attr dek_state;
static void *address;

static int borrow_vector(void)
{
	int rc = 0;

	return BORROW(mlx5_msi_vector, stage.ctx, VECTOR, &vector);
}

static int borrow_keys(void)
{
	int rc = 0;

	BORROW(mlx5_crypto_login, stage.ctx, LOGIN, &login);
	return BORROW(mlx5_dek, stage.ctx, DEK, &dek);
}

static int dek_of_login(void)
{
	const struct vx_mlx5_dek_init init = { .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .crypto_login = login, .pd = stage.pd };
	struct vx_mlx5_dek *out = NULL;
	const int rc = vx_mlx5_dek_create(stage.ctx, &init, &out);

	if (rc == 0)
		made.object = out;
	return rc;
}

MAKING(new_login, mlx5_crypto_login, vx_mlx5_crypto_login_create(stage.ctx, NULL, &out))
MAKING(new_vector, mlx5_msi_vector, vx_mlx5_msi_vector_create(stage.ctx, NULL, &out))
MAKING(new_eq, mlx5_devx_eq,
       vx_mlx5_devx_eq_create(vector, &(struct vx_mlx5_devx_eq_init){ .in = given, .inlen = 16, .out = given + 32, .outlen = 16 }, &out))
MAKING(dest_port, mlx5_dr_action, vx_mlx5_dr_dest_port_create(domain, NULL, &out))
MAKING(dest_root, mlx5_dr_action, vx_mlx5_dr_dest_root_create(table, NULL, &out))
ASK(query_login, vx_mlx5_crypto_login_query(login, &login_state))
ASK(query_dek, vx_mlx5_dek_query(dek, &dek_state))
ASK(reset_stream, vx_mlx5_qp_dci_stream_id_reset(stage.ud, 1))
ASK(map_op, vx_mlx5_dm_map_op_addr(stage.dm, 0, &address))
ASK(link_domain, vx_mlx5_devx_obj_link_aso_domain(obj, peer, domain, 0, 0))

static int link_rules(void)
{
	const int rc = borrow_rules();

	return rc ? rc : link_domain();
}

ASK(unlink_domain, vx_mlx5_devx_obj_unlink_aso_domain(obj, domain))
ASK(set_layout, vx_mlx5_dr_matcher_set_layout(matcher, &(struct mlx5dv_dr_matcher_layout){ 0 }))
#endif
#if VX_RDMA_CORE >= 54
MAKING(mr_of_dmabuf, mr, vx_mlx5_mr_create(stage.pd, &(struct vx_mlx5_mr_init){ .length = 64, .fd = 33 }, &out))
#endif
#if VX_RDMA_CORE >= 63
static struct vx_mlx5_devx_uar *uar;
static struct vx_mlx5_devx_umem *umem;
static struct vx_mlx5_var *var;
static int fd;

static int borrow_places(void)
{
	int rc = borrow_rules();

	BORROW(mlx5_devx_uar, stage.ctx, UAR, &uar);
	BORROW(mlx5_devx_umem, stage.ctx, UMEM, &umem);
	return BORROW(mlx5_var, stage.ctx, VAR, &var);
}

MAKING(import_obj, mlx5_devx_obj, vx_mlx5_devx_obj_import(stage.ctx, given, &out))
MAKING(import_umem, mlx5_devx_umem, vx_mlx5_devx_umem_import(stage.ctx, given, &out))
MAKING(import_var, mlx5_var, vx_mlx5_var_import(stage.ctx, given, &out))
ASK(export_obj, vx_mlx5_devx_obj_export(obj, given))
ASK(export_umem, vx_mlx5_devx_umem_export(umem, given))
ASK(export_var, vx_mlx5_var_export(var, given))
ASK(export_uar, vx_mlx5_devx_uar_export_dmabuf_fd(uar, &fd))
#endif

/* ---- all of it ---- */

/* Those that need nothing else: made, and closed. */
const struct kind answered_mlx5_kinds[] = {
	{ "esp action of mlx5", esp, IN_PLACE(mlx5dv_create_flow_action_esp), IN_PLACE(ibv_destroy_flow_action) },
#if VX_RDMA_CORE >= 42
	{ "crypto login", new_login, IN_PLACE(mlx5dv_crypto_login_create), IN_PLACE(mlx5dv_crypto_login_destroy) },
	{ "msi vector", new_vector, IN_PLACE(mlx5dv_devx_alloc_msi_vector), IN_PLACE(mlx5dv_devx_free_msi_vector) },
#endif
#if VX_RDMA_CORE >= 54
	{ "mr of mlx5", mr_of_dmabuf, IN_PLACE(mlx5dv_reg_dmabuf_mr), IN_PLACE(ibv_dereg_mr) },
#endif
	{ 0 },
};

const struct method answered_mlx5_methods[] = {
	{ "making an action of an object", borrow_rules, dr_aso, IN_PLACE(mlx5dv_dr_action_create_aso) },
	{ "making an action of several destinations", borrow_rules, dest_array, IN_PLACE(mlx5dv_dr_action_create_dest_array) },
	{ "making an action that leads to a table", borrow_rules, dest_table, IN_PLACE(mlx5dv_dr_action_create_dest_table) },
	{ "making an action that leads to a tir", borrow_rules, dest_tir, IN_PLACE(mlx5dv_dr_action_create_dest_devx_tir) },
	{ "making an action that leads to a vport", borrow_rules, dest_vport, IN_PLACE(mlx5dv_dr_action_create_dest_vport) },
	{ "making a meter", borrow_rules, dr_meter, IN_PLACE(mlx5dv_dr_action_create_flow_meter) },
	{ "making an action that pushes a vlan", borrow_rules, push_vlan, IN_PLACE(mlx5dv_dr_action_create_push_vlan) },
	{ "making a sampler", borrow_rules, dr_sampler, IN_PLACE(mlx5dv_dr_action_create_flow_sampler) },
	{ "change of a cq by devx", NULL, modify_cq, IN_PLACE(mlx5dv_devx_cq_modify) },
	{ "query of a cq by devx", NULL, query_cq, IN_PLACE(mlx5dv_devx_cq_query) },
	{ "change of a wq by devx", borrow_wq, modify_wq, IN_PLACE(mlx5dv_devx_wq_modify) },
	{ "query of a wq by devx", borrow_wq, query_wq, IN_PLACE(mlx5dv_devx_wq_query) },
	{ "sync of a dr domain", borrow_rules, sync_domain, IN_PLACE(mlx5dv_dr_domain_sync) },
	{ "choice of a port", NULL, set_lag_port, IN_PLACE(mlx5dv_modify_qp_lag_port) },
	{ "question for the port", NULL, query_lag_port, IN_PLACE(mlx5dv_query_qp_lag_port) },
	{ "choice of a source port", NULL, set_udp_sport, IN_PLACE(mlx5dv_modify_qp_udp_sport) },
	{ "change of a scheduling leaf", borrow_rules, modify_leaf, IN_PLACE(mlx5dv_sched_leaf_modify) },
#if VX_RDMA_CORE >= 42
	{ "making a dek of a login", borrow_keys, dek_of_login, IN_PLACE(mlx5dv_dek_create) },
	{ "making an eq", borrow_vector, new_eq, IN_PLACE(mlx5dv_devx_create_eq) },
	{ "making an action that leads to a port", borrow_rules, dest_port, IN_PLACE(mlx5dv_dr_action_create_dest_ib_port) },
	{ "making an action that leads to a root table", borrow_rules, dest_root, IN_PLACE(mlx5dv_dr_action_create_dest_root_table) },
	{ "query of a crypto login", borrow_keys, query_login, IN_PLACE(mlx5dv_crypto_login_query) },
	{ "query of a dek", borrow_keys, query_dek, IN_PLACE(mlx5dv_dek_query) },
	{ "reset of a stream", NULL, reset_stream, IN_PLACE(mlx5dv_dci_stream_id_reset) },
	{ "address of an operation of a dm", NULL, map_op, IN_PLACE(mlx5dv_dm_map_op_addr) },
	{ "link of an object to a domain", borrow_rules, link_domain, IN_PLACE(mlx5dv_dr_aso_other_domain_link) },
	{ "end of such a link", link_rules, unlink_domain, IN_PLACE(mlx5dv_dr_aso_other_domain_unlink) },
	{ "layout of a matcher", borrow_rules, set_layout, IN_PLACE(mlx5dv_dr_matcher_set_layout) },
#endif
#if VX_RDMA_CORE >= 63
	{ "import of a devx object", NULL, import_obj, IN_PLACE(mlx5dv_devx_obj_import) },
	{ "import of a umem", NULL, import_umem, IN_PLACE(mlx5dv_devx_umem_import) },
	{ "import of a var", NULL, import_var, IN_PLACE(mlx5dv_var_import) },
	{ "export of a devx object", borrow_places, export_obj, IN_PLACE(mlx5dv_devx_obj_export) },
	{ "export of a umem", borrow_places, export_umem, IN_PLACE(mlx5dv_devx_umem_export) },
	{ "export of a var", borrow_places, export_var, IN_PLACE(mlx5dv_var_export) },
	{ "export of a uar", borrow_places, export_uar, IN_PLACE(mlx5dv_devx_uar_export_dmabuf_fd) },
#endif
	{ 0 },
};

#endif
