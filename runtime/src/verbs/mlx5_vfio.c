/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* mlx5 devices by VFIO. */

#include <errno.h>

#include <verbsx/mlx5_vfio.h>

#include "error/fail.h"
#include "mlx5.h"
#include "object/make.h"
#include "reach/reach.h"
#include "steps.h"
#include "traced.h"

#if VX_RDMA_CORE >= 37
/* libmlx5 tells of memory and of flags, and leaves all else to whoever looks. */
static VX_COLD int no_vfio_device(int code, const char *pci_name)
{
	const bool told = code == -ENOMEM || code == -EOPNOTSUPP;

	return vx_fail(told ? code : -ENODEV, "mlx5dv_get_vfio_device_list", pci_name, "%s", told ? "libmlx5 does not know all of these flags" :
		       "vfio-pci has no mlx5 device there: it is bound to that by its address, 0000:05:00.0, and its iommu_group in /sys is a file in /dev/vfio");
}

static VX_SELDOM_CALLED int open_vfio(struct ibv_device *device, const char *pci_name, struct vx_ctx **out)
{
	struct vx_node *node = vx_new_ctx(out, "vx_mlx5_vfio_open");
	struct ibv_context *raw;
	int code;

	if (!node)
		return vx_error()->code;
	errno = 0;
	raw = ibv_open_device(device);
	if (raw)
		return vx_node_link(node, raw, out);
	code = vx_code_in_errno();
	vx_node_drop(node);
	if (vx_file_fail("ibv_open_device", pci_name, "/dev/vfio/vfio", "") < 0)
		return vx_error()->code;
	return vx_fail(code, "ibv_open_device", pci_name, "the file of its group in /dev/vfio is another's, or another program has it, or ulimit -l is too low");
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
	rc = open_vfio(list[0], pci_name, out);
	ibv_free_device_list(list);
	return rc;
#else
	(void)pci_name, (void)flags, (void)out;
	return vx_needs_release("mlx5dv_get_vfio_device_list", 37, 0);
#endif
}
