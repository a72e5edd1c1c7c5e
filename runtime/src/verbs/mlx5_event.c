/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Waiting for answers and events of DEVX. */

#include <errno.h>

#include <verbsx/mlx5.h>
#include <verbsx/mlx5_event.h>

#include "error/fail.h"
#include "mlx5.h"
#include "object/event.h"
#include "reason/reason.h"
#include "reason_by_hand.h"
#include "steps.h"
#include "traced.h"

void vx_explain_lost_events(struct vx_failure *failure)
{
	if (failure->code == -EOVERFLOW)
		vx_put_literal(vx_reason_part(failure), "the kernel had no memory for events: some are lost");
}

/* Where what is read goes. */
struct place {
	void *at;
	size_t len;
	size_t *out;
};

static int take_devx_answer(struct vx_node *node, void *data)
{
	const struct place *place = data;
	int rc = mlx5dv_devx_get_async_cmd_comp(node->object.raw, place->at, place->len);

	errno = rc;
	return rc ? vx_event_read_fail("mlx5dv_devx_get_async_cmd_comp", node) : 0;
}

static int take_devx_event(struct vx_node *node, void *data)
{
	const struct place *place = data;
	ssize_t rc = mlx5dv_devx_get_event(node->object.raw, place->at, place->len);

	if (rc < 0 && errno == EOVERFLOW)
		return vx_call_refused(-EOVERFLOW, NULL, SIGNATURE_mlx5dv_devx_get_event, node, VX_ARGS(VX_ARG(node->object.raw), VX_ARG(place->at), (uint64_t)place->len));
	if (rc < 0)
		return vx_event_read_fail("mlx5dv_devx_get_event", node);
	*place->out = (size_t)rc;
	return 0;
}

static int check_place(const void *of, uint32_t kind, const char *call, const char *what, const struct place *place, const char *name)
{
	int rc = vx_wrong_or_foreign(of, kind, call, what, "libmlx5");

	if (rc < 0)
		return rc;
	if (!place->at)
		return vx_null_fail(call, name);
	return place->out ? 0 : vx_null_fail(call, "out");
}

int vx_mlx5_cmd_comp_wait(struct vx_mlx5_cmd_comp *mlx5_cmd_comp, int timeout_ms, void *cmd_resp,
			  size_t cmd_resp_len)
{
	struct place place = { cmd_resp, cmd_resp_len, &(size_t){ 0 } };
	int rc = check_place(mlx5_cmd_comp, VX_OBJECT_MLX5_CMD_COMP, "vx_mlx5_cmd_comp_wait", "mlx5_cmd_comp", &place, "cmd_resp");

	return rc < 0 ? rc : vx_event_wait((struct vx_node *)mlx5_cmd_comp, vx_mlx5_cmd_comp_raw(mlx5_cmd_comp)->fd, take_devx_answer, timeout_ms, &place);
}

int vx_mlx5_event_channel_wait(struct vx_mlx5_event_channel *mlx5_event_channel, int timeout_ms, void *event_data,
			       size_t event_resp_len, size_t *out)
{
	struct place place = { event_data, event_resp_len, out };
	int rc = check_place(mlx5_event_channel, VX_OBJECT_MLX5_EVENT_CHANNEL, "vx_mlx5_event_channel_wait", "mlx5_event_channel", &place, "event_data");

	return rc < 0 ? rc : vx_event_wait((struct vx_node *)mlx5_event_channel, vx_mlx5_event_channel_raw(mlx5_event_channel)->fd, take_devx_event,
					   timeout_ms, &place);
}
