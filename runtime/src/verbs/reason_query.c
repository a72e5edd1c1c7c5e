/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why a question about a device failed. */

#include <endian.h>

#include "error/fail.h"
#include "reason/reason_method.h"
#include "reason_query.h"

#define VX_TRACE_ASIDE
#include "traced.h"

int vx_port_fail(const struct vx_ctx *ctx, int code, const char *call, unsigned int port)
{
	struct ibv_device_attr attr;

	if (!ibv_query_device(vx_ctx_raw(ctx), &attr) && (port < 1 || port > attr.phys_port_cnt))
		return vx_call_fail(code, call, vx_ctx_name(ctx), "port = %u, but the ports are 1 to %u",
				    port, attr.phys_port_cnt);
	return vx_call_fail(code, call, vx_ctx_name(ctx), NULL);
}

int vx_gid_fail(const struct vx_ctx *ctx, int code, uint8_t port, uint32_t index)
{
	static const char call[] = "ibv_query_gid_ex";
	struct ibv_port_attr attr;

	if (code == -ENODATA)
		return vx_call_fail(code, call, vx_ctx_name(ctx), "GID %u of port %u is empty", index,
				    port);
	if (!ibv_query_port(vx_ctx_raw(ctx), port, &attr) && index >= (uint32_t)attr.gid_tbl_len)
		return vx_call_fail(code, call, vx_ctx_name(ctx),
				    "index = %u, but gid_tbl_len = %d of port %u", index, attr.gid_tbl_len,
				    port);
	return vx_port_fail(ctx, code, call, port);
}

size_t vx_all_gids(const struct vx_ctx *ctx)
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

/* ibv_query_pkey(3) reads a file of sysfs and leaves whatever code that gave: asking the port tells more. */
int vx_pkey_fail(const struct vx_ctx *ctx, int code, uint8_t port, uint16_t index)
{
	static const char call[] = "ibv_query_pkey";
	struct ibv_port_attr attr;

	if (ibv_query_port(vx_ctx_raw(ctx), port, &attr))
		return vx_port_fail(ctx, -EINVAL, call, port);
	if (index >= attr.pkey_tbl_len)
		return vx_call_fail(-EINVAL, call, vx_ctx_name(ctx),
				    "index = %u, but pkey_tbl_len = %u of port %u", index, attr.pkey_tbl_len,
				    port);
	return vx_call_fail(code, call, vx_ctx_name(ctx), NULL);
}

/* The table is searched up to its end, which is what fails where the P_Key is not in it. */
int vx_get_pkey_index_fail(int code, const struct vx_ctx *ctx, uint8_t port_num, uint16_t pkey)
{
	static const char call[] = "ibv_get_pkey_index";
	struct ibv_port_attr attr;

	if (ibv_query_port(vx_ctx_raw(ctx), port_num, &attr))
		return vx_port_fail(ctx, -EINVAL, call, port_num);
	if (code != -ENOENT)
		return vx_call_fail(code, call, vx_ctx_name(ctx), NULL);
	return vx_call_fail(code, call, vx_ctx_name(ctx), "port %u has no P_Key 0x%04x", port_num, pkey);
}
