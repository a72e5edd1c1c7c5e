/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Mailboxes of DEVX, field by field: bits are counted from the most significant one. */
#ifndef MAILBOX_H
#define MAILBOX_H

#include <stdint.h>

#include "selftest.h"

enum {
	STATUS_BAD_OP = 2,
	STATUS_BAD_PARAM = 3,
	STATUS_BAD_RES_STATE = 9
};

struct mailbox {
	uint8_t in[1024], out[4112];
};

struct mailbox mailbox_of(uint16_t opcode);
void mailbox_set(struct mailbox *m, int offset, int width, uint64_t value);
uint64_t mailbox_get(const struct mailbox *m, int offset, int width);
uint8_t mailbox_status(const struct mailbox *m);

/* Each sends so many bytes. The object, or NULL; 0 or an errno. */
struct mlx5dv_devx_obj *mailbox_create(struct mailbox *m, size_t len);
int mailbox_modify(struct mlx5dv_devx_obj *o, struct mailbox *m, size_t len);
int mailbox_query(struct mlx5dv_devx_obj *o, struct mailbox *m, size_t len);
int mailbox_command(struct mailbox *m, size_t len);

/* The numbers by which mailboxes name what verbs made */
uint32_t pd_number(struct ibv_pd *pd);

#endif
