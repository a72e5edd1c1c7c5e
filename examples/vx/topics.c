/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdlib.h>
#include <string.h>

#include "topics.h"

static bool is_there(const struct topics *topics, const char *name)
{
	size_t i;

	for (i = 0; i < topics->count; i++)
		if (same_name(topics->all[i].name, name))
			return true;
	return false;
}

void topics_add(struct topics *topics, reading explain, const char *name)
{
	if (is_there(topics, name))
		return;
	topics->all = need_memory(topics->all, (topics->count + 1) * sizeof(topics->all[0]));
	topics->all[topics->count++] = (struct topic){ explain, need_text("%s", name) };
}

bool topics_have(const struct topics *topics, const char *tag)
{
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	size_t i;

	for (i = 0; i < topics->count; i++)
		if (vx_enumerator_find(topics->all[i].name, &e, &at) && !strcmp(vx_enum_tag(e), tag))
			return true;
	return false;
}

bool topics_have_reading(const struct topics *topics, reading explain)
{
	size_t i;

	for (i = 0; i < topics->count; i++)
		if (topics->all[i].explain == explain)
			return true;
	return false;
}

static void forget(struct topics *topics)
{
	size_t i;

	for (i = 0; i < topics->count; i++)
		free(topics->all[i].name);
	free(topics->all);
	*topics = (struct topics){ .all = NULL };
}

void topics_drop(struct topics *topics, const char *tag)
{
	const struct vx_enum_info *e;
	size_t i, kept = 0;

	for (i = 0; i < topics->count; i++) {
		if (vx_enumerator_find(topics->all[i].name, &e, NULL) && !strcmp(vx_enum_tag(e), tag))
			free(topics->all[i].name);
		else
			topics->all[kept++] = topics->all[i];
	}
	topics->count = kept;
}

void topics_move(struct topics *topics, struct topics *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		topics_add(topics, from->all[i].explain, from->all[i].name);
	forget(from);
}

size_t topics_end(struct topics *topics, struct report *r)
{
	size_t i, found = 0;

	for (i = 0; i < topics->count; i++)
		found += topics->all[i].explain(r, topics->all[i].name);
	forget(topics);
	return found;
}
