/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "error/fail.h"
#include "handshake_bed.h"

static struct side *side_of(struct vx_shake *shake)
{
	return (struct side *)(void *)shake;
}

static int fill(struct vx_shake *shake, uint32_t index, struct vx_wire_entry *out)
{
	struct side *side = side_of(shake);
	struct vx_path *path = &out->path;

	path->sqpn = side->first + (side->same ? 0 : index);
	path->spsn = 100 * side->first + index;
	path->sgid.raw[15] = (uint8_t)side->first;
	path->slid = (uint16_t)side->first;
	if (!path->hop_limit && !(path->mask & VX_PATH_HOP_LIMIT))
		path->hop_limit = USUAL_HOPS;
	out->qp_type = side->type;
	out->link_layer = side->link_layer;
	return 0;
}

static int move(struct vx_shake *shake, uint32_t index, const struct vx_path *path)
{
	struct side *side = side_of(shake);

	if (side->fails_at == index + 1 && side->fails_with)
		return vx_fail(side->fails_with, "ibv_modify_qp", NULL, NULL);
	if (side->fails_at == index + 1)
		return vx_qp_reset(NULL); /* as good a failure as any */
	side->moved++;
	side->paths[index] = *path;
	return 0;
}

static int reset(struct vx_shake *shake, uint32_t index)
{
	side_of(shake)->reset++;
	return index < side_of(shake)->stuck ? vx_fail(-EIO, "ibv_modify_qp", NULL, NULL) : 0;
}

static const struct vx_shake_ops ops = { fill, move, reset };

static struct side *new_side(bool connects, uint32_t count)
{
	static struct vx_qp *none[QPS];
	struct side *side = calloc(1, sizeof(*side));

	side->type = IBV_QPT_RC;
	side->link_layer = IBV_LINK_LAYER_ETHERNET;
	side->first = connects ? 10 : 20;
	side->shake.timeout_ms = -1;
	side->told = (struct vx_path){ .path_mtu = IBV_MTU_4096, .srd_atomic = 16, .drd_atomic = 16, .packet_life_time = 16, .sack_delay = 15 };
	side->init.path = &side->told;
	side->shake = (struct vx_shake){ .ops = &ops, .call = connects ? "vx_connect" : "vx_accept", .qps = none, .count = count,
					     .init = &side->init };
	return side;
}

void begin(struct side *side)
{
	cr_assert_eq(vx_shake_begin(&side->shake, side->first == 10), 0, "%s", vx_error_text());
}

static void end(struct side *side)
{
	vx_shake_end(&side->shake);
	free(side);
}

int pass(struct side *from, struct side *to, size_t step)
{
	size_t size, used;
	const unsigned char *bytes = vx_shake_ready(&from->shake, &size);
	int rc = 0;

	while (size && rc == 0) {
		rc = vx_shake_feed(&to->shake, bytes, size < step ? size : step, &used);
		vx_shake_sent(&from->shake, used);
		bytes = vx_shake_ready(&from->shake, &size);
		if (!used)
			break;
	}
	return rc;
}

struct side *one, *other;

void both(uint32_t count, uint32_t count_there)
{
	one = new_side(true, count);
	other = new_side(false, count_there);
}

void begin_both(void)
{
	begin(one);
	begin(other);
}

void end_both(void)
{
	end(one);
	end(other);
}

void succeed(size_t step)
{
	cr_assert_eq(pass(one, other, step), 0, "%s", vx_error_text());
	cr_expect(!vx_shake_is_over(&other->shake));
	cr_assert_eq(pass(other, one, step), 0, "%s", vx_error_text());
	cr_assert_eq(pass(one, other, step), 0, "%s", vx_error_text());
	cr_expect(vx_shake_is_over(&one->shake) && vx_shake_is_over(&other->shake));
	cr_expect_eq(one->shake.rc | other->shake.rc, 0);
}
