/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The path that a datagram came by, and the address handles that a PD has for paths; of both link layers. */

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "unit/device.h"

#define THREADS 4
#define PATHS 16
#define ROUNDS 500

static bool ethernet;
static struct vx_path path; /* to the port itself */

static void open_port(void)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;

	open_device();
	made(vx_ctx_query_port(ctx, 1, &port));
	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	path = (struct vx_path){ .dlid = port.lid };
	if (ethernet)
		path.dgid = gid.gid;
}

TestSuite(path_ah, .init = open_port, .fini = close_device);

static struct vx_ah *ah_for(const struct vx_path *to)
{
	struct vx_ah *ah;

	made(vx_pd_ah(pd, to, &ah));
	return ah;
}

/* That the line of an address handle has this. */
static void expect_text(const struct vx_ah *ah, const char *part)
{
	char text[512];

	vx_snprint(text, sizeof(text), VX_TYPEOF(ah), ah, VX_COMPACT);
	cr_expect_not_null(strstr(text, part), "no %s in %s", part, text);
}

/* ---- from completions ---- */

Test(path_ah, of_a_completion_is_the_way_that_the_message_came)
{
	struct ibv_wc wc = { .src_qp = 0x105, .qp_num = 0x106, .slid = 9, .sl = 5, .dlid_path_bits = 8 }; /* no bits of a port with one LID */
	struct vx_path from;

	if (ethernet)
		return;
	made(vx_path_from_wc(ctx, 0, &wc, NULL, &from));
	cr_expect_eq(from.sqpn, 0x105);
	cr_expect_eq(from.dqpn, 0x106);
	cr_expect_eq(from.slid, 9);
	cr_expect_eq(from.dlid, path.dlid);
	cr_expect_eq(from.sl, 5);
	cr_expect_eq(from.ctx, ctx);
	cr_expect_eq(from.port_num, 1);
	cr_expect(!from.is_global);
	vx_path_reply(&from);
	expect_text(ah_for(&from), "attr={dlid=9 sl=5 src_path_bits=0 static_rate=IBV_RATE_MAX(0) is_global=false port_num=1}");
}

/* Its fields are anything, such as those of the message before. */
Test(path_ah, of_a_completion_that_failed_is_none)
{
	struct ibv_wc wc = { .src_qp = 0x105, .status = IBV_WC_WR_FLUSH_ERR };
	struct vx_path from = { .dqpn = 7 };

	cr_expect_eq(vx_path_from_wc(ctx, 0, &wc, NULL, &from), -EINVAL);
	expect_reason("the request failed");
	cr_expect_eq(from.dqpn, 7);
}

/* As RoCE v2 has it, from 127.0.0.9. */
static struct vx_path path_from_ipv4(void)
{
	static const unsigned char ipv4[20] = { 0x45, 0x20, 0, 84, 0, 0, 0x40, 0, 60, 17, 0, 0, 127, 0, 0, 9, 127, 0, 0, 1 };
	struct ibv_wc wc = { .src_qp = 5, .wc_flags = IBV_WC_GRH, .sl = 2 };
	unsigned char bytes[40] = { 0 };
	struct vx_path from;

	memcpy(bytes + 20, ipv4, sizeof(ipv4));
	made(vx_path_from_wc(ctx, 1, &wc, bytes, &from));
	return from;
}

Test(path_ah, of_a_message_by_ipv4_goes_back_where_that_came_from)
{
	struct vx_path from;

	if (!ethernet)
		return;
	from = path_from_ipv4();
	cr_expect_eq(from.gid_type, IBV_GID_TYPE_ROCE_V2);
	cr_expect_eq(from.hop_limit, 60);
	cr_expect_eq(from.sl, 0, "what the device says of the header is no service level");
	vx_path_reply(&from);
	expect_text(ah_for(&from), "grh={dgid=::ffff:127.0.0.9 flow_label=0x0 sgid_index=3 hop_limit=255 traffic_class=0x20}");
}

Test(path_ah, of_a_message_to_a_group_begins_at_a_gid_of_the_port)
{
	struct vx_path from;

	if (!ethernet)
		return;
	from = path_from_ipv4();
	memset(&from.dgid, 0xff, sizeof(from.dgid));
	vx_path_reply(&from);
	expect_text(ah_for(&from), "sgid_index=3 ");
}

Test(path_ah, of_a_completion_needs_the_header)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	unsigned char zeros[40] = { 0 };
	struct vx_path from;

	cr_expect_eq(vx_path_from_wc(ctx, 1, &wc, NULL, &from), -EINVAL);
	expect_reason("grh is NULL, but wc_flags has IBV_WC_GRH");
	cr_expect_eq(vx_path_from_wc(ctx, 1, &wc, zeros, &from), -EPROTONOSUPPORT);
	expect_reason("the 40 bytes are no GRH and no IPv4 header");
	cr_expect_eq(vx_path_from_wc(ctx, 9, &wc, zeros, &from), -EINVAL);
	expect_reason("port_num = 9, but");
	cr_expect_eq(vx_path_from_wc(ctx, 1, NULL, zeros, &from), -EINVAL);
	cr_expect_eq(vx_path_from_wc(NULL, 1, &wc, zeros, &from), -EINVAL);
	cr_expect_eq(vx_path_from_wc(ctx, 1, &wc, zeros, NULL), -EINVAL);
}

/* ---- the cache ---- */

Test(path_ah, of_a_path_is_made_once)
{
	struct vx_ah *ah = ah_for(&path);

	cr_expect_eq(ah_for(&path), ah);
	path.dqpn = 5;
	path.qkey = 7;
	path.ctx = ctx;
	path.port_num = 1;
	cr_expect_eq(ah_for(&path), ah, "nothing of that is in the address");
	path.is_global = ethernet ? 7 : 0;
	ah = ah_for(&path);
	path.is_global = ethernet;
	path.pkey = 0x8001;
	path.path_mtu = IBV_MTU_256;
	path.mask = VX_PATH_SPSN;
	cr_expect_eq(ah_for(&path), ah, "nor this");
}

Test(path_ah, of_what_differs_in_a_header_is_another)
{
	struct vx_path paths[7];
	struct vx_ah *ahs[7];
	int i, j;

	for (i = 0; i < 7; i++)
		paths[i] = path;
	paths[1].sl = 1;
	paths[2].static_rate = IBV_RATE_10_GBPS;
	paths[3].flow_label = 1;
	paths[4].traffic_class = 1;
	paths[5].hop_limit = 2;
	paths[6].mask = VX_PATH_HOP_LIMIT;
	for (i = 0; i < 7; i++)
		ahs[i] = ah_for(&paths[i]);
	for (i = 0; i < 7; i++)
		for (j = 0; j < i; j++)
			cr_expect_neq(ahs[i], ahs[j], "%d and %d", i, j);
}

Test(path_ah, of_another_pd_is_another)
{
	struct vx_ah *ah = ah_for(&path), *other;
	struct vx_pd *second;

	made(vx_pd_create(ctx, NULL, &second));
	made(vx_pd_ah(second, &path, &other));
	cr_expect_neq(other, ah);
	cr_expect_eq(vx_ah_raw(other)->pd, vx_pd_raw(second));
	made(vx_close(second));
	cr_expect_eq(ah_for(&path), ah);
}

Test(path_ah, stays_however_often_it_is_closed)
{
	struct vx_ah *ah = ah_for(&path);

	made(vx_close(ah));
	made(vx_close(ah));
	cr_expect_null(vx_give_back(ah));
	expect_reason("its PD keeps it, however often it is closed: vx_pd_drop_ahs()");
	cr_expect_eq(ah_for(&path), ah);
}

Test(path_ah, is_gone_when_it_is_dropped)
{
	struct vx_path other = path;

	other.sl = 1;
	ah_for(&path);
	ah_for(&other);
	cr_expect(!ethernet || live("ah") == 2, "%d", live("ah"));
	made(vx_pd_drop_ahs(pd));
	cr_expect_eq(live("ah"), 0);
	made(vx_pd_drop_ahs(pd));
	ah_for(&path);
	made(vx_close(pd));
	cr_expect_eq(live("ah"), 0);
	made(vx_pd_create(ctx, NULL, &pd));
	ah_for(&path);
}

Test(path_ah, that_could_not_be_dropped_stays)
{
	if (!ethernet)
		return;
	ah_for(&path);
	fail_calls("destroy_ah:EIO");
	cr_expect_eq(vx_pd_drop_ahs(pd), -EIO);
	fail_calls("");
	cr_expect_eq(live("ah"), 1);
	ah_for(&path);
	cr_expect_eq(live("ah"), 1);
	cr_expect_eq(vx_pd_drop_ahs(pd), 0);
	cr_expect_eq(live("ah"), 0);
}

Test(path_ah, whose_pd_could_not_be_closed_is_made_anew)
{
	ah_for(&path);
	fail_calls("dealloc_pd:EIO");
	cr_expect_eq(vx_close(pd), -EIO);
	fail_calls("");
	ah_for(&path);
}

Test(path_ah, that_the_kernel_refuses_is_an_error)
{
	struct vx_ah *ah;

	if (!ethernet)
		return;
	fail_calls("create_ah:EIO");
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EIO);
	expect_reason("ibv_create_ah");
	fail_calls("");
	ah_for(&path);
}

/* Without a header that names them, groups take nothing, and routers do not know where to. */
Test(path_ah, of_groups_and_other_subnets_have_a_grh)
{
	struct vx_path group = { .dgid.raw = { 0xff, 0x12, 0x40, 0x1b, [15] = 1 }, .dlid = 0xc001 }, away = { .dgid.raw = { 0xfd, [15] = 1 }, .dlid = 9 };
	struct vx_ah *ah;

	if (ethernet)
		return;
	expect_text(ah_for(&group), "grh={dgid=ff12:401b::1 ");
	expect_text(ah_for(&away), "grh={dgid=fd00::1 ");
	away.dgid.raw[0] = 0xfe;
	away.dgid.raw[1] = 0x80;
	expect_text(ah_for(&away), " is_global=false ");
	away.is_global = 1;
	away.dlid = 0;
	cr_expect_eq(vx_pd_ah(pd, &away, &ah), -EINVAL);
	expect_reason("dlid, the LID there, is not known");
}

Test(path_ah, of_a_path_that_leads_nowhere_is_refused)
{
	struct vx_path nowhere = { .sl = 0 };
	struct vx_ctx *second;
	struct vx_ah *ah;

	cr_expect_eq(vx_pd_ah(pd, &nowhere, &ah), -EINVAL);
	expect_reason(ethernet ? "dgid, the GID there, is not known" : "dlid is 0, which is nobody's LID");
	if (!ethernet) {
		made(vx_path_parse("fe80::9", path.ctx, &nowhere));
		cr_expect_eq(vx_pd_ah(pd, &nowhere, &ah), -EINVAL);
		expect_reason("vx_path_resolve() finds that of a GID");
		made(vx_path_parse("10.0.0.2", path.ctx, &nowhere));
		cr_expect_eq(vx_pd_ah(pd, &nowhere, &ah), -EINVAL);
		expect_reason("on InfiniBand librdmacm alone finds an address of IP");
	}
	made(vx_ctx_open_index(0, &second));
	path.ctx = second;
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EINVAL);
	expect_reason("the path begins at mlx5_0#2");
	made(vx_close(second));
	cr_expect_eq(vx_pd_ah(pd, NULL, &ah), -EINVAL);
	cr_expect_eq(vx_pd_ah(pd, &path, NULL), -EINVAL);
	cr_expect_eq(vx_pd_ah(NULL, &path, &ah), -EINVAL);
	cr_expect_eq(vx_pd_drop_ahs(NULL), -EINVAL);
}

Test(path_ah, of_the_lid_that_nobody_has_is_refused)
{
	struct vx_ah *ah;

	if (ethernet)
		return;
	path.dlid = 0xffff;
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EINVAL);
	expect_reason("dlid is 0xffff, which is no LID of a port or a group");
}

/* Also where that way is there for another. */
Test(path_ah, of_a_number_that_no_packet_has_is_refused)
{
	struct vx_ah *ah = ah_for(&path), *other = NULL;

	path.dqpn = 0x1000000;
	cr_expect_eq(vx_pd_ah(pd, &path, &other), -EINVAL);
	expect_reason("dqpn = 0x1000000, but the most is 0xffffff");
	cr_expect_null(other);
	path.dqpn = 0xffffff;
	cr_expect_eq(ah_for(&path), ah);
}

Test(path_ah, of_a_gid_that_the_port_lacks_is_refused)
{
	struct vx_ah *ah;

	path.is_global = 1;
	path.dgid.raw[0] = 0xfe;
	inet_pton(AF_INET6, "fe80::9", path.sgid.raw);
	cr_expect_eq(vx_pd_ah(pd, &path, &ah), -EADDRNOTAVAIL);
	expect_reason("port 1 has no GID fe80::9 from which there is a way to ");
}

static void *make_some(void *seed)
{
	unsigned int i, number = *(unsigned int *)seed;
	struct vx_path own = path;
	struct vx_ah *ah;

	for (i = 0; i < ROUNDS; i++) {
		number = number * 1103515245 + 12345;
		own.sl = number >> 16 & (PATHS - 1);
		if (vx_pd_ah(pd, &own, &ah) < 0)
			return (void *)vx_error_text();
	}
	return NULL;
}

Test(path_ah, of_threads_is_made_once_for_all)
{
	unsigned int seeds[THREADS], i;
	pthread_t threads[THREADS];
	void *error;

	for (i = 0; i < THREADS; i++) {
		seeds[i] = i;
		pthread_create(&threads[i], NULL, make_some, &seeds[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &error);
		cr_expect_null(error, "%s", (char *)error);
	}
	cr_expect(!ethernet || live("ah") == PATHS, "%d", live("ah"));
}
