/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <stdlib.h>

#include "object.h"

void vx_node_adopt(struct vx_node *parent, struct vx_node *node)
{
	node->parent = parent;
	node->lock = parent->lock;
	node->newer = NULL;

	pthread_mutex_lock(node->lock);
	node->older = parent->children;
	if (node->older)
		node->older->newer = node;
	parent->children = node;
	pthread_mutex_unlock(node->lock);
}

static void unlink_node(struct vx_node *node)
{
	if (node->newer)
		node->newer->older = node->older;
	else
		node->parent->children = node->older;
	if (node->older)
		node->older->newer = node->newer;
}

static int close_child(struct vx_node *node);

static int close_children(struct vx_node *node)
{
	int rc = 0;

	while (node->children && rc == 0)
		rc = close_child(node->children);
	return rc;
}

static int close_child(struct vx_node *node)
{
	int rc;

	rc = close_children(node);
	if (rc == 0)
		rc = node->destroy(node);
	if (rc < 0)
		return rc;

	unlink_node(node);
	free(node);
	return 0;
}

/* Destroying a context destroys the lock as well, so it must not be held. */
static int close_root(struct vx_node *node)
{
	int rc;

	pthread_mutex_lock(node->lock);
	rc = close_children(node);
	pthread_mutex_unlock(node->lock);
	if (rc == 0)
		rc = node->destroy(node);
	if (rc == 0)
		free(node);
	return rc;
}

int vx_close(void *object)
{
	struct vx_node *node = object;
	pthread_mutex_t *lock;
	int rc;

	if (!node)
		return 0;
	if (!node->parent)
		return close_root(node);

	lock = node->lock;
	pthread_mutex_lock(lock);
	rc = close_child(node);
	pthread_mutex_unlock(lock);
	return rc;
}
