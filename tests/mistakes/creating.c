/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Making objects, but for QPs. */

#include <endian.h>
#include <fcntl.h>
#include <unistd.h>

#include <verbsx/config.h>

#include "mistakes.h"

static int make_cq(struct bench *b, struct vx_cq_init init)
{
	expect_answer(b);
	return vx_cq_create(b->ctx, &init, &(struct vx_cq *){ NULL });
}

static int long_cq(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .cqe = 1u << 23 });
}

static int far_vector(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .comp_vector = 16 });
}

static int unknown_wc_flags(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .wc_flags = UINT64_C(1) << 30 });
}

static int stamped_cq(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP });
}

static int overrun_cq(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN });
}

static int unknown_cq_flags(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .flags = 1 << 7 });
}

static int unknown_cq_mask(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .comp_mask = 1 << 8 });
}

static int cq_of_plain_pd(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .parent_domain = b->pd });
}

static int plain_cq(struct bench *b)
{
	return make_cq(b, (struct vx_cq_init){ .cqe = 16 });
}

static int one_more_pd(struct bench *b)
{
	expect_answer(b);
	return vx_pd_create(b->ctx, NULL, &(struct vx_pd *){ NULL });
}

static void *give_nothing(struct ibv_pd *pd, void *pd_context, size_t size, size_t alignment, uint64_t resource_type)
{
	(void)pd, (void)pd_context, (void)size, (void)alignment, (void)resource_type;
	return NULL;
}

static void take_nothing(struct ibv_pd *pd, void *pd_context, void *ptr, uint64_t resource_type)
{
	(void)pd, (void)pd_context, (void)ptr, (void)resource_type;
}

static int domain_that_never_frees(struct bench *b)
{
	return vx_parent_domain_create(b->pd, &(struct vx_parent_domain_init){ .alloc = give_nothing }, &(struct vx_pd *){ NULL });
}

static int domain_that_only_frees(struct bench *b)
{
	return vx_parent_domain_create(b->pd, &(struct vx_parent_domain_init){ .free = take_nothing }, &(struct vx_pd *){ NULL });
}

static int qp_without_memory(struct bench *b)
{
	struct vx_parent_domain_init init = { .alloc = give_nothing, .free = take_nothing };
	struct vx_pd *domain;

	must(vx_parent_domain_create(b->pd, &init, &domain));
	return vx_qp_create(domain, &(struct vx_qp_init){ .send_cq = b->cq, .recv_cq = b->cq }, &(struct vx_qp *){ NULL });
}

#if VX_RDMA_CORE < 64
static int domain_of_newer_ones(struct bench *b)
{
	return vx_parent_domain_create(b->pd, &(struct vx_parent_domain_init){ .comp_mask = 1 << 2 }, &(struct vx_pd *){ NULL });
}
#endif

static int no_parent(struct bench *b)
{
	(void)b;
	return vx_pd_create(NULL, NULL, &(struct vx_pd *){ NULL });
}

static int one_more_channel(struct bench *b)
{
	expect_answer(b);
	return vx_comp_channel_create(b->ctx, NULL, &(struct vx_comp_channel *){ NULL });
}

static int make_srq(struct bench *b, struct vx_srq_init init)
{
	return vx_srq_create(b->pd, &init, &(struct vx_srq *){ NULL });
}

static int long_srq(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .attr.max_wr = 100000 });
}

static int wide_srq(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .attr.max_sge = 64 });
}

static int srq_with_limit_of_minus_one(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .attr.srq_limit = (uint32_t)-1 });
}

static int long_and_wide_srq(struct bench *b)
{
	expect_answer(b);
	return make_srq(b, (struct vx_srq_init){ .attr = { .max_wr = 32767, .max_sge = 31 } });
}

static int xrc_srq_without_all(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .srq_type = IBV_SRQT_XRC });
}

static int tags_without_cq(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .srq_type = IBV_SRQT_TM });
}

static int plain_srq_of_a_domain(struct bench *b)
{
	struct vx_srq_init init = { .srq_type = IBV_SRQT_BASIC };

	must(vx_xrcd_create(b->ctx, NULL, &init.xrcd));
	return make_srq(b, init);
}

static int plain_srq_with_a_cq(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .cq = b->cq });
}

static int plain_srq_with_tags(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .tm_cap = { .max_num_tags = 16, .max_ops = 16 } });
}

static int tag_matching(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .srq_type = IBV_SRQT_TM, .cq = b->cq, .tm_cap = { 16, 16 } });
}

static int unknown_srq_type(struct bench *b)
{
	return make_srq(b, (struct vx_srq_init){ .srq_type = (enum ibv_srq_type)7 });
}

static int unknown_srq_mask(struct bench *b)
{
	expect_answer(b);
	return make_srq(b, (struct vx_srq_init){ .comp_mask = 1 << 20 });
}

static int one_more_srq(struct bench *b)
{
	expect_answer(b);
	return make_srq(b, (struct vx_srq_init){ .attr.max_wr = 16 });
}

static int device_memory(struct bench *b)
{
	return vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 1 << 30 }, &(struct vx_dm *){ NULL });
}

static int another_piece(struct bench *b)
{
	expect_answer(b);
	return vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 128 }, &(struct vx_dm *){ NULL });
}

static int aligned_piece(struct bench *b)
{
	return vx_dm_create(b->ctx, &(struct vx_dm_init){ .length = 128, .log_align_req = 20 }, &(struct vx_dm *){ NULL });
}

static int steer(struct bench *b, struct vx_flow_init init)
{
	expect_answer(b);
	return vx_flow_create(qp_in(b, IBV_QPT_UD, IBV_QPS_INIT), &init, &(struct vx_flow *){ NULL });
}

static int flow(struct bench *b)
{
	return steer(b, (struct vx_flow_init){ .type = IBV_FLOW_ATTR_SNIFFER });
}

static int flow_on_port_2(struct bench *b)
{
	return steer(b, (struct vx_flow_init){ .type = IBV_FLOW_ATTR_SNIFFER, .port_num = 2 });
}

static int no_device_memory(struct bench *b)
{
	return vx_dm_create(b->ctx, NULL, &(struct vx_dm *){ NULL });
}

static int counters(struct bench *b)
{
	return vx_counters_create(b->ctx, NULL, &(struct vx_counters *){ NULL });
}

static int work_queue(struct bench *b)
{
	return vx_wq_create(b->pd, &(struct vx_wq_init){ .cq = b->cq }, &(struct vx_wq *){ NULL });
}

static int window(struct bench *b, enum ibv_mw_type type)
{
	expect_answer(b);
	return vx_mw_create(b->pd, &(struct vx_mw_init){ .type = type }, &(struct vx_mw *){ NULL });
}

static int window_of_type_3(struct bench *b)
{
	return window(b, (enum ibv_mw_type)3);
}

static int one_more_window(struct bench *b)
{
	return window(b, IBV_MW_TYPE_1);
}

static int domain(struct bench *b, struct vx_xrcd_init init)
{
	return vx_xrcd_create(b->ctx, &init, &(struct vx_xrcd *){ NULL });
}

static int domain_of_no_file(struct bench *b)
{
	return domain(b, (struct vx_xrcd_init){ .fd = 1000, .oflags = O_CREAT });
}

static int domain_to_find(struct bench *b)
{
	return domain(b, (struct vx_xrcd_init){ .fd = STDERR_FILENO, .comp_mask = IBV_XRCD_INIT_ATTR_OFLAGS });
}

static int domain_that_is_there(struct bench *b)
{
	struct vx_xrcd_init init = { .fd = STDERR_FILENO, .oflags = O_CREAT | O_EXCL };

	must(domain(b, init));
	return domain(b, init);
}

static int unknown_domain_mask(struct bench *b)
{
	return domain(b, (struct vx_xrcd_init){ .comp_mask = 1 << 8 });
}

static int far_address(struct bench *b)
{
	return vx_ah_create(b->pd, &(struct vx_ah_init){ .port_num = 2, .dlid = 7 }, &(struct vx_ah *){ NULL });
}

/* A message to a multicast group. */
static int answer_to_a_group(struct bench *b)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH, .slid = 7 };
	struct ibv_grh grh = { .version_tclass_flow = htobe32(6u << 28), .next_hdr = 0x1b, .dgid.raw = { 0xff, 0x12, [15] = 1 } };

	return vx_ctx_init_ah_from_wc(b->ctx, 1, &wc, &grh, &(struct ibv_ah_attr){ 0 });
}

static int answer_without_grh(struct bench *b)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH, .slid = 7 };

	return vx_ctx_init_ah_from_wc(b->ctx, 1, &wc, NULL, &(struct ibv_ah_attr){ 0 });
}

static int answer_to_nothing(struct bench *b)
{
	return vx_ctx_init_ah_from_wc(b->ctx, 1, NULL, NULL, &(struct ibv_ah_attr){ 0 });
}

static const struct mistake mistakes[] = {
	{ "a CQ longer than the device has", long_cq, -EINVAL, "cqe = 8388608, but the device allows max_cqe = 4194303" },
	{ "a completion vector for each core of a large host", far_vector, -EINVAL,
	  "comp_vector = 16, but the device has num_comp_vectors = 4" },
	{ "an extended completion field that nobody has", unknown_wc_flags, -EOPNOTSUPP,
	  "wc_flags has 0x40000000, which is none of enum ibv_create_cq_wc_flags" },
	{ "a time stamp from a provider that has plain CQs only", stamped_cq, -EOPNOTSUPP,
	  "may not support wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP", "create_cq:EOPNOTSUPP" },
	{ "a CQ that may overrun, from a provider that has plain CQs only", overrun_cq, -EOPNOTSUPP,
	  "may not support flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN", "create_cq:EOPNOTSUPP" },
	{ "a way to make CQs that nobody knows", unknown_cq_flags, -EINVAL,
	  "flags has 0x80, which is none of enum ibv_create_cq_attr_flags" },
	{ "garbage in comp_mask", unknown_cq_mask, -EINVAL, "comp_mask has 0x100, which is none of enum ibv_cq_init_attr_mask" },
	{ "a PD as the parent domain of a CQ", cq_of_plain_pd, -EINVAL, "parent_domain must be of vx_parent_domain_create()" },
	{ "CQs until there are no more", plain_cq, -ENOMEM, "max_cq = 16384", "create_cq:ENOMEM" },
	{ "going on after the device was reset", plain_cq, -EIO, "close the context and open it again", "create_cq:EIO" },
	{ "PDs until there are no more", one_more_pd, -ENOMEM, "max_pd = 16384", "alloc_pd:ENOMEM" },
#if VX_RDMA_CORE < 64
	{ "a guard bit that a newer rdma-core has", domain_of_newer_ones, -EINVAL,
	  "IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC of comp_mask needs rdma-core 64, and" },
#endif
	{ "a parent domain that gives memory and takes none back", domain_that_never_frees, -EINVAL, "alloc is given, but free is NULL" },
	{ "a parent domain that takes memory back and gives none", domain_that_only_frees, -EINVAL, "free is given, but alloc is NULL" },
	{ "a QP under a parent domain that gives no memory", qp_without_memory, -EINVAL, "Invalid argument: alloc of mlx5_0 parent_domain" },
	{ "a parent that was never made", no_parent, -EINVAL, "the parent is NULL" },
	{ "a channel for each connection, beyond the limit of files", one_more_channel, -EMFILE, "RLIMIT_NOFILE is 1024",
	  "create_comp_channel:EMFILE" },
	{ "an SRQ longer than the device has", long_srq, -EINVAL,
	  "attr.max_wr = 100000, but the device allows max_srq_wr = 32767" },
	{ "too many scatter/gather entries in an SRQ", wide_srq, -EINVAL, "attr.max_sge = 64" },
	{ "a limit of -1 for an SRQ", srq_with_limit_of_minus_one, -EINVAL,
	  "attr.srq_limit = 4294967295, but the device allows max_srq_wr = 32767" },
	{ "an SRQ as long and as wide as the device allows", long_and_wide_srq, -EINVAL,
	  "attr.max_wr = 32767 with attr.max_sge = 31 may be more than the provider can lay out", "create_srq:EINVAL" },
	{ "an XRC SRQ without its domain and CQ", xrc_srq_without_all, -EINVAL, "IBV_SRQT_XRC needs xrcd" },
	{ "an XRC domain for an SRQ, and its type left out", plain_srq_of_a_domain, -EINVAL,
	  "xrcd is given, but srq_type is not IBV_SRQT_XRC" },
	{ "a CQ for a plain SRQ", plain_srq_with_a_cq, -EINVAL, "cq is given, but srq_type is neither IBV_SRQT_XRC nor IBV_SRQT_TM" },
	{ "tags for an SRQ, and its type left out", plain_srq_with_tags, -EINVAL,
	  "tm_cap.max_num_tags is given, but srq_type is not IBV_SRQT_TM; tm_cap.max_ops is given, but" },
	{ "tag matching without a CQ", tags_without_cq, -EINVAL, "IBV_SRQT_TM needs cq" },
	{ "tag matching on a device without it", tag_matching, -EINVAL, "tm_caps.max_num_tags = 0" },
	{ "an SRQ of a type that nobody knows", unknown_srq_type, -EINVAL, "srq_type = 7 is none of enum ibv_srq_type" },
	{ "garbage in comp_mask of an SRQ", unknown_srq_mask, -EINVAL, "comp_mask has 0x100000, which is none of enum" },
	{ "SRQs until there are no more", one_more_srq, -ENOMEM, "max_srq = ", "create_srq:ENOMEM" },
	{ "more device memory than the device has", device_memory, -EINVAL, "max_dm_size = " },
	{ "device memory when others have taken it", another_piece, -ENOMEM, "what is left of the device's memory is less: all programs together",
	  "alloc_dm:ENOMEM" },
	{ "device memory that is to begin at a multiple of 1 MiB", aligned_piece, -EINVAL,
	  "log_align_req = 1048576 (20) may be more than the device can align to" },
	{ "device memory of no length", no_device_memory, -EINVAL, "length is 0" },
	{ "counters of a device that counts nothing", counters, -EOPNOTSUPP, "the device or its provider does not support this call" },
	{ "steering without the right to it", flow, -EPERM, "takes the capability CAP_NET_RAW", "create_flow:EPERM" },
	{ "steering on a port that is not there", flow_on_port_2, -EINVAL, "port_num = 2, but the device allows phys_port_cnt = 1",
	  "create_flow:EINVAL" },
	{ "steering on a device that cannot", flow, -EOPNOTSUPP, "may not support type = IBV_FLOW_ATTR_SNIFFER" },
	{ "a WQ on a device without them", work_queue, -EOPNOTSUPP, "max_wq_type_rq = 0" },
	{ "a window of type 3", window_of_type_3, -EINVAL, "type = 3 is none of enum ibv_mw_type" },
	{ "windows until there are no more", one_more_window, -ENOMEM, "max_mw = 16384", "alloc_mw:ENOMEM" },
	{ "an XRC domain of a file that was closed", domain_of_no_file, -EBADF, "fd = 1000 is no open file" },
	{ "looking for an XRC domain that nobody has made", domain_to_find, -EAGAIN, "oflags lacks O_CREAT" },
	{ "making an XRC domain that is there", domain_that_is_there, -EINVAL, "oflags has O_EXCL" },
	{ "garbage in comp_mask of an XRC domain", unknown_domain_mask, -EINVAL, "comp_mask has 0x100" },
	{ "an answer to a message that was for a group", answer_to_a_group, -ENOENT,
	  "port 1 has no GID ff12::1, to which the message was sent" },
	{ "an answer to a message whose first 40 bytes were not kept", answer_without_grh, -EINVAL,
	  "grh is NULL, but wc_flags has IBV_WC_GRH" },
	{ "an answer to no message", answer_to_nothing, -EINVAL, "wc is NULL" },
	{ "an address on a port that is not there", far_address, -EINVAL, "port_num = 2, but the device allows phys_port_cnt = 1" },
};

CHAPTER(creating, "Making other objects");
