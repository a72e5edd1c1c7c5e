/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_PATH_TEXT_H
#define VERBSX_PATH_TEXT_H

/**
 * @file
 * Paths as text, for command lines, files of configuration, messages to the peer and logs:
 *
 *	10.0.0.2%mlx5_0/1 dqpn=0x105 path_mtu=4096 timeout=18
 *
 * In the words of ISO 14977:
 *
 *	path    = [ short ] , { sep , field } ;                 sep   = { " " | "," }- ;
 *	short   = address , [ "%" , end ] ;                     end   = device , [ "/" , port ] ;
 *	address = gid | ipv4 | guid | lid ;
 *	field   = key , "=" , value ;
 *	value   = number | enumerator | flags | gid | end ;
 *
 * An address is the peer's: "fe80::1" is dgid; "10.0.0.2" is the GID ::ffff:10.0.0.2 of RoCE v2; "0002:c903:00a1:b2c4" is the port
 * with this GUID in the own subnet, fe80::2:c903:a1:b2c4; "7" is dlid, from 1 to 0xbfff. A key is a member of struct vx_path, or
 * "port" for port_num, each at most once; ctx=mlx5_0/1 is what stands behind "%". Numbers are decimal, or hexadecimal with 0x.
 * path_mtu is in bytes. Enumerators and flags are as vx_enum_parse() takes them, but without blanks. A field of 0 says that 0 is
 * meant, where enum vx_path_mask has a bit for that. Separators may stand at the beginning and at the end as well. A text that says
 * nothing is the path that is all 0, of which nothing is known.
 */

#include <stddef.h>

#include <verbsx/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Print a path on one line: all of it that is not 0, or is a 0 that is meant.
 *
 * @param buf   at least @p len bytes, of which 2048 hold any path; may be NULL when @p len is 0
 * @param path  of which ctx is printed by its name, and port_num beside it: the peer has no use for these. Where ctx is NULL, or no
 *              context that is open in this process, neither is printed
 * @return the length that the whole text has without its NUL, as snprintf(3) does; when that is
 *         @p len or more, the text in @p buf is cut and still ends in NUL
 *
 * vx_path_parse() makes the same path of it, but for what is not printed, if each member has no more bits than there are in a packet;
 * is_global is 1 where it is not 0.
 * Allocates nothing.
 * Thread-safe.
 */
VX_EXPORT size_t vx_path_snprint(char *buf, size_t len, const struct vx_path *path);

/**
 * Read a path from text, which may come from anywhere.
 *
 * @param text  at most 4096 bytes
 * @param ctx   the device here, whose name is the only one that the text may have; NULL: the text may name any that is open
 * @param out   set only on success: what the text does not say is 0
 * @return 0, or a negative errno with vx_error() filled, which says what was not understood, and at which column: "dqpn=0x1000000"
 *         at column 12 has more than 24 bits. -EINVAL; -ERANGE for a number that is too large; -ENODEV for a device
 *
 * No names are looked up but those of open devices, and nothing is allocated. Thread-safe.
 */
VX_EXPORT int vx_path_parse(const char *text, struct vx_ctx *ctx, struct vx_path *out);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_PATH_TEXT_H */
