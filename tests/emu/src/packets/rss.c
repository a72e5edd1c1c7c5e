/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a program asks for in a QP that spreads packets over a table of receive work queues. */
#include "packets/rss.h"

#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>


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
	if (!call_is_ethernet(c) || call_value(c, UVERBS_ATTR_CREATE_QP_TYPE) != IBV_QPT_RAW_PACKET ||
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

void rss_set_up(struct rss *r, struct call *c)
{
	struct mlx5_ib_create_qp_rss driver;

	call_driver_in(c, &driver, sizeof(driver));
	memcpy(r->key, driver.rx_hash_key, sizeof(r->key));
	r->fields = driver.rx_hash_fields_mask;
}

/* Each bit of the input that is set adds 32 bits of the key, from where it is */
struct toeplitz {
	const uint8_t *key;
	size_t bit;
	uint32_t hash;
};

static uint32_t key_window(const uint8_t *key, size_t bit)
{
	uint64_t window = (uint64_t)get_be32(key + bit / 8) << 8 | key[bit / 8 + 4];

	return window >> (8 - bit % 8);
}

static void add(struct toeplitz *t, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size * 8; i++, t->bit++)
		if (data[i / 8] & 0x80 >> i % 8)
			t->hash ^= key_window(t->key, t->bit);
}

/* Addresses, then ports, the source first */
uint32_t rss_hash(const struct rss *r, const struct headers *h)
{
	const uint8_t *ports = r->fields & TCP ? h->tcp : r->fields & UDP ? h->udp : NULL;
	const struct {
		uint64_t field;
		const uint8_t *header;
		size_t offset, size;
	} inputs[] = {
		{ MLX5_RX_HASH_SRC_IPV4, h->ipv4, 12, 4 },
		{ MLX5_RX_HASH_DST_IPV4, h->ipv4, 16, 4 },
		{ MLX5_RX_HASH_SRC_IPV6, h->ipv6, 8, 16 },
		{ MLX5_RX_HASH_DST_IPV6, h->ipv6, 24, 16 },
		{ MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP, ports, 0, 2 },
		{ MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_DST_PORT_UDP, ports, 2, 2 },
	};
	struct toeplitz t = { .key = r->key };

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (r->fields & inputs[i].field && inputs[i].header)
			add(&t, inputs[i].header + inputs[i].offset, inputs[i].size);
	return t.hash;
}
