/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Indirection tables, which may use any number of WQs. */

#include <errno.h>
#include <stdlib.h>

#include <verbsx/ind_table.h>

#include "object/adopt.h"
#include "error/border.h"
#include "error/fail.h"
#include "object/make.h"
#include "reason/reason.h"
#include "traced.h"

/* What the graph and rdma-core want of the WQs: the handles, behind their context, and the raw ones. */
struct queues {
	void **uses;
	struct ibv_wq **raw;
};

static int destroy_ind_table(struct vx_node *node)
{
	int rc;

	errno = 0;
	rc = ibv_destroy_rwq_ind_table(node->object.raw);
	return rc ? vx_destroy_fail(vx_code_returned(rc), "ibv_destroy_rwq_ind_table", node) : 0;
}

static struct vx_node *new_ind_table(void *const *uses, size_t count, const char *call)
{
	return vx_node_new(VX_OBJECT_IND_TABLE, destroy_ind_table, uses, count, call);
}

static int check(const struct vx_ind_table_init *init)
{
	size_t i;

	if (!init->wqs)
		return vx_null_fail("vx_ind_table_create", "wqs");
	if (!init->count || init->count & (init->count - 1) || init->count > INT32_MAX)
		return vx_fail(-EINVAL, "vx_ind_table_create", NULL, "count = %zu, which is no power of two", init->count);
	for (i = 0; i < init->count; i++)
		if (!init->wqs[i])
			return vx_fail(-EINVAL, "vx_ind_table_create", NULL, "wqs[%zu] is NULL", i);
	return 0;
}

static int gather(struct queues *queues, struct vx_ctx *parent, const struct vx_ind_table_init *init)
{
	size_t i;

	queues->uses = calloc(init->count + 1, sizeof(*queues->uses));
	queues->raw = calloc(init->count, sizeof(struct ibv_wq *));
	if (!queues->uses || !queues->raw)
		return vx_fail(-ENOMEM, "vx_ind_table_create", NULL, NULL);
	queues->uses[0] = parent;
	for (i = 0; i < init->count; i++) {
		queues->uses[i + 1] = init->wqs[i];
		VX_CHECK_FIELD(init->wqs[i], VX_OBJECT_WQ, "vx_ind_table_create, wqs");
		queues->raw[i] = vx_wq_raw(init->wqs[i]);
	}
	return 0;
}

static uint32_t log2_of(size_t count)
{
	uint32_t log = 0;

	while ((size_t)1 << log < count)
		log++;
	return log;
}

static int make(struct vx_ctx *parent, struct queues *queues, size_t count, struct vx_ind_table **out)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = log2_of(count), .ind_tbl = queues->raw };
	struct ibv_rwq_ind_table *raw;
	struct vx_node *node;

	node = new_ind_table(queues->uses, count + 1, "vx_ind_table_create");
	if (!node)
		return vx_error()->code;
	errno = 0;
	raw = ibv_create_rwq_ind_table(vx_ctx_raw(parent), &attr);
	if (!raw)
		return vx_create_refused(vx_code_of_refusal(), NULL, SIGNATURE_ibv_create_rwq_ind_table, node,
					 VX_ARGS(VX_ARG(vx_ctx_raw(parent)), VX_ARG(&attr)));
	vx_node_link(node, raw);
	*out = (struct vx_ind_table *)node;
	return 0;
}

int vx_ind_table_create_sized(struct vx_ctx *parent, const struct vx_ind_table_init *init, size_t size,
			      struct vx_ind_table **out)
{
	struct vx_ind_table_init own;
	struct queues queues = { 0 };
	int rc;

	if (!parent)
		return vx_null_fail("vx_ind_table_create", "the parent");
	VX_CHECK(parent, VX_OBJECT_CTX);
	rc = vx_take_in(&own, sizeof(own), init, size, "vx_ind_table_create", "init");
	if (rc == 0)
		rc = check(&own);
	if (rc == 0)
		rc = gather(&queues, parent, &own);
	if (rc == 0)
		rc = make(parent, &queues, own.count, out);
	free(queues.uses);
	free(queues.raw);
	return rc;
}

int vx_ind_table_adopt(struct vx_ctx *parent, struct ibv_rwq_ind_table *raw, struct vx_ind_table **out)
{
	struct vx_adopting it = {
		.kind = VX_OBJECT_IND_TABLE, .destroy = destroy_ind_table,
		.call = "vx_ind_table_adopt", .parent = parent, .raw = raw,
	};
	struct vx_node *node;

	if (parent && raw) {
		VX_CHECK(parent, VX_OBJECT_CTX);
		it.context = raw->context;
	}
	node = vx_adopt(&it);
	if (!node)
		return vx_error()->code;
	*out = (struct vx_ind_table *)node;
	return 0;
}
