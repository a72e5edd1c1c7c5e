/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The subnet administrator (chapter 15): records are asked for by some of their fields. */
#ifndef EMU_SA_H
#define EMU_SA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/prm.h"
#include "mad/mad.h"
#include "mad/subnet.h"

#define SA_LONGEST_RECORD 176 /* ServiceRecord, in units of 8 bytes */
#define SA_TRUST 1 /* the SM_Key of who may see each member of a group */

#define EXACTLY 2 /* a selector */

struct sa_query {
	uint64_t mask; /* ComponentMask */
	uint64_t sm_key;
	uint8_t method;
	const struct sa_record *record;
	uint8_t asked[SA_LONGEST_RECORD] __attribute__((aligned(8)));
	const struct mad_end *from;

	uint8_t *found; /* what was */
	size_t n, room;
	uint16_t status; /* why there is nothing; 0: it is as it is */
};

struct sa_record {
	uint16_t id;
	uint16_t size;
	const struct field *fields; /* in the order of ComponentMask; one without a width is never compared */
	size_t nfields;
	void (*each)(struct sa_query *q); /* offers all that there are */
	bool one; /* a Get is content with one of several */
	void (*set)(struct sa_query *q); /* the record that answers is the one found; NULL: none is set or deleted */
	void (*delete)(struct sa_query *q);
};

/* A record that there is: it is found if it has what is asked for. In room of SA_LONGEST_RECORD. */
void sa_offer(struct sa_query *q, const uint8_t *record);

/* The same where @mask has been looked at already. */
void sa_offer_but(struct sa_query *q, const uint8_t *record, uint64_t mask);

/* A record, with all its fields zero */
#define SA_RECORD(name) uint8_t name[SA_LONGEST_RECORD] __attribute__((aligned(8))) = { 0 }

/* What is changed by a query, which tells of that one alone. */
void sa_change(struct sa_query *q, uint16_t (*change)(struct sa_query *q, uint8_t *record));

/* Fields of any width. */
void sa_put_gid(uint8_t *record, struct field f, const uint8_t gid[GID_SIZE]);
bool sa_has(const struct sa_query *q, unsigned int component);
bool sa_same(const uint8_t *a, const uint8_t *b, struct field f);

/* sa_records.c, sa_path.c, sa_member.c, sa_service.c */
const struct sa_record *sa_record_find(uint16_t id);
void sa_each_path(struct sa_query *q);
void sa_each_member(struct sa_query *q);
#define SA_PATH_FIELDS 23
void sa_each_service(struct sa_query *q);
#define SA_MEMBER_FIELDS 18
#define SA_SERVICE_FIELDS 37
extern const struct field sa_path_fields[SA_PATH_FIELDS], sa_member_fields[SA_MEMBER_FIELDS],
	sa_service_fields[SA_SERVICE_FIELDS];

/* Join and leave, tell of a service and take that back. */
void sa_join(struct sa_query *q);
void sa_leave(struct sa_query *q);
void sa_set_service(struct sa_query *q);
void sa_delete_service(struct sa_query *q);

/* Of a port, as IBV_RATE_... */
uint8_t sa_rate_of(const struct subnet_port *s);

/* rdma_cm joins for a port, which leaves when nobody there wants to be in the group any more. */
void sa_join_for(uint8_t port, const uint8_t mgid[GID_SIZE], uint32_t qkey);
void sa_leave_for(uint8_t port, const uint8_t mgid[GID_SIZE]);

#endif
