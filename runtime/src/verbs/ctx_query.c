/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <endian.h>

#include <verbsx/config.h>

#include "verbs/ctx.h"
#include "error/fail.h"
#include "reach/outcome.h"
#include "reason_query.h"
#include "traced.h"

int vx_ctx_query_device(const struct vx_ctx *ctx, struct ibv_device_attr *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_device(vx_ctx_raw(ctx), out);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device", vx_ctx_name(ctx), NULL);
	return 0;
}

int vx_ctx_query_device_ex(const struct vx_ctx *ctx, struct ibv_device_attr_ex *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_device_ex(vx_ctx_raw(ctx), NULL, out);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device_ex", vx_ctx_name(ctx), NULL);
	return 0;
}

int vx_ctx_query_port(const struct vx_ctx *ctx, uint8_t port, struct ibv_port_attr *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_port(vx_ctx_raw(ctx), port, out);
	return rc ? vx_port_fail(ctx, vx_code_returned(rc), "ibv_query_port", port) : 0;
}

int vx_ctx_query_gid(const struct vx_ctx *ctx, uint8_t port, uint32_t index,
			 struct ibv_gid_entry *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_gid_ex(vx_ctx_raw(ctx), port, index, out, 0);
	return rc ? vx_gid_fail(ctx, vx_code_returned(rc), port, index) : 0;
}

int vx_ctx_query_gid_table(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t max,
			       size_t *count)
{
	static const char call[] = "ibv_query_gid_table";
	ssize_t rc;
	size_t all;

	errno = 0;
	rc = ibv_query_gid_table(vx_ctx_raw(ctx), entries, max, 0);
	if (rc >= 0) {
		*count = (size_t)rc;
		return 0;
	}
	all = vx_all_gids(ctx);
	if (rc == -EINVAL && max < all)
		return vx_call_fail(-EINVAL, call, vx_ctx_name(ctx),
				    "max = %zu is too small; the tables of all ports have room for %zu", max,
				    all);
	return vx_call_fail((int)rc, call, vx_ctx_name(ctx), NULL);
}

int vx_ctx_query_pkey(const struct vx_ctx *ctx, uint8_t port, uint16_t index, uint16_t *pkey)
{
	__be16 found;

	errno = 0;
	if (ibv_query_pkey(vx_ctx_raw(ctx), port, index, &found) < 0)
		return vx_pkey_fail(ctx, vx_code_in_errno(), port, index);
	*pkey = be16toh(found);
	return 0;
}

int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint8_t port, uint16_t *pkeys, size_t max,
				size_t *count)
{
	struct ibv_port_attr attr;
	size_t i;
	int rc;

	rc = vx_ctx_query_port(ctx, port, &attr);
	for (i = 0; rc == 0 && i < attr.pkey_tbl_len && i < max; i++)
		rc = vx_ctx_query_pkey(ctx, port, (uint16_t)i, &pkeys[i]);
	if (rc == 0)
		*count = i;
	return rc;
}

#if VX_RDMA_CORE >= 62

int vx_ctx_query_port_speed(const struct vx_ctx *ctx, uint8_t port, uint64_t *mbps)
{
	uint64_t hundreds;
	int rc;

	errno = 0;
	rc = ibv_query_port_speed(vx_ctx_raw(ctx), port, &hundreds);
	if (rc)
		return vx_port_fail(ctx, vx_code_returned(rc), "ibv_query_port_speed", port);
	*mbps = hundreds * 100;
	return 0;
}

#else

int vx_ctx_query_port_speed(const struct vx_ctx *ctx, uint8_t port, uint64_t *mbps)
{
	(void)port;
	(void)mbps;
	return vx_fail(-EOPNOTSUPP, "ibv_query_port_speed", vx_ctx_name(ctx),
		       "needs rdma-core 62, this is %u", VX_RDMA_CORE);
}

#endif
