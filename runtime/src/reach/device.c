/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The list of devices, and why one could not be found or opened. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <verbsx/device.h>

#include "error/fail.h"
#include "reach.h"
#include "text/nearest.h"
#include "traced.h"

#define LONGEST_LIST 256
#define DEVICE_NODES "/dev/infiniband"
#define NO_NODE "(a container needs --device=" DEVICE_NODES "; a machine, udev)"

/* A list of names in one line; ends in "..." where it has no more room. */
struct names {
	char text[LONGEST_LIST];
	size_t length;
};

static void add_name(struct names *names, const char *name)
{
	static const char more[] = ", ...";
	const char *comma = names->length ? ", " : "";
	size_t room = sizeof(names->text) - names->length;
	bool fits = strlen(comma) + strlen(name) + sizeof(more) <= room;

	if (fits || (names->length && names->text[names->length - 1] != '.'))
		names->length += (size_t)snprintf(names->text + names->length, room, "%s%s", fits ? comma : more,
						  fits ? name : "");
}

const char *vx_sysfs(void)
{
	const char *path = secure_getenv("SYSFS_PATH");

	return path ? path : "/sys";
}

int vx_class_fail(int code, const char *call, const char *class)
{
	char path[PATH_MAX];
	struct rlimit limit;
	int fd;

	snprintf(path, sizeof(path), "%s/class/%s", vx_sysfs(), class);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return vx_call_fail(code, call, NULL, NULL);
	}
	code = -errno;
	if (code == -ENOENT)
		return vx_call_fail(-ENOSYS, call, NULL, "%s is missing: the kernel modules are not loaded (modprobe ib_uverbs and the driver "
				    "of the device)", path);
	if (code == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit))
		return vx_call_fail(code, call, NULL, "RLIMIT_NOFILE is %llu (ulimit -n)", (unsigned long long)limit.rlim_cur);
	return vx_call_fail(code, call, NULL, "%s cannot be read", path);
}

/* libibverbs says ENOSYS of a folder that it cannot read, whatever the reason. */
static int list_fail(int code)
{
	if (code == -ENOSYS)
		return vx_class_fail(code, "ibv_get_device_list", "infiniband_verbs");
	return vx_call_fail(code, "ibv_get_device_list", NULL, code == -EIO ? "%s" : NULL,
			    "it set no errno, or another C library's: programs are not to be linked with -static");
}

/* The files of sysfs that a pattern matches, to be freed by globfree(3). */
static glob_t find_files(const char *pattern)
{
	char path[PATH_MAX];
	glob_t found = { .gl_pathc = 0 };

	snprintf(path, sizeof(path), "%s/class/%s", vx_sysfs(), pattern);
	glob(path, 0, NULL, &found);
	return found;
}

static const char *last_part(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Whether the kernel has a device, be it one that libibverbs cannot drive. */
static bool kernel_has(const char *device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/infiniband/%s", vx_sysfs(), device);
	return *device && *device != '.' && !strchr(device, '/') && !access(path, F_OK);
}

bool vx_first_line(const char *path, char *line, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, line, size - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* The device's node, which udev makes of what the kernel says; false where the kernel has none. */
static bool find_node(const char *device, char *node, size_t size)
{
	glob_t found = find_files("infiniband_verbs/*/ibdev");
	char name[NAME_MAX + 1];
	bool has = false;
	size_t i;

	for (i = 0; !has && i < found.gl_pathc; i++) {
		has = vx_first_line(found.gl_pathv[i], name, sizeof(name)) && !strcmp(name, device);
		*strrchr(found.gl_pathv[i], '/') = '\0';
		snprintf(node, size, DEVICE_NODES "/%s", last_part(found.gl_pathv[i]));
	}
	globfree(&found);
	return has;
}

/* Of a device without a node libibverbs says nothing, as if there was none. */
static int not_listed(const char *object, const char *devices, const char *first)
{
	char node[PATH_MAX];

	if (find_node(first, node, sizeof(node)) && access(node, F_OK))
		return vx_fail(-ENODEV, "ibv_get_device_list", object, "the kernel has %s, but %s does not exist " NO_NODE,
			       devices, node);
	return vx_fail(-ENODEV, "ibv_get_device_list", object,
		       "the kernel has %s, but libibverbs has no driver for it (Debian: package "
		       "ibverbs-providers)",
		       devices);
}

static int no_device_at_all(const char *object)
{
	struct names names = { .length = 0 };
	glob_t found = find_files("infiniband/*");
	size_t i;
	int rc;

	for (i = 0; i < found.gl_pathc; i++)
		add_name(&names, last_part(found.gl_pathv[i]));
	if (names.length)
		rc = not_listed(object, names.text, last_part(found.gl_pathv[0]));
	else
		rc = vx_fail(-ENODEV, "ibv_get_device_list", object,
			     "this machine has no RDMA device, or its driver is not loaded (a soft one is made by: rdma "
			     "link add rxe0 type rxe netdev eth0)");
	globfree(&found);
	return rc;
}

int vx_no_such_device(const struct vx_device_list *list, const char *name, size_t index)
{
	const char *best = NULL;
	struct vx_nearest nearest = { .wanted = name, .names = &best, .max = 1 };
	struct names names = { .length = 0 };
	size_t i;

	if (name && kernel_has(name))
		return not_listed(name, name, name);
	if (!list->count)
		return no_device_at_all(name);

	for (i = 0; i < list->count; i++)
		add_name(&names, list->devices[i]->name);
	if (!name)
		return vx_fail(-ENODEV, "vx_ctx_open_index", NULL, "index = %zd, but the devices are: %s",
			       (ssize_t)index, names.text);

	nearest.len = strlen(name);
	for (i = 0; i < list->count; i++)
		vx_nearest_try(&nearest, list->devices[i]->name, 0);
	if (best)
		return vx_fail(-ENODEV, "vx_ctx_open", name, "did you mean %s? The devices are: %s", best, names.text);
	return vx_fail(-ENODEV, "vx_ctx_open", name, "the devices are: %s", names.text);
}

int vx_file_fail(const char *call, const char *device, const char *node, const char *whose)
{
	int fd = open(node, O_RDWR | O_CLOEXEC), code = fd < 0 ? -errno : 0;
	struct stat about;

	if (fd >= 0)
		return close(fd);
	if (code == -ENOENT)
		return vx_fail(code, call, device, "%s does not exist " NO_NODE, node);
	if ((code == -EACCES || code == -EPERM) && stat(node, &about) == 0)
		return vx_fail(code, call, device, "no permission for %s (mode %04o, user %u, group %u)%s", node, about.st_mode & 07777u,
			       about.st_uid, about.st_gid, whose);
	return vx_fail(code, call, device, "%s cannot be opened", node);
}

/* libibverbs loses the code of a node that it cannot open. */
int vx_open_fail(int code, const char *call, const struct ibv_device *device, const char *name)
{
	char node[sizeof(DEVICE_NODES) + 1 + sizeof(device->dev_name)];
	int rc;

	snprintf(node, sizeof(node), DEVICE_NODES "/%s", device->dev_name);
	name = name ? name : device->name;
	rc = vx_file_fail(call, name, node, "");
	return rc < 0 ? rc : vx_call_fail(code, call, name, NULL);
}

/* ---- the list of devices ---- */

int vx_device_list_get(struct vx_device_list **out)
{
	struct vx_device_list *list;
	int count, code;

	if (!out)
		return vx_null_fail("vx_device_list_get", "out");
	list = calloc(1, sizeof(*list) + VX_ROOM_TO_GROW);
	if (!list)
		return vx_fail(-ENOMEM, "vx_device_list_get", NULL, NULL);

	errno = 0;
	/* It reads files, and whoever comes next waits for a lock of it. */
	VX_NOT_CANCELLED(list->devices = ibv_get_device_list(&count); code = vx_code_in_errno());
	if (!list->devices) {
		free(list);
		return list_fail(code);
	}
	list->count = (size_t)count;
	*out = list;
	return 0;
}

void vx_device_list_free(struct vx_device_list *list)
{
	if (!list)
		return;
	ibv_free_device_list(list->devices);
	free(list);
}

int vx_device_guid(const struct ibv_device *device, __be64 *guid)
{
	__be64 found;

	if (!device || !guid)
		return vx_null_fail("vx_device_guid", device ? "guid" : "device");
	found = ibv_get_device_guid((struct ibv_device *)(uintptr_t)device);
	if (!found)
		return vx_call_fail(-ENODATA, "ibv_get_device_guid", device->name, NULL);
	*guid = found;
	return 0;
}
