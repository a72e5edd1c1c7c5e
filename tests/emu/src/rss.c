/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a program asks for in a QP that spreads packets over a table of receive work queues. */
#include "rss.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>

#include "port.h"

#define TOEPLITZ_KEY_SIZE 40
#define IPV4 (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4)
#define IPV6 (MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6)
#define TCP (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP)
#define UDP (MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP)

const uint64_t rss_fields = IPV4 | IPV6 | TCP | UDP;

static bool both(uint64_t fields, uint64_t a, uint64_t b)
{
	return fields & a && fields & b;
}

int rss_check(struct call *c)
{
	struct mlx5_ib_create_qp_rss driver;

	call_driver_in(c, &driver, sizeof(driver));
	if (!port_get(1)->ethernet || call_value(c, UVERBS_ATTR_CREATE_QP_TYPE) != IBV_QPT_RAW_PACKET ||
	    driver.comp_mask || driver.flags || driver.rx_hash_fields_mask & ~rss_fields ||
	    driver.rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ)
		return EOPNOTSUPP;
	if (call_attr(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE) || call_value(c, UVERBS_ATTR_CREATE_QP_FLAGS))
		return EOPNOTSUPP;
	if (driver.rx_key_len != TOEPLITZ_KEY_SIZE || both(driver.rx_hash_fields_mask, IPV4, IPV6) ||
	    both(driver.rx_hash_fields_mask, TCP, UDP))
		return EINVAL;
	return 0;
}
