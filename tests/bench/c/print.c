/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A structure as text: the 40 fields of a device, a line each, and a completion. --show prints them all. */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <verbsx/print.h>
#include <verbsx/structs.h>

#include "measure.h"
#include "print_by_hand.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { DEVICE_FIELDS = 40 };

static char text[8192];

/* What a ConnectX-6 says of itself. */
static struct ibv_device_attr device = {
	.fw_ver = "20.31.1014",
	.max_mr_size = UINT64_MAX,
	.page_size_cap = 0xfffffffffffff000,
	.vendor_id = 0x2c9,
	.vendor_part_id = 4123,
	.max_qp = 262144,
	.max_qp_wr = 32768,
	.device_cap_flags = 0xed721c36,
	.max_sge = 30,
	.max_sge_rd = 30,
	.max_cq = 16777216,
	.max_cqe = 4194303,
	.max_mr = 16777216,
	.max_pd = 8388608,
	.max_qp_rd_atom = 16,
	.max_res_rd_atom = 4194304,
	.max_qp_init_rd_atom = 16,
	.atomic_cap = IBV_ATOMIC_HCA,
	.max_mw = 16777216,
	.max_mcast_grp = 2097152,
	.max_mcast_qp_attach = 240,
	.max_total_mcast_qp_attach = 503316480,
	.max_ah = 2147483647,
	.max_map_per_fmr = 2147483647,
	.max_srq = 8388608,
	.max_srq_wr = 32767,
	.max_srq_sge = 31,
	.max_pkeys = 128,
	.local_ca_ack_delay = 16,
	.phys_port_cnt = 1,
};

/* A datagram that has come, with immediate data. */
static const struct ibv_wc wc = {
	.wr_id = 0x7f12c0de,
	.opcode = IBV_WC_RECV,
	.byte_len = 1064,
	.imm_data = 0x2a000000,
	.qp_num = 17,
	.src_qp = 4711,
	.wc_flags = IBV_WC_WITH_IMM | IBV_WC_GRH,
	.slid = 12,
};

static size_t device_as(int style)
{
	return vx_snprint(text, sizeof(text), VX_STRUCT(ibv_device_attr), &device, style);
}

static size_t wc_as(int style)
{
	return vx_snprint(text, sizeof(text), VX_STRUCT(ibv_wc), &wc, style);
}

TASK(loop, i)
TASK(device_text, device_as(VX_TEXT))
TASK(device_hand, device_by_hand(text, sizeof(text), &device))
TASK(device_compact, device_as(VX_COMPACT))
TASK(device_json, device_as(VX_JSON))
TASK(wc_text, wc_as(VX_TEXT))
TASK(wc_hand, wc_by_hand(text, sizeof(text), &wc))
TASK(wc_compact, wc_as(VX_COMPACT))
TASK(wc_json, wc_as(VX_JSON))

static const struct task tasks[] = {
	{ "loop", loop, 0 },
	{ "device.text", device_text, DEVICE_FIELDS },
	{ "device.by hand", device_hand, DEVICE_FIELDS },
	{ "device.compact", device_compact, DEVICE_FIELDS },
	{ "device.json", device_json, DEVICE_FIELDS },
	{ "wc.text", wc_text, 0 },
	{ "wc.by hand", wc_hand, 0 },
	{ "wc.compact", wc_compact, 0 },
	{ "wc.json", wc_json, 0 },
};

static int lines_of(size_t length)
{
	int lines = 0;
	size_t i;

	for (i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Both ways must print the same number of lines, or they do not compare. */
static int wrong_lines(const char *what, int lines, int by_hand)
{
	if (lines == by_hand)
		return 0;
	fprintf(stderr, "print: %s is %d lines, by hand %d\n", what, lines, by_hand);
	return 1;
}

static int show(void)
{
	size_t i;

	for (i = 1; i < COUNT(tasks); i++) {
		tasks[i].run(1);
		printf("---- %s\n%s\n", tasks[i].name, text);
	}
	return 0;
}

int main(int argc, char **argv)
{
	device.node_guid = htobe64(0xb8599f03008e1d52);
	device.sys_image_guid = htobe64(0xb8599f03008e1d52);
	if (argc > 1 && !strcmp(argv[1], "--show"))
		return show();
	if (wrong_lines("a device", lines_of(device_as(VX_TEXT)),
			lines_of(device_by_hand(text, sizeof(text), &device))) ||
	    wrong_lines("a completion", lines_of(wc_as(VX_TEXT)),
			lines_of(wc_by_hand(text, sizeof(text), &wc))))
		return 1;
	return measure(tasks, COUNT(tasks), argc, argv);
}
