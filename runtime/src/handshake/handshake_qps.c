/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What a handshake does with QPs. */

#include <stdlib.h>

#include <verbsx/calls.h>
#include <verbsx/enums.h>

#include "error/fail.h"
#include "handshake_qps.h"
#include "kinds.h"
#include "object/make.h"

#define USUAL_TIMEOUT_MS 5000

static int fill_from_qp(struct vx_shake *shake, uint32_t index, struct vx_wire_entry *entry)
{
	struct vx_asked *here = &((struct vx_shake_qps *)(void *)shake)->here;
	int rc = vx_path_fill_all(&entry->path, shake->qps[index], here);

	if (rc == 0)
		rc = vx_asked_pkey(here, &entry->path); /* of a partition that the port is not in the peer would be told first */
	if (rc < 0)
		return rc;
	entry->qp_type = (uint8_t)vx_qp_raw(shake->qps[index])->qp_type;
	entry->link_layer = here->port.link_layer ? here->port.link_layer : IBV_LINK_LAYER_INFINIBAND;
	return 0;
}

static int move_qp(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	return vx_qp_move_to_rts(shake->qps[index], path, &((struct vx_shake_qps *)(void *)shake)->here);
}

static int reset_qp(struct vx_shake *shake, uint32_t index)
{
	return vx_qp_reset(shake->qps[index]);
}

/* One that sends already, or has failed, is not to be connected. */
static int check_qp(struct vx_qp *qp, const char *call)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc;

	if (vx_wrong(qp, VX_OBJECT_QP, call, "a QP"))
		return -EINVAL;
	rc = vx_qp_query(qp, &attr, IBV_QP_STATE, &init);
	if (rc < 0 || attr.qp_state == IBV_QPS_RESET || attr.qp_state == IBV_QPS_INIT)
		return rc;
	return vx_fail(-EINVAL, call, VX_NAME(qp), "it is in %s, and has to be in RESET or INIT: vx_qp_reset() it first",
		       vx_ibv_qp_state_name(attr.qp_state));
}

static int by_address(const void *a, const void *b)
{
	uintptr_t one = (uintptr_t)*(void *const *)a, other = (uintptr_t)*(void *const *)b;

	return (one > other) - (one < other);
}

/* One that is there twice would be moved for its first peer, and told to the second. */
static int check_twice(const struct vx_shake *shake)
{
	size_t i, size = shake->count * sizeof(void *);
	const void **sorted = malloc(size), *twice = NULL;

	if (!sorted)
		return vx_fail(-ENOMEM, shake->call, NULL, "for %u QPs", shake->count);
	memcpy(sorted, shake->qps, size);
	qsort(sorted, shake->count, sizeof(*sorted), by_address);
	for (i = 1; i < shake->count && !twice; i++)
		twice = sorted[i] == sorted[i - 1] ? sorted[i] : NULL;
	free(sorted);
	return twice ? vx_fail(-EINVAL, shake->call, VX_NAME(twice), "it is one of the QPs twice") : 0;
}

static int check_qps(const struct vx_shake *shake)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < shake->count; i++)
		rc = check_qp(shake->qps[i], shake->call);
	return rc == 0 && shake->count > 1 ? check_twice(shake) : rc;
}

static int64_t end_of_time(int timeout_ms)
{
	if (timeout_ms < 0)
		return INT64_MAX;
	return vx_now_ms() + (timeout_ms ? timeout_ms : USUAL_TIMEOUT_MS);
}

int vx_shake_qps_begin(struct vx_shake_qps *of, bool connects)
{
	const struct vx_connect_init *init = of->shake.init;
	int rc = vx_shake_check_init(of->shake.count, init->private_data, init->private_data_len, of->shake.call);

	if (rc == 0)
		rc = check_qps(&of->shake);
	if (rc < 0)
		return rc;
	of->ops = (struct vx_shake_ops){ fill_from_qp, move_qp, reset_qp };
	of->shake.ops = &of->ops;
	of->shake.end = end_of_time(of->shake.init->timeout_ms);
	return vx_shake_begin(&of->shake, connects);
}
