/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which commands make an object that the kernel can destroy by itself: it takes no other for a creation, whatever a device knows. */
#include <stdbool.h>
#include <stdint.h>

#include "bounds.h"
#include "calls/devx.h"
#include "calls/prm.h"

/* What this device does not know is here as well, as the kernel hands it on */
static const uint16_t creations[] = {
	CMD_CREATE_MKEY,
	CMD_CREATE_CQ,
	CMD_CREATE_QP,
	CMD_CREATE_SRQ,
	CMD_CREATE_XRC_SRQ,
	CMD_CREATE_DCT,
	CMD_CREATE_XRQ,
	CMD_ALLOC_Q_COUNTER,
	CMD_CREATE_SCHEDULING_ELEMENT,
	CMD_ALLOC_PD,
	CMD_ATTACH_TO_MCG,
	CMD_ALLOC_XRCD,
	CMD_ALLOC_TRANSPORT_DOMAIN,
	CMD_ADD_VXLAN_UDP_DPORT,
	CMD_SET_L2_TABLE_ENTRY,
	CMD_CREATE_TIR,
	CMD_CREATE_SQ,
	CMD_CREATE_RQ,
	CMD_CREATE_RMP,
	CMD_CREATE_TIS,
	CMD_CREATE_RQT,
	CMD_CREATE_FLOW_TABLE,
	CMD_CREATE_FLOW_GROUP,
	CMD_ALLOC_FLOW_COUNTER,
	CMD_ALLOC_PACKET_REFORMAT_CONTEXT,
	CMD_ALLOC_MODIFY_HEADER_CONTEXT,
	CMD_CREATE_GENERAL_OBJECT,
};

bool devx_is_creation(const uint8_t *in)
{
	uint16_t opcode = prm_get(in, CMD_OPCODE);

	if (opcode == CMD_SET_FLOW_TABLE_ENTRY) /* else it changes one */
		return !prm_get(in, CMD_OP_MOD);
	if (opcode == CMD_CREATE_PSV) /* of more, only one could be destroyed */
		return prm_get(in, CREATE_PSV_NUM_PSV) == 1;
	for (const uint16_t *c = creations; c < creations + ARRAY_SIZE(creations); c++)
		if (*c == opcode)
			return true;
	return false;
}
