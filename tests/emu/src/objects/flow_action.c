/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Actions of flows of mlx5dv: headers that are modified, put on and taken off; and the counters of DEVX. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <string.h>

#include "bounds.h"
#include "calls/call.h"
#include "calls/devx.h"
#include "calls/prm_ft.h"
#include "objects/flow_matcher.h"
#include "packets/frame.h"

#define ACTION_SIZE 8
#define MAX_HEADERS 1024

static const struct field FLOW_COUNTER_ID = { 64, 32 };
static const struct field QUERY_FLOW_COUNTER_ID = { 224, 32 };
static const struct field FLOW_STATISTICS_PACKETS = { 128, 64 };
static const struct field FLOW_STATISTICS_OCTETS = { 192, 64 };

#define FLOW_STATISTICS_END 32

static void modify(const struct flow_action *a, struct rewrite *r)
{
	for (size_t i = 0; i < a->size; i += ACTION_SIZE)
		rewrite_field(r, a->data + i);
}

static void encapsulate(const struct flow_action *a, struct rewrite *r)
{
	rewrite_encapsulate(r, a->data, a->size);
}

static void decapsulate(const struct flow_action *a, struct rewrite *r)
{
	(void)a;
	rewrite_decapsulate(r);
}

static void encapsulate_packet(const struct flow_action *a, struct rewrite *r)
{
	rewrite_encapsulate_packet(r, a->data, a->size);
}

static void decapsulate_packet(const struct flow_action *a, struct rewrite *r)
{
	rewrite_decapsulate_packet(r, a->data, a->size);
}

/* Into tunnels and out of them: those of layer 2 carry frames, those of layer 3 packets, whose Ethernet header is made anew */
static const struct tunnel {
	uint32_t call, mailbox; /* how either asks for it */
	bool egress;
	void (*run)(const struct flow_action *a, struct rewrite *r);
} tunnels[] = {
	{ MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL, REFORMAT_L2_TO_L2_TUNNEL, true, encapsulate },
	{ MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL, REFORMAT_L2_TO_L3_TUNNEL, true, encapsulate_packet },
	{ MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2, REFORMAT_L3_TUNNEL_TO_L2, false, decapsulate_packet },
	{ MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, REFORMAT_NONE, false, decapsulate },
};

static struct flow_action way_of(const struct tunnel *t)
{
	return (struct flow_action){ .egress = t->egress, .run = t->run };
}

/* The headers that it wants */
static bool headers_fit(const struct tunnel *t, size_t size)
{
	if (t->run == decapsulate_packet)
		return size == ETHERNET_HEADER || size == ETHERNET_HEADER + VLAN_HEADER;
	return t->run == decapsulate ? !size : size && size <= MAX_HEADERS;
}

/* What there is to do, with data of the program; NULL without memory */
static struct flow_action *make(struct call *c, struct flow_action wanted, const void *data, size_t size)
{
	struct flow_action *a = object_new(c->ctx, FLOW_ACTION, sizeof(*a) + size, NULL);

	if (!a)
		return NULL;
	a->egress = wanted.egress;
	a->run = wanted.run;
	a->size = size;
	if (size)
		memcpy(a->data, data, size);
	return a;
}

static int create(struct call *c, int handle_id, struct flow_action wanted, struct ib_uverbs_attr *data)
{
	struct flow_action *a = data ? make(c, wanted, attr_data(data), data->len) : make(c, wanted, NULL, 0);

	if (!a)
		return ENOMEM;
	call_put_handle(c, handle_id, a->o.handle);
	return 0;
}

static int check_table(struct call *c, int type_id)
{
	if (!call_is_ethernet(c))
		return EOPNOTSUPP;
	return call_value(c, type_id) > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ? EOPNOTSUPP : 0;
}

static bool all_are_known(const uint8_t *actions, size_t size)
{
	for (size_t i = 0; i < size; i += ACTION_SIZE)
		if (!rewrite_knows(actions + i))
			return false;
	return true;
}

static int create_modify_header(struct call *c)
{
	const int type_id = MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE;
	struct ib_uverbs_attr *actions = call_attr(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM);
	int rc = check_table(c, type_id);

	if (rc)
		return rc;
	if (!actions || !actions->len || actions->len % ACTION_SIZE)
		return EINVAL;
	if (!all_are_known(attr_data(actions), actions->len))
		return EOPNOTSUPP;
	return create(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE,
		      (struct flow_action){ .run = modify,
					    .egress = call_value(c, type_id) ==
						      MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX },
		      actions);
}

/* Headers go on what leaves and come off what arrives */
static int create_packet_reformat(struct call *c)
{
	const int type_id = MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE;
	struct ib_uverbs_attr *headers = call_attr(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF);
	uint32_t what = call_value(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE);
	bool egress = call_value(c, type_id) == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;
	int rc = check_table(c, type_id);

	if (rc)
		return rc;
	for (const struct tunnel *t = tunnels; t < tunnels + ARRAY_SIZE(tunnels); t++)
		if (t->call == what && t->egress == egress)
			return headers_fit(t, headers ? headers->len : 0) ?
				       create(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, way_of(t), headers) :
				       EINVAL;
	return EOPNOTSUPP;
}

static int destroy(struct call *c)
{
	return object_destroy(call_object(c, UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, FLOW_ACTION));
}

static int tell(struct call *c, struct mailboxes *m, struct flow_action *a)
{
	if (!a)
		return devx_refuse(m, STATUS_LIM);
	prm_set(m->out, HEADER_CONTEXT_ID, a->o.number);
	devx_made(c, &a->o);
	return 0;
}

int flow_modify_header_alloc(struct call *c, struct mailboxes *m)
{
	uint32_t type = prm_get(m->in, MODIFY_HEADER_TABLE_TYPE);
	size_t size = prm_get(m->in, MODIFY_HEADER_NUM_OF_ACTIONS) * ACTION_SIZE;
	const uint8_t *actions = m->in + MODIFY_HEADER_ACTIONS_AT;

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (type > TABLE_TYPE_NIC_TX || !size || m->in_len < MODIFY_HEADER_ACTIONS_AT + size || !all_are_known(actions, size))
		return devx_refuse(m, STATUS_BAD_PARAM);
	return tell(c, m, make(c, (struct flow_action){ .run = modify, .egress = type == TABLE_TYPE_NIC_TX }, actions, size));
}

/* What takes off the headers of a frame needs no data, and an entry asks for it by itself */
static const struct tunnel *tunnel_of(const struct mailboxes *m, size_t size)
{
	for (const struct tunnel *t = tunnels; t < tunnels + ARRAY_SIZE(tunnels); t++)
		if (t->mailbox == prm_get(m->in, REFORMAT_TYPE))
			return headers_fit(t, size) ? t : NULL;
	return NULL;
}

int flow_packet_reformat_alloc(struct call *c, struct mailboxes *m)
{
	size_t size = prm_get(m->in, REFORMAT_DATA_SIZE);
	const struct tunnel *t = tunnel_of(m, size);

	if (!call_is_ethernet(c))
		return devx_refuse(m, STATUS_BAD_OP);
	if (!t || m->in_len < REFORMAT_DATA_AT + size)
		return devx_refuse(m, STATUS_BAD_PARAM);
	return tell(c, m, make(c, way_of(t), m->in + REFORMAT_DATA_AT, size));
}

bool flow_action_modifies(const struct flow_action *a)
{
	return a->run == modify;
}

int flow_counter_alloc(struct call *c, struct mailboxes *m)
{
	struct flow_counter *k = object_new(c->ctx, FLOW_COUNTER, sizeof(*k), NULL);

	if (!k)
		return devx_refuse(m, STATUS_LIM);
	prm_set(m->out, FLOW_COUNTER_ID, k->o.number);
	devx_made(c, &k->o);
	return 0;
}

void flow_counter_add(struct flow_counter *k, uint32_t len)
{
	k->packets++;
	k->octets += len;
}

int flow_counter_query(struct call *c, struct mailboxes *m)
{
	const struct flow_counter *k = call_object(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, FLOW_COUNTER);

	if (!k || prm_get(m->in, QUERY_FLOW_COUNTER_ID) != k->o.number || m->out_len < FLOW_STATISTICS_END)
		return EINVAL;
	prm_set64(m->out, FLOW_STATISTICS_PACKETS, k->packets);
	prm_set64(m->out, FLOW_STATISTICS_OCTETS, k->octets);
	return 0;
}

const struct method flow_action_methods[] = {
	METHOD(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER,
	       "create_modify_header", create_modify_header),
	METHOD(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT,
	       "create_packet_reformat", create_packet_reformat),
	METHOD(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY, "destroy_flow_action", destroy),
	{ 0 },
};
