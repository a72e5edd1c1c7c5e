/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <endian.h>

#include <verbsx/config.h>

#include "context.h"
#include "fail.h"
#include "outcome.h"

int vx_context_query_device(const struct vx_context *ctx, struct ibv_device_attr *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_device(vx_context_raw(ctx), out);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device", vx_context_name(ctx), NULL);
	return 0;
}

int vx_context_query_device_ex(const struct vx_context *ctx, struct ibv_device_attr_ex *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_device_ex(vx_context_raw(ctx), NULL, out);
	if (rc)
		return vx_call_fail(vx_code_returned(rc), "ibv_query_device_ex", vx_context_name(ctx), NULL);
	return 0;
}

/* Why a question about a port failed: most often there is no such port. */
static int port_fail(const struct vx_context *ctx, int code, const char *call, unsigned int port)
{
	struct ibv_device_attr attr;

	if (!ibv_query_device(vx_context_raw(ctx), &attr) && (port < 1 || port > attr.phys_port_cnt))
		return vx_call_fail(code, call, vx_context_name(ctx), "port = %u, but the ports are 1 to %u",
				    port, attr.phys_port_cnt);
	return vx_call_fail(code, call, vx_context_name(ctx), NULL);
}

int vx_context_query_port(const struct vx_context *ctx, uint8_t port, struct ibv_port_attr *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_port(vx_context_raw(ctx), port, out);
	return rc ? port_fail(ctx, vx_code_returned(rc), "ibv_query_port", port) : 0;
}

/* Why a question about an entry of a GID table failed: it is past the end, or empty. */
static int gid_fail(const struct vx_context *ctx, int code, uint8_t port, uint32_t index)
{
	static const char call[] = "ibv_query_gid_ex";
	struct ibv_port_attr attr;

	if (code == -ENODATA)
		return vx_call_fail(code, call, vx_context_name(ctx), "GID %u of port %u is empty", index,
				    port);
	if (!ibv_query_port(vx_context_raw(ctx), port, &attr) && index >= (uint32_t)attr.gid_tbl_len)
		return vx_call_fail(code, call, vx_context_name(ctx),
				    "index = %u, but gid_tbl_len = %d of port %u", index, attr.gid_tbl_len,
				    port);
	return port_fail(ctx, code, call, port);
}

int vx_context_query_gid(const struct vx_context *ctx, uint8_t port, uint32_t index,
			 struct ibv_gid_entry *out)
{
	int rc;

	errno = 0;
	rc = ibv_query_gid_ex(vx_context_raw(ctx), port, index, out, 0);
	return rc ? gid_fail(ctx, vx_code_returned(rc), port, index) : 0;
}

/* The room that the GID tables of all ports need when no entry is empty. */
static size_t all_gids(const struct vx_context *ctx)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	size_t sum = 0;
	unsigned int i;

	if (ibv_query_device(vx_context_raw(ctx), &device))
		return 0;
	for (i = 1; i <= device.phys_port_cnt; i++)
		if (!ibv_query_port(vx_context_raw(ctx), (uint8_t)i, &port))
			sum += (size_t)port.gid_tbl_len;
	return sum;
}

int vx_context_query_gid_table(const struct vx_context *ctx, struct ibv_gid_entry *entries, size_t max,
			       size_t *count)
{
	static const char call[] = "ibv_query_gid_table";
	ssize_t rc;
	size_t all;

	errno = 0;
	rc = ibv_query_gid_table(vx_context_raw(ctx), entries, max, 0);
	if (rc >= 0) {
		*count = (size_t)rc;
		return 0;
	}
	all = all_gids(ctx);
	if (rc == -EINVAL && max < all)
		return vx_call_fail(-EINVAL, call, vx_context_name(ctx),
				    "max = %zu is too small; the tables of all ports have room for %zu", max,
				    all);
	return vx_call_fail((int)rc, call, vx_context_name(ctx), NULL);
}

/* ibv_query_pkey(3) reads a file of sysfs and leaves whatever code that gave: asking the port tells more. */
static int pkey_fail(const struct vx_context *ctx, int code, uint8_t port, uint16_t index)
{
	static const char call[] = "ibv_query_pkey";
	struct ibv_port_attr attr;

	if (ibv_query_port(vx_context_raw(ctx), port, &attr))
		return port_fail(ctx, -EINVAL, call, port);
	if (index >= attr.pkey_tbl_len)
		return vx_call_fail(-EINVAL, call, vx_context_name(ctx),
				    "index = %u, but pkey_tbl_len = %u of port %u", index, attr.pkey_tbl_len,
				    port);
	return vx_call_fail(code, call, vx_context_name(ctx), NULL);
}

int vx_context_query_pkey(const struct vx_context *ctx, uint8_t port, uint16_t index, uint16_t *pkey)
{
	__be16 found;

	errno = 0;
	if (ibv_query_pkey(vx_context_raw(ctx), port, index, &found) < 0)
		return pkey_fail(ctx, vx_code_in_errno(), port, index);
	*pkey = be16toh(found);
	return 0;
}

int vx_context_query_pkey_table(const struct vx_context *ctx, uint8_t port, uint16_t *pkeys, size_t max,
				size_t *count)
{
	struct ibv_port_attr attr;
	size_t i;
	int rc;

	rc = vx_context_query_port(ctx, port, &attr);
	for (i = 0; rc == 0 && i < attr.pkey_tbl_len && i < max; i++)
		rc = vx_context_query_pkey(ctx, port, (uint16_t)i, &pkeys[i]);
	if (rc == 0)
		*count = i;
	return rc;
}

#if VX_RDMA_CORE >= 62

int vx_context_query_port_speed(const struct vx_context *ctx, uint8_t port, uint64_t *mbps)
{
	uint64_t hundreds;
	int rc;

	errno = 0;
	rc = ibv_query_port_speed(vx_context_raw(ctx), port, &hundreds);
	if (rc)
		return port_fail(ctx, vx_code_returned(rc), "ibv_query_port_speed", port);
	*mbps = hundreds * 100;
	return 0;
}

#else

int vx_context_query_port_speed(const struct vx_context *ctx, uint8_t port, uint64_t *mbps)
{
	(void)port;
	(void)mbps;
	return vx_fail(-EOPNOTSUPP, "ibv_query_port_speed", vx_context_name(ctx),
		       "needs rdma-core 62, this is %u", VX_RDMA_CORE);
}

#endif
