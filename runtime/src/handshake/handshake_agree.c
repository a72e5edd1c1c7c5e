/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What two sides tell each other of a QP, whether they fit together, and what they agree on. */

#include <stdio.h>

#include <verbsx/enums.h>

#include "handshake.h"
#include "path/path.h"

static uint8_t less(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static bool are_peers(uint8_t one, uint8_t other)
{
	if (one == IBV_QPT_XRC_SEND || one == IBV_QPT_XRC_RECV)
		return one + other == IBV_QPT_XRC_SEND + IBV_QPT_XRC_RECV;
	return one == other && (one == IBV_QPT_RC || one == IBV_QPT_UC || one == IBV_QPT_UD);
}

static const char *word_of(const char *name, size_t prefix)
{
	return name ? name + prefix : "none that is known here";
}

static const char *type_word(uint8_t type)
{
	return word_of(vx_ibv_qp_type_name(type), sizeof("IBV_QPT_") - 1);
}

/* What no QP can have: devices would make something else of it. */
static bool is_impossible(const struct vx_wire_entry *theirs, char *why, size_t len)
{
	const struct vx_path *path = &theirs->path;
	const bool is_qpn = path->sqpn > VX_24_BITS;

	if (theirs->flags & VX_WIRE_MUST_KNOW)
		return snprintf(why, len, "flags 0x%x ask for something that only a newer libverbsx knows", theirs->flags) > 0;
	if (is_qpn || path->spsn > VX_24_BITS)
		return snprintf(why, len, "%s 0x%x has more than 24 bits", is_qpn ? "qpn" : "psn", is_qpn ? path->sqpn : path->spsn) > 0;
	return (path->path_mtu < IBV_MTU_256 || path->path_mtu > IBV_MTU_4096) &&
	       snprintf(why, len, "mtu %u is none of enum ibv_mtu", path->path_mtu) > 0;
}

/* A device drops what is of another partition, and tells nobody. 0 is not known. */
static bool is_of_another_partition(uint16_t own, uint16_t theirs, char *why, size_t len)
{
	if (!own || !theirs)
		return false;
	if ((own ^ theirs) & (uint16_t)~VX_FULL_MEMBER)
		return snprintf(why, len, "P_Key 0x%04x here and 0x%04x there are of different partitions", own, theirs) > 0;
	return !((own | theirs) & VX_FULL_MEMBER) &&
	       snprintf(why, len, "both have P_Key 0x%04x as limited members of its partition, who do not hear each other", own) > 0;
}

static bool is_of_another_kind(const struct vx_wire_entry *own, const struct vx_wire_entry *theirs, char *why, size_t len)
{
	if (!are_peers(own->qp_type, theirs->qp_type))
		return snprintf(why, len, "type %s here and %s there are no peers", type_word(own->qp_type), type_word(theirs->qp_type)) > 0;
	if (own->link_layer != theirs->link_layer)
		return snprintf(why, len, "one port is of InfiniBand, and the other of Ethernet") > 0;
	return own->path.gid_type != theirs->path.gid_type && snprintf(why, len, "one GID is of RoCE v1, and the other of v2") > 0;
}

bool vx_shake_fits(const struct vx_wire_entry *own, const struct vx_wire_entry *theirs, char *why, size_t len)
{
	return !is_impossible(theirs, why, len) && !is_of_another_partition(own->path.pkey, theirs->path.pkey, why, len) &&
	       !is_of_another_kind(own, theirs, why, len);
}

/* A member whose 0 has a bit in the mask. */
static void agree_on(struct vx_path *path, uint32_t bit, uint8_t *member, uint8_t value)
{
	*member = value;
	path->mask |= value ? 0 : bit;
}

/* What the program here asked for stays, where it said so. */
static bool has_asked_for_hops(const struct vx_path *asked)
{
	return asked && (asked->hop_limit || asked->mask & VX_PATH_HOP_LIMIT);
}

void vx_shake_join(struct vx_path *path, const struct vx_path *theirs, const struct vx_path *asked)
{
	path->dgid = theirs->sgid;
	path->is_global |= theirs->is_global; /* a port that needs GIDs drops packets that have none */
	path->dlid = theirs->slid;
	path->dqpn = theirs->sqpn;
	path->dpsn = theirs->spsn;
	path->mask |= theirs->spsn ? 0 : VX_PATH_DPSN;
	path->path_mtu = less(path->path_mtu, theirs->path_mtu);
	agree_on(path, VX_PATH_SRD_ATOMIC, &path->srd_atomic, less(path->srd_atomic, theirs->drd_atomic));
	agree_on(path, VX_PATH_DRD_ATOMIC, &path->drd_atomic, less(path->drd_atomic, theirs->srd_atomic));
	agree_on(path, VX_PATH_DACK_DELAY, &path->dack_delay, theirs->sack_delay);
	if (theirs->packet_life_time > path->packet_life_time)
		path->packet_life_time = theirs->packet_life_time;
	if (!path->sl)
		path->sl = theirs->sl;
	if (!path->traffic_class)
		path->traffic_class = theirs->traffic_class;
	if (!path->flow_label)
		path->flow_label = theirs->flow_label;
	if (!has_asked_for_hops(asked)) /* 0 there is meant: what is not known is filled in before it is sent */
		agree_on(path, VX_PATH_HOP_LIMIT, &path->hop_limit, theirs->hop_limit);
}
