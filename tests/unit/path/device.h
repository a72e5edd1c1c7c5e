/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_PATH_DEVICE_H
#define VERBSX_TESTS_PATH_DEVICE_H

/* A device, QPs of it, and the path from one of these to itself. */

#include <string.h>

#include <criterion/criterion.h>

#include "unit/reason/transitions_qp.h"

/* A reason that says so many words. */
#define expect_reason(words) cr_expect_not_null(strstr(vx_error_text(), words), "%s", vx_error_text())

#define made(call) cr_assert_eq(call, 0, "%s", vx_error_text())

static inline struct vx_qp *new_qp(unsigned int type)
{
	struct vx_qp *qp;

	made(make_qp(type, &qp));
	return qp;
}

static inline struct vx_path path_to_itself(struct vx_qp *qp)
{
	struct vx_path path = { 0 };

	made(vx_path_fill(&path, qp));
	path.dgid = path.sgid;
	path.dlid = path.slid;
	path.dqpn = path.sqpn ? path.sqpn : 1; /* a DCT has no number yet */
	path.dpsn = path.spsn;
	return path;
}

static inline struct ibv_qp_attr queried(const struct vx_qp *qp, int mask)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	made(vx_qp_query(qp, &attr, mask, &init));
	return attr;
}

#endif
