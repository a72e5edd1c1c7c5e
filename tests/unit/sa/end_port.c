/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Ports by all that they are known by, in a sysfs that is made up: two of InfiniBand, one of RoCE. */

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include <verbsx/end_port.h>
#include <verbsx/error.h>
#include <verbsx/verbsx.h>

#define expect_in(text, words) cr_expect_not_null(strstr(text, words), "%s", text)

static char root[] = "/tmp/verbsx-end_port-XXXXXX";

/* A file below sysfs, with the folders that it is in. */
static void file(const char *text, const char *format, ...)
{
	char path[512], *slash;
	va_list args;
	FILE *out;
	int at = snprintf(path, sizeof(path), "%s/class/", root);

	va_start(args, format);
	vsnprintf(path + at, sizeof(path) - (size_t)at, format, args);
	va_end(args);
	for (slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	out = fopen(path, "w");
	cr_assert_not_null(out, "%s", path);
	fprintf(out, "%s\n", text);
	fclose(out);
}

static void make_port(const char *device, unsigned int port, const char *link, const char *lid, const char *gid)
{
	file(link, "infiniband/%s/ports/%u/link_layer", device, port);
	file("4: ACTIVE", "infiniband/%s/ports/%u/state", device, port);
	file("5: LinkUp", "infiniband/%s/ports/%u/phys_state", device, port);
	file(lid, "infiniband/%s/ports/%u/lid", device, port);
	file("1", "infiniband/%s/ports/%u/lid_mask_count", device, port);
	file("0x1", "infiniband/%s/ports/%u/sm_lid", device, port);
	file("2", "infiniband/%s/ports/%u/sm_sl", device, port);
	file(gid, "infiniband/%s/ports/%u/gids/0", device, port);
	file("0xffff", "infiniband/%s/ports/%u/pkeys/0", device, port);
	file("0x0000", "infiniband/%s/ports/%u/pkeys/1", device, port);
	file("0x8001", "infiniband/%s/ports/%u/pkeys/2", device, port);
}

static void make_machine(void)
{
	cr_assert_not_null(mkdtemp(root));
	cr_assert_eq(setenv("SYSFS_PATH", root, 1), 0);
	file("0002:c903:00a1:b2c3", "infiniband/mlx5_0/node_guid");
	make_port("mlx5_0", 1, "InfiniBand", "0x8", "fe80:0000:0000:0000:0002:c903:00a1:b2c4");
	make_port("mlx5_0", 2, "InfiniBand", "0xc", "2001:0db8:0000:0000:0002:c903:00a1:b2c5");
	file("80:00:02:08:20:01:0d:b8:00:00:00:00:00:02:c9:03:00:a1:b2:c5", "net/ib1/address");
	file("0002:c903:00a1:0001", "infiniband/mlx5_10/node_guid");
	make_port("mlx5_10", 1, "Ethernet", "0x0", "fe80:0000:0000:0000:0000:00ff:fe00:0001");
	file("0000:0000:0000:0000:0000:0000:0000:0000", "infiniband/mlx5_10/ports/1/gids/1");
	file("0000:0000:0000:0000:0000:ffff:7f00:0001", "infiniband/mlx5_10/ports/1/gids/2");
	file("eth9", "infiniband/mlx5_10/ports/1/gid_attrs/ndevs/0");
}

static void drop_machine(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_expect_eq(system(command), 0);
}

TestSuite(end_port, .init = make_machine, .fini = drop_machine);

/* "mlx5_0/1 mlx5_0/2", or the error. */
static const char *found(const char *spec)
{
	static char text[256];
	struct vx_end_ports *ports;
	size_t i, at = 0;
	int rc = vx_end_ports_get(spec, &ports);

	if (rc < 0) {
		snprintf(text, sizeof(text), "%d", rc);
		return text;
	}
	for (i = 0; i < ports->count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s/%u", i ? " " : "", ports->ports[i]->device, ports->ports[i]->port_num);
	vx_end_ports_free(ports);
	return text;
}

Test(end_port, all_are_listed_in_order)
{
	cr_expect_str_eq(found(NULL), "mlx5_0/1 mlx5_0/2 mlx5_10/1");
}

/* What is cut names something else: of "lid_mask_count" there would be "lid". */
Test(end_port, of_a_path_that_is_too_long_is_not_what_it_begins_with)
{
	char path[PATH_MAX];
	struct vx_end_ports *ports;
	const size_t most = sizeof(path) - sizeof("/class/infiniband/mlx5_0/ports/1/lid");
	size_t length = (size_t)snprintf(path, sizeof(path), "%s", root);

	while (length + 2 <= most)
		length += (size_t)snprintf(path + length, sizeof(path) - length, "/.");
	if (length < most)
		strcpy(path + length, "/");
	cr_assert_eq(setenv("SYSFS_PATH", path, 1), 0);
	cr_assert_eq(vx_end_ports_get(NULL, &ports), 0, "%s", vx_error_text());
	cr_assert_eq(ports->count, 3);
	cr_expect_eq(ports->ports[0]->lid, 8, "the longest that there is room for");
	cr_expect_eq(ports->ports[0]->lmc, 0, "%u", ports->ports[0]->lmc);
	vx_end_ports_free(ports);
}

Test(end_port, are_found_by_name)
{
	cr_expect_str_eq(found("mlx5_0"), "mlx5_0/1 mlx5_0/2");
	cr_expect_str_eq(found("mlx5_10"), "mlx5_10/1");
	cr_expect_str_eq(found("mlx5_0/2"), "mlx5_0/2");
}

Test(end_port, are_found_by_guid)
{
	cr_expect_str_eq(found("0002:c903:00a1:b2c3"), "mlx5_0/1 mlx5_0/2");
	cr_expect_str_eq(found("0002:c903:00a1:b2c4"), "mlx5_0/1");
	cr_expect_str_eq(found("2:c903:a1:b2c4"), "mlx5_0/1");
	cr_expect_str_eq(found("0x0002c90300a1b2c5"), "mlx5_0/2");
	cr_expect_str_eq(found("0002c90300a10001"), "mlx5_10/1");
}

Test(end_port, are_found_by_gid)
{
	cr_expect_str_eq(found("fe80::2:c903:a1:b2c4"), "mlx5_0/1");
	cr_expect_str_eq(found("2001:db8::2:c903:a1:b2c5"), "mlx5_0/2");
	cr_expect_str_eq(found("fe80::2:c903:a1:b2c5"), "mlx5_0/2", "a GID of the default subnet is one for ever");
	cr_expect_str_eq(found("2001:db8::2:c903:a1:b2c4"), "-19", "of another subnet, and no port's");
}

Test(end_port, are_found_by_each_of_their_lids)
{
	cr_expect_str_eq(found("8"), "mlx5_0/1");
	cr_expect_str_eq(found("9"), "mlx5_0/1", "the second of two, by the LMC");
	cr_expect_str_eq(found("0xa"), "-19");
	cr_expect_str_eq(found("13"), "mlx5_0/2");
	cr_expect_str_eq(found("0"), "-19", "no port has the LID 0, those of Ethernet neither");
}

Test(end_port, are_found_by_network_device_and_address)
{
	cr_expect_str_eq(found("eth9"), "mlx5_10/1");
	cr_expect_str_eq(found("ib1"), "mlx5_0/2", "IP over InfiniBand has the port's GID in its address");
	cr_expect_str_eq(found("127.0.0.1"), "mlx5_10/1", "a GID of RoCE");
}

/* What no port has for a GID, a network device may have for an address. */
Test(end_port, are_found_by_the_address_of_their_network_device)
{
	file("lo", "infiniband/mlx5_10/ports/1/gid_attrs/ndevs/0");
	file("0000:0000:0000:0000:0000:0000:0000:0000", "infiniband/mlx5_10/ports/1/gids/2");
	cr_expect_str_eq(found("127.0.0.1"), "mlx5_10/1");
	cr_expect_str_eq(found("127.0.0.99"), "-19");
}

Test(end_port, of_an_address_the_error_tells_whose_it_is)
{
	file("0000:0000:0000:0000:0000:0000:0000:0000", "infiniband/mlx5_10/ports/1/gids/2");
	cr_expect_str_eq(found("127.0.0.1"), "-19");
	expect_in(vx_error_text(), "nor address of a port (it is no GID, and lo, which has this address, is on no port); there are: mlx5_0/1 (LID 8");
	cr_expect_str_eq(found("192.0.2.77"), "-19");
	expect_in(vx_error_text(), "(it is no GID, and no network device has this address); there are:");
	cr_expect_str_eq(found("2001:db8::77"), "-19");
	expect_in(vx_error_text(), "no network device has this address");
	cr_expect_str_eq(found("0002:c903:00a1:ffff"), "-19");
	cr_expect_null(strstr(vx_error_text(), "network device has"), "%s", vx_error_text());
}

Test(end_port, what_is_none_is_told_with_those_that_there_are)
{
	static const char *const wrong[] = { "", "mlx5_1", "mlx5_0/", "mlx5_0/3", "mlx5_0/1x", "mlx5_0/x", "xx", "0:0:0", "fe80::/", "fe80::1x", "1x",
					     "65536", "dlid=8", "8 9", "fe80::1%mlx5_0" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_expect_str_eq(found(wrong[i]), "-19", "\"%s\"", wrong[i]);
		cr_expect_not_null(strstr(vx_error_text(), "there are: mlx5_0/1 (LID 8, fe80::2:c903:a1:b2c4, InfiniBand), mlx5_0/2 (LID 12, "
					  "2001:db8::2:c903:a1:b2c5, ib1), mlx5_10/1 (::ffff:127.0.0.1, eth9)"), "%s", vx_error_text());
	}
}

Test(end_port, tells_all_that_the_kernel_does)
{
	const uint8_t guid[] = { 0, 2, 0xc9, 3, 0, 0xa1, 0xb2, 0xc3 };
	struct vx_end_ports *ports;
	const struct vx_end_port *port;

	cr_assert_eq(vx_end_ports_get("mlx5_0/2", &ports), 0, "%s", vx_error_text());
	port = ports->ports[0];
	cr_expect_eq(port->link_layer, IBV_LINK_LAYER_INFINIBAND);
	cr_expect_eq(port->state, IBV_PORT_ACTIVE);
	cr_expect_eq(port->phys_state, 5);
	cr_expect(port->lid == 12 && port->lmc == 1 && port->sm_lid == 1 && port->sm_sl == 2);
	cr_expect_eq(memcmp(&port->node_guid, guid, sizeof(guid)), 0);
	cr_expect_eq(port->gid_count, 1);
	cr_assert_eq(port->pkey_count, 3);
	cr_expect(port->pkeys[0] == 0xffff && !port->pkeys[1] && port->pkeys[2] == 0x8001);
	vx_end_ports_free(ports);
	cr_assert_eq(vx_end_ports_get("eth9", &ports), 0);
	cr_expect_eq(ports->ports[0]->gid_count, 3, "the index is that of verbs, empty entries included");
	cr_expect_eq(ports->ports[0]->link_layer, IBV_LINK_LAYER_ETHERNET);
	vx_end_ports_free(ports);
}

static const char *printed(const struct vx_end_ports *ports, enum vx_style style)
{
	static char text[8192];

	cr_assert_lt(vx_snprint(text, sizeof(text), VX_TYPEOF(ports), ports, style), sizeof(text));
	return text;
}

Test(end_port, a_list_prints_what_each_port_is_known_by)
{
	struct vx_end_ports *ports;
	const char *text;

	cr_assert_eq(vx_end_ports_get("mlx5_0", &ports), 0, "%s", vx_error_text());
	text = printed(ports, VX_COMPACT);
	expect_in(text, "{count=2 ports=[{device=mlx5_0 netdev=\"\" port_num=1 link_layer=IBV_LINK_LAYER_INFINIBAND(1)");
	expect_in(text, "lmc=1 lid=8 sm_lid=1");
	expect_in(text, "pkeys=[0xffff,0x0,0x8001] pkey_count=3},{device=mlx5_0 netdev=ib1 port_num=2");
	expect_in(text, "port_guid=0002:c903:00a1:b2c5 gids=[2001:db8::2:c903:a1:b2c5]");
	text = printed(ports, VX_JSON);
	expect_in(text, "\"ports\": [{\"device\": \"mlx5_0\", \"netdev\": \"\", \"port_num\": 1");
	expect_in(text, "\"netdev\": \"ib1\"");
	text = printed(ports, VX_TEXT);
	expect_in(text, "ports[1]");
	vx_end_ports_free(ports);
}

/* What programs make themselves may have holes. */
Test(end_port, a_list_prints_up_to_a_pointer_that_is_none)
{
	struct vx_end_port port = { .device = "one", .port_num = 3 }, *pointers[] = { &port, NULL, &port };
	struct vx_end_ports ports = { 3, pointers };
	const char *text = printed(&ports, VX_COMPACT);

	cr_expect_not_null(strstr(text, "ports=[{device=one"), "%s", text);
	cr_expect_null(strstr(text, "},{"), "%s", text);
	ports.count = 0;
	cr_expect_str_eq(printed(&ports, VX_COMPACT), "{count=0 ports=[]}");
}

Test(end_port, a_machine_without_devices_says_so)
{
	cr_assert_eq(setenv("SYSFS_PATH", "/nowhere", 1), 0);
	cr_expect_eq(vx_end_ports_get(NULL, &(struct vx_end_ports *){ NULL }), -ENOSYS);
	cr_expect_not_null(strstr(vx_error_text(), "/nowhere/class/infiniband is missing"), "%s", vx_error_text());
	cr_expect_eq(vx_end_ports_get(NULL, NULL), -EINVAL);
	vx_end_ports_free(NULL);
}

Test(end_port, a_process_that_has_no_descriptors_left_is_told_how_many_it_may_have)
{
	struct rlimit limit, none;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	cr_expect_eq(vx_end_ports_get(NULL, &(struct vx_end_ports *){ NULL }), -EMFILE);
	cr_expect_str_eq(vx_error_text(), "vx_end_ports_get: Too many open files: RLIMIT_NOFILE is 0 (ulimit -n)");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void *find_cancelled(void *passed)
{
	pthread_cancel(pthread_self());
	cr_expect_str_eq(found("127.0.0.99"), "-19");
	cr_expect_str_eq(found("eth9"), "mlx5_10/1");
	*(bool *)passed = true;
	pthread_testcancel();
	return NULL;
}

/* Else files would stay open. */
Test(end_port, are_found_for_a_thread_that_is_cancelled)
{
	bool returned = false;
	pthread_t thread;
	void *left;

	cr_assert_eq(pthread_create(&thread, NULL, find_cancelled, &returned), 0);
	pthread_join(thread, &left);
	cr_assert(returned);
	cr_expect_eq(left, PTHREAD_CANCELED, "later");
}
