/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_WORDS_H
#define VX_EXPLAIN_WORDS_H

/* What the patterns of lore find in a line. */

#include "topics.h"

/* Whether a text may have names that others write otherwise, IB_WC_SUCCESS; and the text with libibverbs' own, malloc()ed. */
bool is_spelled_otherwise(const char *text);
char *as_spelled_here(const char *text);

/* A message that says all there is to say of a line. */
size_t explain_whole_message(struct report *r, const char *line);

/* What words stand for, "modifying QP to RTR": functions and values, and transitions of a QP. */
void add_phrase_names(struct topics *topics, const char *line);
void add_phrase_transitions(struct topics *topics, const char *line);

/* What is said of parts of it, whatever the rest means. */
void add_beside(struct topics *topics, const char *line);

/* What makes a transition of a QP fail. */
void report_change(struct report *r, const char *transition);

/* What numbers are, by the words before them: "vendor err 129", "returned -22". */
void add_numbers(struct topics *topics, const char *line);

/* What is the value of a bare word: "status" and "12". */
size_t explain_alone(struct report *r, const char *what, const char *text);

/* What a name beside a bare word may be: "state" and "RTR"; of flags also a number. */
size_t explain_word_value(struct report *r, const char *what, const char *text);

/* A field and its value: "ibv_port_attr.phys_state 5" */
size_t explain_field_number(struct report *r, const char *text);

/* The status of a completion that a device has given a vendor_err with; NULL: nobody has said. */
const char *status_seen_with(uint64_t code);

size_t explain_vendor_err(struct report *r, const char *text);

#endif
