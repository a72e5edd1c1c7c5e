/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Makes all mistakes that suit the device at hand.
 *
 *	mistakes              check that each fails as expected, and that what is said names the culprit
 *	mistakes --markdown   the same, and print what is said, as a part of docs/mistakes.md
 *	mistakes --alone DO   make one mistake, as alone() wants it
 */

#define _GNU_SOURCE /* RTLD_DEFAULT, syscall(2) */

#include <dlfcn.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mistakes.h"

static const struct chapter *const chapters[] = {
	&opening, &creating_qps, &creating, &changing, &states, &dynamic, &values, &memory, &posting, &completions, &closing, &roce,
	&steering, &changing_wqs, &flows, &subnet, &connecting, &connecting_values, &connecting_queues, &connecting_addresses, &connecting_servers, &vendor,
	&vendor_requests, &vendor_objects, &vendor_logins, &vendor_rules, &vendor_direct, &vendor_abilities,
};

#define CHAPTERS (sizeof(chapters) / sizeof(chapters[0]))

static void (*emu_fail)(const char *list);
static int (*emu_fault)(const char *list, char *why, size_t size);

static enum bed here;
bool recording;

static enum bed bed(void)
{
	struct ibv_port_attr port;
	struct vx_ctx *ctx;

	must(vx_ctx_open_index(0, &ctx));
	must(vx_ctx_query_port(ctx, 1, &port));
	must(vx_close(ctx));
	if (!emu_fail)
		return SOFT_ROCE;
	return port.link_layer == IBV_LINK_LAYER_ETHERNET ? EMU_ROCE : EMU;
}

void must(int rc)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "mistakes: %s (%s)\n", vx_error_text(), strerror(-rc));
	exit(1);
}

void expect_answer(const struct bench *bench)
{
	if (bench->mistake->answer && emu_fail)
		emu_fail(bench->mistake->answer);
}

void cause(const char *fault)
{
	must(emu_fault(fault, NULL, 0) ? -EINVAL : 0);
}

/* The device's thread moves the port. */
void wait_for_port(struct bench *bench, enum ibv_port_state state)
{
	struct ibv_port_attr port;

	do
		must(vx_ctx_query_port(bench->ctx, 1, &port));
	while (port.state != state);
}

/* ---- what mistakes begin from ---- */

/* The GID of an IPv4 address, as RoCE v2 has it. */
static struct ibv_gid_entry ipv4_gid(struct bench *bench)
{
	struct ibv_gid_entry entry;
	uint32_t i;

	for (i = 0; !vx_ctx_query_gid(bench->ctx, 1, i, &entry); i++)
		if (entry.gid_type == IBV_GID_TYPE_ROCE_V2 && !entry.gid.global.subnet_prefix)
			return entry;
	must(-ENODATA);
	return entry;
}

static void set_address(struct bench *bench, struct ibv_ah_attr *ah)
{
	struct ibv_gid_entry own;
	struct ibv_port_attr port;

	ah->port_num = 1;
	must(vx_ctx_query_port(bench->ctx, 1, &port));
	if (port.link_layer == IBV_LINK_LAYER_INFINIBAND) {
		ah->dlid = port.lid;
		return;
	}
	own = ipv4_gid(bench);
	ah->is_global = 1;
	ah->grh.dgid = own.gid;
	ah->grh.sgid_index = (uint8_t)own.gid_index;
	ah->grh.hop_limit = 64;
}

struct ibv_qp_attr usual_attr(struct bench *bench, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = VX_DEFAULT(ibv_qp_attr);

	attr.qp_state = state;
	attr.dest_qp_num = 0x105;
	set_address(bench, &attr.ah_attr);
	return attr;
}

static void go(struct bench *bench, struct vx_qp *qp, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = usual_attr(bench, state);

	must(vx_qp_modify(qp, &attr, mask));
}

struct vx_qp *qp_in(struct bench *bench, enum ibv_qp_type type, enum ibv_qp_state state)
{
	bool ud = type == IBV_QPT_UD, rc = type == IBV_QPT_RC;
	enum ibv_qp_state last = state == IBV_QPS_ERR ? IBV_QPS_INIT : state;
	struct vx_qp *qp;

	must(vx_qp_create(bench->pd, &(struct vx_qp_init){ .qp_type = type, .send_cq = bench->cq, .recv_cq = bench->cq }, &qp));
	if (last >= IBV_QPS_INIT)
		go(bench, qp, IBV_QPS_INIT, ud ? TO_INIT_UD : TO_INIT);
	if (last >= IBV_QPS_RTR)
		go(bench, qp, IBV_QPS_RTR, ud ? IBV_QP_STATE : rc ? TO_RTR : TO_RTR_UC);
	if (last >= IBV_QPS_RTS)
		go(bench, qp, IBV_QPS_RTS, rc ? TO_RTS : IBV_QP_STATE | IBV_QP_SQ_PSN);
	if (state == IBV_QPS_ERR)
		go(bench, qp, IBV_QPS_ERR, IBV_QP_STATE);
	return qp;
}

/* ---- making them ---- */

static bool suits(const struct mistake *mistake)
{
	return (mistake->bed ? mistake->bed : EMU) & here;
}

/* The code of the last call that failed: -EIO as well where it left errno 0, of which libverbsx makes something better. */
static int traced;

static void note_code(const struct vx_trace_call *call, void *data)
{
	(void)data;
	if (call->code && !call->aside)
		traced = call->code;
}

/* "NULL, errno EINVAL", as the convention of the call that failed has it. */
void name_raw_result(struct bench *bench, int code)
{
	struct vx_call_info call;
	struct vx_errno_info info;
	const char *how = "not called";

	if (bench->raw[0])
		return;
	vx_errno_of(traced ? traced : code, &info);
	if (traced && vx_call_find(vx_error()->call, &call))
		how = call.error == VX_CALL_ERROR_NULL ? "NULL, errno %s" :
		      call.error == VX_CALL_ERROR_MINUS_ONE || call.error == VX_CALL_ERROR_OWN ? "-1, errno %s" : "%s";
	if (traced == -EIO && code != -EIO)
		info.name = "0";
	snprintf(bench->raw, sizeof(bench->raw), how, info.name);
}

static int make(const struct mistake *mistake, struct bench *bench)
{
	int rc;

	*bench = (struct bench){ .mistake = mistake };
	must(vx_ctx_open_index(0, &bench->ctx));
	must(vx_pd_create(bench->ctx, NULL, &bench->pd));
	must(vx_cq_create(bench->ctx, NULL, &bench->cq));
	vx_error_clear();
	traced = 0;
	rc = mistake->make(bench);
	if (emu_fail)
		emu_fail(NULL);
	if (!bench->sentence[0])
		snprintf(bench->sentence, sizeof(bench->sentence), "%s", vx_error_text());
	name_raw_result(bench, rc);
	must(vx_close(bench->ctx));
	return rc;
}

static size_t tried, failed;

/* Where the table goes to standard output, to those who read what fails. */
static void check(const struct mistake *mistake, int rc, const struct bench *bench)
{
	tried++;
	if (rc == mistake->code && strstr(bench->sentence, mistake->names))
		return;
	failed++;
	fprintf(stderr, "%s:\n  returned %d, expected %d\n  said     %s\n  expected %s\n", mistake->what, rc, mistake->code,
		bench->sentence, mistake->names);
}

static void check_all(void)
{
	struct bench bench;
	size_t i, j;
	int rc;

	for (i = 0; i < CHAPTERS; i++)
		for (j = 0; j < chapters[i]->count; j++) {
			if (!suits(&chapters[i]->mistakes[j]))
				continue;
			rc = make(&chapters[i]->mistakes[j], &bench);
			check(&chapters[i]->mistakes[j], rc, &bench);
		}
}

/* ---- as a table ---- */

/* What may be another in each run, behind these words: numbers of objects, and addresses. */
static const struct {
	const char *word;
	const char *digits;
} varying[] = {
	{ " pd ", "0123456789#" },
	{ " cm_id #", "0123456789" },
	{ " cm_ep #", "0123456789" },
	{ " cm_client #", "0123456789" },
	{ " qp ", "0123456789" },
	{ " cq ", "0123456789" },
	{ " srq ", "0123456789" },
	{ " dm ", "0123456789" },
	{ " mr ", "0123456789" },
	{ " wq ", "0123456789" },
	{ " parent_domain ", "0123456789" },
	{ " counters #", "0123456789" },
	{ "mlx5_0#", "0123456789" },
	{ " mlx5_qp ", "0123456789#" },
	{ " mlx5_devx_umem ", "0123456789#" },
	{ " mlx5_devx_obj #", "0123456789" },
	{ " mlx5_event_channel ", "0123456789" },
	{ " mlx5_dm ", "0123456789#" },
	{ " mlx5_dr_domain #", "0123456789" },
	{ " mlx5_dr_drop #", "0123456789" },
	{ " mlx5_dr_matcher #", "0123456789" },
	{ " mlx5_sched_node #", "0123456789" },
	{ " mlx5_sched_leaf #", "0123456789" },
	{ " LID ", "0123456789" },
	{ " fe80::", "0123456789abcdef:" },
	{ " ::ffff:", "0123456789." },
	{ "(addr = ", "0123456789abcdefx" },
	{ "lkey = ", "0123456789abcdefx" },
};

/* The length of such a word and of what follows it; 0 where the text begins otherwise. */
static size_t varying_at(const char *text, size_t *word)
{
	size_t i;

	for (i = 0; i < sizeof(varying) / sizeof(varying[0]); i++) {
		*word = strlen(varying[i].word);
		if (!strncmp(text, varying[i].word, *word) && text[*word])
			return *word + strspn(text + *word, varying[i].digits);
	}
	return 0;
}

static void print_cell(const char *text)
{
	size_t word = 0, length;

	while (*text) {
		length = varying_at(text, &word);
		if (length > word)
			printf("%.*sN", (int)word, text);
		else
			printf(*text == '|' ? "\\%c" : "%c", *text);
		text += length > word ? length : 1;
	}
	printf(" |");
}

static void print_row(const struct mistake *mistake)
{
	struct bench bench;

	check(mistake, make(mistake, &bench), &bench);
	printf("| ");
	print_cell(mistake->what);
	printf(" ");
	print_cell(bench.raw);
	printf(" ");
	print_cell(bench.sentence);
	printf("\n");
}

static void print_chapter(const struct chapter *chapter)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < chapter->count; i++) {
		if (!suits(&chapter->mistakes[i]))
			continue;
		if (!begun)
			printf("\n### %s\n\n| mistake | rdma-core returns | libverbsx says |\n|---|---|---|\n", chapter->title);
		begun = true;
		print_row(&chapter->mistakes[i]);
	}
}

static void print_all(void)
{
	size_t i;

	printf("## On %s\n", here == EMU ? "the emulated device" : here == EMU_ROCE ? "emulated RoCE" : "soft-RoCE");
	for (i = 0; i < CHAPTERS; i++)
		print_chapter(chapters[i]);
	printf("\n");
}

/* What is said must not depend on this machine's limits. */
static void set_limit(int resource, rlim_t most)
{
	struct rlimit limit;

	getrlimit(resource, &limit);
	limit.rlim_cur = most;
	if (setrlimit(resource, &limit))
		must(-errno);
}

/* Nor on whether somebody may go beyond them. */
static void drop_capability(unsigned int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	must(syscall(SYS_capget, &header, data) ? -errno : 0);
	data[CAP_TO_INDEX(capability)].effective &= ~CAP_TO_MASK(capability);
	must(syscall(SYS_capset, &header, data) ? -errno : 0);
}

int main(int argc, char **argv)
{
	set_limit(RLIMIT_MEMLOCK, 1 << 20);
	set_limit(RLIMIT_NOFILE, 1024);
	drop_capability(CAP_IPC_LOCK);
	*(void **)&emu_fail = dlsym(RTLD_DEFAULT, "vx_emu_fail");
	*(void **)&emu_fault = dlsym(RTLD_DEFAULT, "vx_emu_fault");
	must(vx_trace_callback(note_code, NULL));
	if (argc > 2 && !strcmp(argv[1], "--alone"))
		return do_alone(argv[2]);
	here = bed();
	recording = argc > 1 && !strcmp(argv[1], "--markdown");
	if (recording)
		print_all();
	else
		check_all();
	fprintf(stderr, "%zu mistakes, %zu not explained\n", tried, failed);
	return failed || !tried;
}
