/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_UNIT_OBJECT_NODE_BED_H
#define VERBSX_TESTS_UNIT_OBJECT_NODE_BED_H

/* The graph of handles, made of nodes that stand for nothing but a letter, and take down when they are destroyed. */

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/error.h>
#include <verbsx/objects.h>

#include "object/object.h"

extern char order[64]; /* names of the nodes that were destroyed, in turn; a root is "r" */
extern const char *stubborn; /* a node of this name cannot be destroyed */
extern const char *waits_for; /* until one of this name has been */
extern struct vx_node *called; /* by another thread, while the first node is destroyed */

int destroy(struct vx_node *node);

/* Takes nothing down. */
int destroy_silently(struct vx_node *node);

struct vx_node *make_root(void);
struct vx_node *make_of_kind(uint32_t kind, const char *name, void *const *uses, size_t count);
struct vx_node *make_user(const char *name, void *const *uses, size_t count);
struct vx_node *make(const char *name, struct vx_node *parent);
size_t count_users(const struct vx_node *node);

/* Have a node depend on two more, in the place of those that it leaned on before. */
void lean(struct vx_node *node, struct vx_node *first, struct vx_node *second);

#endif
