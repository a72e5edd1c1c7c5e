/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Handles, and what libverbsx itself fills, as JSON: a document a line with its name in the schema before it; check_json.py reads
 * them. On the emulated device, with Ethernet.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbsx/verbsx.h>

#define put(name, ptr) put_as(name, VX_TYPEOF(ptr), ptr)

static void put_as(const char *name, struct vx_type type, const void *ptr)
{
	static const int styles[] = { VX_JSON, VX_JSON | VX_ALL, VX_JSON | VX_FOLLOW };
	size_t i;

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		printf("%s ", name);
		vx_fprint(stdout, type, ptr, styles[i]);
		putchar('\n');
	}
}

static void need(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s\n", vx_error_text());
	exit(1);
}

/* Make an object, and print it. */
#define PUT_NEW(kind, parent, init, out) \
	do { \
		need(vx_##kind##_create(parent, init, out)); \
		put("vx_" #kind, *(out)); \
	} while (0)

static struct vx_ctx *ctx;
static struct vx_pd *pd;
static struct vx_cq *cq;

static void put_queues(void)
{
	struct vx_qp_init init = { .cap.max_recv_wr = VX_NONE };
	struct vx_comp_channel *channel;
	struct vx_srq *srq;
	struct vx_qp *qp;

	put("vx_qp_init", &init);
	PUT_NEW(comp_channel, ctx, NULL, &channel);
	PUT_NEW(cq, ctx, NULL, &cq);
	PUT_NEW(srq, pd, NULL, &srq);
	init.send_cq = init.recv_cq = cq;
	put("vx_qp_init", &init);
	PUT_NEW(qp, pd, &init, &qp);
}

static void put_memory(void)
{
	struct vx_mr_init init = { .length = 4096, .flags = VX_MR_HUGE_IF_THERE };
	struct vx_mr *mr;
	struct vx_mw *mw;
	struct vx_dm *dm;

	put("vx_mr_init", &init);
	PUT_NEW(mr, pd, &init, &mr);
	PUT_NEW(mw, pd, NULL, &mw);
	PUT_NEW(dm, ctx, (&(struct vx_dm_init){ .length = 4096 }), &dm);
}

static void put_packets(void)
{
	const struct vx_flow_spec specs[] = {
		{ .type = IBV_FLOW_SPEC_ETH, .val.eth.dst_mac = "02:00:0a:00:00:01" },
		{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .src_ip = "10.1.0.0/16" } },
	};
	const struct vx_flow_init init = { .specs = specs, .count = 2 };
	const struct vx_mcast_init group = { .gid.raw = { 0xff, 0x12, [15] = 1 }, .lid = 0xc001 };
	struct vx_mcast *mcast;
	struct vx_flow *flow;
	struct vx_qp *qp;
	struct vx_ah *ah;

	need(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq }, &qp));
	put("vx_flow_init", &init);
	PUT_NEW(flow, qp, &init, &flow);
	need(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq }, &qp));
	PUT_NEW(mcast, qp, &group, &mcast);
	put("vx_async_event", (&(struct vx_async_event){ .object = mcast, .ctx = ctx }));
	PUT_NEW(ah, pd, (&(struct vx_ah_init){ .grh.dgid.raw = { 0xfe, 0x80, [15] = 9 } }), &ah);
}

static void put_filled(void)
{
	struct vx_device_list *list;
	struct vx_enumerator enumerator;
	struct vx_field_info field;
	struct vx_struct_info info;
	struct vx_call_info call;
	struct vx_pd *none;

	if (vx_pd_create(NULL, NULL, &none) != -EINVAL)
		exit(1);
	put("vx_error_info", vx_error());
	if (!vx_call_find("ibv_create_qp", &call) || !vx_enumerator_at(vx_enum_find("vx_mr_flags"), 0, &enumerator) ||
	    !vx_struct_field_at(vx_struct_find("vx_qp_init"), 1, &field))
		exit(1);
	put("vx_call_info", &call);
	put("vx_enumerator", &enumerator);
	put("vx_field_info", &field);
	vx_struct_describe(vx_struct_find("ibv_qp_attr"), &info);
	put("vx_struct_info", &info);
	need(vx_device_list_get(&list));
	put("vx_device_list", list);
	vx_device_list_free(list);
}

int main(void)
{
	struct vx_td *td;
	struct vx_xrcd *xrcd;

	need(vx_ctx_open("mlx5_0", &ctx));
	put("vx_ctx", ctx);
	PUT_NEW(pd, ctx, NULL, &pd);
	PUT_NEW(td, ctx, NULL, &td);
	PUT_NEW(xrcd, ctx, NULL, &xrcd);
	put_queues();
	put_memory();
	put_packets();
	put_filled();
	need(vx_close(ctx));
	return 0;
}
