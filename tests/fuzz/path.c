/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any text read as a path: what is read is printed and read again as the same; what is not is an error that says so. And any bytes
 * as a path: what is printed of it is read as the same or, where members have more bits than packets have, is refused.
 * Input: a byte that chooses, the text or the bytes.
 */

#include <errno.h>
#include <stddef.h>

#include <verbsx/error.h>
#include <verbsx/path_text.h>

#include "input.h"

#define LONGEST 2048
#define BEFORE_HOLE (offsetof(struct vx_path, rnr_retry) + 1)

static void check_path(const struct vx_path *path, int may_be_refused)
{
	char text[LONGEST];
	struct vx_path back;
	struct vx_path told = *path;
	int rc;

	told.port_num = 0; /* which is of a device, and there is none */
	told.is_global = path->is_global != 0; /* a truth */
	must(vx_path_snprint(text, sizeof(text), path) < sizeof(text));
	rc = vx_path_parse(text, NULL, &back);
	must(rc == 0 || may_be_refused);
	must(rc || !memcmp(&back, &told, sizeof(back)));
}

static void check_error(int rc)
{
	must(rc == -EINVAL || rc == -ERANGE || rc == -ENODEV);
	must(vx_error()->code == rc);
	must(*vx_error()->reason && *vx_error_text());
}

static void check_text(const struct input *in)
{
	char *text = take_text(in);
	struct vx_path path;
	int rc = vx_path_parse(text, NULL, &path);

	if (rc == 0)
		check_path(&path, 0);
	else
		check_error(rc);
	free(text);
}

static void check_bytes(const struct input *in)
{
	struct vx_path path = { .port_num = 0 };

	memcpy(&path, in->bytes, in->size < sizeof(path) ? in->size : sizeof(path));
	path.ctx = NULL;
	memset(path.reserved_, 0, sizeof(path.reserved_));
	memset((char *)&path + BEFORE_HOLE, 0, offsetof(struct vx_path, access) - BEFORE_HOLE); /* what is no member is not compared */
	check_path(&path, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };

	if (take_number(&in, 1) % 4)
		check_text(&in);
	else
		check_bytes(&in);
	return 0;
}
