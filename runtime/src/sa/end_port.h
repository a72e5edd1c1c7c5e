/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_END_PORT_H
#define VERBSX_SRC_END_PORT_H

#include <stdbool.h>

#include <verbsx/end_port.h>

/* All ports that sysfs has; 0, or a negative errno with vx_error() filled (end_port.c). */
int vx_end_ports_read(struct vx_end_ports **out);

bool vx_end_port_has_gid(const struct vx_end_port *port, const void *gid);

/* Take out of a list each port that does not match; which is freed (end_port.c). */
void vx_end_ports_keep(struct vx_end_ports *ports, bool (*matches)(const struct vx_end_port *port, const void *what), const void *what);

#endif
