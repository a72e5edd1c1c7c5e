/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Both at once, after the headers of both; C and C++. */

int both(vx_context context, struct vx_ctx *ctx);

int both(vx_context context, struct vx_ctx *ctx)
{
	const struct vx_enum_info *e = VX_ENUM(ibv_wc_status);
	struct vx_type type = VX_STRUCT(ibv_port_attr);
	vx_enum action = VX_ACTION_CONTINUE;
	struct ibv_port_attr attr;
	char text[64];

	vx_enum_snprint(text, sizeof(text), e, (int64_t)VX_TYPE(action));
	vx_ibv_wc_status_snprint(text, sizeof(text), IBV_WC_SUCCESS);
	if (vxGetStatus((vx_reference)context) != VX_SUCCESS || vx_ctx_query_port(ctx, 1, &attr) < 0)
		return -1;
	return vx_fprint(stdout, type, &attr, VX_COMPACT);
}
