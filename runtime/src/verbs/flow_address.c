/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The addresses in a flow, from text. */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/fail.h"
#include "flow_spec.h"

#define MAC_LENGTH 6

int vx_flow_fail(const struct vx_flow_place *place, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs[%zu].%s.%s.%s %s", place->spec, place->part, place->header,
		       place->field, what);
}

static int hex_of(char digit)
{
	if (!isxdigit((unsigned char)digit))
		return -1;
	return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

static bool parse_mac(const char *text, unsigned char *out)
{
	int i, high, low;

	if (strlen(text) != MAC_LENGTH * 3 - 1)
		return false;
	for (i = 0; i < MAC_LENGTH; i++, text += 3) {
		high = hex_of(text[0]);
		low = hex_of(text[1]);
		if (high < 0 || low < 0 || (i + 1 < MAC_LENGTH && text[2] != ':' && text[2] != '-'))
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

static int mac(const char *text, unsigned char *out, const struct vx_flow_place *place)
{
	if (parse_mac(text, out))
		return 0;
	return vx_flow_fail(place, "= \"%.40s\", which is no MAC, such as 02:00:0a:00:00:01", text);
}

static int parse_prefix(const char *digits, int longest, int *prefix)
{
	char *end;
	long length = strtol(digits, &end, 10);

	if (!isdigit((unsigned char)*digits) || *end || length > longest)
		return -EINVAL;
	*prefix = (int)length;
	return 0;
}

static int ip(const char *text, int family, unsigned char *out, int *prefix, const struct vx_flow_place *place)
{
	const char *slash = prefix ? strchr(text, '/') : NULL;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	int version = family == AF_INET ? 4 : 6, longest = family == AF_INET ? 32 : 128;
	char address[INET6_ADDRSTRLEN] = "";

	if (len < sizeof(address))
		memcpy(address, text, len);
	if (inet_pton(family, address, out) != 1)
		return vx_flow_fail(place, "= \"%.60s\", which is no IPv%d %s, such as %s", text, version,
				    prefix ? "address" : "mask", version == 4 ? prefix ? "10.0.0.1" : "255.255.255.0" :
				    prefix ? "fe80::1" : "ffff:ffff::");
	if (prefix)
		*prefix = -1;
	if (slash && parse_prefix(slash + 1, longest, prefix) < 0)
		return vx_flow_fail(place, "= \"%.60s\", whose prefix is not of 0 to %d bits", text, longest);
	return 0;
}

int vx_flow_address(const char *text, enum vx_flow_form form, unsigned char *out, int *prefix,
		    const struct vx_flow_place *place)
{
	if (prefix)
		*prefix = -1;
	if (form == VX_FLOW_MAC)
		return mac(text, out, place);
	return ip(text, form == VX_FLOW_IPV4 ? AF_INET : AF_INET6, out, prefix, place);
}
