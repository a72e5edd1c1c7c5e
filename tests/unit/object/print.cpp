// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

// Handles printed from C++, for print.c.

#include <verbsx/verbsx.h>

extern "C" int print_from_cpp(FILE *stream, const struct vx_pd *pd, struct vx_cq *cq);

int print_from_cpp(FILE *stream, const struct vx_pd *pd, struct vx_cq *cq)
{
	const int rc = vx_print(stream, pd);

	return rc < 0 ? rc : vx_fprint(stream, VX_TYPEOF(cq), cq, VX_COMPACT);
}

extern "C" int print_own_from_cpp(FILE *stream, const struct vx_mr_init *init);

int print_own_from_cpp(FILE *stream, const struct vx_mr_init *init)
{
	return vx_print(stream, init);
}
