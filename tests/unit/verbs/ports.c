/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ports that are not there: one answer from all that take the number of one, however large that is. */

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include <verbsx/config.h>

#include "unit/device.h"

static struct vx_qp *qp;	/* that may have flows; NULL where the port has none */
static struct ibv_gid_entry own;
static struct ibv_wc wc;	/* a message from LID 7, or from the own GID */
static struct ibv_grh grh;

static void open_with_message(void)
{
	struct ibv_port_attr attr;
	struct vx_cq *cq;

	open_device();
	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_ctx_query_port(ctx, 1, &attr));
	made(vx_ctx_query_gid(ctx, 1, 0, &own));
	wc.slid = 7;
	if (attr.link_layer != IBV_LINK_LAYER_ETHERNET)
		return;
	wc.wc_flags = IBV_WC_GRH;
	grh = (struct ibv_grh){ .version_tclass_flow = htobe32(6u << 28), .next_hdr = 0x1b, .sgid = own.gid, .dgid = own.gid };
	made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RAW_PACKET, .send_cq = cq, .recv_cq = cq }, &qp));
}

TestSuite(port, .init = open_with_message, .fini = close_device);

static int get_pkey_index(uint32_t port_num)
{
	return vx_ctx_get_pkey_index(ctx, port_num, 0xffff, &(uint32_t){ 0 });
}

static int init_ah_from_wc(uint32_t port_num)
{
	return vx_ctx_init_ah_from_wc(ctx, port_num, &wc, &grh, &(struct ibv_ah_attr){ .dlid = 0 });
}

static int query_gid(uint32_t port_num)
{
	return vx_ctx_query_gid(ctx, port_num, 0, &(struct ibv_gid_entry){ .port_num = 0 });
}

static int query_pkey(uint32_t port_num)
{
	return vx_ctx_query_pkey(ctx, port_num, 0, &(uint16_t){ 0 });
}

static int query_pkey_table(uint32_t port_num)
{
	uint16_t pkeys[256];

	return vx_ctx_query_pkey_table(ctx, port_num, pkeys, 256, &(size_t){ 0 });
}

static int query_port(uint32_t port_num)
{
	return vx_ctx_query_port(ctx, port_num, &(struct ibv_port_attr){ .lid = 0 });
}

#if VX_RDMA_CORE >= 62
static int query_port_speed(uint32_t port_num)
{
	return vx_ctx_query_port_speed(ctx, port_num, &(uint64_t){ 0 });
}
#endif

static int create_ah(uint32_t port_num)
{
	return vx_ah_create(pd, &(struct vx_ah_init){ .dlid = 7, .grh.dgid = own.gid, .port_num = port_num }, &(struct vx_ah *){ NULL });
}

static int create_ah_from_wc(uint32_t port_num)
{
	return vx_ah_create_from_wc(pd, &wc, &grh, port_num, &(struct vx_ah *){ NULL });
}

static int create_flow(uint32_t port_num)
{
	return vx_flow_create(qp, &(struct vx_flow_init){ .port_num = port_num }, &(struct vx_flow *){ NULL });
}

static const struct {
	const char *name;
	int (*ask)(uint32_t port_num);
	bool has_default; /* 0 is port 1 */
} all[] = {
	{ "get_pkey_index", get_pkey_index, false },
	{ "init_ah_from_wc", init_ah_from_wc, false },
	{ "query_gid", query_gid, false },
	{ "query_pkey", query_pkey, false },
	{ "query_pkey_table", query_pkey_table, false },
	{ "query_port", query_port, false },
#if VX_RDMA_CORE >= 62
	{ "query_port_speed", query_port_speed, false },
#endif
	{ "create_ah", create_ah, true },
	{ "create_ah_from_wc", create_ah_from_wc, false },
	{ "create_flow", create_flow, true },
};

#define ALL (sizeof(all) / sizeof(all[0]) - !qp) /* flows come last */

static void expect_refused(size_t i, uint32_t port_num, const char *reason)
{
	int rc = all[i].ask(port_num);

	cr_expect_eq(rc, -EINVAL, "%s, port %u: %d", all[i].name, port_num, rc);
	cr_expect_not_null(strstr(vx_error()->reason, reason), "%s, port %u: %s", all[i].name, port_num, vx_error_text());
	cr_expect_eq(strncmp(vx_error()->object, vx_ctx_name(ctx), strlen(vx_ctx_name(ctx))), 0, "%s, port %u: %s", all[i].name,
		     port_num, vx_error_text());
}

Test(port, that_is_there_is_known_to_all)
{
	size_t i;

	for (i = 0; i < ALL; i++)
		cr_expect_eq(all[i].ask(1), 0, "%s: %s", all[i].name, vx_error_text());
}

Test(port, zero_is_none)
{
	size_t i;

	for (i = 0; i < ALL; i++)
		if (!all[i].has_default)
			expect_refused(i, 0, "port_num is 0, and ports are counted from 1");
}

Test(port, has_no_pkey_of_more_than_16_bits)
{
	uint32_t index;

	cr_expect_eq(vx_ctx_get_pkey_index(ctx, 1, 0xffff, &index), 0, "%s", vx_error_text());
	cr_expect_eq(vx_ctx_get_pkey_index(ctx, 1, 0x1ffff, &index), -EINVAL);
	expect_reason("pkey = 0x1ffff, but the most is 65535");
}

Test(port, beyond_the_last_is_told_with_how_many_there_are)
{
	static const uint32_t ports[] = { 2, 255, 256, 257, 1u << 16, (1u << 16) + 1, UINT32_MAX };
	char reason[80];
	size_t i, p;

	for (i = 0; i < ALL; i++)
		for (p = 0; p < sizeof(ports) / sizeof(ports[0]); p++) {
			snprintf(reason, sizeof(reason), "port_num = %u, but the device allows phys_port_cnt = 1", ports[p]);
			expect_refused(i, ports[p], reason);
		}
}

static void *ask_cancelled(void *passed)
{
	uint32_t index;
	uint16_t pkey;

	pthread_cancel(pthread_self());
	made(vx_ctx_query_pkey(ctx, 1, 0, &pkey));
	made(vx_ctx_get_pkey_index(ctx, 1, pkey, &index));
	*(bool *)passed = true;
	pthread_testcancel();
	return NULL;
}

/* Else the file of the P_Key would stay open. */
Test(port, tells_its_pkeys_to_a_thread_that_is_cancelled)
{
	bool returned = false;
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, ask_cancelled, &returned), 0);
	pthread_join(thread, &left);
	cr_expect(returned);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
}
