/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Commands in mailboxes: what goes in and what comes out. */
#ifndef EMU_DEVX_H
#define EMU_DEVX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/object.h"

/* Bytes that both mailboxes of every command have */
#define MAILBOX_HEADER 16

struct call;

struct mailboxes {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out; /* cleared */
	size_t out_len;
};

/* Each returns 0 or an errno. EREMOTEIO: the device refuses, and the status in @out says why. */
typedef int devx_fn(struct call *c, struct mailboxes *m);
devx_fn general_create, general_modify, general_query, psv_create, mkey_create;
devx_fn qp_create_by_mailbox, qp_query_by_mailbox, qp_rst2init, qp_init2init, qp_init2rtr, qp_rtr2rts,
	qp_rts2rts, qp_2err, qp_2rst;
devx_fn rq_create, rq_modify, rqt_create, tir_create, pd_alloc, xrcd_alloc, transport_domain_alloc;
devx_fn cq_create_by_mailbox, dct_create, dct_drain, rmp_create, xrq_create, vport_query, vport_state_query, adapter_query, lag_query, flow_counter_alloc,
	flow_counter_query, flow_table_create, flow_table_query, flow_group_create, flow_group_query, flow_entry_set,
	flow_entry_modify, flow_entry_query, flow_modify_header_alloc, flow_packet_reformat_alloc, sq_modify, tis_modify, tis_query;

/* Whether the kernel takes a command for the creation of an object. */
bool devx_is_creation(const uint8_t *in);

/* Fill in a status and return EREMOTEIO. */
int devx_refuse(struct mailboxes *m, uint8_t status);

/* Give the program the handle of what a command has made. */
void devx_made(struct call *c, struct object *o);

/* The object of whatever kind that DEVX has made, or NULL. */
struct object *devx_object(const struct call *c, uint64_t handle);

/* Do the command for the object of that handle, out of the ordinary order. */
int general_query_object(const struct call *c, uint64_t handle, struct mailboxes *m);

#endif
