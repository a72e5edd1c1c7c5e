/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_DESCRIBE_H
#define VERBSX_DESCRIBE_H

/**
 * @file
 * rdma-core as data: its structures field by field, its functions, what its enumerators and errnos mean, and where it
 * is all documented. Enums are described by verbsx/enum.h, functions by verbsx/call.h.
 *
 * What is filled has the size that the headers of the program give it, handed to a function whose name ends in _sized: what only
 * the program knows is zero.
 *
 * All functions here are thread-safe, none allocates memory, and none needs a library or a header of rdma-core. Texts
 * live as long as the library; where there is nothing to say they are "", unless NULL is promised.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbsx/call.h>
#include <verbsx/enum.h>
#include <verbsx/export.h>
#include <verbsx/print.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One structure or union, as vx_struct_describe() fills it. */
struct vx_struct_info {
	const char *tag;	/**< such as "ibv_port_attr"; of a part without a tag of its own, the field's name */
	size_t size;		/**< in bytes; 0: not in the headers that libverbsx was built with */
	unsigned int since;	/**< release of rdma-core that first had it; the oldest known if older; 0: libverbsx's own */
	bool is_union;
	bool internal;		/**< of rdma-core and its providers, not of programs */
	size_t fields;
};

/** One field of a structure, as vx_struct_field_at() fills it. */
struct vx_field_info {
	const char *name;
	const char *c_type;	/**< as the headers have it, such as "uint8_t" or "struct ibv_sge *" */
	size_t offset;		/**< in bytes, from the start of the structure that holds it */
	size_t size;		/**< of one element, in bytes; 0: not in the headers that libverbsx was built with */
	size_t count;		/**< elements of an array; 0: none, also text and blobs; SIZE_MAX: no length given */
	unsigned int since;	/**< release of rdma-core that first had it; the oldest known if older; 0: libverbsx's own */
	const struct vx_enum_info *e;	/**< whose value, flags or bits it holds; NULL: of no enum */
	const struct vx_struct *s;	/**< what it is or points to; NULL: no structure that is known */
	const char *form;	/**< how its number is meant, such as "ack_timeout", "guid" or "link_speed" */
	const char *valid_when;	/**< such as "status is IBV_WC_SUCCESS"; "": always */
};

/** What a name means, for people: sentences. */
struct vx_meaning {
	const char *says;	/**< what it says */
	const char *causes;	/**< what usually leads to it */
	const char *remedy;	/**< what helps */
};

/** One errno, as vx_errno_at() and its like fill it. */
struct vx_errno_info {
	int code;		/**< positive */
	const char *name;	/**< such as "ENOMEM" */
	const char *says;	/**< what it means when rdma-core returns it */
	const char *causes;
	const char *remedy;
};

/** All structures and unions that have a tag, in a fixed order: NULL when @p index is past the last. */
VX_EXPORT const struct vx_struct *vx_struct_at(size_t index);

VX_EXPORT void vx_struct_describe_sized(const struct vx_struct *s, struct vx_struct_info *out, size_t size);

/** What there is to say of a structure as a whole; of NULL nothing. */
static inline void vx_struct_describe(const struct vx_struct *s, struct vx_struct_info *out)
{
	vx_struct_describe_sized(s, out, sizeof(*out));
}

VX_EXPORT bool vx_struct_field_at_sized(const struct vx_struct *s, size_t index, struct vx_field_info *out,
					 size_t size);

/**
 * The fields of a structure in the order of the headers, those of newer releases included.
 *
 * A part without a tag, such as the union wr of struct ibv_send_wr, is a field whose s describes it in turn.
 *
 * @param index  from 0
 * @param out    filled when there is a field at @p index
 * @return whether there is one
 */
static inline bool vx_struct_field_at(const struct vx_struct *s, size_t index, struct vx_field_info *out)
{
	return vx_struct_field_at_sized(s, index, out, sizeof(*out));
}

/**
 * The values that a field may have and what they stand for, where no enum has them: of ibv_port_attr.active_speed
 * 32 is "25.0 Gb/s".
 *
 * @param field  index of the field, as for vx_struct_field_at()
 * @param index  of the value, from 0
 * @return whether there is a value at @p index
 */
VX_EXPORT bool vx_struct_field_code_at(const struct vx_struct *s, size_t field, size_t index, uint64_t *value,
				       const char **text);

VX_EXPORT bool vx_enumerator_find_sized(const char *name, const struct vx_enum_info **e, struct vx_enumerator *out,
					 size_t size);

/**
 * A number as a field would print that held it: "67.1 ms (14)" of ibv_qp_attr.timeout.
 *
 * @param index  of the field, as for vx_struct_field_at()
 * @return the length of the whole text, as snprintf(3); 0 where the field holds no number
 */
VX_EXPORT size_t vx_struct_field_snprint(char *buf, size_t len, const struct vx_struct *s, size_t index, uint64_t value);

/**
 * Find an enumerator by its name alone.
 *
 * @param name  such as "IBV_WC_SUCCESS"
 * @param e     the first enum that has it
 * @param out   filled when there is such an enumerator
 * @return whether there is one
 */
static inline bool vx_enumerator_find(const char *name, const struct vx_enum_info **e, struct vx_enumerator *out)
{
	return vx_enumerator_find_sized(name, e, out, sizeof(*out));
}

VX_EXPORT bool vx_meaning_of_sized(const char *enumerator, struct vx_meaning *out, size_t size);

/**
 * What an enumerator means.
 *
 * @param enumerator  such as "IBV_WC_RETRY_EXC_ERR"; a second name of a value means what the first one does
 * @param out         filled when there is something to say
 * @return whether there is
 */
static inline bool vx_meaning_of(const char *enumerator, struct vx_meaning *out)
{
	return vx_meaning_of_sized(enumerator, out, sizeof(*out));
}

VX_EXPORT bool vx_errno_of_sized(int code, struct vx_errno_info *out, size_t size);

/**
 * Find an errno by its code.
 *
 * @param code  positive or negative
 * @param out   filled when the code is known; its meaning may still be empty
 * @return whether it is
 */
static inline bool vx_errno_of(int code, struct vx_errno_info *out)
{
	return vx_errno_of_sized(code, out, sizeof(*out));
}

VX_EXPORT bool vx_errno_find_sized(const char *text, struct vx_errno_info *out, size_t size);

/** As vx_errno_of(), by its name in any case or its code as decimal text: "ENOMEM", "12" or "-12". */
static inline bool vx_errno_find(const char *text, struct vx_errno_info *out)
{
	return vx_errno_find_sized(text, out, sizeof(*out));
}

VX_EXPORT bool vx_errno_at_sized(size_t index, struct vx_errno_info *out, size_t size);

/** The errnos that mean something of their own in rdma-core, one by one; false when @p index is past the last. */
static inline bool vx_errno_at(size_t index, struct vx_errno_info *out)
{
	return vx_errno_at_sized(index, out, sizeof(*out));
}

/**
 * The man page of rdma-core that tells about an enum, a structure or a function. A function that has a page of its own name,
 * as struct vx_call_info tells, is only here when the page tells about something else as well.
 *
 * @param name  such as "ibv_wc_status", "ibv_wc" or "ibv_poll_cq"
 * @return such as "ibv_poll_cq(3)", or NULL where none is known
 */
VX_EXPORT const char *vx_man_page(const char *name);

/**
 * What of libverbsx stands for a function of rdma-core, or why nothing does.
 *
 * @param call  such as "ibv_modify_qp"
 * @return such as "vx_qp_modify()", "called as it is: the data path" or "not wrapped yet: call it with what
 *         vx_KIND_raw() gives"; NULL where there is none of this name
 */
VX_EXPORT const char *vx_stands_for(const char *call);

/**
 * The names that somebody may have meant: of enums, enumerators, structures, fields, functions and errnos those that
 * come closest to a text, with or without their prefix and in any case.
 *
 * @param names  room for @p max names; the best comes first
 * @return how many were found, at most @p max
 *
 * Takes about a millisecond.
 */
VX_EXPORT size_t vx_suggest(const char *text, const char **names, size_t max);

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_DESCRIBE_H */
