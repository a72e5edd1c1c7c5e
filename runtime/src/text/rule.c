/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which fields are valid. */

#include "printer.h"

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
	const unsigned char *at = vx_view_at(view, rule->offset, rule->size);
	uint64_t selector = at ? vx_read_unsigned(at, rule->size) : 0;
	const uint64_t *bits = &vx_rule_values[rule->value];

	switch (rule->op) {
	case VX_RULE_MASK:
		return mask & *bits;
	case VX_RULE_ANY_BIT:
		return selector & *bits;
	case VX_RULE_NO_BIT:
		return at && !(selector & *bits);
	case VX_RULE_ONE_OF:
		return at && is_one_of(rule, selector);
	case VX_RULE_NONE_OF:
		return at && !is_one_of(rule, selector);
	case VX_RULE_BEYOND:
		return at && selector > *bits;
	default:
		return false;
	}
}

bool vx_rule_holds(const struct vx_view *view, uint16_t rule, uint64_t mask)
{
	while (rule && link_holds(view, &vx_rules[rule], mask))
		rule = vx_rules[rule].next;
	return !rule;
}

bool vx_field_is_loose(const struct vx_struct *s, const struct vx_field *f)
{
	bool last = f == vx_field_of(s, s->fields - 1u);

	if (f->rule)
		return false;
	return s->flags & VX_STRUCT_UNION || f->flags & VX_FIELD_UNION ||
	       (!last && f[1].flags & VX_FIELD_UNION);
}
