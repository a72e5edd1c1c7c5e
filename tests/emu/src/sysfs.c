/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include "sysfs.h"

#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"
#include "trace.h"

/* Outlives an exec, after which the process is still the one that has to clean up */
#define OWNER "VERBSX_EMU_SYSFS_OWNER"

#define DEVICE "class/infiniband/" DEVICE_NAME "/"
#define PORT DEVICE "ports/1/"
#define UVERBS "class/infiniband_verbs/"
#define NO_GID "0000:0000:0000:0000:0000:0000:0000:0000"
#define NO_PKEY "0x0000"
#define MODALIAS "pci:v000015B3d0000101Dsv000015B3sd00000040bc02sc07i00"

static const struct file {
	const char *path, *text;
} files[] = {
	{ UVERBS "abi_version", "6" },
	{ UVERBS "uverbs0/ibdev", DEVICE_NAME },
	{ UVERBS "uverbs0/dev", "1:3" }, /* /dev/null, which is what gets opened */
	{ UVERBS "uverbs0/abi_version", "1" },
	{ DEVICE "node_type", "1: CA" },
	{ DEVICE "node_guid", NODE_GUID_TEXT },
	{ DEVICE "sys_image_guid", NODE_GUID_TEXT },
	{ DEVICE "node_desc", "verbsx-emu" },
	{ DEVICE "fw_ver", "22.99.0001" },
	{ DEVICE "hca_type", "MT4125" },
	{ DEVICE "hw_rev", "0" },
	{ DEVICE "board_id", "EMU0000000001" },
	{ DEVICE "device/modalias", MODALIAS },
	{ PORT "state", "4: ACTIVE" },
	{ PORT "phys_state", "5: LinkUp" },
	{ PORT "rate", "100 Gb/sec (4X EDR)" },
	{ PORT "link_layer", "InfiniBand" },
	{ PORT "lid", PORT_LID_TEXT },
	{ PORT "lid_mask_count", "0" },
	{ PORT "sm_lid", SM_LID_TEXT },
	{ PORT "sm_sl", "0" },
	{ PORT "cap_mask", "0x00000000" },
	{ PORT "gids/0", PORT_GID_TEXT },
	{ PORT "gids/1", NO_GID },
	{ PORT "gids/2", NO_GID },
	{ PORT "gids/3", NO_GID },
	{ PORT "gid_attrs/types/0", "IB/RoCE v1" },
	{ PORT "pkeys/0", "0xffff" },
	{ PORT "pkeys/1", NO_PKEY },
	{ PORT "pkeys/2", NO_PKEY },
	{ PORT "pkeys/3", NO_PKEY },
};

#define LONGEST_PATH 128

static char root[PATH_MAX];
static size_t root_length;
static pid_t owner;

/* The full path of a file, in a buffer of PATH_MAX + LONGEST_PATH */
static void locate(char *full, const struct file *f)
{
	memcpy(full, root, root_length);
	full[root_length] = '/';
	strcpy(full + root_length + 1, f->path);
}

static void make_parents(char *full)
{
	for (char *slash = full + root_length + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(full, 0755);
	}
}

static bool write_file(const struct file *f)
{
	char full[PATH_MAX + LONGEST_PATH];
	FILE *out;
	int rc;

	locate(full, f);
	make_parents(full);
	out = fopen(full, "we");
	if (!out)
		return false;
	rc = fprintf(out, "%s\n", f->text);
	return !fclose(out) && rc > 0;
}

static bool make_root(void)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(root, sizeof(root), "%s/verbsx-emu.XXXXXX", tmp && *tmp ? tmp : P_tmpdir);

	if (n >= (int)sizeof(root) || !mkdtemp(root))
		return false;
	root_length = n;
	owner = getpid();
	return true;
}

static bool write_files(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!write_file(&files[i]))
			return false;
	return true;
}

static void announce(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", owner);
	setenv(OWNER, pid, 1);
	setenv("SYSFS_PATH", root, 1);
}

/* The tree that this process made before it called exec */
static void adopt(const char *path)
{
	const char *pid = getenv(OWNER);
	size_t n = strlen(path);

	if (!pid || atoi(pid) != getpid() || n >= sizeof(root))
		return;
	memcpy(root, path, n + 1);
	root_length = n;
	owner = getpid();
}

void sysfs_create(void)
{
	const char *path = getenv("SYSFS_PATH");

	if (path && *path) {
		adopt(path);
	} else if (make_root() && write_files()) {
		announce();
	} else {
		complain("cannot make the sysfs tree %s: %m", root);
		sysfs_remove();
	}
}

bool sysfs_is_mine(void)
{
	return owner && owner == getpid();
}

/* From the innermost out; a directory goes with the last path that leads through it */
static void remove_parents(char *full)
{
	char *slash;

	while ((slash = strrchr(full, '/')) && slash > full + root_length) {
		*slash = 0;
		rmdir(full);
	}
}

void sysfs_remove(void)
{
	char full[PATH_MAX + LONGEST_PATH];

	if (!sysfs_is_mine())
		return;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		locate(full, &files[i]);
		unlink(full);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		locate(full, &files[i]);
		remove_parents(full);
	}
	rmdir(root);
}
