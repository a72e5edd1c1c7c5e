/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "mailbox.h"

static void set_bit(uint8_t *bytes, int offset, bool value)
{
	uint8_t bit = 0x80 >> offset % 8;

	bytes[offset / 8] = value ? bytes[offset / 8] | bit : bytes[offset / 8] & ~bit;
}

void mailbox_set(struct mailbox *m, int offset, int width, uint64_t value)
{
	for (int i = 0; i < width; i++)
		set_bit(m->in, offset + i, value >> (width - 1 - i) & 1);
}

uint64_t mailbox_get(const struct mailbox *m, int offset, int width)
{
	uint64_t value = 0;

	for (int i = offset; i < offset + width; i++)
		value = value << 1 | (m->out[i / 8] >> (7 - i % 8) & 1);
	return value;
}

uint8_t mailbox_status(const struct mailbox *m)
{
	return m->out[0];
}

struct mailbox mailbox_of(uint16_t opcode)
{
	struct mailbox m = { 0 };

	mailbox_set(&m, 0, 16, opcode);
	return m;
}

struct mlx5dv_devx_obj *mailbox_create(struct mailbox *m, size_t len)
{
	return mlx5dv_devx_obj_create(bed.ctx, m->in, len, m->out, sizeof(m->out));
}

int mailbox_modify(struct mlx5dv_devx_obj *o, struct mailbox *m, size_t len)
{
	return mlx5dv_devx_obj_modify(o, m->in, len, m->out, sizeof(m->out));
}

int mailbox_query(struct mlx5dv_devx_obj *o, struct mailbox *m, size_t len)
{
	return mlx5dv_devx_obj_query(o, m->in, len, m->out, sizeof(m->out));
}

int mailbox_command(struct mailbox *m, size_t len)
{
	return mlx5dv_devx_general_cmd(bed.ctx, m->in, len, m->out, sizeof(m->out));
}

uint32_t pd_number(struct ibv_pd *pd)
{
	struct mlx5dv_pd out = { 0 };
	struct mlx5dv_obj o = { .pd = { pd, &out } };

	CHECK(!mlx5dv_init_obj(&o, MLX5DV_OBJ_PD));
	return out.pdn;
}
