/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Compressed completions: entries that are alike become one, the title, with what differs in arrays behind it. */
#ifndef EMU_COMPRESS_H
#define EMU_COMPRESS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_COMPRESSED 64 /* in a session, as they are called */

struct completion;
struct cq;
struct session;

/* Have a CQ compress. False without memory. */
bool compress_start(struct cq *cq);

/* A turn of the device begins: what comes is kept back until it ends, as only then it is known how much is alike. */
void compress_begin_turn(void);
void compress_end_turn(void);

/* Keep an entry back, if it can be compressed and there is a turn: false where it has to be written. */
bool compress_keep(struct cq *cq, uint32_t qpn, const struct completion *c);

/* Write what was kept back. */
void compress_flush(struct cq *cq);

/* How many entries that is. */
uint32_t compress_kept(const struct cq *cq);

#endif
