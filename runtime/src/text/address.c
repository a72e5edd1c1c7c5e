/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Identifiers of ports and nodes, from bytes in network order, and what else has a size of its own. */

#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include "form.h"

/* struct sockaddr_ib of <rdma/rdma_cma.h>, which need not be installed. */
#define IB_FAMILY 27
#define IB_SIZE 48
#define IB_PKEY 2
#define IB_ADDR 8
#define IB_SID 24

static void put_ip(struct vx_out *out, int family, const unsigned char *bytes)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(family, bytes, text, sizeof(text));
	vx_put_string(out, text);
}

/* "192.0.2.1:4791", "[fe80::1%2]:4791" */
static bool put_sockaddr_ip(struct vx_out *out, int family, const unsigned char *bytes, size_t count)
{
	const unsigned char *port = bytes + offsetof(struct sockaddr_in, sin_port); /* the same of both */
	bool v6 = family == AF_INET6;
	uint32_t scope = 0;

	if (count < (v6 ? sizeof(struct sockaddr_in6) : offsetof(struct sockaddr_in, sin_zero)))
		return false;
	if (v6)
		memcpy(&scope, bytes + offsetof(struct sockaddr_in6, sin6_scope_id), sizeof(scope));
	vx_put_string(out, v6 ? "[" : "");
	put_ip(out, family, bytes + (v6 ? offsetof(struct sockaddr_in6, sin6_addr) : offsetof(struct sockaddr_in, sin_addr)));
	if (scope)
		vx_put_format(out, "%%%u", scope);
	vx_put_format(out, v6 ? "]:%u" : ":%u", (unsigned int)port[0] << 8 | port[1]);
	return true;
}

/* "ib fe80::1 pkey 0xffff sid 0000:0000:0106:12b7" */
static bool put_sockaddr_ib(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	if (count < IB_SIZE)
		return false;
	vx_put_string(out, "ib ");
	put_ip(out, AF_INET6, bytes + IB_ADDR);
	vx_put_format(out, " pkey 0x%x sid ", (unsigned int)bytes[IB_PKEY] << 8 | bytes[IB_PKEY + 1]);
	vx_put_hex_bytes(out, bytes + IB_SID, 8, 2);
	return true;
}

size_t vx_sockaddr_length(const void *address)
{
	sa_family_t family;

	memcpy(&family, address, sizeof(family));
	return family == AF_INET ? sizeof(struct sockaddr_in) : family == AF_INET6 ? sizeof(struct sockaddr_in6) :
	       family == IB_FAMILY ? IB_SIZE : sizeof(family);
}

static bool put_sockaddr(struct vx_out *out, const unsigned char *bytes, size_t count)
{
	sa_family_t family;

	if (count < sizeof(family))
		return false;
	memcpy(&family, bytes, sizeof(family));
	if (family == AF_UNSPEC) /* never set */
		return !vx_is_set(bytes, count) && vx_put_if_any(out, "none");
	if (family == IB_FAMILY)
		return put_sockaddr_ib(out, bytes, count);
	return (family == AF_INET || family == AF_INET6) && put_sockaddr_ip(out, family, bytes, count);
}

/* Devices count other things than nanoseconds too, so nothing is scaled. */
void vx_put_time(struct vx_out *out, const char *format, const unsigned char *bytes)
{
	struct timespec time;

	memcpy(&time, bytes, sizeof(time));
	vx_put_format(out, format, (long long)time.tv_sec, (long long)time.tv_nsec);
}

/* What the forms of a fixed size take; 0: another form. */
static const uint8_t sizes[VX_FORMS] = {
	[VX_FORM_GUID] = 8, [VX_FORM_GID] = 16,	 [VX_FORM_MAC] = 6,
	[VX_FORM_IPV4] = 4, [VX_FORM_IPV6] = 16, [VX_FORM_TIMESPEC] = sizeof(struct timespec),
};

bool vx_address_put(struct vx_out *out, enum vx_form form, const unsigned char *bytes, size_t count)
{
	if (form == VX_FORM_SOCKADDR)
		return put_sockaddr(out, bytes, count);
	if (!sizes[form] || count != sizes[form])
		return false;
	if (form == VX_FORM_GUID || form == VX_FORM_MAC)
		vx_put_hex_bytes(out, bytes, count, form == VX_FORM_GUID ? 2 : 1);
	else if (form == VX_FORM_TIMESPEC)
		vx_put_time(out, "tv_sec=%lld tv_nsec=%lld", bytes);
	else
		put_ip(out, form == VX_FORM_IPV4 ? AF_INET : AF_INET6, bytes);
	return true;
}
