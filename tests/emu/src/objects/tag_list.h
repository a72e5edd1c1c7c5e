/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The tags that an SRQ with tag matching (XRQ) waits for, in their order. Messages that none is for are counted: a tag
 * that was posted before the program knew of all of them is not matched until it says that it does, since it might
 * be for one of them.
 */
#ifndef EMU_TAG_LIST_H
#define EMU_TAG_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <infiniband/mlx5dv.h>

#define MAX_TAGS 1023

/* app_op: what became of a message, or of an operation */
enum {
	TM_NOTHING,
	TM_CONSUMED = 1, /* a tag, by a message whose data are still to come */
	TM_EXPECTED = 2, /* they are there */
	TM_UNEXPECTED = 3,
	TM_NO_TAG = 4,
	TM_APPEND = 5,
	TM_REMOVE = 6,
	TM_NOOP = 7,
	TM_CONSUMED_MSG = 0xa, /* a tag, by a message with its data */
	TM_CONSUMED_MSG_SW_RNDV = 0xb, /* whose data the program has to fetch */
	TM_MSG_COMPLETION_CANCELED = 0xc
};

struct tag {
	TAILQ_ENTRY(tag) link;
	uint16_t index; /* by which the program knows it */
	bool enabled;
	uint64_t value, mask;
	struct mlx5_wqe_data_seg buffer;
};

struct tag_list {
	TAILQ_HEAD(, tag) tags;
	uint32_t count, max;
	uint16_t next_index; /* of the tag that is posted next */
	uint16_t unexpected, known; /* messages so far, and as many of them as the program knows of */
};

/* NULL without memory */
struct tag_list *tag_list_new(uint32_t max);
void tag_list_free(struct tag_list *l);

/* Add one at the end, after which the next will have @next_index; false where the list is full. */
bool tag_list_append(struct tag_list *l, uint64_t value, uint64_t mask, const struct mlx5_wqe_data_seg *buffer,
		     uint16_t next_index);

/* False where it is not in the list any more. */
bool tag_list_remove(struct tag_list *l, uint16_t index);

/* The program knows of so many messages that were not expected. */
void tag_list_sync(struct tag_list *l, uint16_t known);

/* Take the first tag that matches out of the list, into @t; false for none. */
bool tag_list_match(struct tag_list *l, uint64_t value, struct tag *t);

#endif
