/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What sysfs says of the device. */
#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <infiniband/verbs.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "bounds.h"
#include "config.h"
#include "objects/device.h"
#include "objects/port.h"
#include "sysfs/interfaces.h"
#include "sysfs/sysfs.h"

#define UVERBS "class/infiniband_verbs/"
#define NAME_LONGEST 32 /* of a file of a folder */
#define UMAD "class/infiniband_mad/"
#define MODALIAS "pci:v000015B3d0000101Dsv000015B3sd00000040bc02sc07i00"

/* Where the kernel has a device, from the root of the tree: a function of PCI */
#define FUNCTION SYSFS_CARD ".%u"
#define PCI SYSFS_BUS "/" FUNCTION
#define UP_TO_ROOT "../../"
#define UP_TO_PCI "../../../" FUNCTION
#define GID_TEXT "%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x"

static const struct file {
	const char *path, *text;
} class_files[] = {
	{ UVERBS "abi_version", "6" },
	{ UMAD "abi_version", "5" },
	{ "class/misc/rdma_cm/abi_version", "4" },
	{ "class/misc/rdma_cm/dev", "10:58" },
}, uverbs_files[] = {
	{ "abi_version", "1" },
}, pci_files[] = {
	{ "vendor", "0x15b3" },
	{ "device", "0x101d" },
	{ "subsystem_vendor", "0x15b3" },
	{ "subsystem_device", "0x0040" },
	{ "class", "0x020700" },
	{ "revision", "0x00" },
	{ "numa_node", "-1" },
	{ "modalias", MODALIAS },
	{ "max_link_speed", "16.0 GT/s PCIe" },
	{ "max_link_width", "16" },
	{ "current_link_speed", "16.0 GT/s PCIe" },
	{ "current_link_width", "16" },
}, device_files[] = {
	{ "node_type", "1: CA" },
	{ "fw_ver", "22.99.0001" },
	{ "hca_type", "MT4125" },
	{ "hw_rev", "0" },
	{ "board_id", BOARD_ID },
}, net_files[] = {
	{ "type", "32" },
	{ "mtu", "2044" },
	{ "operstate", "up" },
	{ "dev_id", "0x0" },
}, port_files[] = {
	{ "rate", "100 Gb/sec (4X EDR)" },
	{ "lid_mask_count", "0" },
	{ "sm_sl", "0" },
};

/* As the kernel words them */
static const char *const states[] = {
	[IBV_PORT_DOWN] = "1: DOWN",
	[IBV_PORT_INIT] = "2: INIT",
	[IBV_PORT_ARMED] = "3: ARMED",
	[IBV_PORT_ACTIVE] = "4: ACTIVE",
};
static const char *const phys_states[] = { [2] = "2: Polling", [3] = "3: Disabled", [5] = "5: LinkUp" };
static const char *const gid_types[] = {
	[IB_UVERBS_GID_TYPE_IB] = "IB/RoCE v1",
	[IB_UVERBS_GID_TYPE_ROCE_V1] = "IB/RoCE v1",
	[IB_UVERBS_GID_TYPE_ROCE_V2] = "RoCE v2",
};

static sysfs_put *put, *put_link;

/* A file of a device, in the folder of a port or, for 0, in its own */
__attribute__((format(printf, 4, 5))) static bool say_of(uint8_t device, uint8_t port, const char *file,
							 const char *format, ...)
{
	char path[SYSFS_LONGEST], name[DEVICE_NAME], folder[32] = "", text[128];
	va_list ap;

	if (port)
		snprintf(folder, sizeof(folder), "ports/%u/", port);
	device_name(name, device);
	snprintf(path, sizeof(path), PCI "/infiniband/%s/%s%s", device, name, folder, file);
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return put(path, text);
}

#define say(p, ...) say_of((p)->device, (p)->local, __VA_ARGS__)

static bool say_guid(uint8_t device, const char *file, uint64_t guid)
{
	return say_of(device, 0, file, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		   (unsigned int)(guid >> 32 & 0xffff), (unsigned int)(guid >> 16 & 0xffff),
		   (unsigned int)(guid & 0xffff));
}

static bool say_gid(const struct port *p, int index)
{
	static const struct gid none;
	const struct gid *gid = port_gid(p, index);
	const uint8_t *raw = gid ? gid->raw : none.raw;
	unsigned int part[GID_SIZE / 2];
	char file[32];

	for (int i = 0; i < GID_SIZE / 2; i++)
		part[i] = raw[2 * i] << 8 | raw[2 * i + 1];
	snprintf(file, sizeof(file), "gids/%d", index);
	if (!say(p, file, GID_TEXT, part[0], part[1], part[2], part[3], part[4], part[5], part[6],
		 part[7]))
		return false;
	snprintf(file, sizeof(file), "gid_attrs/types/%d", index);
	if (gid && !say(p, file, "%s", gid_types[gid->type]))
		return false;
	snprintf(file, sizeof(file), "gid_attrs/ndevs/%d", index);
	return !gid || !p->ethernet || say(p, file, "%s", port_netdev(p));
}

static bool say_pkey(const struct port *p, int index)
{
	char file[32];

	snprintf(file, sizeof(file), "pkeys/%d", index);
	return say(p, file, "0x%04x", port_pkey(p, index));
}

/* As the PMA has them: data in words of 4 bytes, and no link of a model makes errors */
static bool say_counters(const struct port *p)
{
	const struct port_counts *c = &p->counts;
	const struct {
		const char *name;
		uint64_t count;
	} counters[] = {
		{ "port_xmit_data", c->xmit_bytes / 4 }, { "port_rcv_data", c->rcv_bytes / 4 },
		{ "port_xmit_packets", c->xmit_packets }, { "port_rcv_packets", c->rcv_packets },
		{ "unicast_xmit_packets", c->xmit_packets }, { "unicast_rcv_packets", c->rcv_packets },
		{ "multicast_xmit_packets", 0 }, { "multicast_rcv_packets", 0 },
		{ "port_xmit_wait", 0 }, { "port_xmit_discards", 0 }, { "port_xmit_constraint_errors", 0 },
		{ "port_rcv_errors", 0 }, { "port_rcv_constraint_errors", 0 }, { "port_rcv_remote_physical_errors", 0 },
		{ "port_rcv_switch_relay_errors", 0 }, { "symbol_error", 0 }, { "link_error_recovery", 0 }, { "link_downed", 0 },
		{ "local_link_integrity_errors", 0 }, { "excessive_buffer_overrun_errors", 0 }, { "VL15_dropped", 0 },
	};
	char file[64];
	bool ok = true;

	for (size_t i = 0; ok && i < ARRAY_SIZE(counters); i++) {
		snprintf(file, sizeof(file), "counters/%s", counters[i].name);
		ok = say(p, file, "%" PRIu64, counters[i].count);
	}
	return ok;
}

static bool say_port(const struct port *p)
{
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(port_files); i++)
		ok = ok && say(p, port_files[i].path, "%s", port_files[i].text);
	ok = ok && say(p, "state", "%s", states[p->state]);
	ok = ok && say(p, "phys_state", "%s", phys_states[p->phys_state]);
	ok = ok && say(p, "link_layer", "%s", p->ethernet ? "Ethernet" : "InfiniBand");
	ok = ok && say(p, "lid", "0x%x", p->lid);
	ok = ok && say(p, "sm_lid", "0x%x", p->sm_lid);
	ok = ok && say(p, "cap_mask", "0x%08x", port_cap_mask(p));
	for (int i = 0; i < p->gid_room; i++)
		ok = ok && say_gid(p, i);
	for (int i = 0; i < p->npkeys; i++)
		ok = ok && say_pkey(p, i);
	return ok && say_counters(p);
}

/* The classes link to a device, and that to the function of PCI */
static bool say_class(uint8_t device, const char *class, const char *name)
{
	char path[SYSFS_LONGEST], target[SYSFS_LONGEST];
	bool ok;

	snprintf(path, sizeof(path), "class/%s/%s", class, name);
	snprintf(target, sizeof(target), UP_TO_ROOT PCI "/%s/%s", device, class, name);
	ok = put_link(path, target);
	snprintf(path, sizeof(path), PCI "/%s/%s/device", device, class, name);
	snprintf(target, sizeof(target), UP_TO_PCI, device);
	return ok && put_link(path, target);
}

static bool say_links(uint8_t device)
{
	char path[SYSFS_LONGEST], target[SYSFS_LONGEST], name[DEVICE_NAME];

	snprintf(path, sizeof(path), "bus/pci/devices/" FUNCTION, device);
	snprintf(target, sizeof(target), "../../../" PCI, device);
	if (!put_link(path, target))
		return false;
	device_name(name, device);
	if (!say_class(device, "infiniband", name))
		return false;
	snprintf(name, sizeof(name), "uverbs%u", device);
	return say_class(device, "infiniband_verbs", name);
}

/* An interface that is there is one of the device */
static bool say_net(uint8_t device)
{
	char path[SYSFS_LONGEST];
	const struct port *p;

	snprintf(path, sizeof(path), PCI "/net/" PORT_LOOPBACK, device);
	for (uint32_t n = 1; (p = port_get(n)); n++)
		if (p->device == device && port_is_on_loopback(p))
			return put_link(path, "/sys/class/net/" PORT_LOOPBACK);
	return true;
}

static bool say_files(const char *folder, const struct file *files, size_t n)
{
	char path[SYSFS_LONGEST + NAME_LONGEST];
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		snprintf(path, sizeof(path), "%s%s", folder, files[i].path);
		ok = put(path, files[i].text);
	}
	return ok;
}

/* What IPoIB would have of a port; of the loopback only whose it is, for who looks in this tree */
static bool say_interface(const struct port *p)
{
	uint8_t raw[IPOIB_ADDRESS];
	char name[IF_NAMESIZE] = PORT_LOOPBACK, folder[SYSFS_LONGEST / 2], path[SYSFS_LONGEST], text[3 * IPOIB_ADDRESS + 1];
	bool ok;

	if (p->ethernet || (!interface_is_there(p) && p->number > 1))
		return true;
	if (interface_is_there(p))
		interface_name(name, p);
	interface_address(raw, p);
	for (int i = 0; i < IPOIB_ADDRESS; i++)
		snprintf(text + 3 * i, sizeof(text) - 3 * i, "%02x:", raw[i]);
	text[sizeof(text) - 2] = 0;
	snprintf(folder, sizeof(folder), "class/net/%s/", name);
	snprintf(path, sizeof(path), "%saddress", folder);
	ok = put(path, text);
	if (!ok || !interface_is_there(p))
		return ok;
	snprintf(path, sizeof(path), "%sdevice", folder);
	snprintf(text, sizeof(text), UP_TO_ROOT "../" PCI, p->device);
	ok = put_link(path, text);
	snprintf(path, sizeof(path), "%sdev_port", folder);
	snprintf(text, sizeof(text), "%u", p->local - 1u);
	return ok && put(path, text) && say_files(folder, net_files, ARRAY_SIZE(net_files));
}

static bool say_interfaces(void)
{
	const struct port *p;
	bool ok = true;

	for (uint32_t n = 1; ok && (p = port_get(n)); n++)
		ok = say_interface(p);
	return ok;
}

/* A port has two nodes: for MADs, and for the subnet manager that it may have */
static bool say_mad_node(const struct port *p, const char *name, unsigned int minor)
{
	char node[32], folder[SYSFS_LONGEST - 8], path[SYSFS_LONGEST], text[DEVICE_NAME];
	bool ok;

	snprintf(node, sizeof(node), "%s%u", name, p->number - 1);
	snprintf(folder, sizeof(folder), PCI "/infiniband_mad/%s", p->device, node);
	snprintf(path, sizeof(path), "%s/ibdev", folder);
	device_name(text, p->device);
	ok = put(path, text);
	snprintf(path, sizeof(path), "%s/port", folder);
	snprintf(text, sizeof(text), "%u", p->local);
	ok = ok && put(path, text);
	snprintf(path, sizeof(path), "%s/dev", folder);
	snprintf(text, sizeof(text), "231:%u", minor);
	ok = ok && put(path, text);
	return ok && say_class(p->device, "infiniband_mad", node);
}

/* Only InfiniBand has QP 0, and with it a subnet manager */
static bool say_mad_nodes(void)
{
	const struct port *p;
	bool ok = true;

	for (uint32_t n = 1; ok && (p = port_get(n)); n++) {
		ok = say_mad_node(p, "umad", n - 1);
		ok = ok && (p->ethernet || say_mad_node(p, "issm", 64 + n - 1));
	}
	return ok;
}

/* What is beside the ports */
static bool say_infiniband(uint8_t device)
{
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(device_files); i++)
		ok = ok && say_of(device, 0, device_files[i].path, "%s", device_files[i].text);
	return ok && say_of(device, 0, "node_desc", "%s", port_node_description(device)) &&
	       say_guid(device, "node_guid", port_node_guid(device)) &&
	       say_guid(device, "sys_image_guid", port_system_guid());
}

static bool say_uverbs(uint8_t device)
{
	char folder[SYSFS_LONGEST], path[SYSFS_LONGEST + 8], name[DEVICE_NAME];

	snprintf(folder, sizeof(folder), PCI "/infiniband_verbs/uverbs%u/", device, device);
	snprintf(path, sizeof(path), "%sibdev", folder);
	device_name(name, device);
	if (!put(path, name))
		return false;
	snprintf(path, sizeof(path), "%sdev", folder);
	snprintf(name, sizeof(name), "%u:%u", UVERBS_MAJOR, UVERBS_FIRST_MINOR + device); /* as fstat() tells it */
	return put(path, name) && say_files(folder, uverbs_files, ARRAY_SIZE(uverbs_files));
}

static bool say_device(uint8_t device)
{
	char folder[SYSFS_LONGEST];

	snprintf(folder, sizeof(folder), PCI "/", device);
	return say_files(folder, pci_files, ARRAY_SIZE(pci_files)) && say_uverbs(device) && say_infiniband(device) &&
	       say_links(device) && say_net(device);
}

bool sysfs_describe_port(uint8_t number, sysfs_put *file)
{
	put = file;
	return say_port(port_get(number));
}

bool sysfs_describe_counters(sysfs_put *file)
{
	bool ok = true;

	put = file;
	for (uint32_t n = 1; ok && n <= port_total(); n++)
		ok = say_counters(port_get(n));
	return ok;
}

bool sysfs_describe(sysfs_put *file, sysfs_put *link)
{
	bool ok;

	put = file;
	put_link = link;
	ok = say_files("", class_files, ARRAY_SIZE(class_files));
	for (uint32_t d = 0; d < config.devices; d++)
		ok = ok && say_device(d);
	for (uint32_t n = 1; n <= port_total(); n++)
		ok = ok && say_port(port_get(n));
	return ok && say_mad_nodes() && say_interfaces();
}
