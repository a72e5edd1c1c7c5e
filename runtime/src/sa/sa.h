/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_SA_H
#define VERBSX_SRC_SA_H

/* What the parts of subnet administration share. */

#include "mad.h"
#include "path/path.h"

/* Methods, 13.4.5 and 15.2.2. */
enum vx_sa_method {
	VX_SA_GET = 0x01,
	VX_SA_SET = 0x02,
	VX_SA_GET_TABLE = 0x12,
	VX_SA_DELETE = 0x15,
	VX_SA_RESPONSE = 0x80,
};

/* The statuses that something is done about. */
enum vx_sa_status {
	VX_SA_BUSY = 0x0001,
	VX_SA_REQ_INVALID = 0x0200,
	VX_SA_NO_RECORDS = 0x0300,
	VX_SA_INVALID_GID = 0x0500,
	VX_SA_INSUF_COMPONENTS = 0x0600,
};

/* Whom to ask from where, and how patiently. */
struct vx_sa_link {
	struct vx_ctx *ctx;
	const char *call;	/* the function of libverbsx that asks */
	uint8_t port_num;
	uint16_t sm_lid;
	uint8_t sm_sl;
	uint16_t pkey_index;
	uint8_t life;		/* of a packet, 4.096 us * 2^n */
	uint8_t resp_time;	/* the same of an answer; 0: not known yet */
	unsigned int retries;
	int timeout_ms;		/* for all of it; 0: as long as the above say */
	int64_t deadline;	/* of vx_now_ms(), by that; 0: none */
};

/*
 * The link of a port (exchange.c).
 *
 * @param path  of which ctx, port_num, packet_life_time and retry_cnt count
 * @return 0, or a negative errno with vx_error() filled: -ENETUNREACH where the port has no subnet manager
 */
int vx_sa_link_make(struct vx_sa_link *link, const struct vx_path *path, const struct ibv_port_attr *port, int timeout_ms, const char *call);

/* Who takes the records of a table, if it has any, of which each begins stride bytes behind the one before. @return 0, or a negative errno, recorded */
struct vx_sa_table {
	int (*take)(void *data, const uint8_t *records, size_t stride, size_t count);
	void *data;
};

/*
 * Ask, and wait for the answer, which is in the question's place then (exchange.c).
 *
 * @param table   of VX_SA_GET_TABLE, all records that match, and the MAD stays the question; of others NULL
 * @param status  of the answer; anything but 0 is a failure, and what is in the MAD is the question still
 * @return 0 with an answer, also one that says no; or a negative errno with vx_error() filled: -ETIMEDOUT, -EBADMSG, no way to ask; or what
 *         take() has returned
 */
int vx_sa_exchange(const struct vx_sa_link *link, struct vx_mad *mad, enum vx_sa_method method, const struct vx_sa_table *table, uint16_t *status);

/* The administrator has said no: record what was asked, and the status in words. */
int vx_sa_refused(const struct vx_sa_link *link, const struct vx_mad *mad, uint16_t status);

/* ---- what was told (cache.c) ---- */

/* The answer to the same question, not too long ago; false: there is none. */
bool vx_sa_recall(const struct vx_sa_link *link, struct vx_mad *mad);

/* Keep an answer for later; that fails without a word. */
void vx_sa_remember(const struct vx_sa_link *link, const struct vx_mad *question, const struct vx_mad *answer);

/* How long the administrator of a port takes to answer, 4.096 us * 2^n; 0: it was not asked. */
uint8_t vx_sa_resp_time(const struct vx_sa_link *link);
void vx_sa_remember_resp_time(const struct vx_sa_link *link, uint8_t resp_time);

#endif
