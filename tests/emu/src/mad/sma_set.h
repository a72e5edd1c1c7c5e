/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EMU_SMA_SET_H
#define EMU_SMA_SET_H

#include <stdbool.h>
#include <stdint.h>

struct port_setting;

/**
 * Do what a Set of PortInfo asks of a port of this process, with the events that belong to it.
 *
 * @return false, and nothing is changed, where a field has no such value
 */
bool sma_set_port(uint32_t number, const struct port_setting *s);

#endif
