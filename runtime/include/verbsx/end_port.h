/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_END_PORT_H
#define VERBSX_END_PORT_H

/**
 * @file
 * The ports of this machine's devices, by whatever they are known: people have an address, a GUID from a label or a LID from a log,
 * and programs need a device and a number.
 *
 *	vx_end_ports_get("10.0.0.1", &found);
 *	vx_ctx_open(found->ports[0]->device, &ctx);	// and found->ports[0]->port_num
 *	vx_end_ports_free(found);
 *
 * No device is opened: the kernel tells all of it in sysfs. Each call asks anew, so that nothing is out of date.
 */

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A port, as it was when it was asked for. Later releases may append fields. */
struct vx_end_port {
	char device[64];		/**< such as "mlx5_0" */
	char netdev[16];		/**< the network device on it, of Ethernet or IP over InfiniBand; "": none is known */
	uint32_t port_num;		/**< from 1 */
	uint8_t link_layer;		/**< IBV_LINK_LAYER_INFINIBAND, IBV_LINK_LAYER_ETHERNET */
	uint8_t state;			/**< of enum ibv_port_state */
	uint8_t phys_state;		/**< as that of struct ibv_port_attr */
	uint8_t lmc;			/**< it has 2^lmc LIDs, from lid on */
	uint16_t lid;			/**< 0 on Ethernet, and where no subnet manager has been */
	uint16_t sm_lid;		/**< of the subnet manager; 0: none */
	uint8_t sm_sl;			/**< the service level to it */
	uint8_t reserved_[3];		/**< 0 */
	__be64 node_guid;		/**< of the device, in the byte order of the network */
	__be64 port_guid;		/**< of the port, which its first GID ends with */
	const union ibv_gid *gids;	/**< its table, in which empty entries are zeros; the index is that of verbs */
	size_t gid_count;		/**< up to the last that is not empty */
	const uint16_t *pkeys;		/**< its table, in the byte order of the host */
	size_t pkey_count;		/**< up to the last that is not 0 */
};

/** Ports, in the order of their devices' names. */
struct vx_end_ports {
	size_t count;
	struct vx_end_port **ports;
};

/**
 * Find ports.
 *
 * @param spec  a device, "mlx5_0": all its ports; one of them, "mlx5_0/1"; the GUID of a device or a port, "0002:c903:00a1:b2c4" or
 *              0x0002c90300a1b2c4; a GID; a LID, also one of those that lmc gives a port; a network device; an address of IPv4 or
 *              IPv6 that a port has, or its network device. NULL: all ports
 * @param out   set on success, with one port at least; to be freed by vx_end_ports_free()
 * @return 0, or a negative errno with vx_error() filled: -ENODEV names the ports that there are; -ENOSYS where the kernel modules are
 *         missing
 *
 * Where several have it, such as the same LID in two subnets, it is all of them. Thread-safe.
 */
VX_EXPORT int vx_end_ports_get(const char *spec, struct vx_end_ports **out);

/** Free what vx_end_ports_get() gave. NULL is fine. */
VX_EXPORT void vx_end_ports_free(struct vx_end_ports *ports);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_END_PORT_H */
