// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

// Handles printed from C++, for print.c.

#include <verbsx/verbsx.h>

extern "C" int print_from_cpp(FILE *stream, const struct vx_pd *pd, struct vx_cq *cq);

int print_from_cpp(FILE *stream, const struct vx_pd *pd, struct vx_cq *cq)
{
	const int rc = vx_print(stream, pd);

	return rc < 0 ? rc : vx_fprint(stream, VX_TYPEOF(cq), cq, VX_COMPACT);
}

extern "C" int make_qp_from_cpp(vx_pd *pd, vx_cq *cq, vx_qp **qp);

int make_qp_from_cpp(vx_pd *pd, vx_cq *cq, vx_qp **qp)
{
	vx_qp_init init{};

	init.send_cq = cq;
	init.recv_cq = cq;
	init.cap.max_send_wr = 64;
	return vx_qp_create(pd, &init, qp);
}

extern "C" const char *last_failure_in_cpp();

// Types without their keyword: none has the name of a function.
const char *last_failure_in_cpp()
{
	const vx_error_info *error = vx_error();
	const vx_link_kind link = vx_link_mode();

	return link == VX_LINK_LOADER || link == VX_LINK_DIRECT ? error->reason : nullptr;
}

extern "C" int print_own_from_cpp(FILE *stream, const struct vx_mr_init *init);

int print_own_from_cpp(FILE *stream, const struct vx_mr_init *init)
{
	return vx_print(stream, init);
}
