/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* The addresses in a flow, from text. */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow_spec.h"

#define MAC_LENGTH 6

/* By form: what messages call one, which family it is of, its bits, and what one looks like. */
static const struct {
	char value[13], mask[10];
	int family, bits;
	char such_as[18], such_a_mask[18];
} forms[] = {
	[VX_FLOW_MAC] = { "MAC", "MAC", 0, 48, "02:00:0a:00:00:01", "ff:ff:ff:00:00:00" },
	[VX_FLOW_IPV4] = { "IPv4 address", "IPv4 mask", AF_INET, 32, "10.0.0.1", "255.255.255.0" },
	[VX_FLOW_IPV6] = { "IPv6 address", "IPv6 mask", AF_INET6, 128, "fe80::1", "ffff:ffff::" },
};

static bool parse_mac(const char *text, unsigned char *out)
{
	int i;

	if (strlen(text) != MAC_LENGTH * 3 - 1)
		return false;
	for (i = 0; i < MAC_LENGTH; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) || (text[2] && !strchr(":-", text[2])))
			return false;
		out[i] = (unsigned char)strtoul(text, NULL, 16);
	}
	return true;
}

static bool parse(const char *text, size_t length, int family, unsigned char *out)
{
	char address[INET6_ADDRSTRLEN] = "";

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	return family ? inet_pton(family, address, out) == 1 : parse_mac(address, out);
}

static bool parse_prefix(const char *digits, int longest, int *prefix)
{
	char *end;
	long length = strtol(digits, &end, 10);

	*prefix = (int)length;
	return isdigit((unsigned char)*digits) && !*end && length <= longest;
}

int vx_flow_address(const char *text, enum vx_flow_form form, unsigned char *out, int *prefix, const struct vx_flow_place *place)
{
	const char *slash = prefix && forms[form].family ? strchr(text, '/') : NULL;

	if (!parse(text, slash ? (size_t)(slash - text) : strlen(text), forms[form].family, out))
		return vx_flow_fail(place, "= \"%.60s\", which is no %s, such as %s", text,
				    prefix ? forms[form].value : forms[form].mask,
				    prefix ? forms[form].such_as : forms[form].such_a_mask);
	if (prefix)
		*prefix = forms[form].bits;
	if (slash && !parse_prefix(slash + 1, forms[form].bits, prefix))
		return vx_flow_fail(place, "= \"%.60s\", whose prefix is not of 0 to %d bits", text, forms[form].bits);
	return 0;
}
