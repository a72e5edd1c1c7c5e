/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Parent domains and the allocators that they bring: the queues of what sends are in memory that they have given. */

#include <stdlib.h>
#include <sys/mman.h>

#include "traffic.h"

#define HUGE_PAGE (2 << 20)

#define TRAFFIC(name) Twin(test_parent_domain, ParentDomainTrafficTest, name)

static size_t asked, in_use;

static void *allocate(struct ibv_pd *raw, void *context, size_t size, size_t alignment, uint64_t type)
{
	(void)raw, (void)context, (void)type;
	asked++;
	in_use++;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void *leave_to_provider(struct ibv_pd *raw, void *context, size_t size, size_t alignment, uint64_t type)
{
	(void)raw, (void)context, (void)size, (void)alignment, (void)type;
	asked++;
	return IBV_ALLOCATOR_USE_DEFAULT;
}

static void release(struct ibv_pd *raw, void *context, void *memory, uint64_t type)
{
	(void)raw, (void)context, (void)type;
	in_use--;
	free(memory);
}

static void release_nothing(struct ibv_pd *raw, void *context, void *memory, uint64_t type)
{
	(void)raw, (void)context, (void)memory, (void)type;
}

static struct vx_pd *domain_with(const struct vx_parent_domain_init *init)
{
	struct vx_pd *domain;

	made(vx_parent_domain_create(pd, init, &domain));
	return domain;
}

/* Messages between QPs of the domain, whose CQs are of it as well. */
static void send_within(struct vx_pd *domain, enum ibv_qp_type type)
{
	run((struct traffic){ .op = IBV_WR_SEND, .type = type, .domain = domain });
}

/* The memory goes with the domain, which is closed after all that is in it. */
static void expect_allocated(struct vx_pd *domain)
{
	cr_expect_gt(asked, 0);
	closed(domain);
	cr_expect_eq(in_use, 0);
}

static char *next_free;

/* One block behind the other; the page is given back as a whole. */
static void *take_of_page(struct ibv_pd *raw, void *context, size_t size, size_t alignment, uint64_t type)
{
	char *block = (char *)(((uintptr_t)next_free + alignment - 1) / alignment * alignment);

	(void)raw, (void)type;
	cr_assert_leq(block + size, (char *)context + HUGE_PAGE, "the page is full");
	asked++;
	next_free = block + size;
	return block;
}

/* Of ordinary pages where the machine has no huge ones: providers cannot tell. */
static void *new_page(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *page = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);

	if (page == MAP_FAILED)
		page = mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	cr_assert_neq(page, MAP_FAILED);
	return page;
}

TRAFFIC(test_huge_page_traffic)
{
	void *page = new_page();
	struct vx_parent_domain_init init = { .alloc = take_of_page, .free = release_nothing, .pd_context = page };
	struct vx_pd *domain = domain_with(&init);

	next_free = page;
	send_within(domain, IBV_QPT_RC);
	cr_expect_gt(next_free, (char *)page);
	expect_allocated(domain);
	munmap(page, HUGE_PAGE);
}

TRAFFIC(test_without_allocators_rc_traffic)
{
	struct vx_pd *domain = domain_with(NULL);

	send_within(domain, IBV_QPT_RC);
	closed(domain);
}

TRAFFIC(test_default_allocators_rc_traffic)
{
	struct vx_parent_domain_init init = { .alloc = leave_to_provider, .free = release_nothing };
	struct vx_pd *domain = domain_with(&init);

	send_within(domain, IBV_QPT_RC);
	expect_allocated(domain);
}

TRAFFIC(test_mem_align_rc_traffic)
{
	struct vx_pd *domain = domain_with(&(struct vx_parent_domain_init){ .alloc = allocate, .free = release });

	send_within(domain, IBV_QPT_RC);
	expect_allocated(domain);
}

TRAFFIC(test_mem_align_ud_traffic)
{
	struct vx_pd *domain = domain_with(&(struct vx_parent_domain_init){ .alloc = allocate, .free = release });

	send_within(domain, IBV_QPT_UD);
	expect_allocated(domain);
}

TRAFFIC(test_mem_align_srq_excq_rc_traffic)
{
	struct vx_pd *domain = domain_with(&(struct vx_parent_domain_init){ .alloc = allocate, .free = release });

	run((struct traffic){ .op = IBV_WR_SEND, .srq = true, .taken = ONE_BY_ONE, .domain = domain });
	expect_allocated(domain);
}
