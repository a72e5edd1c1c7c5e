/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What somebody may have meant by a name that does not exist. */

#include <limits.h>
#include <string.h>

#include <verbsx/describe.h>

#include "text/nearest.h"
#include "text/table.h"

#define MOST 16		/* suggestions; nobody reads more */
#define SHORTEST_PART 3	/* of a text that is looked for within names */
#define LETTERS_A_TYPO 8	/* that a name has beyond the text it contains count as one wrong letter */

struct suggestions {
	const char *text;
	size_t len;
	unsigned int limit;	/* a name that is further away is not meant */
	size_t max;
	size_t count;
	const char **names;
	unsigned int distances[MOST];
};

static bool is_listed(const struct suggestions *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->names[i], name))
			return true;
	return false;
}

/* Keep the list sorted; of equals the one that came first stays in front. */
static void insert(struct suggestions *s, const char *name, unsigned int distance)
{
	size_t at = s->count < s->max ? s->count++ : s->max - 1;

	for (; at > 0 && s->distances[at - 1] > distance; at--) {
		s->names[at] = s->names[at - 1];
		s->distances[at] = s->distances[at - 1];
	}
	s->names[at] = name;
	s->distances[at] = distance;
}

static bool contains(const char *name, const char *part, size_t len)
{
	size_t i, room = strlen(name);

	for (i = 0; i + len <= room; i++)
		if (vx_same_start(part, len, name + i))
			return true;
	return false;
}

static unsigned int distance_to(const struct suggestions *s, const char *spelling)
{
	unsigned int distance = vx_distance(s->text, s->len, spelling);

	if (s->len >= SHORTEST_PART && contains(spelling, s->text, s->len))
		return 1 + (unsigned int)(strlen(spelling) - s->len) / LETTERS_A_TYPO;
	return distance < s->limit && distance < s->len ? distance : UINT_MAX;
}

static void consider(struct suggestions *s, const char *name, size_t prefix)
{
	unsigned int distance = distance_to(s, name);
	unsigned int without = prefix < strlen(name) ? distance_to(s, name + prefix) : UINT_MAX;

	if (without < distance)
		distance = without;
	if (distance == UINT_MAX || (s->count == s->max && distance >= s->distances[s->count - 1]))
		return;
	if (!is_listed(s, name))
		insert(s, name, distance);
}

/* The length of what tells the library, as in "ibv_", "rdma_" or "mlx5dv_". */
static size_t library_prefix(const char *name)
{
	const char *underscore = strchr(name, '_');

	return underscore ? (size_t)(underscore - name) + 1 : 0;
}

static void consider_enums(struct suggestions *s)
{
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; i < vx_enum_count; i++) {
		const struct vx_enum_info *e = &vx_enums[i];

		consider(s, vx_enum_tag(e), library_prefix(vx_enum_tag(e)));
		for (j = 0; vx_enum_at(e, j, &at); j++)
			consider(s, at.name, e->prefix);
	}
}

static void consider_structs(struct suggestions *s)
{
	size_t i, j;

	for (i = 0; i < vx_struct_count; i++) {
		const struct vx_struct *at = &vx_structs[i];
		const char *tag = vx_struct_names + at->name;

		if (!(at->flags & VX_STRUCT_NESTED))
			consider(s, tag, library_prefix(tag));
		for (j = 0; j < at->fields; j++)
			consider(s, vx_struct_names + vx_fields[at->field + j].name, 0);
	}
}

static void consider_calls(struct suggestions *s)
{
	struct vx_call_info info;
	size_t i;

	for (i = 0; vx_call_at(i, &info); i++)
		consider(s, info.name, library_prefix(info.name));
}

static void consider_errnos(struct suggestions *s)
{
	struct vx_errno_info info;
	size_t i;

	for (i = 0; vx_errno_at(i, &info); i++)
		consider(s, info.name, 0);
}

size_t vx_suggest(const char *text, const char **names, size_t max)
{
	struct suggestions s = { .text = text, .names = names, .max = max < MOST ? max : MOST };

	if (!text || !s.max)
		return 0;
	s.len = strlen(text);
	s.limit = 2 + (unsigned int)s.len / 4;
	consider_enums(&s);
	consider_structs(&s);
	consider_calls(&s);
	consider_errnos(&s);
	return s.count;
}
