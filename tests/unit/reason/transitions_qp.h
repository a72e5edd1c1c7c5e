/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TRANSITIONS_QP_H
#define VERBSX_TESTS_TRANSITIONS_QP_H

/* QPs of all types, brought to any state, on the first device. */

#include <stdbool.h>

#include <verbsx/verbsx.h>

void open_device(void);

void close_device(void);

const char *device_name(void);

/* Whether the device is the emulated one, which has more than soft-RoCE. */
bool is_emulated(void);

bool is_roce(void);

/* A QP of a type of the table, DCI and DCT among them; 0 or a negative errno. */
int make_qp(unsigned int type, struct vx_qp **out);

/* What of the emulated device is to fail from now on, as VERBSX_EMU_FAIL has it; "": nothing. */
void let_fail(const char *list);

/* A QP in a state that one of its type can be in on the device. */
struct vx_qp *qp_in(unsigned int type, enum ibv_qp_state state);

/* Modify a QP, with good values for all attributes; 0 or a negative errno. */
int change(struct vx_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, uint32_t mask);

enum ibv_qp_state state_of(const struct vx_qp *qp);

#endif
