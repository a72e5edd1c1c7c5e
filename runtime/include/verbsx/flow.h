/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_FLOW_H
#define VERBSX_FLOW_H

/**
 * @file
 * Flows: which packets a QP is to get, and what is to be done with them.
 *
 *	const struct vx_flow_spec specs[] = {
 *		{ .type = IBV_FLOW_SPEC_ETH, .val.eth = { .dst_mac = "02:00:0a:00:00:01" } },
 *		{ .type = IBV_FLOW_SPEC_IPV4, .val.ipv4 = { .src_ip = "10.1.0.0/16" } },
 *		{ .type = IBV_FLOW_SPEC_UDP, .val.tcp_udp = { .dst_port = 4791 } },
 *		{ .type = IBV_FLOW_SPEC_ACTION_COUNT, .counters = counters },
 *	};
 *
 *	vx_flow_create(qp, &(struct vx_flow_init){ .port_num = 1, .specs = specs, .count = 4 }, &flow);
 *
 * A field that is set has to match in all of its bits, unless mask says in which, and then bits outside of mask do not
 * count; one that is zero or NULL does not count, unless mask has bits of it. Numbers are in the byte order of the host,
 * addresses are text.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of an Ethernet header: IBV_FLOW_SPEC_ETH. */
struct vx_flow_eth {
	const char *dst_mac;		/**< "02:00:0a:00:00:01" */
	const char *src_mac;
	uint16_t ether_type;		/**< 0x0800 for IPv4 */
	uint16_t vlan_tag;		/**< priority, 3 bits; CFI, 1 bit; VLAN, 12 bits */
};

/** Of an IPv4 header: IBV_FLOW_SPEC_IPV4, which has the addresses only, and IBV_FLOW_SPEC_IPV4_EXT. */
struct vx_flow_ipv4 {
	const char *src_ip;		/**< "10.0.0.1", or with the length of a prefix "10.0.0.1/24" */
	const char *dst_ip;
	uint8_t proto;			/**< 17 for UDP */
	uint8_t tos;
	uint8_t ttl;
	uint8_t flags;			/**< bit 0 reserved, 1: do not fragment, 2: more fragments */
};

/** Of an IPv6 header: IBV_FLOW_SPEC_IPV6. */
struct vx_flow_ipv6 {
	const char *src_ip;		/**< "fe80::1", or with the length of a prefix "fe80::/64" */
	const char *dst_ip;
	uint32_t flow_label;		/**< 20 bits */
	uint8_t next_hdr;		/**< 17 for UDP */
	uint8_t traffic_class;
	uint8_t hop_limit;
};

/** Of a TCP or UDP header: IBV_FLOW_SPEC_TCP, IBV_FLOW_SPEC_UDP. */
struct vx_flow_tcp_udp {
	uint16_t dst_port;
	uint16_t src_port;
};

/** Of an ESP header: IBV_FLOW_SPEC_ESP. */
struct vx_flow_esp {
	uint32_t spi;
	uint32_t seq;
};

/** Of a GRE header: IBV_FLOW_SPEC_GRE. */
struct vx_flow_gre {
	uint16_t c_ks_res0_ver;		/**< its first 16 bits: 0x8000 checksum, 0x2000 key, 0x1000 sequence, 0x7 version */
	uint16_t protocol;
	uint32_t key;
};

/** Of an MPLS header: IBV_FLOW_SPEC_MPLS. */
struct vx_flow_mpls {
	uint32_t label;			/**< all of it: label << 12 | traffic class << 9 | bottom of stack << 8 | TTL */
};

/** Of a VXLAN header: IBV_FLOW_SPEC_VXLAN_TUNNEL. */
struct vx_flow_tunnel {
	uint32_t tunnel_id;		/**< the VNI, 24 bits */
};

/**
 * What is looked at in a header, or by which mask: of the header that the spec is of. What is set of another is refused, so that
 * a wrong type steers nothing that was not meant.
 */
struct vx_flow_filter {
	struct vx_flow_eth eth;
	struct vx_flow_ipv4 ipv4;
	struct vx_flow_ipv6 ipv6;
	struct vx_flow_tcp_udp tcp_udp;
	struct vx_flow_esp esp;
	struct vx_flow_gre gre;
	struct vx_flow_mpls mpls;
	struct vx_flow_tunnel tunnel;
	uint32_t more[15];		/**< room for headers to come; zero */
};

/** A header that packets must have, or what is to be done with them. */
struct vx_flow_spec {
	uint32_t type;			/**< of enum ibv_flow_spec_type; | IBV_FLOW_SPEC_INNER: behind a tunnel's header */
	struct vx_flow_filter val;
	struct vx_flow_filter mask;	/**< a zero field means a full mask where val is set; addresses are text,
					     "ff:ff:ff:00:00:00" */
	uint32_t tag_id;		/**< of IBV_FLOW_SPEC_ACTION_TAG: what completions have, 24 bits with mlx5 */
	struct vx_flow_action *action;	/**< of IBV_FLOW_SPEC_ACTION_HANDLE */
	struct vx_counters *counters;	/**< of IBV_FLOW_SPEC_ACTION_COUNT; IBV_FLOW_SPEC_ACTION_DROP has no field */
};

/** How many specs a flow may have; the kernel takes ten. */
#define VX_FLOW_MAX_SPECS 32

/** What a new flow is to be like. */
struct vx_flow_init {
	uint32_t comp_mask;		/**< no bits yet, so 0 */
	enum ibv_flow_attr_type type;	/**< 0 is IBV_FLOW_ATTR_NORMAL: what matches specs; the other types need none */
	uint16_t priority;		/**< 0 comes first */
	uint32_t port_num;		/**< from 1, which 0 stands for */
	uint32_t flags;			/**< of enum ibv_flow_flags */
	const struct vx_flow_spec *specs; /**< headers, all of which must match, and what is to be done; without headers
					       every packet of the port matches */
	size_t count;			/**< of specs */
};

VX_EXPORT int vx_flow_create_sized(struct vx_qp *parent, const struct vx_flow_init *init, size_t size, size_t spec_size, struct vx_flow **out);

/**
 * Have a QP receive packets of a kind, or have something else done with them.
 *
 * @param parent  of type RAW_PACKET or UD; it has to be in RTR or RTS to receive
 * @param init    what matches; NULL is all packets of port 1
 * @return 0, or a negative errno with vx_error() filled: -EINVAL names the field that is wrong, such as
 *         specs[1].val.ipv4.dst_ip, and what is wrong with it, or one that does not go with its type
 *
 * Counters are told before what to count, by vx_counters_attach_point_flow(counters, &attr, NULL). Closing the QP, an
 * action or counters closes the flow first. Thread-safe. Stands for ibv_create_flow(3).
 */
static inline int vx_flow_create(struct vx_qp *parent, const struct vx_flow_init *init, struct vx_flow **out)
{
	return vx_flow_create_sized(parent, init, sizeof(*init), sizeof(*init->specs), out);
}

/**
 * Take over a flow that was made without libverbsx: vx_close() destroys it, vx_give_back() gives it back.
 *
 * @param parent  the QP that it was made for
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where it is of another context
 *
 * Thread-safe, and so is vx_flow_borrow().
 */
VX_EXPORT int vx_flow_adopt(struct vx_qp *parent, struct ibv_flow *raw, struct vx_flow **out);

/** Use a flow of somebody else: as vx_flow_adopt(), but left alone by vx_close(). */
VX_EXPORT int vx_flow_borrow(struct vx_qp *parent, struct ibv_flow *raw, struct vx_flow **out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_FLOW_H */
