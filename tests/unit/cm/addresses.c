/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which addresses sentences name: of a sysfs that is made up, of RoCE with empty entries and of iWARP. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <criterion/criterion.h>

#include <verbsx/verbsx.h>

static char root[] = "/tmp/verbsx-addresses-XXXXXX";

/* A file of a port below sysfs, with the folders that it is in. */
static void file(const char *text, const char *format, ...)
{
	char path[512], *slash;
	va_list args;
	FILE *out;
	int at = snprintf(path, sizeof(path), "%s/class/infiniband/", root);

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

static void begin(void)
{
	cr_assert_not_null(mkdtemp(root));
	cr_assert_eq(setenv("SYSFS_PATH", root, 1), 0);
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_assert_eq(system(command), 0);
}

TestSuite(cm_addresses, .init = begin, .fini = end);

static const char *advice(void)
{
	static char text[512];

	vx_cm_event_text(text, sizeof(text), &(struct vx_cm_event){ .type = RDMA_CM_EVENT_ADDR_ERROR, .status = -ENODEV });
	return strstr(text, "; there are");
}

Test(cm_addresses, of_empty_entries_are_none)
{
	file("Ethernet", "mlx5_0/ports/1/link_layer");
	file("fe80:0000:0000:0000:0000:00ff:fe00:0001", "mlx5_0/ports/1/gids/0");
	file("0000:0000:0000:0000:0000:0000:0000:0000", "mlx5_0/ports/1/gids/1");
	file("0000:0000:0000:0000:0000:ffff:c000:0201", "mlx5_0/ports/1/gids/2");
	file("Ethernet", "mlx5_1/ports/1/link_layer");
	file("0000:0000:0000:0000:0000:0000:0000:0000", "mlx5_1/ports/1/gids/0");
	cr_expect_str_eq(advice(), "; there are 192.0.2.1 (mlx5_0/1), mlx5_1/1 without an address");
}

Test(cm_addresses, of_iwarp_are_those_of_its_network_device)
{
	file("Ethernet", "iw_0/ports/1/link_layer");
	file("0200:5e10:0001:0000:0000:0000:0000:0000", "iw_0/ports/1/gids/0");
	file("Ethernet", "iw_1/ports/1/link_layer");
	file("0200:5e10:0002:0000:0000:0000:0000:0000", "iw_1/ports/1/gids/0");
	file("lo", "iw_1/ports/1/gid_attrs/ndevs/0");
	cr_expect_eq(strstr(advice(), "; there are iw_0/1 without an address, 127.0.0.1 (iw_1/1)"), advice(), "%s", advice());
}
