/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "device.h"

static struct ibv_port_attr port;

static void need_link_layer(uint8_t layer, const char *name)
{
	made(vx_ctx_query_port(ctx, 1, &port));
	if (port.link_layer != layer)
		cr_skip_test("port 1 is not of %s", name);
}

/* The address of the port's own GID. */
static struct vx_ah_init to_own_gid(void)
{
	struct vx_ah_init init = { .is_global = 1, .port_num = 1, .dlid = port.lid };
	struct ibv_gid_entry entry;

	made(vx_ctx_query_gid(ctx, 1, 0, &entry));
	init.grh = (struct ibv_global_route){ .dgid = entry.gid, .hop_limit = 64 };
	return init;
}

static struct vx_ah *new_ah(const struct vx_ah_init *init)
{
	struct vx_ah *ah;

	made(vx_ah_create(pd, init, &ah));
	cr_expect_eq(vx_ah_raw(ah)->pd, vx_pd_raw(pd));
	return ah;
}

/* Upstream's makes the handle of InfiniBand with a GRH or without; that of RoCE needs one. */
Twin(test_addr, AHTest, test_create_ah)
{
	struct vx_ah_init init;

	made(vx_ctx_query_port(ctx, 1, &port));
	init = to_own_gid();
	closed(new_ah(&init));
	if (port.link_layer == IBV_LINK_LAYER_INFINIBAND)
		closed(new_ah(&(struct vx_ah_init){ .dlid = port.lid, .port_num = 1 }));
}

Twin(test_addr, AHTest, test_create_ah_roce)
{
	struct vx_ah_init init;
	struct vx_ah *ah;

	need_link_layer(IBV_LINK_LAYER_ETHERNET, "Ethernet");
	init = to_own_gid();
	closed(new_ah(&init));
	init = (struct vx_ah_init){ .port_num = 1 };
	refused(vx_ah_create(pd, &init, &ah));
	cr_expect_not_null(strstr(vx_error_text(), "is_global"), "%s", vx_error_text());
}

/* As with PDs: closed once, and NULL after that. */
Twin(test_addr, AHTest, test_destroy_ah)
{
	struct vx_ah_init init;
	struct vx_ah *ah;

	made(vx_ctx_query_port(ctx, 1, &port));
	init = to_own_gid();
	ah = new_ah(&init);
	closed(ah);
	ah = NULL;
	closed(ah);
}
