/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Mapping a VAR. */

#include <errno.h>
#include <sys/mman.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_var.h>

#include "error/fail.h"
#include "mlx5.h"
#include "steps.h"

#define MAP "vx_mlx5_var_map"

/* Its length is its own: the owner of a VAR that is borrowed may have freed that. */
static VX_SELDOM_CALLED int unmap(struct vx_node *mapping)
{
	const size_t *length = vx_node_extra(mapping);

	return munmap(mapping->object.raw, *length) ? vx_fail(vx_code_in_errno(), "munmap", VX_NAME(mapping), NULL) : 0;
}

static VX_SELDOM_CALLED void *mapped_at(const struct vx_node *var)
{
	const struct vx_edge *edge;
	void *page = NULL;

	vx_graph_lock();
	for (edge = var->users; edge && !page; edge = edge->older)
		if (edge->user->kind == VX_OBJECT_MAPPING && edge->user->state == VX_NODE_LIVE)
			page = edge->user->object.raw;
	vx_graph_unlock();
	return page;
}

/* A node under the VAR, so that it ends before that does, however that came to be. Once it is linked, another thread may close both. */
static VX_SELDOM_CALLED int map(const struct vx_mlx5_var *var, struct vx_node *mapping, void **out)
{
	const struct mlx5dv_var *raw = vx_mlx5_var_raw(var);
	size_t *length = vx_node_extra(mapping);
	void *page = mmap(NULL, raw->length, PROT_READ | PROT_WRITE, MAP_SHARED, vx_context_of(var)->cmd_fd, raw->mmap_off);
	int rc;

	if (page != MAP_FAILED) {
		*length = raw->length;
		*out = page;
		return vx_node_link(mapping, page, &mapping);
	}
	rc = vx_code_in_errno();
	vx_node_drop(mapping);
	return vx_fail(rc, "mmap", VX_NAME(var), NULL);
}

VX_SELDOM_CALLED int vx_mlx5_var_map(struct vx_mlx5_var *mlx5_var, void **out)
{
	int rc = vx_wrong_or_foreign(mlx5_var, VX_OBJECT_MLX5_VAR, MAP, "mlx5_var", "libmlx5");
	struct vx_node *mapping;

	if (rc < 0)
		return rc;
	if (!out)
		return vx_null_fail(MAP, "out");
	*out = mapped_at((const struct vx_node *)mlx5_var);
	if (*out)
		return 0;
	mapping = vx_node_new(sizeof(size_t), VX_OBJECT_MAPPING, unmap, (void *[]){ mlx5_var }, 1, MAP);
	return mapping ? map(mlx5_var, mapping, out) : vx_error()->code;
}
