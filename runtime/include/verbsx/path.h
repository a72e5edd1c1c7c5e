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
	uint8_t port_num;		/**< of the device here, 0 is 1; not for the peer */
	uint8_t is_global;		/**< whether packets have GIDs: on Ethernet, to other subnets and to groups they always do */
	uint16_t pkey;			/**< the partition; 0 is 0xffff, that of everybody */
	uint16_t slid;			/**< LID here, with the bits that choose a path to it; none on Ethernet */
	uint16_t dlid;			/**< LID there, or of the router to another subnet; none on Ethernet */
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
	uint32_t spsn;			/**< number of the first packet from here, 24 bits, as the peer has to know it; of a 0
					     vx_path_fill() makes a random one */
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
	uint8_t retry_cnt;		/**< how often to send again when no answer comes, at most 7; 0 is 6, as soft-RoCE takes 7
					     for without end, and would never tell that a peer is gone */
	uint8_t rnr_retry;		/**< how often to send again when the peer has no receive posted; 7, which 0 is, is
					     without end */
	int access;			/**< what the peer may do here, of enum ibv_access_flags; 0 is to send */
	uint32_t mask;			/**< of enum vx_path_mask: members whose 0 is meant */
	uint32_t reserved_[7];		/**< 0, else -E2BIG; a path never changes its size */
};

/**
 * Fill what this side knows, for the members that are 0: where it begins, by the context of the QP and the port; the QP's
 * number, a random number for its first packet, the MTU of the port, and the defaults of all else.
 *
 * @param path  dgid may be known already, so that sgid goes with it; srd_atomic and drd_atomic become what the device can,
 *              where they are more; what only the other side knows stays 0
 * @param qp    one end of it
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where the path is of another context, or a peer's, or, but for datagrams, was filled for
 *         another QP, or slid is none of the port; -EADDRNOTAVAIL where it has no such sgid, or none at all on Ethernet. The path is as before then
 *
 * On Ethernet sgid is the first that is RoCE v2 with an address of IPv4, or else of IPv6, then a link-local one, then one of
 * RoCE v1, and is_global becomes 1; on InfiniBand sgid is the port's first, and is_global becomes 1 where dgid is in another
 * subnet. Packets live for what the subnet manager says, on Ethernet for 268 ms, as kernels have it for librdmacm.
 * Thread-safe.
 */
VX_EXPORT int vx_path_fill(struct vx_path *path, struct vx_qp *qp);

/**
 * Whether a path has what connecting needs: context, QP number there, and addresses of both sides.
 *
 * @return 0, or -EINVAL with vx_error() filled, which names what is missing, or says that the context is a peer's
 *
 * Thread-safe.
 */
VX_EXPORT int vx_path_complete(const struct vx_path *path);

/**
 * Make it the path from there to here: what begins with s and d changes places, and all else stays.
 *
 * What a peer has filled becomes, reversed, the way to it, but for the device and the port, which are the peer's still, and for spsn,
 * which this side has told the peer in the path that it filled itself, here:
 *
 *	there = *what_the_peer_told;
 *	vx_path_reverse(&there);
 *	there.ctx = here.ctx;
 *	there.port_num = here.port_num;
 *	there.spsn = here.spsn;
 *	vx_qp_to_rts(qp, &there);
 *
 * Thread-safe.
 */
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

VX_EXPORT int vx_path_qp_attr_sized(const struct vx_path *path, struct ibv_qp_attr *attr, size_t size);

/**
 * All that ibv_modify_qp(3) can be told of a path, for programs that make each step themselves: which of it counts is in the
 * mask of a step.
 *
 * @param path  after vx_path_fill()
 * @param attr  qp_state is IBV_QPS_INIT; what is no member of a path is as in VX_DEFAULT(ibv_qp_attr)
 * @return 0, or a negative errno with vx_error() filled: -EADDRNOTAVAIL where the port has no such sgid; -ENOENT where it
 *         does not belong to the partition
 *
 * Thread-safe.
 */
static inline int vx_path_qp_attr(const struct vx_path *path, struct ibv_qp_attr *attr)
{
	return vx_path_qp_attr_sized(path, attr, sizeof(*attr));
}

/**
 * Bring a QP of any type to INIT, where it may be given receives.
 *
 * @param path  of which port_num, pkey, qkey and access are used; what is 0 is filled as by vx_path_fill(), but for spsn.
 *              NULL: port 1, the first P_Key, Q_Key 0, and no access
 * @return 0, also where it is in INIT, but for UD with another Q_Key; or a negative errno with vx_error() filled, which says which step failed. The QP keeps
 *         the last state that it reached
 *
 * A QP that is in ERR, or beyond the state, has to go back first: vx_qp_reset(). Thread-safe. Stands for ibv_modify_qp(3).
 */
VX_EXPORT int vx_qp_to_init(struct vx_qp *qp, const struct vx_path *path);

/**
 * As vx_qp_to_init(), on to RTR, ready to receive: packets of the peer, which are counted from dpsn.
 *
 * @param path  must have dqpn, and dgid or dlid; what else is 0 is filled. NULL will do for UD, RAW_PACKET and other types
 *              that know no peer, and of what a path has for these only the port, P_Key and Q_Key are used. A QP that is in
 *              INIT gets access, pkey and qkey of the path, where they are not 0
 *
 * Stands for up to two ibv_modify_qp(3).
 */
VX_EXPORT int vx_qp_to_rtr(struct vx_qp *qp, const struct vx_path *path);

/**
 * As vx_qp_to_rtr(), on to RTS, ready to send; also from SQD and SQE. Packets are counted from spsn, 0 or not, so it has to be what the
 * peer has as dpsn: else the peer takes messages for repeated ones, acknowledges them and throws them away. Where dpsn is known and spsn
 * is not, that is -EINVAL, and the QP stays in the state it is in. So is a path to another QP, dlid or dgid than that which a QP in RTR or
 * RTS has for its peer already, and for UD a path with another Q_Key, if these are not 0; all else of a path is not looked at there, as
 * dpsn, which a QP that has received does not tell any more. Stands for up to three ibv_modify_qp(3).
 */
VX_EXPORT int vx_qp_to_rts(struct vx_qp *qp, const struct vx_path *path);

/**
 * Have a QP fail: what is posted completes with IBV_WC_WR_FLUSH_ERR, and what comes is dropped.
 *
 * @return 0, or a negative errno with vx_error() filled: -EINVAL in RESET, from where there is no way
 *
 * Thread-safe. Stands for ibv_modify_qp(3).
 */
VX_EXPORT int vx_qp_to_err(struct vx_qp *qp);

/**
 * Put a QP back to where it was when it was made, from any state: what was posted is gone, and does not complete.
 *
 * @return 0, or a negative errno with vx_error() filled
 *
 * Thread-safe. Stands for ibv_modify_qp(3).
 */
VX_EXPORT int vx_qp_reset(struct vx_qp *qp);

/** Is told of a completion. */
typedef void (*vx_wc_function)(const struct ibv_wc *wc, void *data);

/**
 * Have a QP fail, and wait until all that it was given has completed. Do so before closing it: afterwards devices differ in
 * what is left on its CQs.
 *
 * @param timeout_ms  how long at most; negative: for ever
 * @param seen        is told of each completion, those of other QPs on the same CQs among them; it may give buffers back, by
 *                    vx_pool_done() of a NULL QP. NULL: nobody is told, which only will do where nothing else completes there
 * @return 0; -EAGAIN where it took longer, and may be called again; -EBUSY where something else completes on its CQs, such as
 *         another QP, and seen is NULL, with the QP as it was; -EINVAL between vx_wr_start() and vx_wr_complete() of a checked QP,
 *         and -EDEADLK in a loop of vx_cq_start_poll() over a checked CQ, as providers would wait for that; or another negative
 *         errno; each with vx_error() filled
 *
 * Pollers and dispatchers of its CQs are not given what completes meanwhile: seen alone is told of it. One that vx_poller_arm() has found
 * before, -EBUSY, stays for vx_poller_poll().
 *
 * That a queue is empty is told by a request that is posted last, of datagrams one to the port itself: its CQ should have room for one more
 * completion of each queue than what it was given, or may overflow where that completes all at once. Where there can be none, of raw
 * packets, of an SRQ, and with iWARP, the QP is taken to be drained when nothing of it has been seen for 10 ms on CQs that were looked through;
 * with soft-RoCE, which forgets that request, for 200 ms. After -EAGAIN it completes later, with a wr_id of libverbsx, which vx_qp_drain() keeps to itself and
 * vx_cq_dispatch() skips. Of an SRQ it is the receives that it had taken that complete;
 * IBV_EVENT_QP_LAST_WQE_REACHED stays for vx_ctx_get_async_event(). One in RESET was given nothing. Nobody else may post to
 * the QP or poll its CQs meanwhile. Stands for ibv_modify_qp(3), ibv_post_send(3), ibv_post_recv(3) and ibv_poll_cq(3).
 */
VX_EXPORT int vx_qp_drain(struct vx_qp *qp, int timeout_ms, vx_wc_function seen, void *data);

/** The state that a QP was last brought to by this process; one that has failed since is in ERR: vx_qp_query() knows. UNKNOWN of NULL. */
static inline enum ibv_qp_state vx_qp_state(const struct vx_qp *qp)
{
	return qp ? vx_qp_raw(qp)->state : IBV_QPS_UNKNOWN;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_PATH_H */
