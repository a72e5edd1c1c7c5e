/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_ENUM_H
#define VERBSX_ENUM_H

/**
 * @file
 * Names of enumerators, and values from names, for any enum of rdma-core.
 *
 * The functions here take the enum as an argument. For each enum there are
 * functions of its own with the same endings, vx_ibv_wc_status_name() and so on, in
 * verbsx/enums.h and verbsx/parse.h. Nothing here needs a library or a header of rdma-core.
 *
 * All functions are thread-safe and none allocates memory. Strings that are
 * returned live as long as the library.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbsx/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The table of one enum. Opaque: its layout may change between releases. NULL stands for an enum that this libverbsx does not
 * have: its values have no names, and print as "unknown(37)".
 */
struct vx_enum_info;

/** How the values of an enum are to be read. */
enum vx_enum_kind {
	VX_ENUM_VALUES,		/**< one value at a time */
	VX_ENUM_FLAGS,		/**< any set of bits */
	VX_ENUM_MIXED,		/**< one value, with flag bits beside it */
};

/** Properties of an enumerator; see struct vx_enumerator. */
enum vx_enumerator_flags {
	VX_ENUMERATOR_ALIAS = 1 << 0,		/**< a second name of a value that has one */
	VX_ENUMERATOR_COMPOSITE = 1 << 1,	/**< several flag bits that have names of their own */
	VX_ENUMERATOR_SENTINEL = 1 << 2,	/**< marks an end or a reserved place; never a valid value */
	VX_ENUMERATOR_MACRO = 1 << 3,		/**< a macro in the headers, not an enumerator */
};

/** One enumerator, as vx_enumerator_at() fills it. */
struct vx_enumerator {
	const char *name;
	int64_t value;
	unsigned int since;	/**< release of rdma-core that first had it; the oldest known if older; 0: libverbsx's own */
	unsigned int flags;	/**< of enum vx_enumerator_flags */
};

/**
 * Find the table of an enum.
 *
 * @param name  its tag, such as "ibv_wc_status"; the name of libverbsx where the headers give none
 * @return the table, or NULL where there is no such enum
 */
VX_EXPORT const struct vx_enum_info *vx_enum_find(const char *name);

/**
 * Find the table of an enum by its number in the ABI; VX_ENUM() of verbsx/enums.h knows the numbers.
 *
 * @return the table, or NULL where this libverbsx is older than the enum
 */
VX_EXPORT VX_CONST VX_DIRECT const struct vx_enum_info *vx_enum_by_id(uint32_t id);

/** The tables of all enums, in a fixed order: NULL when @p index is past the last. */
VX_EXPORT const struct vx_enum_info *vx_enum_at(size_t index);

/** The tag of an enum, such as "ibv_wc_status". */
VX_EXPORT const char *vx_enum_tag(const struct vx_enum_info *e);

/** Whether an enum holds single values or sets of flags. */
VX_EXPORT enum vx_enum_kind vx_enum_kind_of(const struct vx_enum_info *e);

VX_EXPORT bool vx_enumerator_at_sized(const struct vx_enum_info *e, size_t index, struct vx_enumerator *out, size_t size);

/**
 * The enumerators in the order of the headers, aliases and sentinels included.
 *
 * @param index  from 0
 * @param out    filled when there is an enumerator at @p index
 * @return whether there is one
 */
static inline bool vx_enumerator_at(const struct vx_enum_info *e, size_t index, struct vx_enumerator *out)
{
	return vx_enumerator_at_sized(e, index, out, sizeof(*out));
}

/**
 * The name of a value: an enumerator's, of a flag set only that of a single flag or composite. Of several names the
 * first is taken; a sentinel names no value.
 *
 * @return the name, or NULL where no enumerator has this value
 */
VX_EXPORT VX_DIRECT const char *vx_enum_name(const struct vx_enum_info *e, int64_t value);

/**
 * Print a value, whatever it is: "IBV_WC_RETRY_EXC_ERR", "ibv_wc_status(37)",
 * "IBV_ACCESS_LOCAL_WRITE|0x400000", "0" for an empty set.
 *
 * @param buf  at least @p len bytes; may be NULL when @p len is 0
 * @return the length that the whole text has without its NUL, as snprintf(3) does; when that is
 *         @p len or more, the text in @p buf is cut and still ends in NUL
 */
VX_EXPORT size_t vx_enum_snprint(char *buf, size_t len, const struct vx_enum_info *e, int64_t value);

/** vx_enum_parse_sized() for a function of another name. @param call  that name, which a failure tells */
VX_EXPORT int vx_enum_parse_as(const struct vx_enum_info *e, const char *text, void *value, size_t size, const char *call);

/**
 * Read a value back from text: what vx_enum_snprint() or a field prints, "IBV_QPS_RTS (3)", a name in any case, with or
 * without the prefix that all names of the enum share, or the first words of it ("QPS_RTS"), a number (decimal, 0x,
 * 0 for octal, also negative), and of flags several of these joined by '|'. Blanks around each are ignored.
 *
 * A number of a set of flags may have any bits. Of other enums it must be an enumerator's: 1024 and 1500 are no values of
 * enum ibv_mtu. The first is refused with the name that it is in, IBV_MTU_1024 (3). Any value can be given as
 * vx_enum_snprint() prints one that it does not know, "ibv_mtu(1500)"; so give values of newer releases of rdma-core.
 * A sentinel is refused.
 *
 * @param value  set only on success
 * @return 0, or -EINVAL with vx_error() saying at which column what was not understood and which
 *         name comes closest; -ERANGE where a number does not fit in 64 bits
 */
static inline int vx_enum_parse(const struct vx_enum_info *e, const char *text, int64_t *value)
{
	return vx_enum_parse_as(e, text, value, sizeof(*value), "vx_enum_parse");
}

/**
 * As vx_enum_parse(), into an integer of any size, such as the enum's own type.
 *
 * @param size  of what @p value points to: 1, 2, 4 or 8; any other is -EINVAL
 * @return also -ERANGE where the value does not fit; that it is negative fits where an enumerator is
 */
static inline int vx_enum_parse_sized(const struct vx_enum_info *e, const char *text, void *value, size_t size)
{
	return vx_enum_parse_as(e, text, value, size, "vx_enum_parse_sized");
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_ENUM_H */
