/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Opening a device, and asking it. */

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/config.h>

#include "mistakes.h"

#define NODE "/dev/infiniband/uverbs0"
#define PROVIDER "/etc/libibverbs.d/rxe.driver"
#define NOBODY 65534

static int misspelled(struct bench *b)
{
	(void)b;
	return vx_ctx_open("mlx5_O", &(struct vx_ctx *){ NULL });
}

static int nameless(struct bench *b)
{
	(void)b;
	return vx_ctx_open(NULL, &(struct vx_ctx *){ NULL });
}

static int before_the_list(struct bench *b)
{
	(void)b;
	return vx_ctx_open_index(-1, &(struct vx_ctx *){ NULL });
}

static int past_the_list(struct bench *b)
{
	(void)b;
	return vx_ctx_open_index(5, &(struct vx_ctx *){ NULL });
}

/* What rdma-core returned is no failure, or it was not reached. */
static int in_truth(struct bench *b, const char *raw, int rc)
{
	snprintf(b->raw, sizeof(b->raw), "%s", raw);
	return rc;
}

static int no_modules(struct bench *b)
{
	return alone(b, "mlx5_0", "SYSFS_PATH", "/nonexistent");
}

#if VERBSX_LOADER
static int library_elsewhere(struct bench *b)
{
	return in_truth(b, "not called", alone(b, "mlx5_0", "VERBSX_IBVERBS_LIB", "/opt/ofed/lib/libibverbs.so.1"));
}

static int old_library(struct bench *b)
{
	return in_truth(b, "not called", alone(b, "import", "VERBSX_IBVERBS_LIB", OLD_LIBIBVERBS));
}

/* The file that this process has mapped. */
static void find_libibverbs(char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	path[0] = '\0';
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/libibverbs.so.1"))
			snprintf(path, size, "%.*s", (int)strcspn(strchr(line, '/'), "\n"), strchr(line, '/'));
	fclose(maps);
	must(path[0] ? 0 : -ENOENT);
}

static int no_library(struct bench *b)
{
	char path[4096], away[4096 + sizeof(".away")];
	int rc;

	find_libibverbs(path, sizeof(path));
	snprintf(away, sizeof(away), "%s.away", path);
	must(rename(path, away) ? -errno : 0);
	rc = alone(b, "rxe0", NULL, NULL);
	must(rename(away, path) ? -errno : 0);
	return in_truth(b, "not called", rc);
}
#endif

static int no_provider(struct bench *b)
{
	int rc;

	must(rename(PROVIDER, "/etc/rxe.driver") ? -errno : 0);
	rc = alone(b, "rxe0", NULL, NULL);
	must(rename("/etc/rxe.driver", PROVIDER) ? -errno : 0);
	return in_truth(b, "a list without devices", rc);
}

static int open_first(struct bench *b)
{
	(void)b;
	return vx_ctx_open_index(0, &(struct vx_ctx *){ NULL });
}

static int no_node(struct bench *b)
{
	int rc;

	must(rename(NODE, NODE ".away") ? -errno : 0);
	rc = open_first(b);
	must(rename(NODE ".away", NODE) ? -errno : 0);
	return in_truth(b, "a list without devices", rc);
}

static int no_permission(struct bench *b)
{
	struct stat about;
	int rc;

	must(stat(NODE, &about) || chmod(NODE, 0600) || seteuid(NOBODY) ? -errno : 0);
	rc = open_first(b);
	must(seteuid(0) || chmod(NODE, about.st_mode & 07777) ? -errno : 0);
	return rc;
}

static int import(int fd)
{
	int at = dup2(fd, 500), rc;

	close(fd);
	rc = vx_ctx_import(at, &(struct vx_ctx *){ NULL });
	close(at);
	return rc;
}

static int device_from_null(struct bench *b)
{
	(void)b;
	return import(open("/dev/null", O_RDWR));
}

static int device_from_a_directory(struct bench *b)
{
	(void)b;
	return import(open("/dev", O_RDONLY));
}

static int closed_device(struct bench *b)
{
	(void)b;
	return vx_ctx_import(500, &(struct vx_ctx *){ NULL });
}

/* What the program has closed, by a wrong number say; and what has come there since. */
static int pd_of_closed(struct bench *b, int (*instead)(int fd))
{
	struct vx_ctx *ctx;
	int kept, fd, rc;

	must(vx_ctx_import(vx_ctx_raw(b->ctx)->cmd_fd, &ctx));
	kept = fcntl(vx_ctx_raw(ctx)->cmd_fd, F_DUPFD_CLOEXEC, 600);
	fd = dup2(vx_ctx_raw(ctx)->cmd_fd, 500);
	close(vx_ctx_raw(ctx)->cmd_fd);
	vx_ctx_raw(ctx)->cmd_fd = fd;
	must(instead(fd));
	rc = vx_pd_create(ctx, NULL, &(struct vx_pd *){ NULL });
	must(dup2(kept, fd) < 0 ? -errno : 0);
	close(kept);
	vx_close(ctx);
	return rc;
}

static int put_null_at(int fd)
{
	int null = open("/dev/null", O_RDWR);

	return dup2(null, fd) < 0 || close(null) ? -errno : 0;
}

static int pd_of_closed_descriptor(struct bench *b)
{
	return pd_of_closed(b, close);
}

static int pd_of_another_descriptor(struct bench *b)
{
	return pd_of_closed(b, put_null_at);
}

static struct vx_ctx *guest(struct bench *b)
{
	struct vx_ctx *ctx;

	must(vx_ctx_import(vx_ctx_raw(b->ctx)->cmd_fd, &ctx));
	return ctx;
}

static int unknown_pd(struct bench *b)
{
	struct vx_ctx *ctx = guest(b);
	int rc = vx_pd_import(ctx, 999, &(struct vx_pd *){ NULL });

	vx_close(ctx);
	return rc;
}

static int unknown_mr(struct bench *b)
{
	struct vx_ctx *ctx = guest(b);
	struct vx_pd *pd;
	int rc;

	must(vx_pd_import(ctx, vx_pd_raw(b->pd)->handle, &pd));
	rc = vx_mr_import(pd, 12345, &(struct vx_mr *){ NULL });
	vx_close(ctx);
	return rc;
}

static int unknown_dm(struct bench *b)
{
	struct vx_ctx *ctx = guest(b);
	int rc = vx_dm_import(ctx, 777, &(struct vx_dm *){ NULL });

	vx_close(ctx);
	return rc;
}

#if VX_RDMA_CORE < 62
static int too_new(struct bench *b)
{
	return vx_ctx_query_port_speed(b->ctx, 1, &(uint64_t){ 0 });
}
#endif

static int port_0(struct bench *b)
{
	return vx_ctx_query_port(b->ctx, 0, &(struct ibv_port_attr){ 0 });
}

static int port_2(struct bench *b)
{
	return vx_ctx_query_port(b->ctx, 2, &(struct ibv_port_attr){ 0 });
}

static int empty_gid(struct bench *b)
{
	return vx_ctx_query_gid(b->ctx, 1, 3, &(struct ibv_gid_entry){ 0 });
}

static int gid_past_the_table(struct bench *b)
{
	return vx_ctx_query_gid(b->ctx, 1, 300, &(struct ibv_gid_entry){ 0 });
}

static int gids_without_room(struct bench *b)
{
	struct ibv_gid_entry entry;
	size_t count;

	return vx_ctx_query_gid_table(b->ctx, &entry, 0, &count);
}

static int pkey_past_the_table(struct bench *b)
{
	return vx_ctx_query_pkey(b->ctx, 1, 300, &(uint16_t){ 0 });
}

static int pkey_of_a_negative_index(struct bench *b)
{
	return vx_ctx_query_pkey(b->ctx, 1, -1, &(uint16_t){ 0 });
}

static int unknown_pkey(struct bench *b)
{
	return vx_ctx_get_pkey_index(b->ctx, 1, 0x1234, &(uint32_t){ 0 });
}

static int pkey_of_port_9(struct bench *b)
{
	return vx_ctx_get_pkey_index(b->ctx, 9, 0xffff, &(uint32_t){ 0 });
}

static int unknown_clock(struct bench *b)
{
	return vx_ctx_query_rt_values_ex(b->ctx, &(struct ibv_values_ex){ .comp_mask = 0x80 });
}

static int mac_on_infiniband(struct bench *b)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	uint8_t mac[6];
	uint16_t vid;

	return vx_ctx_resolve_eth_l2_from_gid(b->ctx, &attr, mac, &vid);
}

static int misspelled_state(struct bench *b)
{
	enum ibv_qp_state value;

	(void)b;
	return vx_ibv_qp_state_parse("IBV_QPS_RTZ", &value);
}

static int misspelled_flag(struct bench *b)
{
	int64_t value;

	(void)b;
	return vx_enum_parse(vx_enum_find("ibv_access_flags"), "LOCAL_WRITE|REMOTE_WRIT", &value);
}

static int mtu_in_bytes(struct bench *b)
{
	enum ibv_mtu value;

	(void)b;
	return vx_ibv_mtu_parse("1500", &value);
}

static int two_states(struct bench *b)
{
	enum ibv_qp_state value;

	(void)b;
	return vx_ibv_qp_state_parse("RTS|RTR", &value);
}

static const struct mistake mistakes[] = {
	{ "a letter for a digit in the device's name", misspelled, -ENODEV, "did you mean mlx5_0?" },
	{ "a device's name from a variable that is not set", nameless, -EINVAL, "name is NULL" },
	{ "the sixth device where there is one", past_the_list, -ENODEV, "the devices are: mlx5_0" },
	{ "a device by the -1 of a search that found none", before_the_list, -ENODEV, "index = -1, but the devices are: mlx5_0" },
	{ "a host on which no kernel module was loaded", no_modules, -ENOSYS, "the kernel modules are not loaded (modprobe ib_uverbs" },
	{ "a container that was not given the device", no_node, -ENODEV, "the kernel has rxe0, but " NODE " does not exist", NULL, SOFT_ROCE },
	{ "a device that is for root", no_permission, -EACCES, "no permission for " NODE " (mode 0600, user 0", NULL, SOFT_ROCE },
	{ "a host without the package of providers", no_provider, -ENODEV,
	  "the kernel has rxe0, but libibverbs has no driver for it (Debian: package ibverbs-providers)", NULL, SOFT_ROCE },
#if VERBSX_LOADER
	{ "a host without rdma-core", no_library, -ENOSYS, "it is in the package libibverbs1", NULL, SOFT_ROCE },
	{ "a libibverbs that is not there any more", library_elsewhere, -ENOSYS,
	  "/opt/ofed/lib/libibverbs.so.1: cannot open shared object file" },
	{ "a device of another process, with an old rdma-core", old_library, -EOPNOTSUPP, "needs rdma-core 31, this is 25" },
#endif
	{ "a device of another process that is none", device_from_null, -ENODEV, "cmd_fd = 500 is /dev/null, no RDMA device" },
	{ "a PD, where the program has closed the context's descriptor", pd_of_closed_descriptor, -EBADF, "cmd_fd of the context = 500 is no open file" },
	{ "a PD, where another file has the context's descriptor", pd_of_another_descriptor, -ENOTTY, "cmd_fd of the context = 500 is /dev/null, no RDMA device" },
	{ "a device of another process that is a directory", device_from_a_directory, -EINVAL, "cmd_fd = 500 is /dev, no RDMA device" },
	{ "a device of another process whose descriptor was not sent", closed_device, -EBADF, "cmd_fd = 500 is no open file" },
	{ "a PD of another process by a wrong handle", unknown_pd, -ENOENT, "handle = 999 is no PD of the process that" },
	{ "an MR of another process by a wrong handle", unknown_mr, -ENOENT, "handle = 12345 is no MR of the process that" },
	{ "device memory of another process by a wrong handle", unknown_dm, -ENOENT, "handle = 777 is no piece of device memory of the" },
#if VX_RDMA_CORE < 62
	{ "a call that the headers are too old for", too_new, -EOPNOTSUPP, "needs rdma-core 62" },
#endif
	{ "ports counted from 0", port_0, -EINVAL, "port_num is 0, and ports are counted from 1" },
	{ "the second port of a device that has one", port_2, -EINVAL, "port_num = 2, but the device allows phys_port_cnt = 1" },
	{ "a GID that is not set", empty_gid, -ENODATA, "GID 3 of port 1 is empty" },
	{ "a GID past the end of the table", gid_past_the_table, -EINVAL, "gid_tbl_len = 4" },
	{ "all GIDs, into an array without room for them", gids_without_room, -EINVAL, "max_entries = 0 is too small" },
	{ "a P_Key past the end of the table", pkey_past_the_table, -EINVAL, "pkey_tbl_len = 4" },
	{ "a P_Key at an index that was not found", pkey_of_a_negative_index, -EINVAL, "index = 4294967295, but the port has pkey_tbl_len = 4" },
	{ "a P_Key that the subnet manager did not give", unknown_pkey, -ENOENT, "port 1 has no P_Key 0x1234" },
	{ "a P_Key of a port that is not there", pkey_of_port_9, -EINVAL, "port_num = 9, but the device allows phys_port_cnt = 1" },
	{ "a clock that nobody knows", unknown_clock, -EINVAL, "comp_mask has 0x80, which is none of enum ibv_values_mask" },
	{ "a MAC behind a GID of InfiniBand", mac_on_infiniband, -EINVAL, "port 1 is no Ethernet port" },
	{ "a state misspelled in a configuration file", misspelled_state, -EINVAL, "IBV_QPS_RTR or IBV_QPS_RTS?" },
	{ "a flag misspelled in a configuration file", misspelled_flag, -EINVAL, "REMOTE_WRITE" },
	{ "the MTU of Ethernet in a configuration file", mtu_in_bytes, -EINVAL, "there are IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096" },
	{ "two states in a configuration file", two_states, -EINVAL, "has a '|', which joins flags, and this enum has none" },
};

CHAPTER(opening, "Opening and asking");
