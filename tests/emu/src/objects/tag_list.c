/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "objects/tag_list.h"

#include <stdlib.h>

struct tag_list *tag_list_new(uint32_t max)
{
	struct tag_list *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	TAILQ_INIT(&l->tags);
	l->max = max;
	return l;
}

static void drop(struct tag_list *l, struct tag *t)
{
	TAILQ_REMOVE(&l->tags, t, link);
	l->count--;
	free(t);
}

void tag_list_free(struct tag_list *l)
{
	while (l && !TAILQ_EMPTY(&l->tags))
		drop(l, TAILQ_FIRST(&l->tags));
	free(l);
}

bool tag_list_append(struct tag_list *l, uint64_t value, uint64_t mask, const struct mlx5_wqe_data_seg *buffer,
		     uint16_t next_index)
{
	struct tag *t = l->count < l->max ? malloc(sizeof(*t)) : NULL;

	if (!t)
		return false;
	*t = (struct tag){
		.index = l->next_index,
		.enabled = l->known == l->unexpected,
		.value = value,
		.mask = mask,
		.buffer = *buffer,
	};
	TAILQ_INSERT_TAIL(&l->tags, t, link);
	l->count++;
	l->next_index = next_index;
	return true;
}

bool tag_list_remove(struct tag_list *l, uint16_t index)
{
	struct tag *t;

	TAILQ_FOREACH(t, &l->tags, link)
	{
		if (t->index != index)
			continue;
		drop(l, t);
		return true;
	}
	return false;
}

void tag_list_sync(struct tag_list *l, uint16_t known)
{
	struct tag *t;

	l->known = known;
	TAILQ_FOREACH(t, &l->tags, link)
	{
		t->enabled |= l->known == l->unexpected;
	}
}

bool tag_list_match(struct tag_list *l, uint64_t value, struct tag *match)
{
	struct tag *t;

	TAILQ_FOREACH(t, &l->tags, link)
	{
		if (!t->enabled || (t->value ^ value) & t->mask)
			continue;
		*match = *t;
		drop(l, t);
		return true;
	}
	return false;
}
