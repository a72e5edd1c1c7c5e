/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What another process, here played by the same one, made and owns. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "unit/device.h"

static struct vx_ctx *imported;

static void open_twice(void)
{
	open_device();
	made(vx_ctx_import(vx_ctx_raw(ctx)->cmd_fd, &imported));
}

TestSuite(import, .init = open_twice, .fini = close_device);

Test(import, of_a_context_is_independent_of_the_owners)
{
	struct vx_pd *own;

	cr_expect_neq(vx_ctx_raw(imported)->cmd_fd, vx_ctx_raw(ctx)->cmd_fd);
	made(vx_pd_create(imported, NULL, &own));
	cr_expect_eq(live("pd"), 2);
	cr_expect_eq(vx_close(imported), 0, "%s", vx_error_text());
	cr_expect_eq(live("pd"), 1);
	made(vx_pd_create(ctx, NULL, &own));
}

Test(import, of_a_pd_and_an_mr_leaves_them_to_their_owner)
{
	struct vx_mr *mr, *mr_here, *own;
	struct vx_pd *pd_here;
	struct ibv_sge sge;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 100 }, &mr));
	made(vx_pd_import(imported, vx_pd_raw(pd)->handle, &pd_here));
	made(vx_mr_import(pd_here, vx_mr_raw(mr)->handle, &mr_here));
	cr_expect_eq(vx_mr_lkey(mr_here), vx_mr_lkey(mr));
	cr_expect_eq(vx_mr_length(mr_here), 100);
	cr_expect_null(vx_mr_addr(mr_here));
	cr_expect_eq(vx_mr_sge(mr_here, 0, 10, &sge), -EINVAL);
	cr_expect_not_null(strstr(vx_error_text(), "it was imported, and rdma-core does not tell where it begins"), "%s", vx_error_text());
	made(vx_mr_create(pd_here, &(struct vx_mr_init){ .length = 10 }, &own));
	cr_expect_eq(live("mr"), 2);

	cr_expect_eq(vx_close(imported), 0, "%s", vx_error_text());
	cr_expect_eq(live("mr"), 1, "what was made under the imported PD has gone");
	cr_expect_eq(live("pd"), 1);
	made(vx_mr_rereg(mr, &(struct vx_mr_change){ .access = IBV_ACCESS_LOCAL_WRITE }, NULL));
}

Test(import, of_a_handle_that_nothing_has_is_refused)
{
	struct vx_pd *pd_here;
	struct vx_mr *mr_here;

	cr_expect_lt(vx_pd_import(imported, 4711, &pd_here), 0);
	expect_reason("ibv_import_pd on mlx5_0");
	cr_expect_lt(vx_mr_import(pd, 4711, &mr_here), 0);
	expect_reason("ibv_import_mr on mlx5_0");
	cr_expect_eq(vx_close(imported), 0);
}

static int count_fds(void)
{
	int fd, open = 0;

	for (fd = 0; fd < 256; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	return open;
}

Test(import, of_a_descriptor_that_is_no_device_is_refused_and_keeps_none)
{
	int fd = open("/dev/null", O_RDWR), before = count_fds();
	struct vx_ctx *none;

	cr_expect_lt(vx_ctx_import(fd, &none), 0);
	expect_reason("cmd_fd = ");
	cr_expect_str_eq(vx_error()->call, "ibv_import_device");
	cr_expect_eq(vx_ctx_import(-1, &none), -EBADF);
	cr_expect_str_eq(vx_error()->call, "vx_ctx_import", "nobody was called");
	cr_expect_eq(count_fds(), before);
	close(fd);
	cr_expect_eq(vx_close(imported), 0);
}
