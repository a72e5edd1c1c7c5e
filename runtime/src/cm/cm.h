/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_CM_H
#define VERBSX_SRC_CM_H

/* Steps of ids and what is made on them that the generated functions leave to hand-written code. */

#include <stdbool.h>

#include <verbsx/cm.h>

#include "kinds.h"
#include "object/make.h"

/* Close what goes with an object of librdmacm, before that is ended. They return 0, or a negative errno, recorded. */
int vx_cm_id_ending(struct vx_node *id);
int vx_cm_qp_ending(struct vx_node *qp);
int vx_cm_srq_ending(struct vx_node *srq);
int vx_cm_group_ending(struct vx_node *group);

/* Before an id gets another channel: librdmacm waits for all of its events to be acknowledged. */
void vx_cm_id_settle(struct vx_cm_id *id);

/* Whether functions of an id wait; else it tells by events of its channel. */
bool vx_cm_is_synchronous(const struct vx_cm_id *id);

/* rdma_get_request(3), which leaves nobody without an answer. */
int vx_cm_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id);

/* rdma_leave_multicast(3), which forgets a group also where the kernel does not let it go: then nothing is left to be done but with the id. */
int vx_cm_leave(struct rdma_cm_id *id, struct sockaddr *addr);

/* The address of a group, which it is left by, is kept with the handle. */
int vx_cm_group_begin(struct vx_kept_cm_group *kept, struct vx_cm_group_init *init);

/* A negative errno of what rdma_getaddrinfo(3) returned, which may be a code of getaddrinfo(3). */
int vx_cm_name_code(int rc);

/* Whether an id is accepted with more reads at a time than the peer has offered. */
bool vx_cm_is_too_deep(const struct vx_cm_id *id, const struct rdma_conn_param *conn_param);

/* Whether that is no address of an id, by its family. */
bool vx_cm_is_no_address(const struct sockaddr *addr);

/* Whether that is a number of no port: getaddrinfo(3) takes a larger one for what its lower bits are. */
bool vx_cm_is_no_port(const char *service);

/* "; there are 10.1.0.1 (mlx5_0/1)": the addresses that RDMA devices have. */
void vx_put_cm_addresses(struct vx_out *out);

/* What older headers have no name for. */
#define VX_CM_USER 18

/* What the QP of an id has without being told. */
static inline bool vx_cm_has_pd(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->pd;
}

static inline bool vx_cm_has_qp(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->qp;
}

static inline bool vx_cm_has_srq(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->srq;
}

static inline bool vx_cm_sends(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->qp_type != IBV_QPT_XRC_RECV;
}

static inline bool vx_cm_receives(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->qp_type != IBV_QPT_XRC_RECV && vx_cm_id_raw(id)->qp_type != IBV_QPT_XRC_SEND;
}

/* Whether an endpoint's QP would be made without a CQ that it needs, which providers crash of. attr may be NULL: then it has none. */
bool vx_cm_lacks_cq(const struct vx_cm_addrinfo *addrinfo, const struct ibv_qp_init_attr *attr);

/* Whether it is one that connects. */
static inline bool vx_cm_has_peer(const struct vx_cm_id *id)
{
	return vx_cm_id_raw(id)->route.addr.dst_sin.sin_port; /* it is there in IPv6 as well */
}

/* Whether something is on another context than an id has: two of one device are not the same. All that a QP depends on begins with its. */
static inline bool vx_cm_is_foreign(const struct vx_cm_id *id, const void *handle)
{
	struct ibv_context *const *context = ((const struct vx_object *)handle)->raw;

	return *context != vx_cm_id_raw(id)->verbs;
}

/* Whether an id can have a QP of a type: librdmacm makes it, and fails with what errno happens to be. */
static inline bool vx_cm_suits(const struct vx_cm_id *id, enum ibv_qp_type type)
{
	return vx_cm_id_raw(id)->qp_type == type;
}

#endif
