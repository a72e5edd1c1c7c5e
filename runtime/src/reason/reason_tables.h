/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_REASON_TABLES_H
#define VERBSX_SRC_REASON_TABLES_H

/*
 * The tables of generated/src/limits.c and transitions.c. As those of table.h they hold names, numbers and indices,
 * never pointers. A field is named by its path, "cap.max_send_wr", that of a call by "attr.cap.max_send_wr".
 */

#include <infiniband/verbs.h>

#include "sources.h"
#include "text/table.h"

/* What a row is about: a structure that a call takes, by its place in vx_structs, or a call. */
#define VX_OF_CALL (1 << 15)	/* and its place in vx_signatures */

/* Who says what is allowed, beside those of enum vx_source: what a parameter of the call points to, from here on. */
#define VX_SOURCE_PARAM 0x80

struct vx_source_row {
	uint16_t desc;		/* of vx_structs */
	vx_name allows, has;	/* in vx_limit_texts, as all names here but one: "the device allows" */
};

struct vx_limit {
	uint16_t owner;
	vx_name field;
	uint8_t source;		/* enum vx_source */
	uint8_t is_index;	/* the field must be less than the limit, else no more */
	vx_name limit;
	uint32_t number;	/* VX_SOURCE_OWN: the limit; else what the field is called where programs set it, 0: the same */
};

/* What must hold for a fault: a rule for a structure, or for the arguments. */
struct vx_test {
	uint8_t source;
	vx_name rule;		/* of vx_rules; of what comes before the sources in enum vx_source a text */
};

/* When a fault is looked for. */
enum vx_phase {
	VX_PHASE_BEFORE,	/* the call is not made where one holds */
	VX_PHASE_AT_ONCE,	/* nothing else is looked for where one holds */
	VX_PHASE_USUAL,
	VX_PHASE_OTHERWISE,	/* the first that holds where nothing was found */
	VX_PHASE_COUNT,		/* where there is no room for one more */
	VX_PHASE_PRODUCT,	/* where the provider may have none for so much */
};

struct vx_fault {
	uint16_t owner;
	vx_name text;		/* in vx_texts; "{field}" stands for its value */
	uint16_t test;		/* first of vx_tests */
	uint8_t tests;
	uint8_t phase;		/* enum vx_phase */
	uint8_t codes[4];	/* errnos; the first 0: any */
};

struct vx_suspect {
	uint16_t owner;
	vx_name field;
	uint32_t usual;			/* flags of it that are none; of an enum the values, each a bit */
};

/* The QP types that mlx5 has behind IBV_QPT_DRIVER; and what a WQ is called among them: the last of 32 bits, as types are added behind 10. */
#define VX_QPT_DCI 29
#define VX_QPT_DCT 30
#define VX_QPT_WQ 31

struct vx_transition {
	uint32_t types;		/* bit IBV_QPT_RC and so on, which are below VX_QPT_DCI but for IBV_QPT_DRIVER */
	uint8_t from, to;	/* enum ibv_qp_state; of a WQ enum ibv_wq_state */
	uint32_t required, optional;	/* enum ibv_qp_attr_mask, without IBV_QP_STATE */
};

extern const struct vx_source_row vx_sources[VX_SOURCES];
extern const struct vx_limit vx_limits[];
extern const uint16_t vx_limit_count;
extern const struct vx_test vx_tests[];
extern const struct vx_fault vx_faults[];
extern const uint16_t vx_fault_count;
extern const struct vx_suspect vx_suspects[];
extern const uint16_t vx_suspect_count;
extern const char vx_limit_texts[];
extern const struct vx_transition vx_transitions[];
extern const uint16_t vx_transition_count;

/* What kernels take out of the mask of a type before they look. */
uint32_t vx_transition_ignored(unsigned int type);

/* What of an init structure cannot be used along with what: [exclude] in gen/lore/limits.toml. */

struct vx_part {
	char name[24];
	uint32_t excludes;	/* of the parts after it, a bit each */
};

/* Returns -EINVAL, recorded, where two of the parts that are used, a bit each, exclude each other, or 0. */
int vx_exclusion_check(const struct vx_part *parts, uint32_t used, const char *call);

/* For each structure that lore has: the same. Generated. */
struct vx_mr_init;
int vx_mr_init_exclusions(const struct vx_mr_init *init, const char *call);

#endif
