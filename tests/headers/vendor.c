/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A program for the headers of a vendor, tests/gen/vendor.py, on a library that was generated from them: what is the vendor's own
 * has names, is printed and parsed, and devices are used as ever. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/verbsx.h>
#include <verbsx/acme.h>

#if !VX_HAS_ACME_DV
#error "the vendor's own header was not found"
#endif

static void expect(int is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "not so: %s (%s)\n", what, vx_error_text());
	exit(1);
}

#define EXPECT(what) expect(what, #what)

static void know_what_is_the_vendors(void)
{
	static const struct acme_attr attr = { .comp_mask = 3, .mode = ACME_MODE_SAFE, .name = "a" };
	enum acme_mode mode = ACME_MODE_FAST;
	char text[1024];

	EXPECT(!strcmp(vx_acme_mode_name(ACME_MODE_SAFE), "ACME_MODE_SAFE"));
	EXPECT(vx_acme_mode_parse("ACME_MODE_SAFE", &mode) == 0 && mode == ACME_MODE_SAFE);
	vx_snprint(text, sizeof(text), VX_TYPEOF(&attr), &attr, VX_COMPACT);
	EXPECT(strstr(text, "comp_mask=0x3") && strstr(text, "mode=2"));
}

/* The headers alone know of it, so it is looked for when it is called. */
static void make_what_no_library_has(struct vx_ctx *ctx)
{
	struct vx_acme *acme;

	EXPECT(vx_acme_create(ctx, &(struct vx_acme_init){ .level = 1 }, &acme) == -EOPNOTSUPP);
	EXPECT(strstr(vx_error_text(), "lacks the symbol ibv_create_acme") && !strchr(vx_error_text(), '@'));
}

/* A field that this release has only with the vendor, and one that no other has. */
static void ask_the_device(void)
{
	struct ibv_port_attr port;
	struct vx_ctx *ctx;
	char text[4096];

	memset(&port, 0xa5, sizeof(port));
	EXPECT(vx_ctx_open_index(0, &ctx) == 0);
	EXPECT(vx_ctx_query_port(ctx, 1, &port) == 0);
	EXPECT(port.state == IBV_PORT_ACTIVE);
	vx_snprint(text, sizeof(text), VX_TYPEOF(&port), &port, VX_JSON);
	EXPECT(strstr(text, "\"active_speed_ex\"") && strstr(text, "\"acme_lanes\""));
	make_what_no_library_has(ctx);
	EXPECT(vx_close(ctx) == 0);
}

int main(void)
{
	know_what_is_the_vendors();
	ask_the_device();
	return 0;
}
