/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why mlx5 takes no matcher or rule: what it matches, and in which order its actions come. */

#include <errno.h>
#include <string.h>

#include <verbsx/objects.h>

#include "ids.h"
#include "kinds.h"
#include "know/mlx5_prm.h"
#include "mlx5.h"
#include "mlx5_words.h"
#include "verbs/reason_by_hand.h"

#define MOST_MATCHED 512 /* bytes that anybody takes: more is garbage, and the size of nothing */

enum { OUTER = 0, INNER = 2 * VX_MLX5_PART }; /* of what is matched, the parts with the headers of a packet and of one within it */
enum { PROTOCOL = 0x10, IP_VERSION = 0x12, TCP_PORTS = 0x14, UDP_PORTS = 0x1c, PORTS = 4, SOURCE = 0x20, OF_IPV4 = 12, ADDRESS = 16 }; /* bytes of a part */
enum { TCP = 6, UDP = 17, WHOLE = 0xff };

struct vx_mlx5_mask vx_mlx5_mask(const struct mlx5dv_flow_match_parameters *given)
{
	struct vx_mlx5_mask mask;

	memset(&mask, 0, sizeof(mask));
	if (given && given->match_sz <= MOST_MATCHED)
		memcpy(mask.bits, given->match_buf, given->match_sz < sizeof(mask.bits) ? given->match_sz : sizeof(mask.bits));
	return mask;
}

unsigned int vx_mlx5_parts(const struct mlx5dv_flow_match_parameters *given)
{
	const struct vx_mlx5_mask mask = vx_mlx5_mask(given);
	unsigned int i, parts = 0;

	for (i = 0; i < sizeof(mask.bits); i++)
		if (mask.bits[i])
			parts |= 1u << i / VX_MLX5_PART;
	return parts;
}

bool vx_mlx5_is_cut(const struct vx_mlx5_dr_matcher *matcher, const struct mlx5dv_flow_match_parameters *value)
{
	const struct vx_node *node = (const struct vx_node *)matcher;
	const struct vx_kept_mlx5_dr_matcher *kept = vx_node_extra(node);
	const struct vx_kept_mlx5_dr_table *table = vx_node_extra(vx_node_used(node, 0));
	const size_t parts = value->match_sz / VX_MLX5_PART + (value->match_sz % VX_MLX5_PART > 0);

	return kept->known && table->known && table->level && value->match_sz && parts < VX_MLX5_PARTS && kept->match_criteria_enable >> parts;
}

/* Whether it may be for what was asked that the call failed. */
static bool is_about_rules(const struct vx_failure *failure)
{
	return !vx_reason_is_found(failure) && (failure->code == -EINVAL || failure->code == -EOPNOTSUPP);
}

/* An argument, by its place: both calls that make a rule have them in one order. */
static const void *argument_at(const struct vx_failure *failure, unsigned int index)
{
	return (const void *)(uintptr_t)failure->args[index];
}

static bool is_call(const struct vx_failure *failure, unsigned int row)
{
	return failure->call == &vx_signatures[row];
}

/* ---- what is matched ---- */

static unsigned int ip_version(const uint8_t *headers)
{
	return headers[IP_VERSION] >> 1 & 0xf; /* and frag before it, and the first of tcp_flags behind it */
}

/* What is wrong with the headers that rules are to match, "outer" or "inner": by the mask, and what of it must be. */
typedef void check_headers(struct vx_failure *failure, const char *which, const uint8_t *mask, const uint8_t *value);

static void check_both(struct vx_failure *failure, check_headers *check, const struct vx_mlx5_mask *mask, const struct vx_mlx5_mask *value)
{
	check(failure, "outer", mask->bits + OUTER, value->bits + OUTER);
	check(failure, "inner", mask->bits + INNER, value->bits + INNER);
}

static void check_family(struct vx_failure *failure, const char *which, const uint8_t *mask, const uint8_t *value)
{
	const bool has_ipv6 = vx_is_set(mask + SOURCE, OF_IPV4) || vx_is_set(mask + SOURCE + ADDRESS, OF_IPV4);

	if (has_ipv6 && ip_version(value) == 4)
		vx_reason_add(failure, "%s headers have ip_version 4, and bits of IPv6 addresses in the mask", which);
}

/* Where there are ports depends on what carries them. */
static void check_ports(struct vx_failure *failure, const char *which, const uint8_t *mask, const uint8_t *value)
{
	static const struct {
		uint8_t at, protocol;
		char name[4];
	} ports[] = { { TCP_PORTS, TCP, "TCP" }, { UDP_PORTS, UDP, "UDP" } };
	const unsigned int protocol = mask[PROTOCOL] == WHOLE ? value[PROTOCOL] : 0;
	size_t i;

	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (vx_is_set(mask + ports[i].at, PORTS) && protocol != ports[i].protocol)
			vx_reason_add(failure, "%s headers have ports of %s in the mask, which take ip_protocol = %u beside them", which,
				      ports[i].name, ports[i].protocol);
}

/* Behind a root table libmlx5 compares ip_version as a whole. */
static void check_version(struct vx_failure *failure, const char *which, const uint8_t *mask, const uint8_t *value)
{
	const struct vx_kept_mlx5_dr_table *kept = vx_node_extra(vx_node_used(failure->node, 0));
	const unsigned int version = ip_version(value);

	if (kept->known && kept->level && version && version != 4 && version != 6)
		vx_reason_add(failure, "%s headers have ip_version %u in the mask, which behind a root table is that of the rules, 4 or 6", which, version);
	(void)mask; /* it is the value */
}

/* The kernel looks at all parts, and libmlx5 at those that the matcher has. */
static void check_mask(struct vx_failure *failure, const struct vx_kept_mlx5_flow_matcher *kept, const struct vx_mlx5_mask *value, bool all)
{
	unsigned int i;

	for (i = 0; i < sizeof(value->bits); i++) {
		if (!(value->bits[i] & ~kept->mask.bits[i]) || !(all || kept->match_criteria_enable >> i / VX_MLX5_PART & 1))
			continue;
		vx_reason_add(failure, "byte %u has 0x%x, which the mask lacks", i, value->bits[i] & ~kept->mask.bits[i]);
		return;
	}
}

_Static_assert(sizeof(struct vx_kept_mlx5_dr_matcher) == sizeof(struct vx_kept_mlx5_flow_matcher), "both are read as one");

static void check_matched(struct vx_failure *failure, const struct vx_node *matcher, const struct mlx5dv_flow_match_parameters *given)
{
	const struct vx_kept_mlx5_flow_matcher *kept = vx_node_extra(matcher);
	const struct vx_mlx5_mask value = vx_mlx5_mask(given);

	if (!kept->known)
		return;
	check_mask(failure, kept, &value, matcher->kind == VX_OBJECT_MLX5_FLOW_MATCHER);
	check_both(failure, check_family, &kept->mask, &value);
	check_both(failure, check_ports, &kept->mask, &value);
}

enum { PARTS_OF_OLD = 7, EVERY_PART = (1 << VX_MLX5_PARTS) - 1 };

/* Which parts, by their bits. */
static void check_parts(struct vx_failure *failure, unsigned int enable)
{
	if (enable & ~EVERY_PART)
		vx_reason_add(failure, "match_criteria_enable has 0x%x, and the last part is 0x40", enable & ~EVERY_PART);
	else if (enable & ~PARTS_OF_OLD && failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the device or the kernel may not know the parts 0x%x of match_criteria_enable", enable & ~PARTS_OF_OLD);
}

void vx_explain_mlx5_matcher(struct vx_failure *failure)
{
	const struct mlx5dv_flow_matcher_attr *attr = argument_at(failure, 1);
	const bool direct = is_call(failure, SIGNATURE_mlx5dv_dr_matcher_create);
	const struct mlx5dv_flow_match_parameters *given = direct ? argument_at(failure, 3) : attr->match_mask;
	const struct vx_mlx5_mask mask = vx_mlx5_mask(given);

	if (!is_about_rules(failure))
		return;
	check_both(failure, check_family, &mask, &mask);
	if (direct)
		check_both(failure, check_version, &mask, &mask);
	check_parts(failure, direct ? (uint8_t)failure->args[2] : attr->match_criteria_enable);
	if (failure->code == -EOPNOTSUPP && !vx_reason_is_found(failure))
		vx_reason_add(failure, "the device may not match all that the mask has bits of");
	if (!direct && given->match_sz - 1 >= MOST_MATCHED)
		vx_reason_add(failure, "match_mask.match_sz = %zu, and the kernel takes 1 to 512 bytes", given->match_sz);
}

/* ---- what is done ---- */

/* What an action is for: a rule has one of each but of VLANs, and from POP on they come in this order. */
enum part { ANY, TAG, COUNTER, POP, CHANGE, PUSH, DESTINATION, PARTS };

#define MOST_FLOW_ACTIONS 8

static const struct part_row {
	uint8_t id, part;
} parts_of_types[] = {
#define PART(type, part) { type, part },
	VX_PARTS_OF_RULES_BY_TYPE
}, parts_of_kinds[] = {
	VX_PARTS_OF_RULES_BY_KIND
#undef PART
};

static enum part part_in(const struct part_row *rows, size_t count, unsigned int id)
{
	for (; count; count--, rows++)
		if (rows->id == id)
			return rows->part;
	return ANY;
}

#define PART_IN(rows, id) part_in(rows, sizeof(rows) / sizeof((rows)[0]), id)

/* What came so far: of each part 1 + the index of the last, and which of those that have an order is the latest. */
struct came {
	unsigned int at[PARTS];
	enum part latest;
	bool ordered;
};

static void check_part(struct vx_failure *failure, struct came *came, unsigned int i, enum part part)
{
	static const char names[PARTS][15] = { [TAG] = "tags", [COUNTER] = "counters", [CHANGE] = "header changes", [DESTINATION] = "destinations" };
	const bool behind = part < came->latest && (part >= POP || came->latest == DESTINATION) && part != COUNTER && part;

	if (came->at[part] && names[part][0])
		vx_reason_add(failure, "actions[%u] and actions[%u] are %s, and a rule has one", came->at[part] - 1, i, names[part]);
	else if (behind && came->ordered)
		vx_reason_add(failure, "actions[%u] must come before actions[%u]: pop, change headers, push, destination", i, came->at[came->latest] - 1);
	came->at[part] = i + 1;
	if (part >= POP && part > came->latest)
		came->latest = part;
}

/* What is wrong with an action, whatever the others are. */
static void check_action(struct vx_failure *failure, const struct mlx5dv_flow_action_attr *action, unsigned int i)
{
	if (!vx_enum_name(&vx_enums[ENUM_mlx5dv_flow_action_type], action->type))
		vx_reason_add(failure, "actions[%u].type = %d is none of enum mlx5dv_flow_action_type", i, (int)action->type);
	else if (action->type == MLX5DV_FLOW_ACTION_DEST_IBV_QP && action->qp->qp_type != IBV_QPT_RAW_PACKET)
		vx_reason_add(failure, "actions[%u] leads to a QP of another type than IBV_QPT_RAW_PACKET", i);
	else if (action->type == MLX5DV_FLOW_ACTION_IBV_COUNTER && failure->code == -EOPNOTSUPP)
		vx_reason_add(failure, "actions[%u] counts by counters of verbs, which libmlx5 may not take: MLX5DV_FLOW_ACTION_COUNTERS_DEVX counts by a flow counter", i);
	else if (action->type == MLX5DV_FLOW_ACTION_TAG && action->tag_value >> 24)
		vx_reason_add(failure, "actions[%u].tag_value = 0x%x, and a tag has 24 bits", i, action->tag_value);
}

/* What no one action is to blame for. */
static void check_ending(struct vx_failure *failure, const struct came *came, unsigned int count)
{
	if (count && !came->at[DESTINATION] && !vx_reason_is_found(failure) && failure->code == -EINVAL)
		vx_reason_add(failure, "the actions may lead nowhere: packets that come in need a destination, such as %s", is_call(failure, SIGNATURE_mlx5dv_dr_rule_create) ?
			      "vx_mlx5_dr_dest_qp_create()" : "MLX5DV_FLOW_ACTION_DEST_IBV_QP");
}

static void check_flow(struct vx_failure *failure, const struct mlx5dv_flow_action_attr *actions, unsigned int count)
{
	struct came came = { .ordered = false };
	unsigned int i, others = 0;

	for (i = 0; i < count; i++) {
		others += actions[i].type == MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION;
		check_action(failure, &actions[i], i);
		check_part(failure, &came, i, PART_IN(parts_of_types, actions[i].type));
	}
	check_ending(failure, &came, count);
	if (others > MOST_FLOW_ACTIONS)
		vx_reason_add(failure, "%u are MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION, of 8 at most", others);
}

/* What an action is of, by its parent or by the table that it leads to; NULL: it may be anybody's. */
static const struct vx_node *domain_of(const struct vx_node *node)
{
	const struct vx_node *table = vx_node_used_as(node, VX_OBJECT_MLX5_DR_TABLE, NULL);

	for (node = table ? table : node; node->uses; node = vx_node_used(node, 0))
		if (node->kind == VX_OBJECT_MLX5_DR_DOMAIN)
			return node;
	return NULL;
}

static void check_direct(struct vx_failure *failure, void *const *actions, unsigned int count)
{
	const struct vx_node *table = vx_node_used(vx_node_used(failure->node, 0), 0);
	const struct vx_kept_mlx5_dr_table *kept = vx_node_extra(table);
	struct came came = { .ordered = kept->known && kept->level };
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct vx_node *action = vx_handle_of(actions[i], VX_OBJECT_MLX5_DR_ACTION);

		if (!action)
			continue;
		check_part(failure, &came, i, PART_IN(parts_of_kinds, action->kind));
		if (domain_of(action) && domain_of(action) != domain_of(table))
			vx_reason_add(failure, "actions[%u] is of another domain than the matcher", i);
	}
	if (kept->known && !kept->level)
		check_ending(failure, &came, count);
}

void vx_explain_mlx5_rule(struct vx_failure *failure)
{
	const unsigned int count = (unsigned int)failure->args[2];

	if (!is_about_rules(failure))
		return;
	check_matched(failure, vx_node_used(failure->node, 0), argument_at(failure, 1));
	if (is_call(failure, SIGNATURE_mlx5dv_dr_rule_create))
		check_direct(failure, argument_at(failure, 3), count);
	else
		check_flow(failure, argument_at(failure, 3), count);
}
