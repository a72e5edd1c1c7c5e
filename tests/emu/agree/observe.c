/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What happened, as lines in which nothing depends on the device. */
#include "agree.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	QUIET_US = 5000, /* so long nothing happened: more than either device naps */
	POLL_US = 300,
	MAX_SECONDS = 5,
	GRH = 40
};

static bool failed; /* some request, since memory was looked at */

void die(const char *what)
{
	fprintf(stderr, "agree: %s: %s\n", what, strerror(errno));
	exit(1);
}

void tell(const char *what, int rc)
{
	if (rc)
		printf("  %s: %s\n", what, strerrorname_np(rc < 0 ? errno : rc));
}

void fill_buffer(void)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = i * 7 + i / 256;
}

/* What a request that fails leaves in memory is not defined */
static void tell_memory(void)
{
	uint32_t sum = 0;

	if (failed)
		fill_buffer();
	else
		for (size_t i = 0; i < sizeof(buffer); i++)
			sum = sum * 31 + buffer[i];
	if (!failed)
		printf("  memory %08x\n", sum);
	failed = false;
}

static void tell_success(const struct ibv_wc *wc)
{
	static const char *const names[] = {
		[IBV_WC_SEND] = "SEND",		    [IBV_WC_RDMA_WRITE] = "RDMA_WRITE",
		[IBV_WC_RDMA_READ] = "RDMA_READ",   [IBV_WC_COMP_SWAP] = "COMP_SWAP",
		[IBV_WC_FETCH_ADD] = "FETCH_ADD",   [IBV_WC_BIND_MW] = "BIND_MW",
		[IBV_WC_LOCAL_INV] = "LOCAL_INV",   [IBV_WC_RECV] = "RECV",
		[IBV_WC_RECV_RDMA_WITH_IMM] = "RECV_RDMA_WITH_IMM",
	};
	bool known = wc->opcode < ARRAY_SIZE(names) && names[wc->opcode];

	if (wc->opcode == IBV_WC_BIND_MW || wc->opcode == IBV_WC_LOCAL_INV)
		bed.bound = wc->opcode == IBV_WC_BIND_MW;
	printf(" %s", known ? names[wc->opcode] : "unknown");
	if (wc->opcode & IBV_WC_RECV)
		printf(" %u bytes", wc->byte_len);
	if (wc->opcode & IBV_WC_RECV && wc->wc_flags & IBV_WC_WITH_IMM)
		printf(" imm %x", ntohl(wc->imm_data));
	if (bed.type == IBV_QPT_UD && wc->opcode & IBV_WC_RECV)
		printf("%s from %c", wc->wc_flags & IBV_WC_GRH ? " grh" : "",
		       wc->src_qp == bed.side[0].qp->qp_num ? 'a' : 'b');
}

/* A header of IP has numbers of its own */
static void forget_header(const struct side *s, const struct ibv_wc *wc)
{
	uint8_t *room = s->room[wc->wr_id % MAX_WR];

	if (bed.type == IBV_QPT_UD && wc->opcode & IBV_WC_RECV && room)
		memset(room, 0, GRH);
}

/* Of a failed one, only what is said to be valid */
static void tell_completion(struct side *s, const struct ibv_wc *wc)
{
	printf("  %c %llu: %s", s->name, (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status));
	if (wc->status == IBV_WC_SUCCESS) {
		tell_success(wc);
		forget_header(s, wc);
	} else if (wc->status != IBV_WC_WR_FLUSH_ERR) {
		failed = true;
	}
	printf("%s\n", wc->qp_num == s->qp->qp_num ? "" : " of another QP");
	if (wc->wr_id < 1000)
		s->sent++;
}

static bool poll_side(struct side *s)
{
	struct ibv_wc wc;
	bool some = false;

	while (ibv_poll_cq(s->cq, 1, &wc) > 0) {
		tell_completion(s, &wc);
		some = true;
	}
	return some;
}

static bool all_sent(void)
{
	return bed.side[0].sent == bed.side[0].sends && bed.side[1].sent == bed.side[1].sends;
}

static void wait_until_quiet(void)
{
	time_t end = time(NULL) + MAX_SECONDS;
	int quiet = 0;

	while ((quiet < QUIET_US || !all_sent()) && time(NULL) <= end) {
		bool some = poll_side(&bed.side[0]);

		some |= poll_side(&bed.side[1]);
		quiet = some ? 0 : quiet + POLL_US;
		usleep(POLL_US);
	}
	if (!all_sent())
		printf("  not all is completed\n");
}

static void tell_cq_events(struct side *s)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(s->channel, &cq, &context)) {
		printf("  %c event\n", s->name);
		ibv_ack_cq_events(cq, 1);
	}
}

static void tell_async_events(void)
{
	struct ibv_async_event e;

	while (!ibv_get_async_event(bed.ctx, &e)) {
		printf("  async %s\n", ibv_event_type_str(e.event_type));
		ibv_ack_async_event(&e);
	}
}

static void tell_states(void)
{
	static const char *const states[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

	for (struct side *s = bed.side; s < bed.side + SIDES; s++) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr a;

		if (ibv_query_qp(s->qp, &a, IBV_QP_STATE, &init))
			die("ibv_query_qp");
		printf("  %c %s\n", s->name, a.qp_state < ARRAY_SIZE(states) ? states[a.qp_state] : "?");
	}
}

void observe(void)
{
	wait_until_quiet();
	for (int i = 0; i < SIDES; i++)
		tell_cq_events(&bed.side[i]);
	tell_async_events();
	tell_states();
	tell_memory();
}
