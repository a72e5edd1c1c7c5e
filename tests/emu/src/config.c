/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "config_keys.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "objects/crypto.h"

#define PORT_DEFAULTS                                                                                   \
	{                                                                                               \
		.link_layer = IBV_LINK_LAYER_INFINIBAND, .state = IBV_PORT_ACTIVE, .mtu = IBV_MTU_4096, \
		.sm_lid = 1                                                                             \
	}

struct config config = {
	.device = "mlx5_0",
	.node_guid = 0x0002c90300a1b2c3,
	.devices = 1,
	.ports = 1,
	.port = { PORT_DEFAULTS, PORT_DEFAULTS, PORT_DEFAULTS, PORT_DEFAULTS },
	.max_qp = MAX_OBJECTS / 4,
	.max_qp_wr = MAX_QP_WR,
	.max_sge = MAX_SGE,
	.max_inline_data = MAX_INLINE,
	.max_msg_sz = MAX_MESSAGE,
	.max_cq = MAX_OBJECTS / 4,
	.max_cqe = MAX_CQE - 1,
	.comp_vectors = 4,
	.max_mr = MAX_OBJECTS / 4,
	.max_mw = MAX_OBJECTS / 4,
	.max_pd = MAX_OBJECTS / 4,
	.max_dm_size = MAX_DM_SIZE / 8,
	.max_srq = MAX_OBJECTS / 4,
	.max_srq_wr = MAX_SRQ_WR,
	.max_srq_sge = MAX_SRQ_SGE,
	.max_rd_atom = MAX_RD_ATOMIC,
	.max_mcast_grp = MAX_MCAST,
	.atomic = true,
	.mmo = true,
	.mw = true,
	.odp = true,
	.signature = true,
	.tag_matching = true,
	.xrc = true,
	.dc = true,
	.dci_streams = true,
};

/* The ports that settings are for: all, until "port" names one */
static struct port_config *first_port = config.port, *end_port = config.port + MAX_PORTS;

static const struct config_word link_layers[] = { { "infiniband", IBV_LINK_LAYER_INFINIBAND },
					   { "ethernet", IBV_LINK_LAYER_ETHERNET },
					   { 0 } };
static const struct config_word states[] = { { "down", IBV_PORT_DOWN },
				      { "init", IBV_PORT_INIT },
				      { "armed", IBV_PORT_ARMED },
				      { "active", IBV_PORT_ACTIVE },
				      { 0 } };
static const struct config_word mtus[] = { { "256", IBV_MTU_256 },   { "512", IBV_MTU_512 },
				    { "1024", IBV_MTU_1024 }, { "2048", IBV_MTU_2048 },
				    { "4096", IBV_MTU_4096 }, { 0 } };
static const struct config_word cryptos[] = { { "off", CRYPTO_OFF },
				       { "on", CRYPTO_WRAPPED },
				       { "wrapped", CRYPTO_WRAPPED },
				       { "plaintext", CRYPTO_PLAINTEXT },
				       { 0 } };
static const struct config_word switches[] = { { "off", false }, { "on", true }, { 0 } };

/* Whole and in range; the number in any base that C has */
static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	*number = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && *number >= min && *number <= max;
}

static const char *set_number(const struct config_key *k, const char *value)
{
	static char wanted[64];
	uint64_t n;

	if (parse_number(value, k->min, k->max, &n)) {
		*k->to = n;
		return NULL;
	}
	snprintf(wanted, sizeof(wanted), "a number from %u to %u", k->min, k->max);
	return wanted;
}

static const struct config_word *find_word(const struct config_word *words, const char *value)
{
	while (words->text && strcmp(words->text, value))
		words++;
	return words->text ? words : NULL;
}

static const char *wanted_words(const struct config_word *words)
{
	static char wanted[64];
	size_t n = snprintf(wanted, sizeof(wanted), "one of");

	for (; words->text && n < sizeof(wanted); words++)
		n += snprintf(wanted + n, sizeof(wanted) - n, " %s", words->text);
	return wanted;
}

static const char *set_word(const struct config_key *k, const char *value)
{
	const struct config_word *w = find_word(k->words, value);

	if (!w)
		return wanted_words(k->words);
	*k->to = w->value;
	return NULL;
}

/* The place in @p of what @first_port_member points at in the first port */
static uint32_t *in_port(struct port_config *p, uint32_t *first_port_member)
{
	return (uint32_t *)((char *)first_port_member + ((char *)p - (char *)config.port));
}

static const char *set_for_ports(const struct config_key *k, const char *value, config_set_fn *set)
{
	const char *wanted = NULL;

	for (struct port_config *p = first_port; p < end_port && !wanted; p++) {
		struct config_key one = *k;

		one.to = in_port(p, k->to);
		wanted = set(&one, value);
	}
	return wanted;
}

static const char *set_port_word(const struct config_key *k, const char *value)
{
	return set_for_ports(k, value, set_word);
}

static const char *set_port_number(const struct config_key *k, const char *value)
{
	return set_for_ports(k, value, set_number);
}

/* Said of all ports, it is the first one's, and the others count on */
static const char *set_lid(const struct config_key *k, const char *value)
{
	struct config_key one = *k;

	one.to = in_port(first_port, k->to);
	return set_number(&one, value);
}

static const char *select_port(const struct config_key *k, const char *value)
{
	const char *wanted;
	uint32_t n = 0;
	struct config_key number = *k;

	number.to = &n;
	wanted = set_number(&number, value);
	if (wanted)
		return wanted;
	first_port = &config.port[n - 1];
	end_port = first_port + 1;
	return NULL;
}

static const char *set_device(const struct config_key *k, const char *value)
{
	(void)k;
	if (!*value || strlen(value) >= sizeof(config.device) || strchr(value, '/') || *value == '.')
		return "the name of a device";
	strcpy(config.device, value);
	return NULL;
}

/* 0x0002c90300a1b2c3 or 0002:c903:00a1:b2c3 */
static const char *set_guid(const struct config_key *k, const char *value)
{
	unsigned int part[4];
	char end;

	(void)k;
	if (sscanf(value, "%4x:%4x:%4x:%4x%c", &part[0], &part[1], &part[2], &part[3], &end) == 4) {
		config.node_guid = (uint64_t)part[0] << 48 | (uint64_t)part[1] << 32 |
				   (uint64_t)part[2] << 16 | part[3];
		return NULL;
	}
	return parse_number(value, 1, UINT64_MAX, &config.node_guid) ? NULL : "a GUID";
}

static const char *add_gid(const struct config_key *k, const char *value)
{
	uint8_t gid[16];

	(void)k;
	if (inet_pton(AF_INET6, value, gid) != 1)
		return "an IPv6 address";
	for (struct port_config *p = first_port; p < end_port; p++) {
		if (p->ngids == MAX_ADDRESSES)
			return "one of the three that there may be";
		memcpy(p->gids[p->ngids++], gid, sizeof(gid));
	}
	return NULL;
}

static const char *add_ipv4(const struct config_key *k, const char *value)
{
	uint8_t ipv4[4];

	(void)k;
	if (inet_pton(AF_INET, value, ipv4) != 1)
		return "an IPv4 address";
	for (struct port_config *p = first_port; p < end_port; p++) {
		if (p->nipv4 == MAX_ADDRESSES)
			return "one of the three that there may be";
		memcpy(p->ipv4[p->nipv4++], ipv4, sizeof(ipv4));
	}
	return NULL;
}

#define NUMBER(name, min, max)                                  \
	{                                                       \
#name, set_number, &config.name, min, max, NULL \
	}
#define SWITCH(name)                                          \
	{                                                     \
#name, set_word, &config.name, 0, 0, switches \
	}

const struct config_key config_keys[] = {
	{ "device", set_device, NULL, 0, 0, NULL },
	{ "node_guid", set_guid, NULL, 0, 0, NULL },
	NUMBER(devices, 1, MAX_DEVICES),
	NUMBER(ports, 1, MAX_PORTS),

	{ "port", select_port, NULL, 1, MAX_PORTS, NULL },
	{ "link_layer", set_port_word, &config.port[0].link_layer, 0, 0, link_layers },
	{ "state", set_port_word, &config.port[0].state, 0, 0, states },
	{ "mtu", set_port_word, &config.port[0].mtu, 0, 0, mtus },
	{ "lid", set_lid, &config.port[0].lid, 1, MAX_UNICAST_LID, NULL },
	{ "sm_lid", set_port_number, &config.port[0].sm_lid, 0, MAX_UNICAST_LID, NULL },
	{ "grh_required", set_port_word, &config.port[0].grh_required, 0, 0, switches },
	{ "gid", add_gid, NULL, 0, 0, NULL },
	{ "ipv4", add_ipv4, NULL, 0, 0, NULL },

	NUMBER(max_qp, 1, MAX_OBJECTS / 4),
	NUMBER(max_qp_wr, 1, MAX_QP_WR),
	NUMBER(max_sge, 1, MAX_SGE),
	NUMBER(max_inline_data, 0, MAX_INLINE),
	NUMBER(max_msg_sz, 1, MAX_MESSAGE),
	NUMBER(max_cq, 1, MAX_OBJECTS / 4),
	NUMBER(max_cqe, 1, MAX_CQE - 1),
	NUMBER(comp_vectors, 1, MAX_COMP_VECTORS),
	NUMBER(max_mr, 1, MAX_OBJECTS / 4),
	NUMBER(max_mw, 0, MAX_OBJECTS / 4),
	NUMBER(max_pd, 1, MAX_OBJECTS / 4),
	NUMBER(max_dm_size, 0, MAX_DM_SIZE),
	NUMBER(max_srq, 0, MAX_OBJECTS / 4),
	NUMBER(max_srq_wr, 1, MAX_SRQ_WR),
	NUMBER(max_srq_sge, 1, MAX_SRQ_SGE),
	NUMBER(max_rd_atom, 0, MAX_RD_ATOMIC),
	NUMBER(max_mcast_grp, 0, MAX_MCAST),

	SWITCH(atomic),
	SWITCH(mmo),
	SWITCH(mw),
	SWITCH(odp),
	SWITCH(xrc),
	SWITCH(dc),
	SWITCH(dci_streams),
	SWITCH(signature),
	SWITCH(tag_matching),
	{ "crypto", set_word, &config.crypto, 0, 0, cryptos },
	SWITCH(open_qp),
	SWITCH(lag),

	SWITCH(one_host),
};

const size_t config_nkeys = ARRAY_SIZE(config_keys);
