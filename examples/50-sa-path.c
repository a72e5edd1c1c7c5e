/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where a peer is, by what its subnet knows: from a GUID to a path that connects, and a group to send to. */

#include "example.h"

/* "0002:c903:00a1:b2c4", as on a label. */
static void write_guid(char *text, size_t size, const __be64 *guid)
{
	const unsigned char *b = (const unsigned char *)guid;

	snprintf(text, size, "%02x%02x:%02x%02x:%02x%02x:%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
}

static void show_path(const struct vx_path *path)
{
	char text[2048];

	vx_path_snprint(text, sizeof(text), path);
	printf("%s\n", text);
}

/* Has the port in a group as long as this takes; a QP gets what is sent there by vx_mcast_create() with dgid and dlid. */
static void join(struct vx_ctx *ctx)
{
	struct vx_sa_group *group;
	struct vx_path path;

	may_lack(ctx, vx_sa_group_create(ctx, &(struct vx_sa_group_init){ .qkey = 0x1234 }, &group));
	must(vx_sa_group_path(group, &path));
	printf("a group of LID 0x%x, Q_Key 0x%x\n", path.dlid, path.qkey);
	must(vx_close(group)); /* the port leaves */
}

int main(void)
{
	struct vx_end_ports *ports;
	struct vx_path path;
	struct vx_ctx *ctx;
	char guid[24];

	/* By name, GUID, GID, LID, network device or address; NULL is all that there are. `vx ports` shows the same. */
	must(vx_end_ports_get(NULL, &ports));
	must(vx_ctx_open(ports->ports[0]->device, &ctx));
	write_guid(guid, sizeof(guid), &ports->ports[0]->port_guid);
	vx_end_ports_free(ports);

	/* The port stands for its own peer. What leads to a GUID only the subnet administrator knows. */
	must(vx_path_parse(guid, ctx, &path));
	path.ctx = ctx;
	must(vx_path_resolve(&path, 2000));
	show_path(&path);

	/* Somebody who is not there. */
	path = (struct vx_path){ .ctx = ctx, .dlid = 4711 };
	if (vx_path_resolve(&path, 2000) < 0)
		printf("%s\n", vx_error_text());

	join(ctx);
	must(vx_close(ctx));
	return 0;
}
