/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* From the number of a command to what it does: a row each. */
#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "bounds.h"
#include "calls/fd.h"
#include "cm/cm.h"
#include "faults/fault.h"
#include "nearest.h"
#include "trace.h"

#define MAX_BACKLOG 1024

struct command {
	const char *name; /* for fault injection and the trace */
	size_t in, out; /* what it has to bring, and to have room for */
	size_t id_at; /* where the number of the id is; NO_ID */
	int (*run)(struct cm_file *f, struct cm_id *id, const void *body, size_t out);
};

#define NO_ID SIZE_MAX

void cm_reply(uint64_t response, const void *reply, size_t size, size_t out)
{
	memcpy((void *)(uintptr_t)response, reply, size < out ? size : out);
}

/* What QPs a port space is for */
static int qp_type_of(uint16_t ps, uint8_t asked)
{
	switch (ps) {
	case RDMA_PS_TCP:
		return IBV_QPT_RC;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return IBV_QPT_UD;
	case RDMA_PS_IB:
		return asked;
	default:
		return -1;
	}
}

static int create_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_create_id *c = body;
	int type = qp_type_of(c->ps, c->qp_type);
	struct rdma_ucm_create_id_resp r;

	if (type < 0)
		return EINVAL;
	id = cm_id_new(f, c->ps, type);
	if (!id)
		return ENOMEM;
	id->uid = c->uid;
	r.id = id->number;
	cm_reply(c->response, &r, sizeof(r), out);
	return 0;
}

/* The library waits until as many events are acknowledged: the queued ones do not count */
static int destroy_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_destroy_id *c = body;
	struct rdma_ucm_destroy_id_resp r = { .events_reported = id->reported };

	(void)f;
	cm_id_destroy(id);
	cm_reply(c->response, &r, sizeof(r), out);
	return 0;
}

static int bind_ip(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	(void)f;
	(void)out;
	return cm_bind(id, &((const struct rdma_ucm_bind_ip *)body)->addr);
}

static int bind_address(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_bind *c = body;

	(void)f;
	(void)out;
	if (c->reserved || !c->addr_size || c->addr_size != cm_address_size(&c->addr))
		return EINVAL;
	return cm_bind(id, &c->addr);
}

static int resolve_ip(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_resolve_ip *c = body;

	(void)f;
	(void)out;
	return cm_resolve(id, &c->src_addr, &c->dst_addr);
}

static int resolve_address(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_resolve_addr *c = body;

	(void)f;
	(void)out;
	if (c->reserved || c->dst_size != cm_address_size(&c->dst_addr) ||
	    (c->src_size && c->src_size != cm_address_size(&c->src_addr)))
		return EINVAL;
	return cm_resolve(id, c->src_size ? &c->src_addr : NULL, &c->dst_addr);
}

static int resolve_route(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	(void)f;
	(void)body;
	(void)out;
	if (!id->port || !id->dst.ss_family || id->has_route)
		return EINVAL;
	id->has_route = true;
	cm_event_post(id, CM_ROUTE_RESOLVED, 0);
	return 0;
}

static int query_route(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	(void)f;
	return cm_query_route(id, ((const struct rdma_ucm_query *)body)->response, out);
}

static int query(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_query *c = body;

	(void)f;
	return cm_query(id, c->option, c->response, out);
}

/* Older libraries have no ECE */
static const struct rdma_ucm_ece *ece_of(const struct rdma_ucm_cmd_hdr *h, size_t at, const void *body)
{
	return h->in >= at + sizeof(struct rdma_ucm_ece) ? (const void *)((const char *)body + at) : NULL;
}

static int connect_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_connect *c = body;

	(void)f;
	(void)out;
	return cm_connect(id, &c->conn_param,
			  ece_of((const struct rdma_ucm_cmd_hdr *)body - 1,
				 offsetof(struct rdma_ucm_connect, ece), body));
}

static int listen_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct sockaddr_in any = { .sin_family = AF_INET };
	uint32_t backlog = ((const struct rdma_ucm_listen *)body)->backlog;
	int rc = id->src.ss_family ? 0 : cm_bind(id, &any);

	(void)f;
	(void)out;
	if (rc)
		return rc;
	if (id->state != CM_IDLE || id->dst.ss_family)
		return EINVAL;
	id->state = CM_LISTENING;
	id->backlog = backlog && backlog <= MAX_BACKLOG ? backlog : MAX_BACKLOG;
	return 0;
}

static int accept_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_accept *c = body;
	uint64_t uid = id->uid;
	int rc;

	(void)f;
	(void)out;
	if (c->conn_param.valid)
		id->uid = c->uid;
	rc = cm_accept(id, &c->conn_param,
		       ece_of((const struct rdma_ucm_cmd_hdr *)body - 1,
			      offsetof(struct rdma_ucm_accept, ece), body));
	if (rc)
		id->uid = uid;
	return rc;
}

static int reject_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_reject *c = body;

	(void)f;
	(void)out;
	return cm_reject(id, c->reason, c->private_data, c->private_data_len);
}

static int disconnect_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	(void)f;
	(void)body;
	(void)out;
	return cm_disconnect(id);
}

static int init_qp_attr(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_init_qp_attr *c = body;

	(void)f;
	return cm_init_qp_attr(id, c->qp_state, c->response, out);
}

static int set_id_option(struct cm_id *id, const struct rdma_ucm_set_option *c)
{
	const void *value = (const void *)(uintptr_t)c->optval;
	int number = 0;

	if (c->optlen > sizeof(number))
		return EINVAL;
	memcpy(&number, value, c->optlen);
	switch (c->optname) {
	case RDMA_OPTION_ID_TOS:
		id->tos = number;
		return c->optlen == 1 ? 0 : EINVAL;
	case RDMA_OPTION_ID_REUSEADDR:
		id->reuse = number;
		return c->optlen == sizeof(number) ? 0 : EINVAL;
	case RDMA_OPTION_ID_AFONLY:
		return c->optlen == sizeof(number) ? 0 : EINVAL;
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		id->ack_timeout = number;
		return c->optlen == 1 ? 0 : EINVAL;
	default:
		return ENOSYS;
	}
}

/* A path that a cache knew: rdma_resolve_route() with ibacm */
static int set_path(struct cm_id *id, const struct rdma_ucm_set_option *c)
{
	if (!c->optlen || c->optlen % sizeof(struct ib_path_rec_data) || !id->port)
		return EINVAL;
	id->has_route = true;
	cm_event_post(id, CM_ROUTE_RESOLVED, 0);
	return 0;
}

static int set_option(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_set_option *c = body;

	(void)f;
	(void)out;
	if (c->level == RDMA_OPTION_ID)
		return set_id_option(id, c);
	if (c->level == RDMA_OPTION_IB && c->optname == RDMA_OPTION_IB_PATH)
		return set_path(id, c);
	return ENOSYS;
}

static int notify(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	(void)f;
	(void)out;
	if (((const struct rdma_ucm_notify *)body)->event != IBV_EVENT_COMM_EST)
		return EINVAL;
	return cm_notify(id);
}

static int join_ip(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_join_ip_mcast *c = body;

	(void)f;
	return cm_join(id, c->uid, &c->addr, c->response, out);
}

static int join(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_join_mcast *c = body;

	(void)f;
	return cm_join(id, c->uid, &c->addr, c->response, out);
}

static int leave(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_destroy_id *c = body;

	(void)id;
	return cm_leave(f, c->id, c->response, out);
}

/* Written to the channel that it comes to */
static int migrate_id(struct cm_file *f, struct cm_id *id, const void *body, size_t out)
{
	const struct rdma_ucm_migrate_id *c = body;
	struct rdma_ucm_migrate_resp r;

	id = cm_id_find(c->id);
	if (!id || fd_held(c->fd, FD_CM) != id->file)
		return id ? EINVAL : ENOENT;
	cm_event_move(id, f);
	r.events_reported = id->reported;
	cm_reply(c->response, &r, sizeof(r), out);
	return 0;
}

#define ROW(number, name, type, out, run) \
	[RDMA_USER_CM_CMD_##number] = { name, sizeof(struct type), out, offsetof(struct type, id), run }
#define ROW_WITHOUT_ID(number, name, type, out, run) \
	[RDMA_USER_CM_CMD_##number] = { name, sizeof(struct type), out, NO_ID, run }
#define ROOM_FOR(type) sizeof(struct type)

/* Without what came in later releases */
#define ROOM_FOR_ROUTE offsetof(struct rdma_ucm_query_route_resp, ibdev_index)
#define IN_CONNECT offsetof(struct rdma_ucm_connect, ece)
#define IN_ACCEPT offsetof(struct rdma_ucm_accept, ece)

static const struct command commands[] = {
	ROW_WITHOUT_ID(CREATE_ID, "cm_create_id", rdma_ucm_create_id, ROOM_FOR(rdma_ucm_create_id_resp),
		       create_id),
	ROW(DESTROY_ID, "cm_destroy_id", rdma_ucm_destroy_id, ROOM_FOR(rdma_ucm_destroy_id_resp), destroy_id),
	ROW(BIND_IP, "cm_bind", rdma_ucm_bind_ip, 0, bind_ip),
	ROW(BIND, "cm_bind", rdma_ucm_bind, 0, bind_address),
	ROW(RESOLVE_IP, "cm_resolve_addr", rdma_ucm_resolve_ip, 0, resolve_ip),
	ROW(RESOLVE_ADDR, "cm_resolve_addr", rdma_ucm_resolve_addr, 0, resolve_address),
	ROW(RESOLVE_ROUTE, "cm_resolve_route", rdma_ucm_resolve_route, 0, resolve_route),
	ROW(QUERY_ROUTE, "cm_query_route", rdma_ucm_query, ROOM_FOR_ROUTE, query_route),
	ROW(QUERY, "cm_query", rdma_ucm_query, 0, query),
	[RDMA_USER_CM_CMD_CONNECT] = { "cm_connect", IN_CONNECT, 0, offsetof(struct rdma_ucm_connect, id),
				       connect_id },
	ROW(LISTEN, "cm_listen", rdma_ucm_listen, 0, listen_id),
	[RDMA_USER_CM_CMD_ACCEPT] = { "cm_accept", IN_ACCEPT, 0, offsetof(struct rdma_ucm_accept, id),
				      accept_id },
	ROW(REJECT, "cm_reject", rdma_ucm_reject, 0, reject_id),
	ROW(DISCONNECT, "cm_disconnect", rdma_ucm_disconnect, 0, disconnect_id),
	ROW(INIT_QP_ATTR, "cm_init_qp_attr", rdma_ucm_init_qp_attr, ROOM_FOR(ib_uverbs_qp_attr),
	    init_qp_attr),
	ROW(SET_OPTION, "cm_set_option", rdma_ucm_set_option, 0, set_option),
	ROW(NOTIFY, "cm_notify", rdma_ucm_notify, 0, notify),
	ROW(JOIN_IP_MCAST, "cm_join_mcast", rdma_ucm_join_ip_mcast, ROOM_FOR(rdma_ucm_create_id_resp),
	    join_ip),
	ROW(JOIN_MCAST, "cm_join_mcast", rdma_ucm_join_mcast, ROOM_FOR(rdma_ucm_create_id_resp), join),
	ROW_WITHOUT_ID(LEAVE_MCAST, "cm_leave_mcast", rdma_ucm_destroy_id, ROOM_FOR(rdma_ucm_destroy_id_resp),
		       leave),
	ROW_WITHOUT_ID(MIGRATE_ID, "cm_migrate_id", rdma_ucm_migrate_id, ROOM_FOR(rdma_ucm_migrate_resp),
		       migrate_id),
};

const char *cm_command_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].name && !strcmp(commands[i].name, name))
			return commands[i].name;
	return NULL;
}

void cm_command_names(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].name)
			nearest_see(n, commands[i].name);
}

static int find_id(const struct command *c, const struct cm_file *f, const void *body, struct cm_id **id)
{
	uint32_t number;

	*id = NULL;
	if (c->id_at == NO_ID)
		return 0;
	memcpy(&number, (const char *)body + c->id_at, sizeof(number));
	*id = cm_id_find(number);
	if (!*id)
		return ENOENT;
	return (*id)->file == f ? 0 : EINVAL;
}

static int run_command(const struct command *c, struct cm_file *f, const struct rdma_ucm_cmd_hdr *h, const void *body)
{
	struct cm_id *id;
	int rc;

	if (h->in < c->in)
		return EINVAL;
	if (h->out < c->out)
		return ENOSPC;
	rc = fault_call(c->name);
	if (!rc)
		rc = find_id(c, f, body, &id);
	return rc ? rc : c->run(f, id, body, h->out);
}

int cm_command(struct cm_file *f, const struct rdma_ucm_cmd_hdr *h, const void *body)
{
	const struct command *c = h->cmd < ARRAY_SIZE(commands) ? &commands[h->cmd] : NULL;
	int rc = EINVAL;

	if (c)
		rc = c->run ? run_command(c, f, h, body) : ENOSYS;
	TRACE("%s in %u out %u -> %s", c && c->name ? c->name : "an unknown command of rdma_cm", h->in,
	      h->out, rc ? fault_errno_name(rc) : "0");
	return rc;
}
