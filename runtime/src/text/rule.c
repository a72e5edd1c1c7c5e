/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which fields are valid. */

#include "printer.h"

#define LONGEST_CHAIN 16 /* no table has such a chain; a damaged one must not hang */

static bool is_one_of(const struct vx_rule *rule, uint64_t value)
{
	uint16_t i;

	for (i = 0; i < rule->values; i++)
		if (vx_rule_values[rule->value + i] == value)
			return true;
	return false;
}

static bool link_holds(const struct vx_view *view, const struct vx_rule *rule, uint64_t mask)
{
	const uint64_t *values = &vx_rule_values[rule->value];
	const unsigned char *at;
	uint64_t selector;

	if (rule->op == VX_RULE_MASK)
		return mask & values[0];
	if (rule->op == VX_RULE_NEVER)
		return false;
	at = vx_view_at(view, rule->offset, rule->size);
	if (!at)
		return false;
	selector = vx_read_unsigned(at, rule->size);
	switch (rule->op) {
	case VX_RULE_ANY_BIT:
		return selector & values[0];
	case VX_RULE_NO_BIT:
		return !(selector & values[0]);
	case VX_RULE_ONE_OF:
		return is_one_of(rule, selector);
	case VX_RULE_NONE_OF:
		return !is_one_of(rule, selector);
	case VX_RULE_BEYOND:
		return selector > values[0];
	default:
		return false;
	}
}

bool vx_rule_holds(const struct vx_view *view, uint16_t rule, uint64_t mask)
{
	unsigned int links;

	for (links = 0; rule && links < LONGEST_CHAIN; links++) {
		if (!link_holds(view, &vx_rules[rule], mask))
			return false;
		rule = vx_rules[rule].next;
	}
	return true;
}

bool vx_field_is_loose(const struct vx_struct *s, const struct vx_field *f)
{
	bool last = f == vx_field_of(s, s->fields - 1u);

	if (f->rule)
		return false;
	return s->flags & VX_STRUCT_UNION || f->flags & VX_FIELD_UNION ||
	       (!last && f[1].flags & VX_FIELD_UNION);
}
