/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The kernel's side of librdmacm: /dev/infiniband/rdma_cm. A channel of events is a file, and
 * a communication identifier an id on it. All of it is under the device lock.
 */
#ifndef EMU_CM_H
#define EMU_CM_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <rdma/rdma_user_cm.h>

#include "calls/ready.h"
#include "objects/gid.h"

struct nearest;

struct port;

#define CM_NODE "/dev/infiniband/rdma_cm"

/* The Q_Key of datagrams, and of the groups */
#define CM_UDP_QKEY 0x01234567

/* enum rdma_cm_event_type, which is in librdmacm's header alone */
enum cm_event_type {
	CM_ADDR_RESOLVED,
	CM_ADDR_ERROR,
	CM_ROUTE_RESOLVED,
	CM_ROUTE_ERROR,
	CM_CONNECT_REQUEST,
	CM_CONNECT_RESPONSE,
	CM_CONNECT_ERROR,
	CM_UNREACHABLE,
	CM_REJECTED,
	CM_ESTABLISHED,
	CM_DISCONNECTED,
	CM_DEVICE_REMOVAL,
	CM_MULTICAST_JOIN,
	CM_MULTICAST_ERROR,
	CM_ADDR_CHANGE,
	CM_TIMEWAIT_EXIT
};

/* Reasons of a REJ */
enum {
	CM_REJ_TIMEOUT = 4,
	CM_REJ_INVALID_ID = 6,
	CM_REJ_INVALID_SERVICE = 8,
	CM_REJ_CONSUMER = 28,
	CM_REJ_VENDOR_OPTION = 35 /* of enhanced connection establishment */
};

/* The status of a SIDR_REP */
enum {
	CM_SIDR_VALID,
	CM_SIDR_UNSUPPORTED,
	CM_SIDR_REJECTED
};

/* What two ends say to each other: messages of the InfiniBand CM, but for the last two */
enum cm_mad_type {
	CM_NO_MAD,
	CM_REQ,
	CM_REP,
	CM_RTU,
	CM_REJ,
	CM_DREQ,
	CM_DREP,
	CM_SIDR_REQ,
	CM_SIDR_REP,
	CM_MRA, /* it has come, and the program takes its time */
	CM_ALIVE, /* is the other end still there? */
	CM_GONE, /* it is not */
	CM_MADS
};

struct cm_mad {
	uint8_t type;
	bool again; /* it was not answered before */
	uint32_t from, to; /* ids; 0: whoever listens */
	int32_t status;
	uint16_t ps;
	uint8_t qp_type;
	struct sockaddr_storage src, dst; /* of a request */
	uint8_t sgid[GID_SIZE];
	uint16_t slid;
	uint32_t psn; /* one for both directions */
	struct rdma_ucm_ece ece;
	struct rdma_ucm_conn_param param;
};

enum cm_state {
	CM_IDLE,
	CM_LISTENING,
	CM_REQ_SENT,
	CM_REQ_RECEIVED,
	CM_REP_SENT,
	CM_REP_RECEIVED,
	CM_CONNECTED,
	CM_DREQ_SENT,
	CM_DREQ_RECEIVED,
	CM_OVER,
	CM_STATES
};

struct cm_file {
	LIST_ENTRY(cm_file) link;
	struct ready ready; /* as there are events */
	int fds; /* of the program */
	int waiting; /* calls for an event */
	STAILQ_HEAD(, cm_event) events;
};

struct cm_id {
	LIST_ENTRY(cm_id) link;
	LIST_ENTRY(cm_id) of_number, of_port; /* lists of few, which an id is found in */
	struct cm_file *file;
	uint32_t number;
	uint64_t uid; /* 0: not known to the program yet */
	uint16_t ps;
	uint8_t qp_type;
	enum cm_state state;
	bool passive;

	struct sockaddr_storage src, dst; /* of no family: not bound, not resolved */
	bool reuse; /* of the port */
	const struct port *port; /* NULL: of any */
	uint8_t sgid_index;
	uint8_t dgid[GID_SIZE];
	uint16_t dlid;
	bool has_route;

	int backlog; /* requests that may still wait */
	int reported; /* events that were fetched */

	uint32_t qpn, peer_qpn, psn;
	uint8_t responder_resources, initiator_depth, retry_count, rnr_retry_count;
	uint8_t tos, ack_timeout;

	uint32_t peer; /* its id there; 0: not known yet */
	unsigned int peer_place;
	struct cm_mad sent; /* what waits for an answer, or was the last one */
	LIST_ENTRY(cm_id) waits; /* of those that something is due for */
	uint64_t due; /* ns: when it is sent again, or the peer is asked for; 0: never */
	int tries;
	uint64_t dreq_at; /* ns: when a DREQ came that is not told yet; 0: none */
};

/* A membership of a group: it has a number as ids have */
struct cm_group {
	LIST_ENTRY(cm_group) link;
	struct cm_id *id;
	uint32_t number;
	uint64_t uid;
	uint8_t port, gid[GID_SIZE];
	int reported;
};

struct cm_event {
	STAILQ_ENTRY(cm_event) link;
	struct cm_id *id;
	struct cm_id *fresh; /* of a request: the id that was made for it */
	struct cm_group *group;
	struct rdma_ucm_event_resp resp;
};

LIST_HEAD(cm_id_list, cm_id);
extern struct cm_id_list cm_ids;

/* What numbers of ids, and of ports, are found in */
#define CM_LISTS 1024

/* cm_file.c: open the node: a descriptor, or -1 with errno; the descriptor, a copy of it, was closed */
int cm_open(int flags);
void cm_file_hold(struct cm_file *f);
void cm_file_drop(struct cm_file *f);

/* A write to the descriptor: @size, or -1 with errno. Takes the device lock. */
ssize_t cm_write(int fd, const void *data, size_t size);

/* The process ends: say so to all peers. */
void cm_end(void);

/* In a forked child, all of it is the parent's. */
void cm_forget(void);

/* cm_event.c: NULL without memory, where all fields but the common ones are for the caller to set */
struct cm_event *cm_event_post(struct cm_id *id, enum cm_event_type type, int status);
int cm_event_get(struct cm_file *f, const void *body, size_t out);
void cm_event_drop_of(struct cm_id *id, struct cm_group *group);
void cm_event_drop_all(struct cm_file *f);
void cm_event_move(struct cm_id *id, struct cm_file *to);

/* cm_id.c: */
struct cm_id *cm_id_new(struct cm_file *f, uint16_t ps, uint8_t qp_type);
struct cm_id *cm_id_find(uint32_t number);
uint32_t cm_number(void);
/*
 * An id in messages: the kernel's are random in part, and so are these, that an answer to the dead is not for who has their place
 * and their numbers. Then its number; the id that a message means, or NULL.
 */
uint32_t cm_id_outside(const struct cm_id *id);
uint32_t cm_number_inside(uint32_t outside);
struct cm_id *cm_id_meant(uint32_t outside);
/* The id that was made for a request of that number there; NULL: none. It comes again until it is answered. */
struct cm_id *cm_asked_by(unsigned int place, uint32_t number);
/* A forked child has other ids than its parent, and none yet. */
void cm_begin_life(void);
void cm_id_destroy(struct cm_id *id);
bool cm_is_datagram(const struct cm_id *id);

/* cm_command.c: what a command does: 0 or an errno */
int cm_command(struct cm_file *f, const struct rdma_ucm_cmd_hdr *h, const void *body);
/* The name of a command that is equal to @name; NULL for none. */
const char *cm_command_name(const char *name);
void cm_command_names(struct nearest *n);
/* The reply of a command, as much of it as the program has room for. */
void cm_reply(uint64_t response, const void *reply, size_t size, size_t out);

/* cm_address.c: 0 or an errno */
int cm_bind(struct cm_id *id, const void *address);
int cm_resolve(struct cm_id *id, const void *src, const void *dst);
socklen_t cm_address_size(const void *address);
uint16_t cm_port_number(const void *address);
/* The id goes away: another may have its port number. */
void cm_release_number(struct cm_id *id);
/* In a forked child: nobody has a port number. */
void cm_forget_numbers(void);
/* On one host, the place of the process that has the port which the id is to connect to; ours where none has it. */
unsigned int cm_place_of_dest(const struct cm_id *id);
/* Our port that has an address, or NULL; the index of that address there: on Ethernet, as RoCE v2. */
const struct port *cm_port_of(const void *address);
uint8_t cm_sgid_index(const struct port *p, const void *address);
/* The id that listens for a request, or NULL. */
struct cm_id *cm_listener(const struct cm_mad *request);

/* cm_path.c */
void cm_put_ah(struct ib_uverbs_ah_attr *ah, const struct cm_id *id);
int cm_query_route(const struct cm_id *id, uint64_t response, size_t out);
int cm_query(const struct cm_id *id, uint32_t option, uint64_t response, size_t out);
int cm_init_qp_attr(const struct cm_id *id, uint32_t state, uint64_t response, size_t out);

/* cm_connect.c: 0 or an errno */
int cm_connect(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece);
int cm_accept(struct cm_id *id, const struct rdma_ucm_conn_param *p, const struct rdma_ucm_ece *ece);
int cm_reject(struct cm_id *id, uint8_t reason, const void *data, uint8_t size);
int cm_disconnect(struct cm_id *id);
int cm_notify(struct cm_id *id);
/* A message has come for an id that is there. */
void cm_hear(struct cm_id *id, const struct cm_mad *m);
/* A request has come for one that listens. */
void cm_request(struct cm_id *listener, unsigned int place, const struct cm_mad *m);
/* The peer is not there, or does not answer. */
void cm_give_up(struct cm_id *id);
/* What the other end is told of one that goes away. */
void cm_say_goodbye(struct cm_id *id);

/* cm_wire.c */
void cm_send(struct cm_id *id, const struct cm_mad *m);
void cm_send_until_answered(struct cm_id *id, const struct cm_mad *m);
/* The last word of a program that was asked: who asks again did not hear it. */
void cm_send_answer(struct cm_id *id, const struct cm_mad *m);
/* An MRA: what came from the peer has come, but the program has not dealt with it yet; and what the peer makes of it. */
void cm_ask_for_patience(struct cm_id *id);
void cm_be_patient(struct cm_id *id);
void cm_expect_nothing(struct cm_id *id);
/* It is over: after a time it is told so. */
void cm_wait_for_stragglers(struct cm_id *id);
/* Hear of its DREQ again, soon. */
void cm_hear_dreq_soon(struct cm_id *id);
/* From another process. */
void cm_receive(unsigned int place, const void *data, size_t size);
/* A turn of the engine: whether there was anything to do. */
bool cm_serve(void);
/* The id goes away, and nothing is due for it; in a forked child, for none. */
void cm_wait_for_nothing(struct cm_id *id);
void cm_forget_waiting(void);

/* cm_mad.c: NULL, or CM_NO_MAD, for what is no message of the CM */
const char *cm_mad_name(int type);
int cm_mad_type(const char *name);

/* An event for every id that is bound to a port, to that one or, if the device goes away, to one of its device; 0: to any. */
void cm_tell(int type, uint32_t port);

/* cm_group.c */
int cm_join(struct cm_id *id, uint64_t uid, const void *address, uint64_t response, size_t out);
int cm_leave(struct cm_file *f, uint32_t number, uint64_t response, size_t out);
void cm_leave_all(struct cm_id *id);
void cm_group_gid(uint8_t gid[GID_SIZE], const struct cm_id *id, const void *address);
bool cm_address_is_group(const void *address);

#endif
