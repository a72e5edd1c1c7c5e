/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdlib.h>

#include <verbsx/device.h>

#include "error/fail.h"
#include "reach.h"
#include "traced.h"

int vx_device_list_get(struct vx_device_list **out)
{
	struct vx_device_list *list;
	int count;

	list = malloc(sizeof(*list));
	if (!list)
		return vx_fail(-ENOMEM, "vx_device_list_get", NULL, NULL);

	errno = 0;
	list->devices = ibv_get_device_list(&count);
	if (!list->devices) {
		int code = vx_code_in_errno();

		free(list);
		return vx_list_fail(code);
	}
	list->count = (size_t)count;
	*out = list;
	return 0;
}

void vx_device_list_free(struct vx_device_list *list)
{
	if (!list)
		return;
	ibv_free_device_list(list->devices);
	free(list);
}

int vx_device_guid(const struct ibv_device *device, __be64 *guid)
{
	__be64 found = ibv_get_device_guid((struct ibv_device *)(uintptr_t)device);

	if (!found)
		return vx_call_fail(-ENODATA, "ibv_get_device_guid", device->name, NULL);
	*guid = found;
	return 0;
}
