/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

#include <arpa/inet.h>
#include <string.h>

#include "gid.h"
#include "gid_choice.h"
#include "text/form.h"

/*
 * Entries are compared by criteria, each of which only counts where those before it are equal. The first by which one differs from
 * the one that is taken is the reason why it is not: so the reason is never another than what decided.
 */
enum criterion {
	BY_FITNESS,	/* what was asked for, and the peer's family */
	BY_ROUTE,	/* the kernel would send from it */
	BY_NAMESPACE,	/* a GID of another network namespace is of no use here: packets that it sends for are not answered */
	BY_TYPE,	/* only RoCE v2 is routed, and spread over links by its UDP port */
	BY_ADDRESS,
	BY_INDEX,
	CRITERIA,
};

/* ---- what a row is worth: less is better ---- */

static bool is_same_gid(const union ibv_gid *a, const union ibv_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Packets of RoCE v1 have GIDs, among which those of groups are of either family; those of v2 have addresses. */
static bool is_of_other_family(const struct ibv_gid_entry *entry, const union ibv_gid *peer)
{
	if (entry->gid_type == IBV_GID_TYPE_ROCE_V1 && vx_gid_is_group(peer))
		return false;
	return vx_gid_is_ipv4(&entry->gid) != vx_gid_is_ipv4(peer);
}

/* iWARP has Ethernet, and GIDs that are of no RoCE. */
static bool is_roce(const struct ibv_gid_entry *entry)
{
	return entry->gid_type != IBV_GID_TYPE_IB;
}

static bool is_other_than_asked(const struct vx_gid_table *table, const struct ibv_gid_entry *entry)
{
	return (table->own && !is_same_gid(table->own, &entry->gid)) || (table->type && table->type != entry->gid_type);
}

/* 0, or 1 of one that will not do. */
static unsigned int worth_by_fitness(const struct vx_gid_table *table, const struct ibv_gid_entry *entry)
{
	return vx_gid_is_zero(&entry->gid) || is_other_than_asked(table, entry) ||
	       (table->ethernet && table->peer && is_roce(entry) && is_of_other_family(entry, table->peer));
}

/* The route that leaves from it, by its place; behind the last where there is none. */
static unsigned int worth_by_route(const struct vx_gid_table *table, const struct ibv_gid_entry *entry)
{
	size_t i;

	for (i = 0; i < table->route_count; i++)
		if (is_same_gid(&table->routes[i].source, &entry->gid) &&
		    (!table->routes[i].ifindex || table->routes[i].ifindex == entry->ndev_ifindex))
			break;
	return (unsigned int)i;
}

static unsigned int worth_by_type(const struct ibv_gid_entry *entry)
{
	return entry->gid_type == IBV_GID_TYPE_ROCE_V2 ? 0 : entry->gid_type == IBV_GID_TYPE_ROCE_V1 ? 1 : 2;
}

/* A peer of the same link is best spoken to by an address of it. */
static unsigned int worth_by_address(const union ibv_gid *gid, const union ibv_gid *peer)
{
	bool local = vx_gid_is_link_local(gid);

	if (peer && vx_gid_is_link_local(peer))
		return !local;
	return local ? 2 : !vx_gid_is_ipv4(gid);
}

static unsigned int worth(const struct vx_gid_table *table, const struct vx_gid_row *row, enum criterion by)
{
	const struct ibv_gid_entry *entry = &row->entry;

	if (by == BY_FITNESS)
		return worth_by_fitness(table, entry);
	if (by == BY_INDEX)
		return entry->gid_index;
	if (!table->ethernet)
		return 0;
	switch (by) {
	case BY_ROUTE:
		return worth_by_route(table, entry);
	case BY_NAMESPACE:
		return row->foreign;
	case BY_TYPE:
		return worth_by_type(entry);
	default:
		return worth_by_address(&entry->gid, table->peer);
	}
}

/* The first criterion by which two rows differ; CRITERIA: they are the same. */
static enum criterion difference(const struct vx_gid_table *table, size_t a, size_t b)
{
	enum criterion by;

	for (by = 0; by < CRITERIA; by++)
		if (worth(table, &table->rows[a], by) != worth(table, &table->rows[b], by))
			break;
	return by;
}

static bool is_better(const struct vx_gid_table *table, size_t a, size_t b)
{
	enum criterion by = difference(table, a, b);

	return by < CRITERIA && worth(table, &table->rows[a], by) < worth(table, &table->rows[b], by);
}

static bool is_fit(const struct vx_gid_table *table, size_t row)
{
	return !worth_by_fitness(table, &table->rows[row].entry);
}

size_t vx_gid_choose(const struct vx_gid_table *table)
{
	size_t i, best = VX_NO_GID;

	for (i = 0; i < table->count; i++)
		if (is_fit(table, i) && (best == VX_NO_GID || is_better(table, i, best)))
			best = i;
	return best;
}

/* Whether an entry beside a link-local one, of the same network device, is of this namespace, or is not. */
static bool has_beside(const struct vx_gid_row *rows, size_t count, uint32_t ifindex, bool foreign)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (rows[i].entry.ndev_ifindex == ifindex && !vx_gid_is_ipv6_of_link(&rows[i].entry.gid) && rows[i].foreign == foreign)
			return true;
	return false;
}

void vx_gid_judge_links(struct vx_gid_row *rows, size_t count)
{
	uint32_t ifindex;
	size_t i;

	for (i = 0; i < count; i++) {
		ifindex = rows[i].entry.ndev_ifindex;
		if (vx_gid_is_ipv6_of_link(&rows[i].entry.gid))
			rows[i].foreign = has_beside(rows, count, ifindex, true) && !has_beside(rows, count, ifindex, false);
	}
}

/* ---- why ---- */

struct address_text {
	char text[INET6_ADDRSTRLEN];
};

/* "10.0.0.2", "fe80::1". */
static struct address_text text_of(const union ibv_gid *gid)
{
	const bool ipv4 = vx_gid_is_ipv4(gid);
	struct address_text as = { "" };

	inet_ntop(ipv4 ? AF_INET : AF_INET6, gid->raw + (ipv4 ? 12 : 0), as.text, sizeof(as.text));
	return as;
}

void vx_gid_put_address(struct vx_out *out, const union ibv_gid *gid)
{
	vx_put_string(out, text_of(gid).text);
}

bool vx_gid_of_address(const struct sockaddr *address, union ibv_gid *out)
{
	const int family = address ? address->sa_family : AF_UNSPEC;

	*out = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff } };
	if (family == AF_INET)
		memcpy(out->raw + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, sizeof(struct in_addr));
	else if (family == AF_INET6)
		memcpy(out->raw, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, sizeof(out->raw));
	return family == AF_INET || family == AF_INET6;
}

const char *vx_gid_type_text(uint32_t gid_type)
{
	return gid_type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" : gid_type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1" : "no RoCE";
}

static const char *family_of(const union ibv_gid *gid)
{
	return vx_gid_is_ipv4(gid) ? "IPv4" : "IPv6";
}

static const char *address_of(const union ibv_gid *gid)
{
	return vx_gid_is_link_local(gid) ? "link-local" : family_of(gid);
}

/* What the kernel said that was of no use. */
static void put_no_route(struct vx_out *out, const struct vx_gid_table *table)
{
	if (!table->route_count)
		vx_put_format(out, "; there is no route to %s", text_of(table->peer).text);
	else
		vx_put_format(out, "; the route to %s leaves from %s, which is no GID of this port", text_of(table->peer).text,
			      text_of(&table->routes[0].source).text);
}

/* Of those that another criterion could not tell apart, whether this is the only one. */
static bool is_alone(const struct vx_gid_table *table, size_t row)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (i != row && is_fit(table, i) && difference(table, i, row) == BY_INDEX)
			return false;
	return true;
}

static void put_taken_by_order(struct vx_out *out, const struct vx_gid_table *table, size_t row)
{
	const struct ibv_gid_entry *entry = &table->rows[row].entry;

	vx_put_format(out, "the %s of %s, %s", is_alone(table, row) ? "only one" : "first", vx_gid_type_text(entry->gid_type), address_of(&entry->gid));
	if (table->peer && !vx_gid_is_group(table->peer))
		put_no_route(out, table);
	if (table->rows[row].foreign)
		vx_put_format(out, "; but no network device here has %s", text_of(&entry->gid).text);
}

/* Asked for one network device, kernels answer also where no route is: then as if all were on its link. */
static void put_taken(struct vx_out *out, const struct vx_gid_table *table, size_t row)
{
	const unsigned int route = worth_by_route(table, &table->rows[row].entry);

	if (!table->ethernet)
		vx_put_literal(out, "the first of an InfiniBand port is its own");
	else if (route == table->route_count)
		put_taken_by_order(out, table, row);
	else
		vx_put_format(out, table->routes[route].ifindex ? "its network device sends from it to %s" : "the route to %s leaves from it",
			      text_of(table->peer).text);
}

static void put_unfit(struct vx_out *out, const struct vx_gid_table *table, const struct ibv_gid_entry *entry)
{
	if (vx_gid_is_zero(&entry->gid))
		vx_put_literal(out, "empty");
	else
		vx_put_format(out, "%s, and the peer %s is %s", family_of(&entry->gid), text_of(table->peer).text, family_of(table->peer));
}

/* Against the one that is taken. */
static void put_left(struct vx_out *out, const struct vx_gid_table *table, size_t row, size_t chosen)
{
	const struct ibv_gid_entry *entry = &table->rows[row].entry, *taken = &table->rows[chosen].entry;
	const uint32_t index = taken->gid_index;

	switch (difference(table, row, chosen)) {
	case BY_ROUTE:
		vx_put_format(out, "to %s the kernel sends from GID %u", text_of(table->peer).text, index);
		break;
	case BY_NAMESPACE:
		vx_put_literal(out, "no network device here has the address: it is of another network namespace, or gone");
		break;
	case BY_TYPE:
		vx_put_format(out, "%s, and GID %u is %s", vx_gid_type_text(entry->gid_type), index, vx_gid_type_text(taken->gid_type));
		break;
	case BY_ADDRESS:
		vx_put_format(out, "%s, and GID %u is %s", address_of(&entry->gid), index, address_of(&taken->gid));
		break;
	default:
		vx_put_format(out, table->ethernet ? "as good as GID %u, which comes first" : "on InfiniBand GID %u is taken, the port's own", index);
	}
}

void vx_gid_put_why(struct vx_out *out, const struct vx_gid_table *table, size_t row, size_t chosen)
{
	if (row == chosen)
		put_taken(out, table, row);
	else if (!is_fit(table, row))
		put_unfit(out, table, &table->rows[row].entry);
	else
		put_left(out, table, row, chosen);
}

/* A GID that a path says has to be there, and to be of the peer's family. */
static void put_asked(struct vx_out *out, const struct vx_gid_table *table)
{
	vx_put_literal(out, "has no GID ");
	if (table->own)
		vx_put_string(out, VX_GID_TEXT(table->own));
	if (table->type)
		vx_put_format(out, "%sof %s", table->own ? " " : "", vx_gid_type_text(table->type));
	if (!table->peer)
		return;
	vx_put_format(out, " from which there is a way to %s%s", text_of(table->peer).text,
		      !table->ethernet && vx_gid_is_ipv4(table->peer) ? ": " VX_IP_ON_INFINIBAND : "");
}

void vx_gid_put_lack(struct vx_out *out, const struct vx_gid_table *table)
{
	if (!table->count)
		vx_put_literal(out, "has no GID: each comes with an address of its network device");
	else if (table->own || table->type)
		put_asked(out, table);
	else
		vx_put_format(out, "has no GID of %s, as the peer %s is, but %zu of %s", family_of(table->peer), text_of(table->peer).text, table->count,
			      family_of(&table->rows[0].entry.gid));
}
