/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Which fields of struct vx_mr_init go together. */

#include <errno.h>

#include "error/fail.h"
#include "mr.h"

static const char call[] = "vx_mr_create";

enum part {
	PART_NULL,
	PART_IMPLICIT,
	PART_DM,
	PART_FD,
	PART_BUF,
	PART_ADDR,
	PART_LENGTH,
	PART_HUGE,
	PART_HUGE_IF_THERE,
	PART_IOVA,
	PART_OFFSET,
	PART_DMAH,
	PART_READ_ONLY,
	PART_ACCESS,
	PART_LOCAL_WRITE,
	PART_ON_DEMAND,
	PART_HUGETLB,
	PART_ZERO_BASED,
	PARTS
};

#define BIT(part) (1u << PART_##part)
#define WHERE (BIT(DM) | BIT(FD) | BIT(BUF) | BIT(ADDR))
#define OWN (BIT(HUGE) | BIT(HUGE_IF_THERE))
#define PAGES (BIT(ON_DEMAND) | BIT(HUGETLB))

/* A part's name, and what cannot be used along with it of the parts after it. */
static const struct {
	char name[24];
	uint32_t excludes;
} parts[PARTS] = {
	[PART_NULL] = { "VX_MR_NULL", ~0u },
	[PART_IMPLICIT] = { "VX_MR_IMPLICIT", WHERE | OWN | BIT(LENGTH) | BIT(IOVA) | BIT(OFFSET) | BIT(DMAH) |
						      BIT(HUGETLB) | BIT(ZERO_BASED) },
	[PART_DM] = { "dm", WHERE | OWN | PAGES | BIT(IOVA) | BIT(DMAH) },
	[PART_FD] = { "fd", WHERE | OWN | PAGES },
	[PART_BUF] = { "buf", WHERE | OWN },
	[PART_ADDR] = { "addr", OWN | BIT(OFFSET) },
	[PART_LENGTH] = { "length", 0 },
	[PART_HUGE] = { "VX_MR_HUGE", BIT(HUGE_IF_THERE) | BIT(OFFSET) },
	[PART_HUGE_IF_THERE] = { "VX_MR_HUGE_IF_THERE", BIT(OFFSET) | BIT(HUGETLB) },
	[PART_IOVA] = { "iova", BIT(ZERO_BASED) },
	[PART_OFFSET] = { "offset", 0 },
	[PART_DMAH] = { "dmah", 0 },
	[PART_READ_ONLY] = { "VX_MR_READ_ONLY", BIT(LOCAL_WRITE) },
	[PART_ACCESS] = { "access", 0 },
	[PART_LOCAL_WRITE] = { "IBV_ACCESS_LOCAL_WRITE", 0 },
	[PART_ON_DEMAND] = { "IBV_ACCESS_ON_DEMAND", 0 },
	[PART_HUGETLB] = { "IBV_ACCESS_HUGETLB", 0 },
	[PART_ZERO_BASED] = { "IBV_ACCESS_ZERO_BASED", 0 },
};

static uint32_t used_parts(const struct vx_mr_init *init)
{
	const bool used[PARTS] = {
		[PART_NULL] = init->flags & VX_MR_NULL,
		[PART_IMPLICIT] = init->flags & VX_MR_IMPLICIT,
		[PART_DM] = init->dm,
		[PART_FD] = vx_mr_is_dmabuf(init),
		[PART_BUF] = init->buf,
		[PART_ADDR] = init->addr,
		[PART_LENGTH] = init->length,
		[PART_HUGE] = init->flags & VX_MR_HUGE,
		[PART_HUGE_IF_THERE] = init->flags & VX_MR_HUGE_IF_THERE,
		[PART_IOVA] = init->iova,
		[PART_OFFSET] = init->offset,
		[PART_DMAH] = init->dmah,
		[PART_READ_ONLY] = init->flags & VX_MR_READ_ONLY,
		[PART_ACCESS] = init->access,
		[PART_LOCAL_WRITE] = init->access & IBV_ACCESS_LOCAL_WRITE,
		[PART_ON_DEMAND] = init->access & IBV_ACCESS_ON_DEMAND,
		[PART_HUGETLB] = init->access & IBV_ACCESS_HUGETLB,
		[PART_ZERO_BASED] = init->access & IBV_ACCESS_ZERO_BASED,
	};
	uint32_t bits = 0;
	int i;

	for (i = 0; i < PARTS; i++)
		bits |= (uint32_t)used[i] << i;
	return bits;
}

static int check_pairs(uint32_t used)
{
	uint32_t clash;
	int i, j;

	for (i = 0; i < PARTS; i++) {
		clash = used & 1u << i ? used & parts[i].excludes : 0;
		for (j = i + 1; j < PARTS; j++)
			if (clash & 1u << j)
				return vx_fail(-EINVAL, call, NULL, "%s and %s exclude each other", parts[i].name,
					       parts[j].name);
	}
	return 0;
}

static int check_lacking(uint32_t used)
{
	if (!(used & (BIT(LENGTH) | BIT(NULL) | BIT(IMPLICIT) | BIT(BUF))))
		return vx_fail(-EINVAL, call, NULL, "length is 0");
	if (used & BIT(OFFSET) && !(used & WHERE))
		return vx_fail(-EINVAL, call, NULL, "offset is given, but no fd, dm or buf to begin from");
	return 0;
}

int vx_mr_check(const struct vx_mr_init *init)
{
	const uint32_t known = VX_MR_NULL | VX_MR_IMPLICIT | VX_MR_HUGE | VX_MR_HUGE_IF_THERE | VX_MR_READ_ONLY | VX_MR_DMABUF;
	uint32_t used = used_parts(init);
	int rc;

	if (init->flags & ~known)
		return vx_fail(-EINVAL, call, NULL, "flags has 0x%x, which is none of enum vx_mr_flags; those of enum ibv_access_flags "
			       "go into access", init->flags & ~known);
	if ((uint32_t)init->access & known)
		return vx_fail(-EINVAL, call, NULL, "access has 0x%x of enum vx_mr_flags, which goes into flags",
			       (uint32_t)init->access & known);
	if (init->fd < 0)
		return vx_fail(-EINVAL, call, NULL, "fd = %d", init->fd);
	rc = check_pairs(used);
	return rc < 0 ? rc : check_lacking(used);
}

bool vx_mr_wants_memory(const struct vx_mr_init *init)
{
	return !(used_parts(init) & (WHERE | BIT(NULL) | BIT(IMPLICIT)));
}
