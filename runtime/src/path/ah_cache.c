/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A path as address handles take it, and those that PDs have for paths. They are found by what of a path is in the headers of packets, so
 * that nobody has to be asked for the place of a GID; and, when they are closed, by themselves.
 */

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include <verbsx/calls.h>
#include <verbsx/path_ah.h>

#include "gid/gid_choice.h"
#include "object/object.h"
#include "asked.h"
#include "kinds.h"

/* ---- a path ---- */

static int unknown(const struct vx_path *path, const char *call, const char *what)
{
	return vx_fail(-EINVAL, call, VX_NAME(path->ctx), "%s is not known", what);
}

/* What nobody else finds out. */
static int check_there(const struct vx_path *path, const struct ibv_port_attr *port, const char *call)
{
	if (vx_gid_is_zero(&path->dgid))
		return vx_port_needs_gids(port) || path->is_global ? unknown(path, call, "dgid, the GID there,") : 0;
	return vx_port_has_lids(port) && !path->dlid && vx_gid_is_ipv4(&path->dgid) ?
	       vx_fail(-EINVAL, call, VX_NAME(path->ctx), VX_IP_ON_INFINIBAND) : 0;
}

/* The address of packets as vx_ah_create() takes it, of a path with a context, which is filled: what is 0 and not meant is chosen. */
static int path_to_ah(struct vx_path *path, const char *call, struct vx_ah_init *out)
{
	struct vx_asked here = { 0 };
	struct ibv_qp_attr attr;
	int rc = vx_asked_port(&here, path);

	if (rc == 0)
		rc = check_there(path, &here.port, call);
	if (rc == 0)
		rc = vx_path_fill_wire(path, &here, call);
	if (rc == 0 && path->is_global && vx_port_has_lids(&here.port) && !path->dlid)
		rc = unknown(path, call, "dlid, the LID there,");
	if (rc < 0)
		return rc;
	vx_path_copy(path, &attr);
	*out = (struct vx_ah_init){
		.dlid = path->dlid,
		.sl = path->sl,
		.src_path_bits = (uint8_t)(path->slid & ((1u << here.port.lmc) - 1)),
		.static_rate = path->static_rate,
		.port_num = vx_path_port(path),
		.is_global = path->is_global,
		.comp_mask = path->is_global && path->mask & VX_PATH_HOP_LIMIT ? VX_AH_INIT_HOP_LIMIT : 0,
	};
	if (!path->is_global)
		return 0;
	out->grh = attr.ah_attr.grh;
	out->grh.sgid_index = (uint8_t)here.gid.gid_index;
	return 0;
}

/* ---- those of PDs ---- */

struct cached_ah {
	const void *pd;
	struct vx_path path;			/* that it was made for: as a whole it was looked at then */
	struct vx_node *node;
	int (*destroy)(struct vx_node *node);	/* that of all address handles */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *ahs;			/* a tree of tsearch(3) */

static int compare_pds(const void *a, const void *b)
{
	const void *one = ((const struct cached_ah *)a)->pd, *other = ((const struct cached_ah *)b)->pd;

	return (one > other) - (one < other);
}

/* From slid to hop_limit a path has what is in the headers of packets. */
#define HEADERS offsetof(struct vx_path, slid)
#define HEADERS_SIZE (offsetof(struct vx_path, sqpn) - HEADERS)

static int compare_paths(const void *a, const void *b)
{
	const struct vx_path *one = &((const struct cached_ah *)a)->path, *other = &((const struct cached_ah *)b)->path;
	int order = compare_pds(a, b);

	if (!order)
		order = memcmp((const char *)one + HEADERS, (const char *)other + HEADERS, HEADERS_SIZE);
	if (!order)
		order = vx_path_port(one) - vx_path_port(other);
	if (!order)
		order = !one->is_global - !other->is_global;
	return order ? order : (int)(one->mask & VX_PATH_HOP_LIMIT) - (int)(other->mask & VX_PATH_HOP_LIMIT);
}

/* ---- under the lock ---- */

static struct cached_ah *find_ah(const struct cached_ah *like, int (*by)(const void *, const void *))
{
	struct cached_ah **found = tfind(like, &ahs, by);

	return found ? *found : NULL;
}

/* ---- handles ---- */

/* With its PD, or by vx_pd_drop_ahs(), which has taken it out before. */
static int destroy_cached(struct vx_node *node)
{
	struct cached_ah *cached = ((const struct vx_kept_ah *)vx_node_extra(node))->cached;

	pthread_rwlock_wrlock(&lock);
	tdelete(cached, &ahs, compare_paths);
	pthread_rwlock_unlock(&lock);
	node->destroy = cached->destroy;
	free(cached);
	return node->destroy(node);
}

/* The PD's own from now on. */
static void give_to_pd(struct cached_ah *cached)
{
	vx_graph_lock();
	((struct vx_kept_ah *)vx_node_extra(cached->node))->cached = cached;
	cached->destroy = cached->node->destroy;
	cached->node->destroy = destroy_cached;
	cached->node->given = VX_GIVEN_FOR_EVER;
	vx_graph_unlock();
}

static void take_from_pd(const struct cached_ah *cached)
{
	vx_graph_lock();
	cached->node->destroy = cached->destroy;
	cached->node->given = 1;
	vx_graph_unlock();
}

/* Unless there is one for the same path. @return which that is then; NULL: there is no memory */
static struct vx_node *keep_ah(struct cached_ah *cached)
{
	struct cached_ah **place;
	struct vx_node *there;

	pthread_rwlock_wrlock(&lock);
	place = tsearch(cached, &ahs, compare_paths);
	there = place ? (*place)->node : NULL;
	if (there == cached->node)
		give_to_pd(cached);
	pthread_rwlock_unlock(&lock);
	return there;
}

/* Another thread may have made one for the same path meanwhile: then this one is not needed, and freed. */
static int publish(struct cached_ah *made, struct vx_ah **out)
{
	struct vx_node *there = keep_ah(made);

	if (there)
		*out = (struct vx_ah *)there;
	if (there == made->node)
		return 0;
	vx_close(made->node);
	free(made);
	return there ? 0 : vx_fail(-ENOMEM, "vx_pd_ah", NULL, NULL);
}

static int make_ah(struct vx_pd *pd, const struct cached_ah *like, struct vx_ah **out)
{
	struct vx_path path = like->path;
	struct cached_ah *made;
	struct vx_ah_init init;
	struct vx_ah *ah;
	int rc;

	path.ctx = (struct vx_ctx *)vx_node_ctx((const struct vx_node *)pd);
	rc = path_to_ah(&path, "vx_pd_ah", &init);
	if (rc < 0)
		return rc;
	made = malloc(sizeof(*made)); /* not before: a thread may be cancelled up to here */
	if (!made)
		return vx_fail(-ENOMEM, "vx_pd_ah", VX_NAME(pd), NULL);
	rc = vx_ah_create(pd, &init, &ah);
	if (rc < 0) {
		free(made);
		return rc;
	}
	*made = *like;
	made->node = (struct vx_node *)ah;
	return publish(made, out);
}

/* For this very path, or for one that differs where address handles do not. */
static bool has_ah(const struct cached_ah *like, bool very, struct vx_ah **out)
{
	const struct cached_ah *found;

	pthread_rwlock_rdlock(&lock);
	found = find_ah(like, compare_paths);
	if (found && very && memcmp(&found->path, &like->path, sizeof(like->path)))
		found = NULL;
	if (found)
		*out = (struct vx_ah *)found->node;
	pthread_rwlock_unlock(&lock);
	return found;
}

int vx_pd_ah(struct vx_pd *pd, const struct vx_path *path, struct vx_ah **out)
{
	struct cached_ah like;
	int rc;

	if (vx_wrong(pd, VX_OBJECT_PD, "vx_pd_ah", "pd"))
		return -EINVAL;
	if (!path || !out)
		return vx_null_fail("vx_pd_ah", path ? "out" : "path");
	like.pd = pd;
	like.path = *path;
	if (has_ah(&like, true, out))
		return 0;
	rc = vx_path_check(path, "vx_pd_ah"); /* also what no address handle has: of one that is there nobody else would look at it */
	if (rc < 0)
		return rc;
	if (path->ctx && path->ctx != (struct vx_ctx *)vx_node_ctx((const struct vx_node *)pd))
		return vx_path_elsewhere(path, pd, "vx_pd_ah");
	return has_ah(&like, false, out) ? 0 : make_ah(pd, &like, out);
}

static struct cached_ah *take_any(const struct vx_pd *pd)
{
	struct cached_ah *found;

	pthread_rwlock_wrlock(&lock);
	found = find_ah(&(struct cached_ah){ .pd = pd }, compare_pds);
	if (found)
		tdelete(found, &ahs, compare_paths);
	pthread_rwlock_unlock(&lock);
	return found;
}

int vx_pd_drop_ahs(struct vx_pd *pd)
{
	struct cached_ah *cached;
	int rc = 0;

	if (vx_wrong(pd, VX_OBJECT_PD, "vx_pd_drop_ahs", "pd"))
		return -EINVAL;
	while (rc == 0 && (cached = take_any(pd))) {
		take_from_pd(cached);
		rc = vx_close(cached->node);
		if (rc == 0 || keep_ah(cached) != cached->node) /* else it is there as before; without memory for that it ends with its PD */
			free(cached);
	}
	return rc;
}
