/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a device says of a port, and where in its tables something is: asked for when it is not known yet. */

#include <verbsx/calls.h>

#include "asked.h"
#include "error/fail.h"

/* What is known of another port is of no use. */
static void turn_to(struct vx_asked *asked, const struct vx_path *path)
{
	if (asked->ctx != path->ctx || asked->port_num != vx_path_port(path))
		*asked = (struct vx_asked){ .ctx = path->ctx, .port_num = vx_path_port(path) };
}

int vx_asked_device(struct vx_asked *asked, const struct vx_path *path)
{
	int rc;

	turn_to(asked, path);
	rc = asked->has_device ? 0 : vx_ctx_query_device(path->ctx, &asked->device);
	asked->has_device = rc == 0;
	return rc;
}

int vx_asked_port(struct vx_asked *asked, const struct vx_path *path)
{
	int rc;

	turn_to(asked, path);
	rc = asked->has_port ? 0 : vx_ctx_query_port(path->ctx, asked->port_num, &asked->port);
	asked->has_port = rc == 0;
	return rc;
}

/* The choice goes by the GIDs of both ends and the type. */
static bool is_chosen_for(const struct vx_path *one, const struct vx_path *other)
{
	return one->gid_type == other->gid_type && !memcmp(&one->sgid, &other->sgid, sizeof(one->sgid)) &&
	       !memcmp(&one->dgid, &other->dgid, sizeof(one->dgid));
}

int vx_asked_gid(struct vx_asked *asked, const struct vx_path *path, const char *call)
{
	int rc;

	turn_to(asked, path);
	if (asked->has_gid && is_chosen_for(&asked->gid_of, path))
		return 0;
	rc = vx_path_choose_gid(path, call, &asked->gid);
	asked->has_gid = rc == 0;
	asked->gid_of = (struct vx_path){ .gid_type = path->gid_type, .sgid = path->sgid, .dgid = path->dgid };
	return rc;
}

/* Of a partition to which a port belongs in the other way as well: what a limited member sends, a full one takes. */
static int find_pkey(const struct vx_path *path, uint16_t *out)
{
	uint32_t index = 0;
	int rc;

	vx_error_try();
	rc = vx_ctx_get_pkey_index(path->ctx, vx_path_port(path), path->pkey, &index);
	if (rc < 0)
		rc = vx_ctx_get_pkey_index(path->ctx, vx_path_port(path), path->pkey ^ VX_FULL_MEMBER, &index);
	if (rc < 0)
		rc = vx_ctx_get_pkey_index(path->ctx, vx_path_port(path), path->pkey, &index); /* it is this one that is missing */
	vx_error_tried(rc);
	*out = (uint16_t)index;
	return rc;
}

/* Each entry is a file, which a thread that is cancelled in the midst of reading it leaves open. */
int vx_asked_pkey(struct vx_asked *asked, const struct vx_path *path)
{
	int rc;

	turn_to(asked, path);
	if (asked->has_pkey && asked->pkey == path->pkey)
		return 0;
	VX_NOT_CANCELLED(rc = find_pkey(path, &asked->pkey_index));
	asked->has_pkey = rc == 0;
	asked->pkey = path->pkey;
	return rc;
}
