/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a memory key stands for: an MR, an indirect mkey or a memory window. */
#ifndef EMU_MKEY_H
#define EMU_MKEY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "bounds.h"
#include "objects/object.h"

struct klm {
	uint32_t byte_count, mkey;
	uint64_t address;
};

/* An entry of a repeat block: @bytes of every @stride */
struct strided {
	uint16_t bytes, stride;
	uint32_t mkey;
	uint64_t address;
};

struct mkey {
	struct object o;
	LIST_ENTRY(mkey) imported;
	const struct exported *exported; /* what it stands for, of another process; or NULL */
	uint32_t times, key; /* as that was when it was imported */
	pid_t pid;
	bool indirect; /* translates to other keys; a direct one to host memory */
	bool invalid; /* until a UMR fills it, and after an invalidation */
	uint8_t variant; /* the low byte of the key */
	uint32_t qpn; /* a window of type 2 is for one QP; 0: for any */
	uint32_t access; /* IBV_ACCESS_... */
	uint64_t host;
	struct object *dm; /* where that is device memory, or NULL */
	uint64_t start, len; /* in I/O addresses */
	int nklm;
	struct klm klm[MAX_KLM];
	uint32_t repeat_count; /* 0: the KLMs count, else the repeat block */
	int nstrided;
	struct signature *signature; /* how its data are signed, or NULL */
	struct cipher *cipher; /* how they are encrypted, or NULL */
	bool wants_cipher; /* it is for encrypted data alone */
	bool incomputable; /* what it was asked to do to its data, there is not */
	struct strided strided[MAX_STRIDED];
};

void mr_release(struct object *o);
void mkey_release(struct object *o);

uint32_t mkey_value(const struct mkey *m);

/* What keys of a process begin with that is at that place of the fabric: they differ from those of others, up to 256. */
uint32_t mkey_place(uint32_t place);

/* That of a device, by the upper 24 bits of a key alone; NULL for none. */
struct mkey *mkey_by_index(uint8_t device, uint32_t key);

/* A region that has this place of the program's memory; NULL for none. It looks at all objects. */
const struct mkey *mkey_at_host(uint64_t host);

/* Whether that QP may use it. NULL, which is no key's, is for other checks to find. */
bool mkey_is_for_qp(const struct mkey *m, uint32_t qpn);

/**
 * Copy from or to the memory behind a key, or see whether that is allowed.
 *
 * @param pd    the PD that the key must be of; or a QP without one: any of its device
 * @param need  the access that the key must allow
 * @return 0, or -1 where a check fails; parts may have been copied then
 */
int mkey_read(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need, void *to);
int mkey_check(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need);
int mkey_write(struct object *pd, uint32_t key, uint64_t address, uint64_t len, uint32_t need,
	       const void *from);

/* Where the memory to read is, if it is in one piece and always there; NULL if not, or where a check fails. */
const void *mkey_memory(struct object *pd, uint32_t key, uint64_t address, uint64_t len);

/*
 * Copies of what lies below a key, where @at counts from its beginning: the memory as it is; what signatures are
 * about, which may be encrypted in memory; and what encryption on the wire is about, which may be signed.
 */
int mkey_move_raw(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len, void *buffer);
int mkey_move_below(struct object *pd, const struct mkey *m, bool to_memory, uint64_t at, uint64_t len,
		    void *buffer);
int mkey_move_signed(struct object *pd, struct mkey *m, bool to_memory, uint64_t at, uint64_t len, void *buffer);

#endif
