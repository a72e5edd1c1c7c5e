/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A call of rdma-core: linked with it, or through the loader, which opens the library at the first call. */
#include <infiniband/verbs.h>

#include "measure.h"

TASK(loop, i)
TASK(later, ibv_node_type_str(IBV_NODE_CA))

static const struct task tasks[] = {
	{ "loop", loop, 0 },
	{ "later", later, 0 },
};

int main(int argc, char **argv)
{
	uint64_t start = thread_time();

	keep((uintptr_t)ibv_node_type_str(IBV_NODE_CA));
	report("first", (double)(thread_time() - start));
	return measure(tasks, 2, argc, argv);
}
