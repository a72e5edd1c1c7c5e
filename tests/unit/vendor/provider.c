/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Built once for each provider, in a library of its name: a context with this function is taken for one of it. */

int poll_cq_of_provider(void);

__attribute__((visibility("default"))) int poll_cq_of_provider(void)
{
	return 0;
}
