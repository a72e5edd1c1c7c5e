/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Completions that rdma-core makes no address handle of: what its errno tells, and when that is no word about GIDs. */

#include <endian.h>
#include <errno.h>

#include "unit/device.h"
#include "reach/loader.h"

#if VERBSX_LOADER

static struct ibv_grh grh;
static int left; /* errno of the functions that stand in for rdma-core's */

static struct ibv_ah *make_none(struct ibv_pd *raw, struct ibv_wc *wc, struct ibv_grh *header, uint8_t port)
{
	(void)raw, (void)wc, (void)header, (void)port;
	errno = left;
	return NULL;
}

static int init_none(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *header, struct ibv_ah_attr *attr)
{
	(void)context, (void)port, (void)wc, (void)header, (void)attr;
	errno = left;
	return -1;
}

static void open_without_handles(void)
{
	open_device();
	grh = (struct ibv_grh){ .version_tclass_flow = htobe32(6u << 28), .next_hdr = 0x1b, .dgid.raw = { 0xfe, 0x80, [15] = 9 } };
	vx_loader_replace("ibv_create_ah_from_wc", (vx_function)make_none);
	vx_loader_replace("ibv_init_ah_from_wc", (vx_function)init_none);
}

TestSuite(ah_refused, .init = open_without_handles, .fini = close_device);

static int create(unsigned int flags)
{
	return vx_ah_create_from_wc(pd, &(struct ibv_wc){ .slid = 7, .wc_flags = flags }, &grh, 1, &(struct vx_ah *){ NULL });
}

Test(ah_refused, by_whatever_the_end_of_the_table_leaves_in_errno_has_no_gid)
{
	static const int ends[] = { 0, EINVAL, ENOENT, ENODATA };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		left = ends[i];
		cr_expect_eq(create(IBV_WC_GRH), -ENOENT, "errno %d: %s", ends[i], vx_error_text());
		expect_reason("port 1 has no GID fe80::9, to which the message was sent");
	}
}

Test(ah_refused, by_another_errno_is_no_matter_of_gids)
{
	left = EIO;
	cr_expect_eq(create(IBV_WC_GRH), -EIO);
	cr_expect_null(strstr(vx_error_text(), "GID"), "%s", vx_error_text());
}

/* The byte at which an IPv4 header would begin is one of the sender's GID here. */
Test(ah_refused, of_ipv6_whose_sender_looks_like_ipv4)
{
	left = ENOENT;
	grh.sgid.raw[12] = 0x45;
	cr_expect_eq(create(IBV_WC_GRH), -ENOENT);
	expect_reason("port 1 has no GID fe80::9, ");
}

Test(ah_refused, without_a_grh_has_nothing_to_look_up)
{
	left = EOPNOTSUPP;
	cr_expect_eq(create(0), -EOPNOTSUPP);
	expect_reason("does not support this call");
	left = EINVAL;
	cr_expect_eq(create(IBV_WC_WITH_IMM), -EINVAL);
	cr_expect_null(strstr(vx_error_text(), "GID"), "%s", vx_error_text());
}

Test(ah_refused, attributes_without_a_grh_have_nothing_to_look_up_either)
{
	struct ibv_wc wc = { .slid = 7, .wc_flags = IBV_WC_WITH_IMM };
	struct ibv_ah_attr attr;

	left = EINVAL;
	cr_expect_eq(vx_ctx_init_ah_from_wc(ctx, 1, &wc, &grh, &attr), -EINVAL);
	cr_expect_null(strstr(vx_error_text(), "GID"), "%s", vx_error_text());
	wc.wc_flags |= IBV_WC_GRH;
	cr_expect_eq(vx_ctx_init_ah_from_wc(ctx, 1, &wc, &grh, &attr), -ENOENT);
	expect_reason("port 1 has no GID fe80::9, ");
}

#endif
