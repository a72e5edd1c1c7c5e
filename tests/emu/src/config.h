/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the device is like: defaults, changed by VERBSX_EMU_CONFIG. */
#ifndef EMU_CONFIG_H
#define EMU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "bounds.h"

/* Addresses of a port besides those that it has by itself */
#define MAX_ADDRESSES 3

struct port_config {
	uint32_t link_layer; /* IBV_LINK_LAYER_... */
	uint32_t state; /* IBV_PORT_... */
	uint32_t mtu; /* enum ibv_mtu */
	uint32_t lid, sm_lid; /* a LID of 0: counted from the one of port 1 */
	uint32_t grh_required; /* also on InfiniBand */
	int nipv4, ngids;
	uint8_t ipv4[MAX_ADDRESSES][4];
	uint8_t gids[MAX_ADDRESSES][16];
};

struct config {
	char device[64]; /* the first one's name */
	uint64_t node_guid;
	uint32_t devices, ports; /* each device has so many */
	struct port_config port[MAX_PORTS]; /* of all devices; port 1 is the first */

	/* Limits, as in struct ibv_device_attr */
	uint32_t max_qp, max_qp_wr, max_sge, max_inline_data, max_msg_sz;
	uint32_t max_cq, max_cqe, comp_vectors;
	uint32_t max_mr, max_mw, max_pd;
	uint32_t max_dm_size;
	uint32_t max_srq, max_srq_wr, max_srq_sge;
	uint32_t max_rd_atom, max_mcast_grp;

	/* What it can do */
	uint32_t atomic, mmo, mw, odp, xrc, dc, dci_streams, signature, crypto, open_qp, tag_matching, lag;

	uint32_t one_host; /* all processes of a fabric have the same addresses */
};

extern struct config config;

/*
 * Read "key=value,..." or, without a '=' in it, the file of that name.
 * The first mistake is printed, with where it is: -1.
 */
int config_read(const char *list_or_file);

#endif
