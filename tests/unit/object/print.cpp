// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

// Handles printed from C++, for print.c.

#include <verbsx/verbsx.h>

// What VX_NONE is in a field of each width, without a narrowing that C++ refuses.
constexpr uint8_t none8{ VX_NONE };
constexpr uint16_t none16{ VX_NONE };
constexpr uint32_t none32{ VX_NONE };
constexpr uint64_t none64{ VX_NONE };
static_assert(none8 == UINT8_MAX && none16 == UINT16_MAX && none32 == UINT32_MAX && none64 == UINT64_MAX, "all bits are set");

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
