/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What MADs are called, in faults and in the tap. */
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bounds.h"
#include "mad/mad.h"
#include "nearest.h"

/* Classes whose attributes have names */
enum group {
	GROUP_SMP,
	GROUP_SA,
	GROUP_PERF,
	GROUP_OTHER
};

static const struct {
	enum group group;
	uint16_t id;
	const char *name;
} attributes[] = {
	{ GROUP_SMP, ATTR_NODE_DESC, "NodeDescription" },
	{ GROUP_SMP, ATTR_NODE_INFO, "NodeInfo" },
	{ GROUP_SMP, ATTR_SWITCH_INFO, "SwitchInfo" },
	{ GROUP_SMP, ATTR_GUID_INFO, "GUIDInfo" },
	{ GROUP_SMP, ATTR_PORT_INFO, "PortInfo" },
	{ GROUP_SMP, ATTR_P_KEY_TABLE, "P_KeyTable" },
	{ GROUP_SMP, ATTR_SL_TO_VL, "SLtoVLMappingTable" },
	{ GROUP_SMP, ATTR_VL_ARB, "VLArbitrationTable" },
	{ GROUP_SMP, ATTR_LINEAR_FT, "LinearForwardingTable" },
	{ GROUP_SMP, ATTR_MCAST_FT, "MulticastForwardingTable" },
	{ GROUP_SMP, ATTR_SM_INFO, "SMInfo" },
	{ GROUP_PERF, ATTR_PORT_COUNTERS, "PortCounters" },
	{ GROUP_PERF, ATTR_PORT_COUNTERS_EXT, "PortCountersExtended" },
	{ GROUP_SA, ATTR_NODE_RECORD, "NodeRecord" },
	{ GROUP_SA, ATTR_PORT_INFO_RECORD, "PortInfoRecord" },
	{ GROUP_SA, ATTR_SWITCH_INFO_RECORD, "SwitchInfoRecord" },
	{ GROUP_SA, ATTR_LFT_RECORD, "LinearForwardingTableRecord" },
	{ GROUP_SA, ATTR_SM_INFO_RECORD, "SMInfoRecord" },
	{ GROUP_SA, ATTR_LINK_RECORD, "LinkRecord" },
	{ GROUP_SA, ATTR_GUID_INFO_RECORD, "GuidInfoRecord" },
	{ GROUP_SA, ATTR_SERVICE_RECORD, "ServiceRecord" },
	{ GROUP_SA, ATTR_P_KEY_RECORD, "P_KeyTableRecord" },
	{ GROUP_SA, ATTR_PATH_RECORD, "PathRecord" },
	{ GROUP_SA, ATTR_MC_MEMBER_RECORD, "MCMemberRecord" },
	{ GROUP_SA, ATTR_INFORM_INFO_RECORD, "InformInfoRecord" },
	{ GROUP_SA, ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ GROUP_PERF, ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
};

static const struct {
	uint8_t method;
	const char *name;
} methods[] = {
	{ METHOD_GET, "Get" },
	{ METHOD_SET, "Set" },
	{ METHOD_SEND, "Send" },
	{ METHOD_TRAP, "Trap" },
	{ METHOD_REPORT, "Report" },
	{ METHOD_TRAP_REPRESS, "TrapRepress" },
	{ METHOD_GET_TABLE, "GetTable" },
	{ METHOD_DELETE, "Delete" },
};

static const char *const prefixes[] = {
	[GROUP_SMP] = "Subn",
	[GROUP_SA] = "SubnAdm",
	[GROUP_PERF] = "Performance",
	[GROUP_OTHER] = "Vendor",
};

static enum group group_of(const struct mad *m)
{
	if (mad_is_smp(m))
		return GROUP_SMP;
	if (m->mgmt_class == CLASS_SUBN_ADM)
		return GROUP_SA;
	return m->mgmt_class == CLASS_PERF ? GROUP_PERF : GROUP_OTHER;
}

static const char *attribute_name(const struct mad *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].group == group_of(m) && attributes[i].id == be16toh(m->attr_id))
			return attributes[i].name;
	return NULL;
}

/* One name is one kind, whatever the classes */
uint32_t mad_kind_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (!strcasecmp(attributes[i].name, name))
			return i + 1;
	return 0;
}

void mad_kind_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		nearest_see(n, attributes[i].name);
}

uint32_t mad_kind(const struct mad *m)
{
	const char *name = attribute_name(m);

	return name ? mad_kind_by_name(name) : UINT32_MAX;
}

static const char *method_name(const struct mad *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i].method == (m->method & ~METHOD_RESP))
			return methods[i].name;
	return "?";
}

void mad_name(char *name, size_t size, const struct mad *m)
{
	const char *attribute = attribute_name(m);
	char number[8];

	snprintf(number, sizeof(number), "0x%x", be16toh(m->attr_id));
	snprintf(name, size, "%s%s%s(%s)", prefixes[group_of(m)], method_name(m),
		 m->method & METHOD_RESP ? "Resp" : "", attribute ? attribute : number);
}
