/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What another process made: here it is this one that plays both. */

#include <string.h>

#include "example.h"

int main(void)
{
	struct vx_ctx *owner, *guest;
	struct vx_pd *pd, *pd_here;
	struct vx_mr *mr, *mr_here;

	must(vx_ctx_open_index(0, &owner));
	must(vx_pd_create(owner, NULL, &pd));
	must(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096 }, &mr));

	/* A file descriptor and two numbers are all that has to pass from the owner to the guest. */
	must(vx_ctx_import(vx_ctx_raw(owner)->cmd_fd, &guest));
	must(vx_pd_import(guest, vx_pd_raw(pd)->handle, &pd_here));
	must(vx_mr_import(pd_here, vx_mr_raw(mr)->handle, &mr_here));
	printf("the same key: %s\n", vx_mr_lkey(mr_here) == vx_mr_lkey(mr) ? "yes" : "no");

	/* The guest's handles go, the owner's objects stay. */
	must(vx_close(guest));
	memset(vx_mr_addr(mr), 1, vx_mr_length(mr));
	vx_print(stdout, pd);
	must(vx_close(owner));
	return 0;
}
