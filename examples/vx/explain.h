/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_H
#define VX_EXPLAIN_H

/*
 * The readings of a text. Each looks for what it knows, adds an item for each match to the list at hand, and returns
 * how many these were.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbsx/describe.h>

#include "report.h"
#include "table.h"

typedef size_t (*reading)(struct report *r, const char *text);

/* By the whole name, in any case. */
size_t explain_enumerator(struct report *r, const char *text);
size_t explain_enum(struct report *r, const char *text);
size_t explain_struct(struct report *r, const char *text);
size_t explain_field(struct report *r, const char *text);	/* "ibv_port_attr.active_speed" */
size_t explain_call(struct report *r, const char *text);
size_t explain_wrapper(struct report *r, const char *text);	/* "vx_qp_modify": what that stands for */
size_t explain_variable(struct report *r, const char *name, const char *value);	/* "VERBSX_TRACE" and "2" */
size_t explain_own(struct report *r, const char *text);		/* "vx_qp_create", "vx_qp_init.cap", "VX_AUTO", "VERBSX_TRACE" */
size_t explain_have(struct report *r, const char *text);	/* "VERBSX_HAVE_VX_QP_CREATE" */
size_t explain_term(struct report *r, const char *text);	/* "QP", "queue pair": what has no name in C */
size_t explain_errno(struct report *r, const char *text);
bool errno_named(const char *name, struct vx_errno_info *info);	/* in any case; sooner than vx_errno_find(), but not by a second name */
size_t explain_counter(struct report *r, const char *text);	/* "out_of_sequence 12", "SymbolErrorCounter:....0", by a path as well */
size_t explain_message(struct report *r, const char *text);	/* "Cannot allocate memory", "local protection error" */

/* As a number, or by all of the above and by a short name. */
size_t explain_text(struct report *r, const char *text);

/* By a part of the name. */
size_t explain_field_said(struct report *r, const char *text, const char *said);	/* with a value that nothing is known of, or NULL */
size_t explain_field_name(struct report *r, const char *text);	/* in whatever structure */
/* "timeout" and "14"; "state", "4" and the words that may stand beside it, "PORT_ACTIVE (4)" */
size_t explain_field_value(struct report *r, const char *field, const char *text, const char *words);
size_t explain_code_text(struct report *r, const char *text);	/* "LinkUp", "Physical state: LinkUp": what a number reads as, of that field where words name one */
size_t explain_numbered(struct report *r, const char *text);	/* "4: ACTIVE", as files of sysfs have it */
size_t explain_rate(struct report *r, const char *text);		/* "Rate: 100", "rate: 100 Gb/sec (4X EDR)" of a port */
bool has_field(const char *name);	/* any structure */

/* A name and its value, as they are typed, printed, spoken of and written in C. */
size_t explain_pair(struct report *r, const char *text);		/* "timeout 14", "state : IBV_PORT_ACTIVE (4)" */
size_t explain_attribute_alone(struct report *r, const char *text);	/* "max_qp_wr 16384": the value says nothing */
size_t explain_spoken(struct report *r, const char *text);		/* "path mtu" */
size_t explain_spoken_pair(struct report *r, const char *text);		/* "qp state: RTS" */
size_t explain_less_brackets(struct report *r, const char *text);	/* "IBV_WC_RETRY_EXC_ERR (12)", "vx_qp_modify()" */
size_t explain_inner(struct report *r, const char *text);		/* "cap.max_recv_wr" */
size_t explain_of_c(struct report *r, const char *text);		/* "wc[i].status", "attr->timeout = 14" */

/* What a line of a log or of vx_error_text() speaks of. */
size_t explain_line(struct report *r, const char *text);

/* "INIT -> RTR", of a QP. */
size_t explain_transition(struct report *r, const char *text);

/* By all of the above that fit; of an enum alone with its tag, which may be NULL. */
size_t explain_all(struct report *r, const char *tag, const char *text);

/* A number, as all that programs usually print as one. */
size_t explain_number(struct report *r, int64_t number, const char *text);

/* A set of flags, by what any enum makes of it: "REMOTE_READ|0x400000". */
size_t explain_word(struct report *r, const char *text);

/* A value of an enum; 0 where the enum has nothing like it. */
size_t explain_value(struct report *r, const struct vx_enum_info *e, int64_t value);

/* The enumerators whose name ends with a text: "4096" of ibv_mtu is IBV_MTU_4096. */
size_t explain_ending(struct report *r, const struct vx_enum_info *e, const char *text);

/* What follows the name of an enum: a number, names as vx_enum_parse() takes them, or what a name ends with. */
size_t explain_in_enum(struct report *r, const struct vx_enum_info *e, const char *text);

/* An enum by its name, whole or without the prefix of the library; NULL where there is none. */
const struct vx_enum_info *enum_called(const char *text);

/* Something that libverbsx itself has. */
struct own {
	const char *kind;	/* "function", "struct", "field", "macro", "variable"... */
	const char *name;
	const char *header;	/* "" of a variable of the environment */
	const char *declared;
	const char *says;
	const char *takes;
	const char *returns;
};

/* One after another; NULL past the last. */
const struct own *own_at(size_t index);

/* Those that vx_struct_find() knows are explained by their descriptions, with what is said here. */
bool is_described(const struct own *own);

/* What is said of it, or "". */
const char *own_words(const char *name);

/* ---- common to the readings ---- */

/* A text as the readings take it: with no blanks around it, and a blank for each tab. malloc()ed. */
char *without_indent(const char *text);

bool is_number(const char *text, int64_t *number);

bool same_name(const char *name, const char *text);

/* The same without the part of a name that tells the library, such as "ibv_". */
bool same_short_name(const char *name, const char *text);

/* Since which release of rdma-core; 0 of what libverbsx itself has. */
void report_since(struct report *r, unsigned int since);
void table_since(struct table *t, unsigned int since);
void report_meaning(struct report *r, const struct vx_meaning *meaning);

/* What an enumerator says, or "". */
const char *what_it_says(const char *enumerator);

#endif
