/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "packets/fte.h"

#include <errno.h>
#include <string.h>

#include "bounds.h"

#define HEADER(name) offsetof(struct headers, name)
#define PRESENT (-1) /* in the place of a bit: the header is there */

/* Where a field of the parameters comes from: bits of a header, which may not be there */
struct source {
	uint16_t offset, width; /* in the part */
	size_t header; /* in struct headers */
	int bit;
	uint8_t support; /* the bit that tells of it */
};

/* Bits of flow_table_fields_supported, of outer headers */
enum {
	SUPPORTS_DMAC = 0,
	SUPPORTS_SMAC = 1,
	SUPPORTS_ETHER_TYPE = 2,
	SUPPORTS_IP_VERSION = 3,
	SUPPORTS_FIRST_PRIO = 4,
	SUPPORTS_FIRST_CFI = 5,
	SUPPORTS_FIRST_VID = 6,
	SUPPORTS_IPV4_TTL = 7,
	SUPPORTS_IPV6_FLOW_LABEL = 11,
	SUPPORTS_SIP = 12,
	SUPPORTS_DIP = 13,
	SUPPORTS_IP_PROTOCOL = 15,
	SUPPORTS_IP_ECN = 16,
	SUPPORTS_IP_DSCP = 17,
	SUPPORTS_UDP_SPORT = 18,
	SUPPORTS_UDP_DPORT = 19,
	SUPPORTS_TCP_SPORT = 20,
	SUPPORTS_TCP_DPORT = 21,
	SUPPORTS_TCP_FLAGS = 22,
	SUPPORTS_GRE_PROTOCOL = 23,
	SUPPORTS_VXLAN_VNI = 25,
	SUPPORTS_ESP_SPI = 87,
	SUPPORTS_IPV6_HOP_LIMIT = 89,
};

/* fte_match_set_lyr_2_4; where two rows are for one field, the later one counts */
static const struct source layers[] = {
	{ 0, 32, HEADER(eth), 48, SUPPORTS_SMAC }, /* smac_47_16 */
	{ 32, 16, HEADER(eth), 80, SUPPORTS_SMAC }, /* smac_15_0 */
	{ 48, 16, HEADER(eth), 96, SUPPORTS_ETHER_TYPE }, /* ethertype */
	{ 48, 16, HEADER(vlan), 16, SUPPORTS_ETHER_TYPE },
	{ 64, 32, HEADER(eth), 0, SUPPORTS_DMAC }, /* dmac_47_16 */
	{ 96, 16, HEADER(eth), 32, SUPPORTS_DMAC }, /* dmac_15_0 */
	{ 112, 3, HEADER(vlan), 0, SUPPORTS_FIRST_PRIO }, /* first_prio */
	{ 115, 1, HEADER(vlan), 3, SUPPORTS_FIRST_CFI }, /* first_cfi */
	{ 116, 12, HEADER(vlan), 4, SUPPORTS_FIRST_VID }, /* first_vid */
	{ 128, 8, HEADER(ipv4), 72, SUPPORTS_IP_PROTOCOL }, /* ip_protocol */
	{ 128, 8, HEADER(ipv6), 48, SUPPORTS_IP_PROTOCOL },
	{ 136, 6, HEADER(ipv4), 8, SUPPORTS_IP_DSCP }, /* ip_dscp */
	{ 136, 6, HEADER(ipv6), 4, SUPPORTS_IP_DSCP },
	{ 142, 2, HEADER(ipv4), 14, SUPPORTS_IP_ECN }, /* ip_ecn */
	{ 142, 2, HEADER(ipv6), 10, SUPPORTS_IP_ECN },
	{ 144, 1, HEADER(vlan), PRESENT, SUPPORTS_FIRST_VID }, /* cvlan_tag */
	{ 147, 4, HEADER(ipv4), 0, SUPPORTS_IP_VERSION }, /* ip_version */
	{ 147, 4, HEADER(ipv6), 0, SUPPORTS_IP_VERSION },
	{ 151, 9, HEADER(tcp), 103, SUPPORTS_TCP_FLAGS }, /* tcp_flags */
	{ 160, 16, HEADER(tcp), 0, SUPPORTS_TCP_SPORT }, /* tcp_sport */
	{ 176, 16, HEADER(tcp), 16, SUPPORTS_TCP_DPORT }, /* tcp_dport */
	{ 216, 8, HEADER(ipv4), 64, SUPPORTS_IPV4_TTL }, /* ttl_hoplimit */
	{ 216, 8, HEADER(ipv6), 56, SUPPORTS_IPV6_HOP_LIMIT },
	{ 224, 16, HEADER(udp), 0, SUPPORTS_UDP_SPORT }, /* udp_sport */
	{ 240, 16, HEADER(udp), 16, SUPPORTS_UDP_DPORT }, /* udp_dport */
	{ 256, 32, HEADER(ipv6), 64, SUPPORTS_SIP }, /* src_ipv4_src_ipv6 */
	{ 288, 32, HEADER(ipv6), 96, SUPPORTS_SIP },
	{ 320, 32, HEADER(ipv6), 128, SUPPORTS_SIP },
	{ 352, 32, HEADER(ipv6), 160, SUPPORTS_SIP },
	{ 352, 32, HEADER(ipv4), 96, SUPPORTS_SIP },
	{ 384, 32, HEADER(ipv6), 192, SUPPORTS_DIP }, /* dst_ipv4_dst_ipv6 */
	{ 416, 32, HEADER(ipv6), 224, SUPPORTS_DIP },
	{ 448, 32, HEADER(ipv6), 256, SUPPORTS_DIP },
	{ 480, 32, HEADER(ipv6), 288, SUPPORTS_DIP },
	{ 480, 32, HEADER(ipv4), 128, SUPPORTS_DIP },
};

/* fte_match_set_misc, of outer headers */
static const struct source misc[] = {
	{ 0, 1, HEADER(gre), 0, SUPPORTS_GRE_PROTOCOL }, /* gre_c_present */
	{ 2, 1, HEADER(gre), 2, SUPPORTS_GRE_PROTOCOL }, /* gre_k_present */
	{ 3, 1, HEADER(gre), 3, SUPPORTS_GRE_PROTOCOL }, /* gre_s_present */
	{ 112, 16, HEADER(gre), 16, SUPPORTS_GRE_PROTOCOL }, /* gre_protocol */
	{ 160, 24, HEADER(vxlan), 32, SUPPORTS_VXLAN_VNI }, /* vxlan_vni */
	{ 236, 20, HEADER(ipv6), 12, SUPPORTS_IPV6_FLOW_LABEL }, /* outer_ipv6_flow_label */
	{ 384, 32, HEADER(esp), 0, SUPPORTS_ESP_SPI }, /* outer_esp_spi */
};

static bool bit_at(const uint8_t *bytes, int at)
{
	return bytes[at / 8] >> (7 - at % 8) & 1;
}

static void put_bit(uint8_t *bytes, int at, bool value)
{
	uint8_t bit = 0x80 >> at % 8;

	bytes[at / 8] = value ? bytes[at / 8] | bit : bytes[at / 8] & ~bit;
}

static const uint8_t *header_of(const struct headers *h, const struct source *s)
{
	return *(const uint8_t *const *)((const uint8_t *)h + s->header);
}

static void read_part(uint8_t *part, const struct source *sources, size_t n, const struct headers *h)
{
	for (const struct source *s = sources; s < sources + n; s++) {
		const uint8_t *header = header_of(h, s);

		for (int i = 0; header && i < s->width; i++)
			put_bit(part, s->offset + i, s->bit == PRESENT || bit_at(header, s->bit + i));
	}
}

static void mark_part(uint8_t *part, const struct source *sources, size_t n)
{
	for (const struct source *s = sources; s < sources + n; s++)
		for (int i = 0; i < s->width; i++)
			put_bit(part, s->offset + i, true);
}

/* All bits that a frame can tell */
static void mark_known(uint8_t known[FTE_SIZE])
{
	memset(known, 0, FTE_SIZE);
	mark_part(known, layers, ARRAY_SIZE(layers));
	mark_part(known + FTE_PART, misc, ARRAY_SIZE(misc));
	mark_part(known + 2 * FTE_PART, layers, ARRAY_SIZE(layers));
}

/* Those of inner headers are in the next word, but for later ones, each of which is before its outer one */
static int inner_of(int support)
{
	return support < 32 ? support + 32 : support - 1;
}

void fte_put_support(uint8_t *bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(layers); i++) {
		put_bit(bits, layers[i].support, true);
		put_bit(bits, inner_of(layers[i].support), true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(misc); i++)
		put_bit(bits, misc[i].support, true);
}

int fte_set_mask(uint8_t mask[FTE_SIZE], uint32_t enable, const uint8_t *from, size_t size)
{
	uint8_t known[FTE_SIZE];

	if (enable & ~(uint32_t)(FTE_OUTER | FTE_MISC | FTE_INNER))
		return EOPNOTSUPP;
	memset(mask, 0, FTE_SIZE);
	memcpy(mask, from, size < FTE_SIZE ? size : FTE_SIZE);
	mark_known(known);
	for (int i = 0; i < FTE_SIZE; i++) {
		if (!(enable & 1u << i / FTE_PART))
			mask[i] = 0;
		if (mask[i] & ~known[i])
			return EOPNOTSUPP;
	}
	return 0;
}

bool fte_matches(const uint8_t mask[FTE_SIZE], const uint8_t value[FTE_SIZE], const struct frame *f)
{
	uint8_t is[FTE_SIZE] = { 0 };

	read_part(is, layers, ARRAY_SIZE(layers), &f->outer);
	read_part(is + FTE_PART, misc, ARRAY_SIZE(misc), &f->outer);
	read_part(is + 2 * FTE_PART, layers, ARRAY_SIZE(layers), &f->inner);
	for (int i = 0; i < FTE_SIZE; i++)
		if ((is[i] ^ value[i]) & mask[i])
			return false;
	return true;
}
