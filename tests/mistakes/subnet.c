/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What goes wrong between a port and its subnet: finding the one, and asking who administers the other. */

#include "mistakes.h"

static int find_port(const char *spec)
{
	return vx_end_ports_get(spec, &(struct vx_end_ports *){ NULL });
}

static int port_by_a_wrong_name(struct bench *b)
{
	(void)b;
	return find_port("mlx5_1");
}

static int port_that_the_device_lacks(struct bench *b)
{
	(void)b;
	return find_port("mlx5_0/2");
}

static int port_by_the_peers_guid(struct bench *b)
{
	(void)b;
	return find_port("0002:c903:00ff:ffff");
}

static int port_by_the_peers_lid(struct bench *b)
{
	(void)b;
	return find_port("4711");
}

static int path_to_nowhere(struct bench *b)
{
	return vx_path_resolve(&(struct vx_path){ .ctx = b->ctx }, -1);
}

static int path_by_lid(struct bench *b)
{
	return vx_path_resolve(&(struct vx_path){ .ctx = b->ctx, .dlid = 4711 }, -1);
}

static const union ibv_gid nobodys = { .raw = { 0xfe, 0x80, [15] = 0x99 } };

static int path_to_nobody(struct bench *b)
{
	return vx_path_resolve(&(struct vx_path){ .ctx = b->ctx, .dgid = nobodys }, -1);
}

static struct vx_path path_to_itself(struct bench *b)
{
	struct ibv_gid_entry gid;

	must(vx_ctx_choose_gid(b->ctx, 1, NULL, &gid, NULL, 0));
	return (struct vx_path){ .ctx = b->ctx, .dgid = gid.gid };
}

static int path_in_a_foreign_partition(struct bench *b)
{
	struct vx_path path = path_to_itself(b);

	path.pkey = 0x8123;
	return vx_path_resolve(&path, -1);
}

static int path_in_no_time(struct bench *b)
{
	struct vx_path path = path_to_itself(b);

	must(vx_ctx_drop_paths(b->ctx));
	return vx_path_resolve(&path, 0);
}

static int manager_that_is_gone(struct bench *b)
{
	struct vx_path path = path_to_itself(b);

	cause("mad_drop#1-:PathRecord");
	path.packet_life_time = 10; /* each time is waited for 8.4 ms, and for as long as the administrator takes */
	return vx_path_resolve(&path, -1);
}

static int no_libibumad(struct bench *b)
{
	return alone(b, "resolve", "VERBSX_IBUMAD_LIB", "/opt/ofed/lib/libibumad.so.3");
}

static int no_manager_at_all(struct bench *b)
{
	return alone(b, "resolve", "VERBSX_EMU_CONFIG", "sm_lid=0");
}

static int join(struct bench *b, struct vx_sa_group_init init)
{
	return vx_sa_group_create(b->ctx, &init, &(struct vx_sa_group *){ NULL });
}

static int group_that_is_a_port(struct bench *b)
{
	return join(b, (struct vx_sa_group_init){ .mgid = nobodys });
}

static int group_that_is_not_there(struct bench *b)
{
	return join(b, (struct vx_sa_group_init){ .mgid.raw = { 0xff, 0x12, [15] = 1 }, .only_join = true });
}

static int group_of_another_key(struct bench *b)
{
	const struct vx_sa_group_init init = { .mgid.raw = { 0xff, 0x12, 0x12, 0x34, [15] = 1 }, .qkey = 0x1111 };

	must(vx_sa_group_create(b->ctx, &init, &(struct vx_sa_group *){ NULL }));
	return join(b, (struct vx_sa_group_init){ .mgid = init.mgid, .qkey = 0x2222 });
}

static int group_on_ethernet(struct bench *b)
{
	return join(b, (struct vx_sa_group_init){ .mgid.raw = { 0xff, 0x12, [15] = 1 } });
}

static const struct mistake mistakes[] = {
	{ "a port of a device that there is not", port_by_a_wrong_name, -ENODEV, "nor address of a port; there are: mlx5_0/1 (LID" },
	{ "a port that the device lacks", port_that_the_device_lacks, -ENODEV, "mlx5_0/2: No such device" },
	{ "the GUID of the peer for one's own", port_by_the_peers_guid, -ENODEV, "0002:c903:00ff:ffff: No such device" },
	{ "the LID of the peer for one's own", port_by_the_peers_lid, -ENODEV, "4711: No such device" },
	{ "a path without a peer", path_to_nowhere, -EINVAL, "where to? dgid, or dlid, of the path is not set" },
	{ "a path to a LID that no port has", path_by_lid, -ENOENT, "DLID = 4711, Reversible = 1, NumbPath = 1: there is no such record (0x0300)" },
	{ "a path to a GID that no port of the subnet has", path_to_nobody, -ENOENT, "a GID is not valid (0x0500)" },
	{ "a path in a partition that the port is not in", path_in_a_foreign_partition, -ENOENT, "P_Key = 0x8123" },
	{ "a path that nobody may be asked for", path_in_no_time, -EAGAIN, "would have to be asked, and timeout_ms is 0" },
	{ "a path when the subnet manager is gone", manager_that_is_gone, -ETIMEDOUT, "is the subnet manager still there?" },
	{ "a path where nobody manages the subnet", no_manager_at_all, -ENETUNREACH, "port 1 has no subnet manager (sm_lid = 0" },
	{ "a path without libibumad", no_libibumad, -ENOSYS, "(named by VERBSX_IBUMAD_LIB)" },
	{ "joining a group by the GID of a port", group_that_is_a_port, -EINVAL, "mgid does not begin with 0xff" },
	{ "joining a group that is not there", group_that_is_not_there, -ENOENT, "only_join does not let one be made" },
	{ "joining a group by another Q_Key than it has", group_of_another_key, -EREMOTEIO, "Q_Key = 0x2222" },
	{ "a path by LID on Ethernet", path_by_lid, -EINVAL, "where to? dgid of the path is not set", NULL, ROCE },
	{ "joining a group of the subnet on Ethernet", group_on_ethernet, -EOPNOTSUPP, "vx_mcast_create() alone joins there", NULL, ROCE },
};

CHAPTER(subnet, "The subnet");
