/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef UNIT_SA_RESOLVE_BED_H
#define UNIT_SA_RESOLVE_BED_H

/* What the tests of questions to the subnet administrator have: a port, and the way to it. */

#include "unit/device.h"

#define SHORT 60 /* ms */

extern struct ibv_port_attr port;
extern struct vx_path to_myself;

void open_port(void);
void close_port(void);
bool ethernet(void);

#define ONLY_INFINIBAND() do { if (ethernet()) cr_skip_test("an Ethernet port has no subnet"); } while (0)

/* to_myself, resolved. */
int resolve(struct vx_path *out, int timeout_ms);

#endif
