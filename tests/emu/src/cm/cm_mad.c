/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What messages of the CM are called, in faults and in the tap. */
#include <string.h>

#include "bounds.h"
#include "cm/cm.h"

static const char *const names[CM_MADS] = {
	[CM_REQ] = "REQ",   [CM_REP] = "REP",	[CM_RTU] = "RTU",	    [CM_REJ] = "REJ",
	[CM_DREQ] = "DREQ", [CM_DREP] = "DREP", [CM_SIDR_REQ] = "SIDR_REQ", [CM_SIDR_REP] = "SIDR_REP",
	[CM_MRA] = "MRA",
};

const char *cm_mad_name(int type)
{
	return type > 0 && type < CM_MADS ? names[type] : NULL;
}

int cm_mad_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return CM_NO_MAD;
}
