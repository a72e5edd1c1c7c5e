/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What handles of mlx5 devices do that no line of lore can say. */

#include <errno.h>
#include <sys/mman.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_event.h>
#include <verbsx/mlx5_var.h>
#include <verbsx/mlx5_vfio.h>
#include <verbsx/mlx5_wr.h>

#include "error/fail.h"
#include "guard/guard.h"
#include "mlx5.h"
#include "object/event.h"
#include "object/make.h"
#include "reach/reach.h"
#include "reason/reason.h"
#include "verbs/reason_by_hand.h"
#include "verbs/steps.h"
#include "traced.h"

/* ---- requests that are taken back before the device does them ---- */

#define CANCEL "vx_mlx5_qp_cancel_posted_send_wrs"

#if VX_RDMA_CORE >= 36
/* libmlx5 casts what it is given to its own, which what stands before a QP is not: it gets that of the QP itself. */
static int cancel_requests(struct vx_qp *qp, uint64_t wr_id)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(vx_qp_raw(qp));
	const char *why = "it was made without .send_ops_flags";
	int rc = -EINVAL;

	if (ex && vx_guard_is_inside(qp)) {
		why = "it was called between vx_wr_start() and vx_wr_complete(), where it would wait for ever";
		rc = -EDEADLK;
	} else if (ex) {
		rc = mlx5dv_qp_cancel_posted_send_wrs(mlx5dv_qp_ex_from_ibv_qp_ex(ex), wr_id);
		why = rc == -EINVAL ? "the device may not have the QP in IBV_QPS_SQD, or libmlx5 not take back such a request" : NULL;
	}
	return rc < 0 ? vx_fail(rc, CANCEL, VX_NAME(qp), why ? "%s" : NULL, why) : rc;
}
#endif

int vx_mlx5_qp_cancel_posted_send_wrs(struct vx_qp *qp, uint64_t wr_id, size_t *out)
{
	int rc = vx_wrong_or_foreign(qp, VX_OBJECT_QP, CANCEL, "qp", "libmlx5");

	if (rc < 0)
		return rc;
	if (!out)
		return vx_null_fail(CANCEL, "out");
#if VX_RDMA_CORE >= 36
	rc = cancel_requests(qp, wr_id);
	if (rc >= 0)
		*out = (size_t)rc;
	return rc < 0 ? rc : 0;
#else
	(void)wr_id;
	return vx_needs_release("mlx5dv_qp_cancel_posted_send_wrs", 36, 0);
#endif
}

/* ---- answers and events of DEVX ---- */

/* Where what is read goes. */
struct place {
	void *at;
	size_t len;
	size_t *out;
};

static int take_devx_answer(struct vx_node *node, void *data)
{
	const struct place *place = data;
	int rc = mlx5dv_devx_get_async_cmd_comp(node->object.raw, place->at, place->len);

	errno = rc;
	return rc ? vx_event_read_fail("mlx5dv_devx_get_async_cmd_comp", node) : 0;
}

static int take_devx_event(struct vx_node *node, void *data)
{
	const struct place *place = data;
	ssize_t rc = mlx5dv_devx_get_event(node->object.raw, place->at, place->len);

	if (rc < 0 && errno == EOVERFLOW)
		return vx_call_refused(-EOVERFLOW, NULL, SIGNATURE_mlx5dv_devx_get_event, node, VX_ARGS(VX_ARG(node->object.raw), VX_ARG(place->at), (uint64_t)place->len));
	if (rc < 0)
		return vx_event_read_fail("mlx5dv_devx_get_event", node);
	*place->out = (size_t)rc;
	return 0;
}

static int check_place(const void *of, uint32_t kind, const char *call, const char *what, const struct place *place, const char *name)
{
	int rc = vx_wrong_or_foreign(of, kind, call, what, "libmlx5");

	if (rc < 0)
		return rc;
	if (!place->at)
		return vx_null_fail(call, name);
	return place->out ? 0 : vx_null_fail(call, "out");
}

int vx_mlx5_cmd_comp_wait(struct vx_mlx5_cmd_comp *mlx5_cmd_comp, int timeout_ms, void *cmd_resp,
			  size_t cmd_resp_len)
{
	struct place place = { cmd_resp, cmd_resp_len, &(size_t){ 0 } };
	int rc = check_place(mlx5_cmd_comp, VX_OBJECT_MLX5_CMD_COMP, "vx_mlx5_cmd_comp_wait", "mlx5_cmd_comp", &place, "cmd_resp");

	return rc < 0 ? rc : vx_event_wait((struct vx_node *)mlx5_cmd_comp, vx_mlx5_cmd_comp_raw(mlx5_cmd_comp)->fd, take_devx_answer, timeout_ms, &place);
}

int vx_mlx5_event_channel_wait(struct vx_mlx5_event_channel *mlx5_event_channel, int timeout_ms, void *event_data,
			       size_t event_resp_len, size_t *out)
{
	struct place place = { event_data, event_resp_len, out };
	int rc = check_place(mlx5_event_channel, VX_OBJECT_MLX5_EVENT_CHANNEL, "vx_mlx5_event_channel_wait", "mlx5_event_channel", &place, "event_data");

	return rc < 0 ? rc : vx_event_wait((struct vx_node *)mlx5_event_channel, vx_mlx5_event_channel_raw(mlx5_event_channel)->fd, take_devx_event,
					   timeout_ms, &place);
}

/* ---- mapping a VAR ---- */

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

/* ---- devices by VFIO ---- */

#if VX_RDMA_CORE >= 37
/* libmlx5 tells of memory and of flags, and leaves all else to whoever looks. */
static VX_COLD int no_vfio_device(int code, const char *pci_name)
{
	const bool told = code == -ENOMEM || code == -EOPNOTSUPP;

	return vx_fail(told ? code : -ENODEV, "mlx5dv_get_vfio_device_list", pci_name, "%s", told ? "libmlx5 does not know all of these flags" :
		       "vfio-pci has no mlx5 device there: it is bound to that by its address, 0000:05:00.0, and its iommu_group in /sys is a file in /dev/vfio");
}

static VX_COLD int vfio_open_fail(int code, const char *call, const struct ibv_device *device, const char *pci_name)
{
	(void)device; /* which has no node of its own */
	if (vx_file_fail(call, pci_name, "/dev/vfio/vfio", "") < 0)
		return vx_error()->code;
	return vx_fail(code, call, pci_name, "the file of its group in /dev/vfio is another's, or another program has it, or ulimit -l is too low");
}
#endif

VX_SELDOM_CALLED int vx_mlx5_vfio_open(const char *pci_name, uint32_t flags, struct vx_ctx **out)
{
#if VX_RDMA_CORE >= 37
	struct mlx5dv_vfio_context_attr attr = { .pci_name = pci_name, .flags = flags };
	struct ibv_device **list;
	int rc;

	if (!pci_name)
		return vx_null_fail("vx_mlx5_vfio_open", "pci_name");
	errno = 0;
	list = mlx5dv_get_vfio_device_list(&attr);
	if (!list)
		return no_vfio_device(vx_code_in_errno(), pci_name);
	rc = vx_ctx_open_by(list[0], pci_name, vfio_open_fail, "vx_mlx5_vfio_open", out);
	ibv_free_device_list(list);
	return rc;
#else
	(void)pci_name, (void)flags, (void)out;
	return vx_needs_release("mlx5dv_get_vfio_device_list", 37, 0);
#endif
}
