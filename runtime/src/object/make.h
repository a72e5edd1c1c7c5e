/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_MAKE_H
#define VERBSX_SRC_MAKE_H

/* What the generated functions that make, use and end objects share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <infiniband/verbs.h>

#include <verbsx/print.h>

#include "error/fail.h"
#include "kind.h"
#include "object.h"
#include "text/out.h"

/* The context that an object is of; NULL where it has none (yet). */
struct ibv_context *vx_context_of(const void *object);

/* Whether nothing can be made of a parent that is no handle of its kind, or without a place for the result: recorded. */
static inline bool vx_refuses(const void *parent, uint32_t kind, const void *out, const char *call)
{
	return vx_wrong(parent, kind, call, "the parent") || (!out && vx_null_fail(call, "out"));
}

/*
 * Take in what one of libverbsx's own kinds is to be made of, of which comp_mask is the first member and has no bits yet, and look at what
 * it is made under. Returns 0 or a negative errno, recorded. @param last  the last member that is known
 */
int vx_take_init(void *own, size_t own_size, const void *init, size_t size, const char *last, const char *call, const void *parent,
		 uint32_t kind, const void *out);

/* How a handle of one of these kinds is made. */
struct vx_own_making {
	const char *call, *last;
	void *init;		/* room for what it is to be made of */
	size_t init_size;
	uint32_t parent_kind, kind; /* 0: it has no parent, and stands for itself */
	size_t extra;		/* bytes that only this kind keeps, all zero before begin() */
	int (*begin)(struct vx_node *node, void *parent, const void *init); /* 0; or a negative errno, recorded, and nothing is left of it */
	int (*end)(struct vx_node *node);
};

/* One that depends on its parent alone; and one that does on several, the parent first, of an init that was taken in and looked at. */
int vx_make_own(const struct vx_own_making *making, void *parent, const void *init, size_t size, void *out);
int vx_make_using(const struct vx_own_making *making, void *const *uses, size_t count, void *out);

/* vx_wrong() of a handle that a structure may name: "vx_qp_create, send_cq". */
static inline bool vx_wrong_field(const void *object, uint32_t kind, const char *where)
{
	return object && vx_wrong(object, kind, where, "it");
}

/* Refuse, with -EINVAL, a field of an init structure that is VX_NONE; and, with -E2BIG, one that is set and has no meaning yet. */
int vx_none_fail(const char *call, const char *field) VX_COLD;
int vx_later_fail(const char *call, const char *field) VX_COLD;

/* Whether any of the few bytes is set that the last member of a structure leaves behind it: one look, without a call. */
static inline bool vx_end_is_set(const void *whole, size_t size, size_t left)
{
	uint64_t end;

	memcpy(&end, (const char *)whole + size - sizeof(end), sizeof(end));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return end >> 8 * (sizeof(end) - left);
#else
	return end << 8 * (sizeof(end) - left);
#endif
}

/* A call would not destroy an object. @param rc  what it returned, for vx_code_returned() */
int vx_destroy_fail(int rc, const char *call, const struct vx_node *node) VX_COLD;

/* What a device has become that fails all calls. */
#define VX_DEVICE_LOST "the device was removed or reset: close the context and open it again"

/*
 * Look for what lore refuses in the structure that an object is to be made of, as rdma-core would ignore it. Returns -EINVAL,
 * recorded, and frees the handle, or 0.
 */
int vx_refuse(const char *call, struct vx_node *node, struct vx_type type, const void *attr) VX_COLD;

/* The headers that this was built against have no such call: not yet, or not any more with these arguments. */
int vx_needs_release(const char *call, unsigned int since, unsigned int until) VX_COLD;

/* A call that returns a code has failed: puts that into errno, where the code of a call is that returns NULL, and gives that. */
void *vx_no_object(int rc) VX_COLD;

/* What a call takes that is put together before: what it depends on, the parent first, and the memory that it is given. */
struct vx_gathered {
	void **uses;
	size_t used;
	void *raw;
	size_t size;	/* of that, where the handle is to keep it */
};

/* Room for so many uses behind those that there are, and so many bytes, all zero, for what the call is given. Returns 0 or -ENOMEM, recorded. */
int vx_gather_begin(struct vx_gathered *gathered, void *const *uses, size_t used, size_t more, size_t bytes, const char *call);

/*
 * Gather a list of handles behind what is used beside them: raw is then the list of the raw objects. Returns 0 or a negative errno,
 * recorded: a handle is NULL, no memory. vx_gathered_free() ends it in either case.
 */
int vx_gather(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, uint32_t kind,
	      const char *call, const char *what);

/* A member that elements of one type have, of a list of structures that name objects: where it is, where it goes, and what it is. */
struct vx_element_row {
	uint16_t type;		/* UINT16_MAX: of none, so it is zero */
	uint16_t kind;		/* of a handle; 0: a number */
	uint16_t from, into;
	uint16_t size;		/* 0: no member, but a pointer to what lies behind the structure */
	char name[20];		/* "ipv4.dst_ip" */
	uint16_t mask_from, mask_into;	/* of what has a mask, where that is and goes; else 0 */
	uint8_t form;		/* 0: it is taken as it is; else it goes to fill() of the list */
	uint8_t bits, width;	/* of a number, and bytes of it in rdma-core's structure */
};

/* The structures: libverbsx's own, rdma-core's, and what lies behind that; all begin with the type. */
struct vx_elements {
	uint16_t own, raw, behind;
	uint16_t rows;
	bool by_pointer;
	char name[13];
	char last[13];		/* the last member that is known of them */
};

/* Such a list while it is read, and what its own code has a say in. */
struct vx_reading {
	struct vx_gathered *gathered;
	const struct vx_elements *of;
	const struct vx_element_row *rows;
	const char *call;
	const struct vx_enum_info *types;	/* NULL: messages do not name them */
	int (*begin)(struct vx_reading *r, unsigned char *raw);	/* the bytes that an element of this .type takes; NULL: all take the same */
	int (*fill)(struct vx_reading *r, const struct vx_element_row *row, unsigned char *raw);
	size_t index;
	uint32_t type;		/* by which rows know it: it may stand there with a flag */
	const char *part;	/* of a member, for messages: "val.", "mask." or "" */
	union {			/* what an element lies in while it is looked at: all that this libverbsx knows of it */
		uint32_t type;
		unsigned char bytes[512];
	} own;
};

/* What is wrong with a member, NULL: the type, as for printf(3), behind its name: "specs[1].val.ipv4.dst_ip". Returns -EINVAL, recorded. */
int vx_element_fail(const struct vx_reading *r, const struct vx_element_row *row, const char *format, ...) VX_PRINTF(3, 4) VX_COLD;

/* Read such a list into raw, an element behind the other, for which there is room, as for the handles: gathered->size grows by what they take. */
int vx_take_elements(struct vx_reading *r, char *raw, const void *list, size_t count, size_t stride);

/* The same of such a list: raw is then the array that the call takes. */
int vx_gather_elements(struct vx_gathered *gathered, void *const *uses, size_t used, const void *list, size_t count, size_t stride,
		       const struct vx_elements *of, const struct vx_element_row *rows, const char *call);
void vx_gathered_free(const struct vx_gathered *gathered);

static inline bool vx_is_power(size_t number)
{
	return number && !(number & (number - 1)) && number <= INT32_MAX;
}

static inline uint32_t vx_log2(size_t number)
{
	return (uint32_t)__builtin_ctzll(number);
}

/* Taking over and borrowing objects that were made without libverbsx. */

/* What becomes of an object that was made without libverbsx when its handle is closed, and who has to do that. */
enum vx_taking {
	VX_ADOPTED,	/* the program, and the last who closes it destroys it */
	VX_BORROWED,	/* the program; the object stays with somebody else */
	VX_LENT,	/* the same of what librdmacm lends */
	VX_HELD,	/* nobody has asked for the handle so far: it is there for what depends on it */
};

/* An object to be taken over, and what its own fields say of it; NULL where it has no such field. */
struct vx_adopting {
	uint32_t kind;
	int (*destroy)(struct vx_node *node);
	const char *call;
	size_t extra;			/* bytes that only this kind keeps */
	const void *kept;		/* what they are to be; NULL: zero */
	enum vx_taking how;
	bool counted;			/* the kernel may have its number for others as well */
	uint32_t parent_kind;		/* 0: it has none */
	void *parent;
	void *raw;
	const void *context;		/* that it is of */
	bool of_context;		/* objects of rdma-core that are such have one */
	const void *raw_parent;		/* that it was made under */
	const void *const *uses;	/* what else it depends on */
	size_t count;			/* of these */
	void *tap;			/* what shows its calls, before all else; likewise */
	void *front;			/* what is to stand before it, if it has no handle yet; NULL: nothing. It ends where it is not needed */
};

/* The same of most kinds, as a row: what of the raw objects is where. */
struct vx_taken {
	uint16_t kind;
	uint16_t parent_kind;
	uint16_t extra;
	uint16_t context_at, parent_at;	/* VX_NOWHERE: they have no such field */
	bool counted;
};

#define VX_NOWHERE UINT16_MAX

int vx_take(const struct vx_taken *row, int (*destroy)(struct vx_node *), void *parent, void *raw, enum vx_taking how, const char *call,
	    void *out) VX_SELDOM_CALLED;

/*
 * The handle that it has already, given once more; or a new one, which depends on its parent and on what else has a handle.
 *
 * @param out  where the handle goes
 * @return 0 or a negative errno, recorded: there is no such object or parent, it is of another one, no memory
 */
int vx_adopt(const struct vx_adopting *it, void *out);

#endif
