/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Attributes by their fields, as chapters 14 to 16 of the InfiniBand Architecture Specification have them: a row for each,
 * with its offset in bits and its width. Those of the subnet administrator's records are in the order of the bits of ComponentMask.
 */
#ifndef EMU_ATTRIBUTE_H
#define EMU_ATTRIBUTE_H

#include <stddef.h>
#include <stdint.h>

#include "calls/prm.h"
#include "mad/subnet.h"

#define GUIDS_A_BLOCK 8
#define P_KEYS_A_BLOCK 32
#define LIDS_A_BLOCK 64

enum {
	NODE_INFO_SIZE = 40,
	PORT_INFO_SIZE = 64,
	SWITCH_INFO_SIZE = 20,
	SM_INFO_SIZE = 28,
	BLOCK_SIZE = 64
};

static const struct field CLASS_PORT_INFO_BASE_VERSION = { 0, 8 };
static const struct field CLASS_PORT_INFO_CLASS_VERSION = { 8, 8 };
static const struct field CLASS_PORT_INFO_CAPABILITY_MASK = { 16, 16 };
static const struct field CLASS_PORT_INFO_RESP_TIME_VALUE = { 59, 5 };

#define RESP_TIME_VALUE 16 /* 4.096 us * 2^16: a quarter of a second */
#define SUBNET_TIMEOUT 18

/* What a Set of PortInfo asks for */
struct port_setting {
	uint16_t lid;
	uint8_t state, phys_state; /* 0: as it is */
};

struct port_setting get_port_setting(const uint8_t *from);

/* Into room that is zero */
void put_node_info(uint8_t *to, const struct subnet_host *h, uint8_t port); /* NULL: the switch */
void put_port_info(uint8_t *to, const struct subnet_port *s, uint8_t local_port);
void put_switch_info(uint8_t *to);
void put_sm_info(uint8_t *to);
void put_guid_block(uint8_t *to, const struct subnet_port *s, uint32_t block);
void put_pkey_block(uint8_t *to, const struct subnet_port *s, uint32_t block);
void put_linear_block(uint8_t *to, uint32_t block);
void put_description(uint8_t *to, const char *text);
void put_class_port_info(uint8_t *to, uint8_t class_version, uint16_t capability_mask);

#endif
