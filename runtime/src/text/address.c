/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Identifiers of ports and nodes, from bytes in network order, and what else has a size of its own. */

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "form.h"

#define GROUPS 8 /* of 16 bits in an IPv6 address */

/* struct sockaddr_ib of <rdma/rdma_cma.h>, which need not be installed. */
#define IB_FAMILY 27
#define IB_SIZE 48
#define IB_PKEY 2
#define IB_ADDR 8
#define IB_SID 24

static unsigned int group(const unsigned char *bytes, size_t index)
{
	return (unsigned int)bytes[2 * index] << 8 | bytes[2 * index + 1];
}

static void put_short_hex(struct vx_out *out, unsigned int value)
{
	vx_put_hex_digits(out, value, value > 0xfff ? 4 : value > 0xff ? 3 : value > 0xf ? 2 : 1);
}

static void put_guid(struct vx_out *out, const unsigned char *bytes)
{
	size_t i;

	for (i = 0; i < 4; i++) {
		if (i)
			vx_put_char(out, ':');
		vx_put_hex_digits(out, group(bytes, i), 4);
	}
}

static void put_mac(struct vx_out *out, const unsigned char *bytes)
{
	size_t i;

	for (i = 0; i < 6; i++) {
		if (i)
			vx_put_char(out, ':');
		vx_put_hex_digits(out, bytes[i], 2);
	}
}

static void put_ipv4(struct vx_out *out, const unsigned char *bytes)
{
	size_t i;

	for (i = 0; i < 4; i++) {
		if (i)
			vx_put_char(out, '.');
		vx_put_unsigned(out, bytes[i]);
	}
}

/* The first of the longest runs of zero groups, which "::" stands for; a single group is no run. */
static size_t longest_zeros(const unsigned char *bytes, size_t *length)
{
	size_t i, run = 0, best = GROUPS;

	*length = 1;
	for (i = 0; i < GROUPS; i++) {
		run = group(bytes, i) ? 0 : run + 1;
		if (run > *length) {
			*length = run;
			best = i + 1 - run;
		}
	}
	return best;
}

/* As RFC 5952 wants it. */
static void put_ipv6(struct vx_out *out, const unsigned char *bytes)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	size_t length, zeros = longest_zeros(bytes, &length);
	size_t i;

	if (!memcmp(bytes, mapped, sizeof(mapped))) {
		vx_put_string(out, "::ffff:");
		put_ipv4(out, bytes + 12);
		return;
	}
	for (i = 0; i < GROUPS; i++) {
		if (i == zeros) {
			vx_put_string(out, "::");
			i += length - 1;
			continue;
		}
		if (i && i != zeros + length)
			vx_put_char(out, ':');
		put_short_hex(out, group(bytes, i));
	}
}

static bool put_sockaddr_in(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	struct sockaddr_in in;

	if (count < offsetof(struct sockaddr_in, sin_zero))
		return false;
	put_ipv4(out, bytes + offsetof(struct sockaddr_in, sin_addr));
	vx_put_char(out, ':');
	memcpy(&in, bytes, offsetof(struct sockaddr_in, sin_zero));
	vx_put_unsigned(out, ntohs(in.sin_port));
	return true;
}

static bool put_sockaddr_in6(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	struct sockaddr_in6 in6;

	if (count < sizeof(in6))
		return false;
	memcpy(&in6, bytes, sizeof(in6));
	vx_put_char(out, '[');
	put_ipv6(out, in6.sin6_addr.s6_addr);
	if (in6.sin6_scope_id) {
		vx_put_char(out, '%');
		vx_put_unsigned(out, in6.sin6_scope_id);
	}
	vx_put_string(out, "]:");
	vx_put_unsigned(out, ntohs(in6.sin6_port));
	return true;
}

/* "ib fe80::1 pkey 0xffff sid 0000:0000:0106:12b7" */
static bool put_sockaddr_ib(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	if (count < IB_SIZE)
		return false;
	vx_put_string(out, "ib ");
	put_ipv6(out, bytes + IB_ADDR);
	vx_put_string(out, " pkey ");
	vx_put_hex(out, group(bytes + IB_PKEY, 0));
	vx_put_string(out, " sid ");
	put_guid(out, bytes + IB_SID);
	return true;
}

/* A socket address that was never set. */
static bool put_unset(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes[i])
			return false;
	vx_put_string(out, "none");
	return true;
}

static bool put_sockaddr(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	sa_family_t family;

	if (count < sizeof(family))
		return false;
	memcpy(&family, bytes, sizeof(family));
	switch (family) {
	case AF_UNSPEC:
		return put_unset(out, bytes, count);
	case AF_INET:
		return put_sockaddr_in(out, bytes, count);
	case AF_INET6:
		return put_sockaddr_in6(out, bytes, count);
	case IB_FAMILY:
		return put_sockaddr_ib(out, bytes, count);
	default:
		return false;
	}
}

/* Devices count other things than nanoseconds too, so nothing is scaled. */
static void put_timespec(struct vx_out *out, const unsigned char *bytes)
{
	struct timespec time;

	memcpy(&time, bytes, sizeof(time));
	vx_put_literal(out, "tv_sec=");
	vx_put_signed(out, time.tv_sec);
	vx_put_literal(out, " tv_nsec=");
	vx_put_signed(out, time.tv_nsec);
}

static size_t exact_size(enum vx_form form)
{
	switch (form) {
	case VX_FORM_GUID:
		return 8;
	case VX_FORM_MAC:
		return 6;
	case VX_FORM_IPV4:
		return 4;
	case VX_FORM_TIMESPEC:
		return sizeof(struct timespec);
	default:
		return 16;
	}
}

bool vx_address_put(struct vx_out *out, enum vx_form form, const unsigned char *bytes, size_t count)
{
	if (form == VX_FORM_SOCKADDR)
		return put_sockaddr(out, bytes, count);
	if (!vx_form_is_address(form) || count != exact_size(form))
		return false;
	if (form == VX_FORM_GUID)
		put_guid(out, bytes);
	else if (form == VX_FORM_MAC)
		put_mac(out, bytes);
	else if (form == VX_FORM_IPV4)
		put_ipv4(out, bytes);
	else if (form == VX_FORM_TIMESPEC)
		put_timespec(out, bytes);
	else
		put_ipv6(out, bytes);
	return true;
}
