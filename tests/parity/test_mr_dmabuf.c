/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Regions of a dma-buf. No device here takes one, so the call of rdma-core is recorded. */

#include "record.h"

#define DMABUF 33 /* a file descriptor, which nobody reads */
#define LENGTH 8192
#define KEY 0x4711

#define DmaBufMRTest(name) Twin(test_mr, DmaBufMRTest, name)

static struct ibv_mr raw;
static int registered, gone;
static struct {
	uint64_t offset, iova;
	size_t length;
	int fd, access;
} seen;

/* As the kernel: what a peer may change, the device must be able to write. */
static bool is_legal(int access)
{
	return access & IBV_ACCESS_LOCAL_WRITE || !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
}

static struct ibv_mr *reg(struct ibv_pd *raw_pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	cr_expect_eq(raw_pd, vx_pd_raw(pd));
	if (!is_legal(access)) {
		errno = EINVAL;
		return NULL;
	}
	seen.offset = offset;
	seen.iova = iova;
	seen.length = length;
	seen.fd = fd;
	seen.access = access;
	registered++;
	raw = (struct ibv_mr){ .context = raw_pd->context, .pd = raw_pd, .length = length, .lkey = KEY, .rkey = KEY + 1 };
	return &raw;
}

static int dereg(struct ibv_mr *mr)
{
	cr_expect_eq(mr, &raw);
	gone++;
	return 0;
}

static struct vx_mr *new_mr(int access, uint64_t offset)
{
	struct vx_mr *mr;

	made(vx_mr_create(pd, &(struct vx_mr_init){ .fd = DMABUF, .offset = offset, .length = LENGTH, .access = access },
			  &mr));
	cr_expect_eq(vx_mr_raw(mr), &raw);
	return mr;
}

/* Do something with a region of all rights together that there are, at the start of the dma-buf and further on. */
static void with_each(void (*use)(struct vx_mr *mr, int access, uint64_t offset))
{
	static const int rights[] = { IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ,
				      IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_RELAXED_ORDERING };
	unsigned int set, bit;
	int access;

	replace("ibv_reg_dmabuf_mr", reg);
	replace("ibv_dereg_mr", dereg);
	for (set = 1; set < 1u << 5; set++) {
		for (access = 0, bit = 0; bit < 5; bit++)
			access |= set & 1u << bit ? rights[bit] : 0;
		if (!is_legal(access))
			continue;
		use(new_mr(access, 0), access, 0);
		use(new_mr(access, LENGTH / 2), access, LENGTH / 2);
	}
	cr_expect_gt(registered, 0);
	cr_expect_eq(gone, registered, "%d of %d have gone", gone, registered);
}

static void expect_asked(struct vx_mr *mr, int access, uint64_t offset)
{
	cr_expect_eq(seen.fd, DMABUF);
	cr_expect_eq(seen.offset, offset);
	cr_expect_eq(seen.iova, offset, "the same place in a page, as it must be");
	cr_expect_eq(seen.length, LENGTH);
	cr_expect_eq(seen.access, access);
	closed(mr);
}

DmaBufMRTest(test_dmabuf_reg_mr)
{
	with_each(expect_asked);
}

static void expect_gone(struct vx_mr *mr, int access, uint64_t offset)
{
	int before = gone;

	(void)access, (void)offset;
	closed(mr);
	cr_expect_eq(gone, before + 1);
}

DmaBufMRTest(test_dmabuf_dereg_mr)
{
	with_each(expect_gone);
}

/* As with PDs: closed once, and NULL after that. */
static void expect_gone_once(struct vx_mr *mr, int access, uint64_t offset)
{
	expect_gone(mr, access, offset);
	mr = NULL;
	closed(mr);
}

DmaBufMRTest(test_dmabuf_dereg_mr_twice)
{
	with_each(expect_gone_once);
}

DmaBufMRTest(test_dmabuf_reg_mr_bad_flags)
{
	static const int bad[] = { IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_ATOMIC,
				   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC };
	struct vx_mr_init init = { .fd = DMABUF, .length = LENGTH };
	struct vx_mr *mr;
	size_t i;

	replace("ibv_reg_dmabuf_mr", reg);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		init.access = bad[i];
		cr_expect_eq(vx_mr_create(pd, &init, &mr), -EINVAL);
		cr_expect_not_null(strstr(vx_error_text(), "ibv_reg_dmabuf_mr on"), "%s", vx_error_text());
		cr_expect_not_null(strstr(vx_error_text(), "IBV_ACCESS_LOCAL_WRITE"), "%s", vx_error_text());
	}
	cr_expect_eq(registered, 0);
}

static void expect_lkey(struct vx_mr *mr, int access, uint64_t offset)
{
	(void)access, (void)offset;
	cr_expect_eq(vx_mr_lkey(mr), KEY);
	closed(mr);
}

DmaBufMRTest(test_dmabuf_lkey)
{
	with_each(expect_lkey);
}

static void expect_rkey(struct vx_mr *mr, int access, uint64_t offset)
{
	(void)access, (void)offset;
	cr_expect_eq(vx_mr_rkey(mr), KEY + 1);
	closed(mr);
}

DmaBufMRTest(test_dmabuf_rkey)
{
	with_each(expect_rkey);
}
