/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "../scenarios/peer.h"
#include "mad.h"

int fd = -1;

int open_node(int flags)
{
	int node = open("/dev/infiniband/umad0", O_RDWR | flags);

	CHECK(node >= 0 && !ioctl(node, IB_USER_MAD_ENABLE_PKEY));
	return node;
}

void open_umad(void)
{
	open_mlx5();
	if (bed.ethernet)
		skip("an Ethernet port has no subnet");
	fd = open_node(O_NONBLOCK);
}

void close_umad(void)
{
	if (fd >= 0)
		CHECK(!close(fd));
	close_bed();
}
struct ib_user_mad_reg_req request(uint8_t mgmt_class)
{
	struct ib_user_mad_reg_req r = {
		.qpn = mgmt_class != SUBN && mgmt_class != DIRECTED,
		.mgmt_class = mgmt_class,
		.mgmt_class_version = mgmt_class == SUBN_ADM ? 2 : 1,
		.rmpp_version = mgmt_class == SUBN_ADM,
	};

	if (mgmt_class == VENDOR)
		memcpy(r.oui, (uint8_t[]){ 0, 0x14, 5 }, sizeof(r.oui));
	return r;
}

uint32_t agent(int node, uint8_t mgmt_class, unsigned long methods)
{
	struct ib_user_mad_reg_req r = request(mgmt_class);

	r.method_mask[0] = methods;
	CHECK(!ioctl(node, IB_USER_MAD_REGISTER_AGENT, &r));
	return r.id;
}

struct user_mad make(uint32_t id, uint8_t mgmt_class, uint8_t method, uint16_t attr, uint16_t lid)
{
	struct user_mad u = {
		.hdr = { .id = id,
			 .timeout_ms = TIME,
			 .lid = htobe16(lid),
			 .qpn = htobe32(request(mgmt_class).qpn) },
		.mad = { .base_version = 1,
			 .mgmt_class = mgmt_class,
			 .method = method,
			 .tid = htobe64(0x1234567800000009),
			 .class_version = request(mgmt_class).mgmt_class_version,
			 .attr_id = htobe16(attr) },
	};

	if (mgmt_class == VENDOR)
		memcpy(u.mad.data + VENDOR_OUI, request(mgmt_class).oui, 3);
	return u;
}

void post(int node, const struct user_mad *u)
{
	CHECK(write(node, u, sizeof(u->hdr) + MAD_SIZE) == (ssize_t)sizeof(u->hdr) + MAD_SIZE);
}

struct user_mad wait_mad(int node, size_t *size)
{
	struct user_mad u;
	ssize_t n;

	wait_readable(node);
	n = read(node, &u, sizeof(u));
	CHECK(n >= (ssize_t)sizeof(u.hdr) + HEADER);
	*size = n - sizeof(u.hdr);
	cr_assert_eq(u.hdr.length, u.hdr.status ? 0 : (size_t)n);
	return u;
}

struct user_mad ask(const struct user_mad *u)
{
	struct user_mad answer;
	size_t size;

	post(fd, u);
	answer = wait_mad(fd, &size);
	cr_assert_eq(answer.hdr.status, 0);
	CHECK(size >= MAD_SIZE || answer.mad.method == (GET_TABLE | RESP));
	CHECK(be64toh(answer.mad.tid) % (1ull << 32) == be64toh(u->mad.tid) % (1ull << 32));
	return answer;
}

uint16_t status_of(const struct user_mad *u)
{
	return be16toh(ask(u).mad.status);
}

uint16_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}
