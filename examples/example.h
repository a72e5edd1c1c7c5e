/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef EXAMPLE_H
#define EXAMPLE_H

/* What the examples share: the library, and what they do when something fails. */

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* with -std=c11 as well: be64toh(), POSIX */
#endif

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/verbsx.h>

/* What is no failure of a call, such as that nothing has come, leaves no error behind: the one that is there is another. */
static inline void must(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "%s\n", vx_error()->code == rc ? vx_error_text() : strerror(-rc));
		exit(1);
	}
}

/* For what not every device has: where it lacks that, the example ends with the reason. */
static inline void may_lack(struct vx_ctx *ctx, int rc)
{
	if (rc < 0) {
		printf("%s\n", vx_error_text());
		must(vx_close(ctx));
		exit(0);
	}
}

/* For those of rdma-core's own calls that return an errno, as posting does; it need not be in errno as well. */
static inline void must_raw(int code, const char *call)
{
	if (code) {
		fprintf(stderr, "%s: %s\n", call, strerror(code));
		exit(1);
	}
}

/* The next completion, whenever it comes. One that failed is a completion as well; a CQ that cannot be polled fills none. */
static inline void must_poll(struct vx_cq *cq, struct ibv_wc *wc)
{
	int rc;

	do
		must(rc = vx_cq_poll(cq, 1, wc));
	while (!rc);
}

/* For completions: of one that failed, little else means anything. */
static inline void must_complete(const struct ibv_wc *wc, const struct vx_qp *qp)
{
	char text[1536];

	if (wc->status != IBV_WC_SUCCESS) {
		vx_wc_error(text, sizeof(text), wc, qp, VX_WC_UNKNOWN);
		fprintf(stderr, "%s\n", text);
		exit(1);
	}
}

#if VX_HAS_RDMA_CMA
/* The next event of a channel, which comes soon; another than this one tells of a failure. */
static inline struct vx_cm_event must_come(struct vx_cm_channel *channel, enum rdma_cm_event_type type)
{
	struct vx_cm_event event;
	char text[256];

	must(vx_cm_channel_get_event(channel, 10000, &event));
	vx_cm_event_text(text, sizeof(text), &event);
	if (event.type != type) {
		fprintf(stderr, "vx_cm_channel_get_event: %s: %s\n", text, strerror(-event.status));
		exit(1);
	}
	return event;
}
#endif

#endif
