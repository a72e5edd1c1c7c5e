/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Opens the device, uses and closes it; built with AddressSanitizer, which then looks for leaks. */
#include <stdio.h>
#include <infiniband/verbs.h>

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;

	if (!pd || ibv_dealloc_pd(pd) || ibv_close_device(ctx))
		return 1;
	ibv_free_device_list(list);
	puts("opened");
	return 0;
}
