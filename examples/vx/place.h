/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_PLACE_H
#define VX_PLACE_H

/* Where fields are, in all structures, and what is known of each. */

#include "explain.h"
#include "table.h"

/* A field, and how to get to it. */
struct place {
	const struct vx_struct *s;	/* that holds the field itself */
	size_t index;			/* of the field there */
	size_t offset;			/* from the start of the outermost structure */
	struct vx_field_info field;
	char *path;			/* "wr.rdma.rkey" */
};

typedef bool (*predicate)(const struct vx_field_info *field);
typedef size_t (*visitor)(const struct place *place, void *data);

/* vx_struct_at(), which counts from the first on each time: a log has thousands of lines, and all structures are looked through for each. */
const struct vx_struct *struct_at(size_t index);

/* Whether a field is a structure itself. */
bool is_struct(const struct vx_field_info *field);

/* Whether a field is a structure that has no tag to be explained by. */
bool is_part(const struct vx_field_info *field);

/* Go to all fields of a structure, and into those that are to be. @return the sum of what the visits returned */
size_t visit(const struct vx_struct *s, predicate into, visitor enter, void *data);

/* What is looked for: a path, or a bare name wherever it is. */
struct search {
	struct report *r;
	const char *tag;		/* of the structure at hand */
	const char *text;
	const char *said;		/* a value that nobody understands; NULL: none was given */
	bool bare;
	bool by_text;			/* only fields whose numbers have texts */
	struct table *table;		/* where what is found goes, if there is much */
};

/* Go to the fields of structures of programs that have the tag; "" is all. The search is what visits get. */
size_t search_in(struct search *search, const char *tag, visitor enter);

/* Whether it may be a name in C: lines of logs, which are tried as names as well, mostly are none. */
bool is_name(const char *text);

/* Look for a bare name in all structures of programs. */
size_t search_everywhere(struct search *search, visitor enter);

/* What the value of a field is, beyond its type. */
const char *reads_as(const struct vx_field_info *field);

/* What is said of a field, by its path from the tag on. */
const char *says_of(const char *path);

/* A field with all that is known of it, and of a value, which may be NULL. */
size_t put_field(struct report *r, const char *tag, const struct place *at, const char *value);

/* A field as a row of a table. */
extern const struct column field_columns[];
enum { FIELD_COLUMNS = 8 };
void add_field(struct table *t, const struct place *at, const char *name, const char *says);

#endif
