/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Faults asked for over a socket, with an answer to each line. */
#ifndef EMU_CONTROL_SOCKET_H
#define EMU_CONTROL_SOCKET_H

/* Listen at that path once a device is open; %p in it stands for the process. */
void control_socket_start(const char *path);

/* See what there is to do; never waits. */
void control_socket_serve(void);

/* Remove it from the file system, as a signal handler may do. */
void control_socket_remove(void);

#endif
