/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* VX_DEFAULT() of what has defaults, and of what has none: the lines that end in a comment. C, and C++ as well. */

#include <verbsx/verbsx.h>

void use(void);

void use(void)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);

	(void)attr;
	(void)VX_DEFAULT(vx_qp_init); /* default */
	(void)VX_DEFAULT(ibv_wc); /* default */
}
