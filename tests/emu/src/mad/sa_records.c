/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Records of the subnet administrator that repeat what nodes tell by themselves. */
#include <string.h>

#include "bounds.h"
#include "mad/attribute.h"
#include "mad/sa.h"

static const struct field node_fields[] = {
	{ 0, 16 }, /* LID */
	{ 0, 0 },    { 32, 8 }, /* BaseVersion */
	{ 40, 8 },   { 48, 8 }, /* NodeType */
	{ 56, 8 },   { 64, 64 }, /* SystemImageGUID */
	{ 128, 64 }, { 192, 64 }, /* PortGUID */
	{ 256, 16 }, { 272, 16 }, /* DeviceID */
	{ 288, 32 }, { 320, 8 }, /* LocalPortNum */
	{ 328, 24 }, { 352, 512 }, /* NodeDescription */
};

static const struct field port_info_fields[] = {
	{ 0, 16 }, /* EndportLID */
	{ 16, 8 }, /* PortNum */
	{ 0, 0 },    { 32, 64 }, /* M_Key */
	{ 96, 64 }, /* GidPrefix */
	{ 160, 16 }, /* LID */
	{ 176, 16 }, /* MasterSMLID */
	{ 192, 32 }, /* CapabilityMask */
	{ 224, 16 }, { 240, 16 }, { 256, 8 }, /* LocalPortNum */
	{ 264, 8 },  { 272, 8 }, /* LinkWidthSupported */
	{ 280, 8 },  { 288, 4 }, /* LinkSpeedSupported */
	{ 292, 4 }, /* PortState */
	{ 296, 4 },  { 300, 4 },  { 304, 2 }, /* M_KeyProtectBits */
	{ 0, 0 },    { 309, 3 }, /* LMC */
	{ 312, 4 },  { 316, 4 },  { 320, 4 }, /* NeighborMTU */
	{ 324, 4 },  { 328, 4 }, /* VLCap */
};

static const struct field switch_info_fields[] = { { 0, 16 } };
static const struct field sm_info_fields[] = { { 0, 16 },   { 0, 0 },	{ 32, 64 }, { 96, 64 },
					       { 160, 32 }, { 192, 4 }, { 196, 4 } };
static const struct field lft_fields[] = { { 0, 16 }, { 16, 16 } };
static const struct field link_fields[] = { { 0, 16 }, { 16, 8 }, { 24, 8 }, { 32, 16 } }; /* from, to */
static const struct field guid_info_fields[] = { { 0, 16 }, { 16, 8 } };
static const struct field p_key_fields[] = { { 0, 16 }, { 16, 16 }, { 32, 8 } };

enum {
	AFTER_LID = 4, /* bytes */
	AFTER_BLOCK = 8
};

static const struct field LID = { 0, 16 };
static const struct field PORT_NUM = { 16, 8 };
static const struct field BLOCK_16 = { 16, 16 };

/* One for each port of InfiniBand, with its host; for those of the switch, without one */
struct visit {
	struct sa_query *q;
	void (*fn)(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s);
};

static void visit_ports(const struct subnet_host *h, void *arg)
{
	const struct visit *v = arg;

	for (int i = 0; i < h->nports; i++)
		if (!h->ports[i].ethernet)
			v->fn(v->q, h, &h->ports[i]);
}

/* All ports of the switch, or only its own */
static void each_port(struct sa_query *q, bool all,
		      void (*fn)(struct sa_query *q, const struct subnet_host *h,
				 const struct subnet_port *s))
{
	struct visit v = { q, fn };
	struct subnet_port s;

	for (int n = 0; n <= (all ? switch_ports() : 0); n++) {
		s = switch_port(n);
		fn(q, NULL, &s);
	}
	subnet_each(visit_ports, &v);
}

static uint16_t lid_of(const struct subnet_host *h, const struct subnet_port *s)
{
	return h ? s->lid : switch_lid();
}

static void offer_node(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s)
{
	SA_RECORD(record);

	prm_set(record, LID, lid_of(h, s));
	put_node_info(record + AFTER_LID, h, s->number);
	put_description(record + AFTER_LID + NODE_INFO_SIZE, h ? subnet_node_of(h, s->number)->description : SWITCH_DESCRIPTION);
	sa_offer(q, record);
}

static void each_node(struct sa_query *q)
{
	each_port(q, false, offer_node);
}

static void offer_port_info(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s)
{
	SA_RECORD(record);

	prm_set(record, LID, lid_of(h, s));
	prm_set(record, PORT_NUM, s->local);
	put_port_info(record + AFTER_LID, s, s->local);
	sa_offer(q, record);
}

static void each_port_info(struct sa_query *q)
{
	each_port(q, true, offer_port_info);
}

static void each_switch_info(struct sa_query *q)
{
	SA_RECORD(record);

	prm_set(record, LID, switch_lid());
	put_switch_info(record + AFTER_LID);
	sa_offer(q, record);
}

static void each_sm_info(struct sa_query *q)
{
	SA_RECORD(record);

	prm_set(record, LID, switch_lid());
	put_sm_info(record + AFTER_LID);
	sa_offer(q, record);
}

static void find_top(const struct subnet_host *h, void *arg)
{
	uint32_t *top = arg;

	for (int i = 0; i < h->nports; i++)
		if (h->ports[i].lid > *top)
			*top = h->ports[i].lid;
}

static void each_lft(struct sa_query *q)
{
	uint32_t top = switch_lid();

	subnet_each(find_top, &top);
	for (uint32_t block = 0; block <= top / LIDS_A_BLOCK; block++) {
		SA_RECORD(record);

		prm_set(record, LID, switch_lid());
		prm_set(record, BLOCK_16, block);
		put_linear_block(record + AFTER_BLOCK, block);
		sa_offer(q, record);
	}
}

static void put_link(struct sa_query *q, uint16_t from, uint8_t from_port, uint16_t to, uint8_t to_port)
{
	SA_RECORD(record);

	prm_set(record, link_fields[0], from);
	prm_set(record, link_fields[1], from_port);
	prm_set(record, link_fields[2], to_port);
	prm_set(record, link_fields[3], to);
	sa_offer(q, record);
}

/* Both directions */
static void offer_links(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s)
{
	uint8_t there = h ? switch_port_of(h->place, s->number) : 0;

	if (!there)
		return;
	put_link(q, s->lid, s->local, switch_lid(), there);
	put_link(q, switch_lid(), there, s->lid, s->local);
}

static void each_link(struct sa_query *q)
{
	each_port(q, false, offer_links);
}

static void offer_guid_info(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s)
{
	SA_RECORD(record);

	prm_set(record, LID, lid_of(h, s));
	put_guid_block(record + AFTER_BLOCK, s, 0);
	sa_offer(q, record);
}

static void each_guid_info(struct sa_query *q)
{
	each_port(q, false, offer_guid_info);
}

static void offer_p_keys(struct sa_query *q, const struct subnet_host *h, const struct subnet_port *s)
{
	SA_RECORD(record);

	prm_set(record, LID, lid_of(h, s));
	prm_set(record, p_key_fields[2], s->local);
	put_pkey_block(record + AFTER_BLOCK, s, 0);
	sa_offer(q, record);
}

static void each_p_keys(struct sa_query *q)
{
	each_port(q, false, offer_p_keys);
}

/* Nobody has subscribed to anything, as nothing is reported */
static void each_inform_info(struct sa_query *q)
{
	(void)q;
}

#define ROW(id, size, fields, each)                               \
	{                                                         \
		id, size, fields, ARRAY_SIZE(fields), each, false, NULL, NULL \
	}

static const struct sa_record records[] = {
	ROW(ATTR_NODE_RECORD, AFTER_LID + NODE_INFO_SIZE + NODE_DESC_SIZE, node_fields, each_node),
	ROW(ATTR_PORT_INFO_RECORD, AFTER_LID + PORT_INFO_SIZE, port_info_fields, each_port_info),
	ROW(ATTR_SWITCH_INFO_RECORD, AFTER_LID + SWITCH_INFO_SIZE, switch_info_fields, each_switch_info),
	ROW(ATTR_SM_INFO_RECORD, AFTER_LID + SM_INFO_SIZE, sm_info_fields, each_sm_info),
	ROW(ATTR_LFT_RECORD, AFTER_BLOCK + BLOCK_SIZE, lft_fields, each_lft),
	ROW(ATTR_LINK_RECORD, 6, link_fields, each_link),
	ROW(ATTR_GUID_INFO_RECORD, AFTER_BLOCK + BLOCK_SIZE, guid_info_fields, each_guid_info),
	ROW(ATTR_P_KEY_RECORD, AFTER_BLOCK + BLOCK_SIZE, p_key_fields, each_p_keys),
	{ ATTR_INFORM_INFO_RECORD, 60, NULL, 0, each_inform_info, false, NULL, NULL },
	{ ATTR_PATH_RECORD, 64, sa_path_fields, SA_PATH_FIELDS, sa_each_path, true, NULL, NULL },
	{ ATTR_MC_MEMBER_RECORD, 52, sa_member_fields, SA_MEMBER_FIELDS, sa_each_member, false, sa_join, sa_leave },
	{ ATTR_SERVICE_RECORD, 176, sa_service_fields, SA_SERVICE_FIELDS, sa_each_service, false, sa_set_service,
	  sa_delete_service },
};

const struct sa_record *sa_record_find(uint16_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		if (records[i].id == id)
			return &records[i];
	return NULL;
}
