/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <stdio.h>

#include "data_bed.h"

char lines[LINES][1024];
unsigned int count;
struct vx_cq *cq;
struct vx_qp *qp;
struct vx_mr *mr;
struct ibv_sge entry;

static void mask(char *text)
{
	char *to = text, *from = text;
	size_t digits;

	while (*from) {
		digits = strspn(from, !strncmp(from, "0x", 2) ? "0123456789abcdefx" : "0123456789");
		if (digits > 3 || (digits == 3 && from[1] != 'x')) {
			*to++ = '#';
			from += digits;
			continue;
		}
		for (*to++ = *from++; digits > 1; digits--)
			*to++ = *from++;
	}
	*to = '\0';
}

static void remember(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (count == LINES)
		return;
	snprintf(lines[count], sizeof(lines[count]), "%s", call->line);
	mask(lines[count++]);
}

void make_all(unsigned int most, uint64_t wc_flags)
{
	open_device();
	made(vx_trace_data(most));
	made(vx_cq_create(ctx, &(struct vx_cq_init){ .wc_flags = wc_flags }, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq, .cap = { .max_send_sge = 2, .max_inline_data = 32 },
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND }, &qp));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = 4096, .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE }, &mr));
	entry = (struct ibv_sge){ (uintptr_t)vx_mr_addr(mr), 6, vx_mr_lkey(mr) };
}

void connect_to_itself(void)
{
	struct vx_path path = { .access = IBV_ACCESS_REMOTE_WRITE, .mask = VX_PATH_SPSN };

	made(vx_path_fill(&path, qp));
	vx_path_reverse(&path);
	path.access = IBV_ACCESS_REMOTE_WRITE;
	made(vx_qp_to_rts(qp, &path));
	count = 0;
	made(vx_trace_callback(remember, NULL));
}

void begin(void)
{
	make_all(1, 0);
	connect_to_itself();
}

void end(void)
{
	made(vx_trace_callback(NULL, NULL));
	made(vx_trace_data(0));
	close_device();
}

void expect_line(const char *expected)
{
	cr_assert_gt(count, 0, "no line");
	cr_expect_str_eq(lines[count - 1], expected);
}

void expect_begins(const char *line, const char *expected)
{
	cr_expect_eq(strncmp(line, expected, strlen(expected)), 0, "%s", line);
}

void wait_for_one(void)
{
	struct ibv_wc wc;

	while (vx_cq_poll(cq, 1, &wc) == 0)
		;
}
