/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Descriptors that are not what they should be. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "reason/reason.h"

static char text[VX_LONGEST_REASON];

static int flaw_of(int fd, const char *part)
{
	struct vx_failure failure = { .code = -EINVAL };
	int rc;

	failure.out = vx_out_in(text, sizeof(text));
	rc = vx_reason_of_fd(&failure, "fd", fd, part, "dma-buf");
	vx_out_finish(&failure.out);
	return rc;
}

Test(reason_fd, that_is_right_has_no_flaw)
{
	int fd = open("/dev/null", O_RDONLY);

	cr_expect_eq(flaw_of(fd, "null"), 0);
	cr_expect_str_eq(text, "");
	close(fd);
}

Test(reason_fd, that_is_not_open_is_ebadf)
{
	cr_expect_eq(flaw_of(777, "null"), -EBADF);
	cr_expect_str_eq(text, "fd = 777 is no open file");
}

Test(reason_fd, of_another_file_is_einval_and_named)
{
	int fd = open("/dev/null", O_RDONLY);
	char expected[64];

	snprintf(expected, sizeof(expected), "fd = %d is /dev/null, no dma-buf", fd);
	cr_expect_eq(flaw_of(fd, "dmabuf"), -EINVAL);
	cr_expect_str_eq(text, expected);
	close(fd);
}
