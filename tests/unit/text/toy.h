/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TOY_H
#define VERBSX_TESTS_TOY_H

/*
 * Enums and structures that have, in a few lines, every shape the tables can describe. toy_tables.c
 * describes them as the generator describes those of rdma-core, so the text engine is tested without any
 * generated file.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include <verbsx/enum.h>
#include <verbsx/print.h>

enum toy_color {
	TOY_COLOR_RED,
	TOY_COLOR_GREEN,
	TOY_COLOR_BLUE = 3,
	TOY_COLOR_SKY = 3,		/* alias */
	TOY_COLOR_LAST,			/* sentinel */
	TOY_COLOR_VIOLET = 255,
};

enum toy_state {
	TOY_STATE_BROKEN = -1,
	TOY_STATE_OFF,
	TOY_STATE_ON,
};

enum toy_access {
	TOY_ACCESS_NONE = 0,
	TOY_ACCESS_READ = 1 << 0,
	TOY_ACCESS_WRITE = 1 << 1,
	TOY_ACCESS_ATOMIC = 1 << 3,
	TOY_ACCESS_RESERVED = 1 << 4,	/* sentinel */
	TOY_ACCESS_ALL = 0xb,		/* composite */
};

#define TOY_ACCESS_FAR (UINT64_C(1) << 40)

enum toy_check {
	TOY_CHECK_GUARD = 0xc0,
	TOY_CHECK_TAG = 0x30,
	TOY_CHECK_CRC = 0xf0,
	TOY_CHECK_CRC_C = 0xf0,		/* alias */
};

enum toy_spec {
	TOY_SPEC_ETH = 0x20,
	TOY_SPEC_IP = 0x30,
	TOY_SPEC_INNER = 0x100,		/* a flag */
};

enum toy_size {
	TOY_SIZE_256 = 1,
	TOY_SIZE_4096 = 5,
};

union toy_gid {
	uint8_t raw[16];
	struct {
		uint64_t prefix;
		uint64_t id;
	} global;
};

/* One field of each kind. */
struct toy_kinds {
	uint32_t number;
	int16_t negative;
	uint8_t truth;
	enum toy_color color;
	enum toy_state state;
	uint64_t access;
	uint32_t colors;
	uint8_t speed;
	uint32_t spec;
	char text[8];
	uint8_t blob[4];
	void *pointer;
	void (*function)(void);
	uint16_t list[3];
	uint32_t big;
	uint32_t reserved;
	union toy_gid gid;
};

/* One field of each form. */
struct toy_forms {
	uint64_t hex;
	uint64_t page_sizes;
	uint32_t log2;
	uint8_t ack_timeout;
	uint8_t delay;
	uint8_t retry;
	uint32_t rate;
	uint64_t clock;
	uint64_t bytes;
	uint64_t ns;
	uint64_t guid;
	uint8_t gid[16];
	uint8_t mac[6];
	uint32_t ipv4;
	uint8_t ipv6[16];
	struct sockaddr_storage address;
	int32_t error;
	int32_t fd;
	int32_t mode;
	uint16_t protocol;
	uint64_t version;
	uint32_t pace;
	struct timespec time;
	uint32_t plenty;
	enum toy_color wanted;
	uint32_t rights;
	uint32_t size;
};

struct toy_sge {
	uint64_t addr;
	uint32_t length;
};

/* A work request: a linked list, a counted array, a union, pointers of every sort. */
struct toy_wr {
	uint64_t id;
	struct toy_wr *next;
	struct toy_sge *sg_list;
	int num_sge;
	uint32_t opcode;	/* 0: none of the union, 1: near, 2: far */
	union {
		struct {
			uint32_t key;
		} near;
		struct {
			uint64_t key;
			const char *note;
		} far;
	} wr;
	const uint16_t *numbers;
	const uint8_t *key;
	uint8_t key_len;
	const union toy_gid *gids;
	uint32_t log_gids;
};

struct toy_cap {
	uint32_t max_wr;
	uint32_t max_sge;
};

/* Masks: one inside, one beside it. */
struct toy_attr {
	uint32_t comp_mask;
	uint32_t guarded;	/* comp_mask & 1 */
	uint32_t old;		/* !(comp_mask & 2) */
	uint32_t asked;		/* mask beside & 4 */
	uint32_t hidden;	/* never */
	struct toy_cap cap;
	struct toy_cap caps[2];
	uint32_t used;
	uint32_t values[4];	/* the first "used" of them */
};

/* A union without a rule, and a front that grows. */
struct toy_loose {
	union {
		struct toy_cap *cap;
		uint64_t number;
	} u;
};

struct toy_front {
	uint32_t newest;
	uint32_t middle;
	uint32_t oldest;
	uint32_t chosen;	/* when newest is 7 */
};

struct toy_tail {
	uint32_t count;
	uint16_t items[];
};

struct toy_node {
	uint32_t value;
	struct toy_node *left;
	struct toy_node *right;
};

/*
 * What seldom occurs: arrays of texts and of blobs, a pointer to one number, a socket address by its
 * length.
 */
struct toy_rare {
	char names[2][4];
	uint8_t keys[2][2];
	uint32_t one_flag;
	const uint32_t *single;
	const void *address;
	uint32_t address_len;
	const uint8_t *many;
	const uint8_t *blob;
	uint32_t length;
};

/* Key material, and pointers behind a pointer. */
struct toy_secret {
	uint32_t salt;
	uint8_t key[8];
	const uint8_t *blob;
	uint16_t length;
	void *const *many;
};

enum toy_struct {
	TOY_GID, TOY_GID_GLOBAL, TOY_KINDS, TOY_FORMS, TOY_SGE, TOY_WR, TOY_WR_UNION, TOY_WR_NEAR, TOY_WR_FAR, TOY_CAP,
	TOY_ATTR, TOY_LOOSE, TOY_LOOSE_UNION, TOY_FRONT, TOY_TAIL, TOY_NODE, TOY_RARE, TOY_SECRET,
	TOY_STRUCTS
};

const struct vx_struct *toy_struct(enum toy_struct which);
const struct vx_enum_info *toy_enum(const char *tag);

/** The text of a structure of the given size, in memory that lives until 8 calls later. */
const char *toy_text(enum toy_struct which, const void *ptr, size_t size, int style);

/** The value of one line of VX_TEXT, without the name: toy_line(toy_text(...), "speed"). */
const char *toy_line(const char *text, const char *name);

#endif
