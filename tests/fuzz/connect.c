/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any bytes from a peer, of QPs that there are, on the emulated device, through what programs call. Input: a byte for the role and the
 * number of QPs; a byte for how many bytes come at a time; the bytes. QPs are in RTS when it is done, and in RESET when it is not.
 */

#include <poll.h>

#include <verbsx/verbsx.h>

#include "input.h"

#define MOST_QPS 3
#define AT_ONCE 64 /* bytes that are taken */

static struct vx_qp *qps[MOST_QPS];

static void made(int rc)
{
	if (rc < 0)
		fprintf(stderr, "%s\n", vx_error_text());
	must(rc == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	size_t i;

	(void)argc, (void)argv;
	made(vx_ctx_open_index(0, &ctx));
	made(vx_pd_create(ctx, NULL, &pd));
	made(vx_cq_create(ctx, NULL, &cq));
	for (i = 0; i < MOST_QPS; i++)
		made(vx_qp_create(pd, &(struct vx_qp_init){ .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq }, &qps[i]));
	return 0;
}

/* So many of them as they should be, and the others not touched. */
static void look_at_qps(uint32_t count, enum ibv_qp_state state)
{
	uint32_t i;

	for (i = 0; i < MOST_QPS; i++)
		must(vx_qp_state(qps[i]) == (i < count ? state : IBV_QPS_RESET));
}

/* What is to be said ends. */
static void take_all(struct vx_handshake *handshake)
{
	unsigned char bytes[AT_ONCE];
	size_t size, all = 0;

	while ((size = vx_handshake_take(handshake, bytes, sizeof(bytes))))
		all += size;
	must(all < 4096);
}

/* @return 0 or what it failed with */
static int feed(struct vx_handshake *handshake, struct input *in, size_t step)
{
	size_t used, size;
	int rc = 0;

	while (in->size && rc == 0 && vx_handshake_events(handshake) & POLLIN) {
		size = step && step < in->size ? step : in->size;
		rc = vx_handshake_feed(handshake, in->bytes, size, &used);
		must(used && used <= size && (rc == 0 || vx_error()->code == rc) && rc != -EAGAIN);
		in->bytes += used;
		in->size -= used;
		take_all(handshake);
	}
	return rc;
}

static void look_at_the_end(struct vx_handshake *handshake, uint32_t count, int rc)
{
	struct vx_path paths[MOST_QPS];
	struct vx_peer peer = { .paths = paths };
	bool done = rc == 0 && !vx_handshake_events(handshake);

	must(vx_handshake_step(handshake, -1) == (rc ? rc : done ? 0 : -EAGAIN));
	must((vx_handshake_peer(handshake, &peer) == 0) == done);
	if (done || rc)
		look_at_qps(count, done ? IBV_QPS_RTS : IBV_QPS_RESET);
	made(vx_close(handshake));
	look_at_qps(count, done ? IBV_QPS_RTS : IBV_QPS_RESET);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };
	unsigned int how = (unsigned int)take_number(&in, 1);
	size_t step = take_number(&in, 1);
	uint32_t i, count = 1 + (how >> 1) % MOST_QPS;
	struct vx_handshake_init init = { .accepts = how & 1, .qps = qps, .count = count, .timeout_ms = -1 };
	struct vx_handshake *handshake;

	made(vx_handshake_create(qps[0], &init, &handshake));
	take_all(handshake);
	look_at_the_end(handshake, count, feed(handshake, &in, step));
	for (i = 0; i < count; i++)
		if (vx_qp_state(qps[i]) != IBV_QPS_RESET)
			made(vx_qp_reset(qps[i]));
	return 0;
}
