/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Address handles and their attributes, made of a completion. */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <verbsx/ah.h>

#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

#define LONGEST_NAME 128

/* Whether the GRH could not be turned round: its receiver is looked up among the port's GIDs. */
static bool is_strange(struct ibv_context *context, const struct ibv_wc *wc, const struct ibv_grh *grh, uint8_t port)
{
	struct ibv_ah_attr attr;

	return wc->wc_flags & IBV_WC_GRH && ibv_init_ah_from_wc(context, port, (struct ibv_wc *)wc, (struct ibv_grh *)grh, &attr) != 0;
}

/* Where the GID is not found, rdma-core leaves errno as the look behind the end of the table left it, or alone. */
static bool is_end_of_table(int left)
{
	return left == 0 || left == EINVAL || left == ENOENT || left == ENODATA;
}

/*
 * To whom the message was sent. RoCE leaves the header of IPv4 in the last 20 of the 40 bytes, whose first ones are then
 * anything: rdma-core has found it to be one before it looks for the GID.
 */
static void put_receiver(char gid[INET6_ADDRSTRLEN], const struct ibv_grh *grh)
{
	const unsigned char *bytes = (const unsigned char *)grh, *ipv4 = bytes + 20;
	unsigned char mapped[16] = { [10] = 0xff, [11] = 0xff };

	memcpy(mapped + 12, ipv4 + 16, 4);
	inet_ntop(AF_INET6, bytes[0] >> 4 != 6 && ipv4[0] == 0x45 ? mapped : grh->dgid.raw, gid, INET6_ADDRSTRLEN);
}

/* Why a completion and the bytes before its message are no address: what vx_code_in_errno() has as code, and errno itself. */
static int fail(int code, int left, const char *call, const char *object, const struct ibv_grh *grh, uint8_t port)
{
	char gid[INET6_ADDRSTRLEN] = "";

	if (code == -EPROTONOSUPPORT)
		return vx_call_fail(code, call, object, "the 40 bytes are no GRH and no IPv4 header");
	if (!is_end_of_table(left))
		return vx_call_fail(code, call, object, NULL);
	put_receiver(gid, grh);
	return vx_call_fail(-ENOENT, call, object, "port %u has no GID %s, to which the message was sent", port, gid);
}

static bool is_port(struct ibv_context *context, uint8_t port)
{
	struct ibv_port_attr attr;

	return !ibv_query_port(context, port, &attr);
}

static int fail_to_create(struct vx_pd *pd, const struct ibv_wc *wc, const struct ibv_grh *grh, uint8_t port)
{
	static const char call[] = "ibv_create_ah_from_wc";
	int left = errno, code = vx_code_of_refusal();
	char name[LONGEST_NAME];

	vx_object_name(name, sizeof(name), pd);
	if (!(wc->wc_flags & IBV_WC_GRH) || !is_port(vx_pd_raw(pd)->context, port))
		return vx_call_refused(code, SIGNATURE_ibv_create_ah_from_wc, pd,
				       VX_ARGS(VX_ARG(vx_pd_raw(pd)), VX_ARG(wc), VX_ARG(grh), port));
	if (!is_strange(vx_pd_raw(pd)->context, wc, grh, port))
		return vx_call_fail(code, call, name, NULL);
	return fail(code, left, call, name, grh, port);
}

/* What rdma-core would crash on; it looks at a GRH whatever the flags say, and changes neither. */
static int check_wc(const char *function, const struct ibv_wc *wc, const struct ibv_grh **grh)
{
	static const struct ibv_grh none;

	if (!wc)
		return vx_null_fail(function, "wc");
	if (wc->wc_flags & IBV_WC_GRH && !*grh)
		return vx_fail(-EINVAL, function, NULL, "grh is NULL, but wc_flags has IBV_WC_GRH");
	if (!*grh)
		*grh = &none;
	return 0;
}

/* Without a GRH there is nothing to look up. */
static int fail_to_init(const struct vx_ctx *context, const struct ibv_wc *wc, const struct ibv_grh *grh, uint8_t port)
{
	static const char call[] = "ibv_init_ah_from_wc";
	int left = errno, code = vx_code_in_errno();

	if (!(wc->wc_flags & IBV_WC_GRH))
		return vx_call_fail(code, call, vx_ctx_name(context), NULL);
	if (!is_port(vx_ctx_raw(context), port))
		return vx_call_refused(-EINVAL, SIGNATURE_ibv_init_ah_from_wc, context,
				       VX_ARGS(VX_ARG(vx_ctx_raw(context)), port, VX_ARG(wc), VX_ARG(grh), 0));
	return fail(code, left, call, vx_ctx_name(context), grh, port);
}

int vx_ctx_init_ah_from_wc_sized(struct vx_ctx *ctx, uint8_t port_num, const struct ibv_wc *wc, const struct ibv_grh *grh,
				 struct ibv_ah_attr *out, size_t size)
{
	struct ibv_ah_attr own = { 0 };
	int rc;

	if (vx_wrong(ctx, VX_OBJECT_CTX, "vx_ctx_init_ah_from_wc", "ctx"))
		return -EINVAL;
	rc = check_wc("vx_ctx_init_ah_from_wc", wc, &grh);
	if (rc < 0)
		return rc;
	if (!out)
		return vx_null_fail("vx_ctx_init_ah_from_wc", "out");
	errno = 0;
	if (ibv_init_ah_from_wc(vx_ctx_raw(ctx), port_num, (struct ibv_wc *)wc, (struct ibv_grh *)grh, &own))
		return fail_to_init(ctx, wc, grh, port_num);
	vx_give_out(out, size, &own, sizeof(own));
	return 0;
}

int vx_ah_create_from_wc(struct vx_pd *parent, const struct ibv_wc *wc, const struct ibv_grh *grh, uint8_t port_num,
			 struct vx_ah **out)
{
	struct ibv_ah *raw;
	int rc;

	if (vx_refuses(parent, VX_OBJECT_PD, out, "vx_ah_create_from_wc"))
		return -EINVAL;
	rc = check_wc("vx_ah_create_from_wc", wc, &grh);
	if (rc < 0)
		return rc;
	errno = 0;
	raw = ibv_create_ah_from_wc(vx_pd_raw(parent), (struct ibv_wc *)wc, (struct ibv_grh *)grh, port_num);
	if (!raw)
		return fail_to_create(parent, wc, grh, port_num);
	rc = vx_ah_adopt(parent, raw, out);
	if (rc < 0)
		ibv_destroy_ah(raw);
	return rc;
}
