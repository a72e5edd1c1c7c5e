/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A call into the kernel: its attributes, and the tables that say who answers it. */
#ifndef EMU_CALL_H
#define EMU_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "objects/object.h"

struct nearest;

struct call {
	struct context *ctx;
	struct ib_uverbs_ioctl_hdr *hdr;
	/* Of a command in the layout of write(), which INVOKE_WRITE carries: */
	void *in;
	size_t in_len;
	struct ib_uverbs_attr *out;
};

struct method {
	uint16_t object, id;
	uint16_t command; /* IB_USER_VERBS_CMD_..., for INVOKE_WRITE only */
	const char *name; /* for fault injection and the trace */
	int (*run)(struct call *c); /* 0 or an errno; NULL: not supported */
	size_t in_size; /* of a command: what it has to bring at least */
};

/* A row of such a table; the last row is empty. */
#define METHOD(object, id, name, run)       \
	{                                   \
		object, id, 0, name, run, 0 \
	}
#define COMMAND(command, request, name, run)                                                                 \
	{                                                                                                    \
		UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, command, name, run, sizeof(struct request) \
	}

extern const struct method ah_methods[], channel_methods[], context_methods[], counters_methods[],
	cq_methods[], device_methods[], devx_event_methods[], devx_fd_methods[], devx_methods[], dm_methods[],
	flow_action_methods[], flow_dv_methods[], flow_matcher_methods[], flow_methods[], mcast_methods[],
	mr_methods[], mw_methods[], odp_methods[], pd_methods[], port_methods[], pp_methods[],
	qp_create_methods[], qp_methods[], qp_open_methods[], rwq_table_methods[], srq_methods[], steering_anchor_methods[],
	uar_methods[], umem_methods[], unsupported_methods[], vport_methods[], wq_methods[], xrcd_methods[];

/* Answer an ioctl: 0 or an errno. The device lock is held. */
int call_dispatch(struct context *ctx, struct ib_uverbs_ioctl_hdr *hdr);

/* The name in the tables that is equal to @name; NULL for none. */
const char *call_name(const char *name);

/* Show all names of calls to nearest_see(), those of rdma_cm and MADs too. */
void call_names(struct nearest *n);

/* Which device is called, and the number among all ports of the one that it knows by @local; 0 for none. */
uint8_t call_device(const struct call *c);
uint8_t call_port(const struct call *c, uint32_t local);
bool call_is_ethernet(const struct call *c);

/* NULL where @handle is no object of that kind. */
void *call_find(const struct call *c, enum kind kind, uint64_t handle);

/* Likewise of the device, by the number that mailboxes have. */
void *call_numbered(const struct call *c, enum kind kind, uint32_t number);

/* What the program sent. Missing: NULL or 0. */
struct ib_uverbs_attr *call_attr(struct call *c, int id);
void *attr_data(struct ib_uverbs_attr *a);
uint64_t call_value(struct call *c, int id);
void *call_object(struct call *c, int id, enum kind kind);

/* What it gets; nothing happens where it did not ask for the attribute. */
void call_put(struct call *c, int id, const void *data, size_t size);
void call_put_u32(struct call *c, int id, uint32_t value);
void call_put_u64(struct call *c, int id, uint64_t value);
void call_put_handle(struct call *c, int id, uint64_t value);
void call_reply(struct call *c, const void *data, size_t size);

/* The provider's part; the input comes as a copy, filled up with zeroes. */
void call_driver_in(struct call *c, void *data, size_t size);
void call_driver_out(struct call *c, const void *data, size_t size);

#endif
