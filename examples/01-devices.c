/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* List the devices of this machine, and open each. */

#include "example.h"

int main(void)
{
	struct vx_device_list *list;
	struct vx_ctx *ctx;
	char guid[32];
	__be64 number;
	size_t i;

	must(vx_device_list_get(&list));
	for (i = 0; i < list->count; i++) {
		must(vx_device_guid(list->devices[i], &number));
		must(vx_ctx_open_device(list->devices[i], &ctx));
		snprintf(guid, sizeof(guid), "%016llx", (unsigned long long)be64toh(number));
		printf("%s  GUID %s  %d completion vectors\n", vx_ctx_name(ctx), guid,
		       vx_ctx_raw(ctx)->num_comp_vectors);
		must(vx_close(ctx));
	}
	vx_device_list_free(list);

	/* The same by name or by index; a wrong name is answered with the right ones. */
	if (vx_ctx_open("mlx5_9", &ctx) < 0)
		printf("%s\n", vx_error_text());
	must(vx_ctx_open_index(0, &ctx));
	must(vx_close(ctx));
	return 0;
}
