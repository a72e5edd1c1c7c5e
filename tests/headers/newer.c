/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What only headers of newer releases have: whatever release the library was built with, who has them uses it like all else. */

#include <verbsx/verbsx.h>
#include <infiniband/mlx5dv.h>

#ifdef __cplusplus
#define VX_AS_C99(...) 0
#else
#define VX_AS_C99(...) __VA_ARGS__
#endif

int use(struct vx_ctx *ctx, struct vx_qp *qp, struct vx_comp_cntr *comp_cntr, const struct ibv_fd_arr *list,
	const struct mlx5dv_crypto_caps *crypto, const char *text);

int use(struct vx_ctx *ctx, struct vx_qp *qp, struct vx_comp_cntr *comp_cntr, const struct ibv_fd_arr *list,
	const struct mlx5dv_crypto_caps *crypto, const char *text)
{
	struct ibv_dmah_init_attr dmah = VX_DEFAULT(ibv_dmah_init_attr);
	const struct ibv_mr_init_attr mr_default = VX_DEFAULT(ibv_mr_init_attr);
	struct ibv_qp_attach_comp_cntr_attr attach = VX_DEFAULT(ibv_qp_attach_comp_cntr_attr);
	struct ibv_mr_init_attr mr = mr_default, *attr = &mr;
	struct mlx5dv_context context = VX_DEFAULT(mlx5dv_context);
	struct ibv_comp_cntr_caps caps;
	enum ibv_tph_mem_type type;
	int rc;

	vx_dmah_init_attr_set_cpu_id(&dmah, 3);
	vx_mr_init_attr_set_iova(attr, 0x1000), vx_mr_init_attr_set_fd(attr, 3);
	vx_mr_init_attr_set_addr(attr, attr);
	vx_mlx5dv_context_set_crypto_caps(&context, crypto);
	if (!text)
		vx_mlx5dv_context_set_crypto_caps(&context, crypto);
	else
		vx_mr_init_attr_set_fd_offset(attr, 1);
	rc = vx_ctx_query_comp_cntr_caps(ctx, NULL) || vx_ctx_query_comp_cntr_caps(ctx, &caps) ||
	     vx_qp_attach_comp_cntr(qp, comp_cntr, &attach) || VX_AS_C99(vx_qp_attach_comp_cntr(
	     qp, comp_cntr, &(struct ibv_qp_attach_comp_cntr_attr){ .comp_mask = 0, .op_mask = 1 })) || vx_ibv_tph_mem_type_parse(text, &type);
	vx_print(stdout, list);
	vx_print(stdout, &mr_default);
	return vx_fprint(stdout, VX_STRUCT(ibv_fd_arr), list, VX_JSON) || vx_snprint(NULL, 0, VX_TYPEOF(&caps), &caps, 0) || rc;
}
