/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_PATH_H
#define VERBSX_PATH_H

/**
 * @file
 * The way from a QP here to one there: all that either side has to know of the other to connect, and all that
 * ibv_modify_qp(3) has to be told.
 *
 *	struct vx_path path = { .dgid = peer_gid, .dqpn = peer_qpn };
 *
 * A path is plain data: it is copied by =, belongs to nobody, and points to nothing but the context. Numbers are in the
 * byte order of the host, GIDs in that of the network, as everywhere.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What of struct vx_path counts although it is 0. */
enum vx_path_mask {
	VX_PATH_SPSN = 1 << 0,			/**< spsn */
	VX_PATH_DPSN = 1 << 1,			/**< dpsn */
	VX_PATH_SRD_ATOMIC = 1 << 2,		/**< srd_atomic: none from here */
	VX_PATH_DRD_ATOMIC = 1 << 3,		/**< drd_atomic: none from there */
	VX_PATH_SACK_DELAY = 1 << 4,		/**< sack_delay: 4.096 us */
	VX_PATH_DACK_DELAY = 1 << 5,		/**< dack_delay: 4.096 us */
	VX_PATH_PACKET_LIFE_TIME = 1 << 6,	/**< packet_life_time: 4.096 us */
	VX_PATH_TIMEOUT = 1 << 7,		/**< timeout: wait for ever */
	VX_PATH_MIN_RNR_TIMER = 1 << 8,		/**< min_rnr_timer: 655.36 ms */
	VX_PATH_RETRY_CNT = 1 << 9,		/**< retry_cnt: send once */
	VX_PATH_RNR_RETRY = 1 << 10,		/**< rnr_retry: send once */
	VX_PATH_HOP_LIMIT = 1 << 11,		/**< hop_limit: nothing leaves the subnet, as with 1 */
};

/**
 * A path. Names that begin with s are about this side, those with d about the other, as in the headers of what is sent from
 * here. A member that is 0 is not known, or its default is meant, unless mask has its bit.
 */
struct vx_path {
	struct vx_ctx *ctx;		/**< the device here; not for the peer */
	uint8_t port_num;		/**< of the device here; 0 is 1 */
	uint8_t is_global;		/**< whether packets have GIDs: on Ethernet they always do */
	uint16_t pkey;			/**< the partition; 0 is 0xffff, that of everybody */
	uint16_t slid;			/**< LID here, with the bits that choose a path to it; none on Ethernet */
	uint16_t dlid;			/**< LID there */
	union ibv_gid sgid;		/**< GID here; zeros: not known */
	union ibv_gid dgid;		/**< GID there; zeros: not known */
	uint32_t gid_type;		/**< of enum ibv_gid_type: of sgid, where a port has the same GID twice, RoCE v1 and v2;
					     0 takes v2 on Ethernet */
	uint32_t flow_label;		/**< 20 bits that keep packets on one way; of RoCE v2 the UDP source port comes of it */
	uint8_t sl;			/**< service level, 4 bits */
	uint8_t static_rate;		/**< of enum ibv_rate; 0 is that of the port */
	uint8_t traffic_class;		/**< on RoCE v2 DSCP and ECN bits of the IP header */
	uint8_t hop_limit;		/**< how many routers may be passed; 0 is 64 */
	uint32_t sqpn;			/**< QP number here, 24 bits */
	uint32_t dqpn;			/**< QP number there, 24 bits */
	uint32_t spsn;			/**< number of the first packet from here, 24 bits; 0 is a random one */
	uint32_t dpsn;			/**< number of the first packet from there, 24 bits */
	uint32_t qkey;			/**< key of datagrams; the upper bit needs CAP_NET_RAW */
	uint8_t path_mtu;		/**< of enum ibv_mtu; 0 is that of the port */
	uint8_t srd_atomic;		/**< reads and atomics from here under way at a time; 0 is what the device can */
	uint8_t drd_atomic;		/**< reads and atomics from there under way at a time; 0 is what the device can */
	uint8_t packet_life_time;	/**< of a packet on its way, 4.096 us * 2^n; 0 is what the subnet says */
	uint8_t sack_delay;		/**< until this side acknowledges, 4.096 us * 2^n; 0 is what the device says */
	uint8_t dack_delay;		/**< until the other side acknowledges, 4.096 us * 2^n; 0 is sack_delay */
	uint8_t timeout;		/**< until something is sent again, 4.096 us * 2^n; 0 comes of packet_life_time and
					     dack_delay */
	uint8_t min_rnr_timer;		/**< how long the peer waits where no receive was posted here, by the table in
					     ibv_modify_qp(3); 0 is 12, which is 0.64 ms */
	uint8_t retry_cnt;		/**< how often to send again when no answer comes, at most 7, which 0 is */
	uint8_t rnr_retry;		/**< how often to send again when the peer has no receive posted; 7, which 0 is, is
					     without end */
	int access;			/**< what the peer may do here, of enum ibv_access_flags; 0 is to send */
	uint32_t mask;			/**< of enum vx_path_mask: members whose 0 is meant */
	uint32_t reserved_[7];		/**< 0; a path never changes its size */
};

/** Make it the path from there to here: what begins with s and d changes places, and all else stays. Thread-safe. */
VX_EXPORT void vx_path_reverse(struct vx_path *path);

/** As vx_path_reverse(), and what is global gets a hop limit of 255: an answer comes back however far it has to go. */
VX_EXPORT void vx_path_reply(struct vx_path *path);

/**
 * How long to wait for an acknowledgement, in 4.096 us * 2^n: path->timeout, or else what covers two packets on their
 * way and the time that the peer takes.
 *
 * @return at most 31, for struct ibv_qp_attr; 0, for ever, where VX_PATH_TIMEOUT says so
 *
 * Thread-safe.
 */
VX_EXPORT uint8_t vx_path_timeout(const struct vx_path *path);

/**
 * The UDP source port that RoCE v2 packets with flow_label come from, 0xc000 or more. With a flow label of 0 devices choose
 * one of their own.
 *
 * Thread-safe. Stands for ibv_flow_label_to_udp_sport(3).
 */
VX_EXPORT uint16_t vx_path_udp_sport(const struct vx_path *path);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_PATH_H */
