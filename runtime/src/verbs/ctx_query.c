/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <endian.h>
#include <stdlib.h>

#include <verbsx/config.h>
#include <verbsx/objects.h>

#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

static bool is_refused(const struct vx_ctx *ctx, const void *place, const char *what, const char *call)
{
	if (vx_wrong(ctx, VX_OBJECT_CTX, call, "ctx"))
		return true;
	if (!place)
		vx_null_fail(call, what);
	return !place;
}

int vx_ctx_query_device_sized(const struct vx_ctx *ctx, struct ibv_device_attr *out, size_t size)
{
	struct ibv_device_attr own = { 0 };
	int rc;

	if (is_refused(ctx, out, "out", "vx_ctx_query_device"))
		return -EINVAL;
	errno = 0;
	rc = ibv_query_device(vx_ctx_raw(ctx), &own);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device", vx_ctx_name(ctx), NULL);
	vx_give_out(out, size, &own, sizeof(own));
	return 0;
}

int vx_ctx_query_device_ex_sized(const struct vx_ctx *ctx, struct ibv_device_attr_ex *out, size_t size)
{
	struct ibv_device_attr_ex own = { 0 };
	int rc;

	if (is_refused(ctx, out, "out", "vx_ctx_query_device_ex"))
		return -EINVAL;
	errno = 0;
	rc = ibv_query_device_ex(vx_ctx_raw(ctx), NULL, &own);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device_ex", vx_ctx_name(ctx), NULL);
	vx_give_out(out, size, &own, sizeof(own));
	return 0;
}

int vx_ctx_query_port_sized(const struct vx_ctx *ctx, uint8_t port_num, struct ibv_port_attr *out, size_t size)
{
	struct ibv_port_attr own = { 0 };
	int rc;

	if (is_refused(ctx, out, "out", "vx_ctx_query_port"))
		return -EINVAL;
	errno = 0;
	rc = ibv_query_port(vx_ctx_raw(ctx), port_num, &own);
	if (rc)
		return vx_call_refused(vx_code_returned(rc), SIGNATURE_ibv_query_port, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), port_num, VX_ARG(&own)));
	vx_give_out(out, size, &own, sizeof(own));
	return 0;
}

int vx_ctx_query_gid_sized(const struct vx_ctx *ctx, uint8_t port_num, uint32_t index, struct ibv_gid_entry *out,
			   size_t size)
{
	struct ibv_gid_entry own = { 0 };
	int rc;

	if (is_refused(ctx, out, "out", "vx_ctx_query_gid"))
		return -EINVAL;
	errno = 0;
	rc = ibv_query_gid_ex(vx_ctx_raw(ctx), port_num, index, &own, 0);
	if (rc)
		return vx_call_refused(vx_code_returned(rc), SIGNATURE_ibv_query_gid_ex, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), port_num, index, VX_ARG(&own), 0));
	vx_give_out(out, size, &own, sizeof(own));
	return 0;
}

/* The room that the GID tables of all ports need when no entry is empty; 0 where the device does not tell. */
static size_t all_gids(const struct vx_ctx *ctx)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	size_t sum = 0;
	unsigned int i;

	if (ibv_query_device(vx_ctx_raw(ctx), &device))
		return 0;
	for (i = 1; i <= device.phys_port_cnt; i++)
		if (!ibv_query_port(vx_ctx_raw(ctx), (uint8_t)i, &port))
			sum += (size_t)port.gid_tbl_len;
	return sum;
}

static int gid_table_fail(const struct vx_ctx *ctx, int code, size_t max)
{
	static const char call[] = "ibv_query_gid_table";
	size_t all = all_gids(ctx);

	if (code == -EINVAL && max < all)
		return vx_call_fail(-EINVAL, call, vx_ctx_name(ctx),
				    "max = %zu is too small; the tables of all ports have room for %zu", max, all);
	return vx_call_fail(code, call, vx_ctx_name(ctx), NULL);
}

/* rdma-core has the size of an entry as an argument, but takes none that is smaller or larger than what it knows. */
int vx_ctx_query_gid_table_sized(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t size, size_t max,
				 size_t *count)
{
	struct ibv_gid_entry *own;
	ssize_t i, rc;

	if (is_refused(ctx, count, "count", "vx_ctx_query_gid_table") ||
	    is_refused(ctx, max ? (void *)entries : count, "entries", "vx_ctx_query_gid_table"))
		return -EINVAL;
	own = calloc(max, sizeof(*own));
	if (!own && max)
		return vx_fail(-ENOMEM, "vx_ctx_query_gid_table", vx_ctx_name(ctx), "for %zu entries", max);
	errno = 0;
	rc = ibv_query_gid_table(vx_ctx_raw(ctx), own, max, 0);
	for (i = 0; i < rc; i++)
		vx_give_out((char *)entries + (size_t)i * size, size, &own[i], sizeof(*own));
	free(own);
	if (rc < 0)
		return gid_table_fail(ctx, (int)rc, max);
	*count = (size_t)rc;
	return 0;
}

int vx_ctx_query_pkey(const struct vx_ctx *ctx, uint8_t port_num, uint16_t index, uint16_t *pkey)
{
	__be16 found;

	if (is_refused(ctx, pkey, "pkey", "vx_ctx_query_pkey"))
		return -EINVAL;
	errno = 0;
	if (ibv_query_pkey(vx_ctx_raw(ctx), port_num, index, &found) < 0)
		return vx_call_refused(vx_code_in_errno(), SIGNATURE_ibv_query_pkey, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), port_num, index, VX_ARG(&found)));
	*pkey = be16toh(found);
	return 0;
}

int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint8_t port_num, uint16_t *pkeys, size_t max,
				size_t *count)
{
	struct ibv_port_attr attr;
	size_t i;
	int rc;

	if (is_refused(ctx, count, "count", "vx_ctx_query_pkey_table") ||
	    is_refused(ctx, max ? (void *)pkeys : count, "pkeys", "vx_ctx_query_pkey_table"))
		return -EINVAL;
	rc = vx_ctx_query_port(ctx, port_num, &attr);
	for (i = 0; rc == 0 && i < attr.pkey_tbl_len && i < max; i++)
		rc = vx_ctx_query_pkey(ctx, port_num, (uint16_t)i, &pkeys[i]);
	if (rc == 0)
		*count = i;
	return rc;
}

#if VX_RDMA_CORE >= 62

int vx_ctx_query_port_speed(const struct vx_ctx *ctx, uint8_t port_num, uint64_t *mbps)
{
	uint64_t hundreds;
	int rc;

	if (is_refused(ctx, mbps, "mbps", "vx_ctx_query_port_speed"))
		return -EINVAL;
	errno = 0;
	rc = ibv_query_port_speed(vx_ctx_raw(ctx), port_num, &hundreds);
	if (rc)
		return vx_call_refused(vx_code_returned(rc), SIGNATURE_ibv_query_port_speed, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), port_num, VX_ARG(&hundreds)));
	*mbps = hundreds * 100;
	return 0;
}

#else

int vx_ctx_query_port_speed(const struct vx_ctx *ctx, uint8_t port_num, uint64_t *mbps)
{
	(void)port_num;
	if (is_refused(ctx, mbps, "mbps", "vx_ctx_query_port_speed"))
		return -EINVAL;
	return vx_fail(-EOPNOTSUPP, "ibv_query_port_speed", vx_ctx_name(ctx),
		       "needs rdma-core 62, this is %u", VX_RDMA_CORE);
}

#endif
