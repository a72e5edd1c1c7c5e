/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "form.h"

#define TIMEOUT_BITS 5			/* timers of the InfiniBand architecture */
#define TIMEOUT_UNIT_NS UINT64_C(4096)

#define FAMILY_IB 27			/* AF_IB, which not every C library names */

const char *vx_word_find(const struct vx_word *words, size_t count, int64_t value)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i].value == value)
			return words[i].text;
	return NULL;
}

static bool put_if(struct vx_out *out, const char *text)
{
	if (text)
		vx_put_string(out, text);
	return text != NULL;
}

/* @return the length of the run of set bits that begins at @p bit */
static unsigned int run_of_bits(uint64_t set, unsigned int bit)
{
	unsigned int end = bit;

	while (end < 64 && set >> end & 1)
		end++;
	return end - bit;
}

/* "4 KiB|2 MiB"; three sizes or more in a row as "4 KiB..2 MiB". */
static bool put_page_sizes(struct vx_out *out, uint64_t set)
{
	struct vx_join join = { .out = out };
	unsigned int bit, run;

	for (bit = 0; bit < 64 && set >> bit; bit += run ? run : 1) {
		run = run_of_bits(set, bit);
		if (!run)
			continue;
		if (run == 2)
			run = 1;
		vx_join_begin(&join);
		vx_put_bytes_scaled(out, UINT64_C(1) << bit);
		if (run > 1) {
			vx_put_string(out, "..");
			vx_put_bytes_scaled(out, UINT64_C(1) << (bit + run - 1));
		}
		vx_join_end(&join);
	}
	return set != 0;
}

static bool put_log2(struct vx_out *out, uint64_t value)
{
	if (value >= 64)
		return false;
	vx_put_unsigned(out, UINT64_C(1) << value);
	return true;
}

static bool put_timer(struct vx_out *out, uint64_t exponent, const char *zero)
{
	if (exponent >> TIMEOUT_BITS)
		return false;
	if (exponent == 0 && zero)
		vx_put_string(out, zero);
	else
		vx_put_ns_scaled(out, TIMEOUT_UNIT_NS << exponent);
	return true;
}

static bool put_rate(struct vx_out *out, uint64_t kbps)
{
	if (kbps)
		vx_put_kbps_scaled(out, kbps);
	else
		vx_put_string(out, "unlimited");
	return true;
}

static bool put_clock(struct vx_out *out, uint64_t khz)
{
	if (khz)
		vx_put_khz_scaled(out, khz);
	else
		vx_put_string(out, "not supported");
	return true;
}

static bool put_errno(struct vx_out *out, int64_t value)
{
	const char *word = value < 0 && value > -4096 ? vx_errno_word(-value) : NULL;

	if (!word)
		return false;
	vx_put_char(out, '-');
	return put_if(out, word);
}

/* open(2) flags; only when all of them have names. */
static bool put_mode(struct vx_out *out, uint64_t mode)
{
	static const struct vx_word flags[] = {
		{ O_CREAT, "O_CREAT" }, { O_EXCL, "O_EXCL" }, { O_NOCTTY, "O_NOCTTY" }, { O_TRUNC, "O_TRUNC" },
		{ O_APPEND, "O_APPEND" }, { O_NONBLOCK, "O_NONBLOCK" }, { 02000000, "O_CLOEXEC" },
	};
	static const struct vx_word access[] = { { O_WRONLY, "O_WRONLY" }, { O_RDWR, "O_RDWR" } };
	struct vx_join join = { .out = out };
	const char *how = VX_WORD(access, (int64_t)(mode & O_ACCMODE));
	uint64_t rest = mode & ~(uint64_t)O_ACCMODE;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		rest &= ~(uint64_t)flags[i].value;
	if (!mode || rest || (mode & O_ACCMODE && !how))
		return false;
	if (how) {
		vx_join_begin(&join);
		vx_put_string(out, how);
	}
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(mode & (uint64_t)flags[i].value))
			continue;
		vx_join_begin(&join);
		vx_put_string(out, flags[i].text);
	}
	return true;
}

static const char *family_word(uint64_t value)
{
	static const struct vx_word families[] = {
		{ AF_UNSPEC, "AF_UNSPEC" }, { AF_UNIX, "AF_UNIX" }, { AF_INET, "AF_INET" },
		{ AF_INET6, "AF_INET6" }, { FAMILY_IB, "AF_IB" },
	};

	return VX_WORD(families, (int64_t)value);
}

static const char *ethertype_word(uint64_t value)
{
	static const struct vx_word types[] = {
		{ 0x0800, "IPv4" }, { 0x0806, "ARP" }, { 0x6558, "TEB" }, { 0x8100, "VLAN" }, { 0x86dd, "IPv6" },
		{ 0x8847, "MPLS" }, { 0x8848, "MPLS multicast" }, { 0x8863, "PPPoE discovery" },
		{ 0x8864, "PPPoE session" }, { 0x88a8, "QinQ" }, { 0x88cc, "LLDP" }, { 0x88f7, "PTP" },
		{ 0x8906, "FCoE" }, { 0x8915, "RoCE" },
	};

	return VX_WORD(types, (int64_t)value);
}

static const char *ipproto_word(uint64_t value)
{
	static const struct vx_word protocols[] = {
		{ IPPROTO_ICMP, "ICMP" }, { IPPROTO_IGMP, "IGMP" }, { IPPROTO_IPIP, "IPv4" }, { IPPROTO_TCP, "TCP" },
		{ IPPROTO_UDP, "UDP" }, { IPPROTO_IPV6, "IPv6" }, { IPPROTO_GRE, "GRE" }, { IPPROTO_ESP, "ESP" },
		{ IPPROTO_AH, "AH" }, { IPPROTO_ICMPV6, "ICMPv6" }, { IPPROTO_SCTP, "SCTP" }, { 137, "MPLS" },
	};

	return VX_WORD(protocols, (int64_t)value);
}

/* The firmware's: 32 bits, 16 bits, 16 bits. */
static bool put_version(struct vx_out *out, uint64_t value)
{
	vx_put_unsigned(out, value >> 32);
	vx_put_char(out, '.');
	vx_put_unsigned(out, value >> 16 & 0xffff);
	vx_put_char(out, '.');
	vx_put_unsigned(out, value & 0xffff);
	return true;
}

bool vx_form_put(struct vx_out *out, enum vx_form form, uint64_t value)
{
	switch (form) {
	case VX_FORM_PAGE_SIZES:
		return put_page_sizes(out, value);
	case VX_FORM_LOG2:
		return put_log2(out, value);
	case VX_FORM_ACK_TIMEOUT:
		return put_timer(out, value, "infinite");
	case VX_FORM_DELAY:
		return put_timer(out, value, NULL);
	case VX_FORM_RETRY:
		return put_if(out, value == 7 ? "infinite" : NULL);
	case VX_FORM_RATE_KBPS:
		return put_rate(out, value);
	case VX_FORM_KBPS:
		if (value)
			vx_put_kbps_scaled(out, value);
		return value != 0;
	case VX_FORM_CLOCK_KHZ:
		return put_clock(out, value);
	case VX_FORM_BYTES:
		vx_put_bytes_scaled(out, value);
		return true;
	case VX_FORM_NS:
		vx_put_ns_scaled(out, value);
		return true;
	case VX_FORM_ERRNO:
		return put_errno(out, (int64_t)value);
	case VX_FORM_FD:
		return put_if(out, (int64_t)value == -1 ? "none" : NULL);
	case VX_FORM_MODE:
		return put_mode(out, value);
	case VX_FORM_FAMILY:
		return put_if(out, family_word(value));
	case VX_FORM_ETHERTYPE:
		return put_if(out, ethertype_word(value));
	case VX_FORM_IPPROTO:
		return put_if(out, ipproto_word(value));
	case VX_FORM_VERSION:
		return put_version(out, value);
	default:
		return false;
	}
}

bool vx_form_is_hex(enum vx_form form)
{
	switch (form) {
	case VX_FORM_HEX:
	case VX_FORM_PAGE_SIZES:
	case VX_FORM_MODE:
	case VX_FORM_ETHERTYPE:
	case VX_FORM_VERSION:
		return true;
	default:
		return false;
	}
}

bool vx_form_is_address(enum vx_form form)
{
	return form >= VX_FORM_GUID && form <= VX_FORM_SOCKADDR;
}
