/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The tables of a device's ports, as a whole. */

#include <stdlib.h>

#include <verbsx/calls.h>

#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

/* Whether there is no place for so many entries, or for their number: recorded. */
static bool is_refused(const struct vx_ctx *ctx, const void *entries, size_t max, const size_t *count, const char *call,
		       const char *what)
{
	const char *lacking = !count ? "count" : max && !entries ? what : NULL;

	return vx_wrong(ctx, VX_OBJECT_CTX, call, "ctx") || (lacking && vx_null_fail(call, lacking));
}

/* rdma-core has the size of an entry as an argument, but takes none that is smaller or larger than what it knows. */
int vx_ctx_query_gid_table_sized(const struct vx_ctx *ctx, struct ibv_gid_entry *entries, size_t size, size_t max_entries,
				 size_t *count)
{
	struct ibv_gid_entry *own;
	ssize_t i, rc;

	if (is_refused(ctx, entries, max_entries, count, "vx_ctx_query_gid_table", "entries"))
		return -EINVAL;
	if (max_entries > UINT16_MAX / sizeof(*own)) /* libibverbs refuses to ask the kernel for more at once */
		max_entries = UINT16_MAX / sizeof(*own);
	own = calloc(max_entries, sizeof(*own));
	if (!own && max_entries)
		return vx_fail(-ENOMEM, "vx_ctx_query_gid_table", VX_NAME(ctx), "for %zu entries", max_entries);
	errno = 0;
	rc = ibv_query_gid_table(vx_ctx_raw(ctx), own, max_entries, 0);
	for (i = 0; i < rc; i++)
		vx_give_out((char *)entries + (size_t)i * size, size, &own[i], sizeof(*own));
	free(own);
	if (rc < 0)
		return vx_call_refused((int)rc, NULL, SIGNATURE_ibv_query_gid_table, ctx,
				       VX_ARGS(VX_ARG(vx_ctx_raw(ctx)), VX_ARG(entries), max_entries, 0));
	*count = (size_t)rc;
	return 0;
}

int vx_ctx_query_pkey_table(const struct vx_ctx *ctx, uint32_t port_num, uint16_t *pkeys, size_t max_entries, size_t *count)
{
	struct ibv_port_attr attr;
	int i, rc;

	if (is_refused(ctx, pkeys, max_entries, count, "vx_ctx_query_pkey_table", "pkeys"))
		return -EINVAL;
	rc = vx_ctx_query_port(ctx, port_num, &attr);
	if (rc == 0 && max_entries < attr.pkey_tbl_len)
		rc = vx_fail(-EINVAL, "vx_ctx_query_pkey_table", VX_NAME(ctx),
			     "max_entries = %zu is too small: the port has pkey_tbl_len = %u", max_entries, attr.pkey_tbl_len);
	for (i = 0; rc == 0 && i < attr.pkey_tbl_len; i++)
		rc = vx_ctx_query_pkey(ctx, port_num, i, &pkeys[i]);
	if (rc == 0)
		*count = (size_t)i;
	return rc;
}
