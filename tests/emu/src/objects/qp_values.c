/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/qp_values.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "bounds.h"
#include "config.h"
#include "objects/port.h"
#include "objects/qp.h"

/* Of enum ibv_rate, 1 is none; the last that mlx5's driver knows is that of 800 Gb/s, whatever comes after it */
#define LAST_RATE 23

static bool rate_ok(uint8_t static_rate)
{
	return static_rate != 1 && static_rate <= LAST_RATE;
}

/* A connection has one end. No port has the LID 0, which counts where there is no GRH. */
static bool is_unicast(const struct ib_uverbs_qp_dest *dest)
{
	static const uint8_t none[GID_SIZE];

	if (port_get(dest->port_num)->ethernet)
		return memcmp(dest->dgid, none, GID_SIZE) && port_finds_mac(dest->port_num, dest->sgid_index, dest->dgid);
	return dest->dlid <= MAX_UNICAST_LID && (dest->dlid || dest->is_global);
}

/* The kernel wants the port in the path to be that of the QP. That of a DCT or a DCI leads nowhere. */
static int check_path(const struct qp *q, const struct ib_uverbs_qp_dest *dest, uint8_t qp_port)
{
	int rc = port_check_path(dest->port_num, dest->is_global, dest->sgid_index);

	if (rc)
		return rc;
	return dest->port_num == qp_port && rate_ok(dest->static_rate) &&
			       (q->type == IBV_QPT_DRIVER || is_unicast(dest)) ?
		       0 :
		       EINVAL;
}

static bool pkey_ok(uint16_t index, uint8_t number)
{
	const struct port *p = port_get(number);

	return p && index < p->npkeys;
}

static bool values_ok(const struct ib_uverbs_modify_qp *m, uint8_t port)
{
	uint32_t mask = m->attr_mask;

	return (!(mask & IBV_QP_PORT) || port_get(port)) &&
	       (!(mask & IBV_QP_PKEY_INDEX) || pkey_ok(m->pkey_index, port)) &&
	       (!(mask & IBV_QP_PATH_MTU) || (m->path_mtu >= IBV_MTU_256 && m->path_mtu <= IBV_MTU_4096)) &&
	       (!(mask & IBV_QP_PATH_MIG_STATE) || m->path_mig_state == IBV_MIG_MIGRATED) &&
	       (!(mask & IBV_QP_MAX_QP_RD_ATOMIC) || m->max_rd_atomic <= config.max_rd_atom) &&
	       (!(mask & IBV_QP_MAX_DEST_RD_ATOMIC) || m->max_dest_rd_atomic <= config.max_rd_atom);
}

/* The kernel has alternate paths on InfiniBand only. They are kept and told; nothing migrates here. */
static int check_alternate(const struct qp *q, const struct ib_uverbs_modify_qp *m)
{
	const struct port *p = port_get(m->alt_port_num);

	if (!p || p->ethernet || !pkey_ok(m->alt_pkey_index, m->alt_port_num))
		return EINVAL;
	return check_path(q, &m->alt_dest, m->alt_port_num);
}

/* Only a path has other codes than EINVAL. There is no pacing. */
int qp_values_check(const struct qp *q, const struct ib_uverbs_modify_qp *m)
{
	uint8_t port = m->attr_mask & IBV_QP_PORT ? m->port_num : q->attr.port_num;
	int rc = 0;

	if (!values_ok(m, port))
		return EINVAL;
	if (m->attr_mask & IBV_QP_RATE_LIMIT)
		return EOPNOTSUPP;
	if (m->attr_mask & IBV_QP_AV)
		rc = check_path(q, &m->dest, port);
	return !rc && m->attr_mask & IBV_QP_ALT_PATH ? check_alternate(q, m) : rc;
}

/* The bits that fields of the QP's context have */
enum {
	PSN_BITS = 24,
	QPN_BITS = 24,
	TIMER_BITS = 5, /* of both timeouts and of min_rnr_timer */
	COUNT_BITS = 3, /* of retries */
	FLOW_LABEL_BITS = 20,
	PATH_BITS = 7,
	SL_BITS = 4,
	PRIORITY_BITS = 3 /* what an SL becomes on Ethernet */
};

static uint32_t low(uint32_t value, int bits)
{
	return value & ((1u << bits) - 1);
}

static void cut_path(struct ib_uverbs_qp_dest *dest)
{
	const struct port *p = port_get(dest->port_num);

	dest->flow_label = low(dest->flow_label, FLOW_LABEL_BITS);
	dest->src_path_bits = low(dest->src_path_bits, PATH_BITS);
	dest->sl = low(dest->sl, p && p->ethernet ? PRIORITY_BITS : SL_BITS);
}

/* The context has the logarithm, in three bits */
static uint8_t power_of_two(uint8_t n)
{
	uint8_t power = 1;

	while (power < n && power < 128)
		power <<= 1;
	return n ? power : 0;
}

void qp_values_cut(struct ib_uverbs_modify_qp *m)
{
	m->rq_psn = low(m->rq_psn, PSN_BITS);
	m->sq_psn = low(m->sq_psn, PSN_BITS);
	m->dest_qp_num = low(m->dest_qp_num, QPN_BITS);
	m->timeout = low(m->timeout, TIMER_BITS);
	m->alt_timeout = low(m->alt_timeout, TIMER_BITS);
	m->min_rnr_timer = low(m->min_rnr_timer, TIMER_BITS);
	m->retry_cnt = low(m->retry_cnt, COUNT_BITS);
	m->rnr_retry = low(m->rnr_retry, COUNT_BITS);
	m->max_rd_atomic = power_of_two(m->max_rd_atomic);
	m->max_dest_rd_atomic = power_of_two(m->max_dest_rd_atomic);
	cut_path(&m->dest);
	cut_path(&m->alt_dest);
}
