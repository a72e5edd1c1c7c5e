/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What passes: each WQE, packet and CQE, decoded, a line each in a file. */
#ifndef EMU_TAP_H
#define EMU_TAP_H

#include <stdbool.h>
#include <stdint.h>

struct answer;
struct completion;
struct cq;
struct packet;
struct qp;
struct recv_wqe;
struct send_wqe;
struct srq;

/**
 * Begin, with lines added to a file.
 *
 * @param raw  numbers, keys and addresses as they are, not by the order of appearance
 */
void tap_start(const char *file, bool raw);

/* Each does nothing when there is no tap. */
void tap_wqe(const struct qp *q, const struct send_wqe *w);
void tap_recv_wqe(const struct qp *q, const struct srq *s, const struct recv_wqe *w);
void tap_cqe(const struct cq *cq, uint32_t qpn, const struct completion *c);

/* A message of the CM, by its name, of the id of that number, which goes out or has come. */
void tap_cm(uint32_t id, bool out, const char *name, const char *fate);

/* A MAD from one LID to another, which goes out or has come. */
void tap_mad(uint16_t from, uint16_t to, bool out, const char *name, const char *fate);

/* A request goes out; @fate says what happens to it, or is NULL. */
void tap_request(const struct packet *p, const char *fate);

/* A packet that has come and is for nobody: nothing is answered, and nobody but the tap is told why. */
void tap_dropped(const struct packet *p, const char *why);

/* Likewise, as it is so many packets ahead of the one that its QP expects; negative: behind it, and it is acknowledged all the same. */
void tap_out_of_sequence(const struct packet *p, int32_t ahead);

/* The program has unmapped this part of a region: what was read there are zeros, and what was written is lost. */
void tap_unmapped(const void *memory, uint64_t len, bool written);

/* A packet of an answer to @p or to one before or after it. */
void tap_answer(const struct packet *p, const struct answer *a, const char *fate);

#endif
