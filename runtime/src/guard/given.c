/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Objects that requests name by a pointer, which may be no more. */

#include <errno.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <verbsx/objects.h>

#include "object/object.h"
#include "refused.h"

uint32_t vx_peer_generation = 1;

/* How AHs, windows and regions begin. */
struct beginning {
	const struct ibv_context *context;
	const struct ibv_pd *pd;
};

#define BEGINS_SO(type) _Static_assert(offsetof(type, context) == offsetof(struct beginning, context) && \
				       offsetof(type, pd) == offsetof(struct beginning, pd), "all begin alike")
BEGINS_SO(struct ibv_ah);
BEGINS_SO(struct ibv_mr);
BEGINS_SO(struct ibv_mw);

static const char OF_NOTHING[] = "one that was closed, or is none"; /* no handle has it, and it is none that is let pass */
static const char OF_A_STRANGER[] = "one that no handle has"; /* which is looked at further */

static bool was_found(const struct ibv_context *context)
{
	const struct vx_node *node = vx_node_of(context, VX_OBJECT_CTX);

	return !node || node->found;
}

/* Containers mostly forbid to ask, and some kernels cannot tell: then two of one device may share all, unless both were opened here. */
bool vx_shares_objects(const struct ibv_context *a, const struct ibv_context *b)
{
	const int saved = errno;
	const long order = a == b ? 0 : syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, a->cmd_fd, b->cmd_fd);

	errno = saved;
	return order < 0 ? !strcmp(a->device->name, b->device->name) && (was_found(a) || was_found(b)) : !order;
}

/* What is wrong with what is of a PD, or NULL. Parent domains have the number of their PD. */
static const char *given_by_pd(const struct ibv_pd *pd, const struct ibv_pd *other)
{
	if (!vx_shares_objects(pd->context, other->context))
		return "of another context";
	return other->handle == pd->handle ? NULL : "of another PD";
}

/* Of what has a handle, while it cannot be closed; a region has one of another kind than an address, though both begin alike. */
static const char *look_up(const struct ibv_pd *pd, const void *raw, uint32_t type)
{
	const char *given = OF_NOTHING;
	const struct vx_node *node;

	vx_graph_lock();
	node = vx_node_of(raw, type);
	if (node && vx_node_has_raw(node))
		given = given_by_pd(pd, ((const struct beginning *)raw)->pd);
	else if (!vx_node_of(raw, 0))
		given = OF_A_STRANGER;
	vx_graph_unlock();
	return given;
}

/* What has no handle is not followed. */
static bool is_known_to_share(const struct ibv_context *own, const struct ibv_context *context)
{
	const struct vx_node *node = vx_node_of(context, VX_OBJECT_CTX);

	return context == own || (node && vx_node_has_raw(node) && vx_shares_objects(own, context));
}

/* Of a PD that nobody knows nothing is said, unless its context is. */
static const char *compare_unknown(const struct ibv_pd *pd, const struct ibv_context *context, const struct ibv_pd *other)
{
	const struct vx_node *node;
	const char *given;

	vx_graph_lock();
	given = is_known_to_share(pd->context, context) ? NULL : OF_NOTHING;
	node = vx_node_of(other, VX_OBJECT_PD);
	if (node && vx_node_has_raw(node) && other->context == context)
		given = given_by_pd(pd, other);
	vx_graph_unlock();
	return given;
}

static const char *look_at_stranger(const struct ibv_pd *pd, const void *raw)
{
	struct beginning begins;
	const struct iovec to = { &begins, sizeof(begins) }, from = { (void *)(uintptr_t)raw, sizeof(begins) };
	const int saved = errno;
	const bool is_read = syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) == (long)sizeof(begins), is_blind = !is_read && errno != EFAULT;

	errno = saved;
	if (is_blind)
		return NULL;
	return is_read ? compare_unknown(pd, begins.context, begins.pd) : OF_NOTHING;
}

static bool tell_given(char *why, const char *field, const struct ibv_pd *pd, const void *raw, const char *given)
{
	if (given == OF_A_STRANGER)
		given = raw == VX_RAW_GONE ? OF_NOTHING : look_at_stranger(pd, raw);
	return given && vx_says(why, "%s is %s", field, given);
}

bool vx_given_wrong(char *why, const char *field, const struct ibv_pd *pd, const void *raw, uint32_t type)
{
	return tell_given(why, field, pd, raw, look_up(pd, raw, type));
}

/* ---- peers ---- */

#define PEERS (sizeof(((struct vx_peers *)NULL)->seen) / sizeof(((struct vx_peers *)NULL)->seen[0]))

static const struct ibv_ah **place_of_peer(struct vx_peers *peers, const struct ibv_ah *ah)
{
	const uintptr_t at = (uintptr_t)ah;

	return &peers->seen[(at >> 4 ^ at >> 8 ^ at >> 12) % PEERS];
}

static void remember(struct vx_peers *peers, const struct ibv_ah *ah, uint32_t generation)
{
	if (peers->generation != generation)
		*peers = (struct vx_peers){ .generation = generation };
	*place_of_peer(peers, ah) = ah;
}

bool vx_peer_wrong(char *why, struct vx_peers *peers, const struct ibv_pd *pd, const struct ibv_ah *ah)
{
	const uint32_t generation = __atomic_load_n(&vx_peer_generation, __ATOMIC_ACQUIRE); /* before which it was there */
	const char *given;

	if (!ah)
		return vx_says(why, "ah is NULL, and the QP has no address of its own");
	if (VX_USUALLY(*place_of_peer(peers, ah) == ah && peers->generation == generation))
		return false;
	given = look_up(pd, ah, VX_OBJECT_AH);
	if (!given)
		remember(peers, ah, generation);
	return tell_given(why, "ah", pd, ah, given);
}
