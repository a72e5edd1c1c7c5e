/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Functions that came after release 44: what rdma-core is called with or, where it lacks them, who says so. */

#include <errno.h>

#include "unit/record.h"

TestSuite(record_latest, .init = open_device, .fini = close_device);

#if VX_RDMA_CORE >= 65

static struct ibv_comp_cntr raw;
static struct ibv_qp qp_raw;
static struct vx_comp_cntr *counter;
static uint64_t number;
static int answer;

static int give_number(struct ibv_comp_cntr *cntr, uint64_t value)
{
	cr_expect_eq(cntr, &raw);
	number = value;
	return answer;
}

static int take_number(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	cr_expect_eq(cntr, &raw);
	*value = 42;
	return answer;
}

static void adopt_counter(void)
{
	raw.context = vx_ctx_raw(ctx);
	made(vx_comp_cntr_adopt(ctx, &raw, &counter));
}

static void give_back(void *handle)
{
	void *released;

	released = vx_give_back(handle);
	cr_assert_not_null(released, "%s", vx_error_text());
}

static void try_giving(const char *call, int (*method)(struct vx_comp_cntr *, uint64_t))
{
	replace(call, give_number);
	answer = 0;
	made(method(counter, 7));
	cr_expect_eq(number, 7);
	answer = EINVAL;
	cr_expect_eq(method(counter, 8), -EINVAL);
	expect_reason(call);
}

static void try_taking(const char *call, int (*method)(const struct vx_comp_cntr *, uint64_t *))
{
	uint64_t value = 0;

	replace(call, take_number);
	answer = 0;
	made(method(counter, &value));
	cr_expect_eq(value, 42);
	answer = EINVAL;
	cr_expect_eq(method(counter, &value), -EINVAL);
	expect_reason(call);
}

Test(record_latest, comp_cntr_is_set_increased_and_read)
{
	adopt_counter();
	try_giving("ibv_set_comp_cntr", vx_comp_cntr_set);
	try_giving("ibv_set_err_comp_cntr", vx_comp_cntr_set_err);
	try_giving("ibv_inc_comp_cntr", vx_comp_cntr_inc);
	try_giving("ibv_inc_err_comp_cntr", vx_comp_cntr_inc_err);
	try_taking("ibv_read_comp_cntr", vx_comp_cntr_read);
	try_taking("ibv_read_err_comp_cntr", vx_comp_cntr_read_err);
	give_back(counter);
}

static int attach(struct ibv_qp *qp, struct ibv_comp_cntr *cntr, struct ibv_qp_attach_comp_cntr_attr *attr)
{
	cr_expect_eq(qp, &qp_raw);
	cr_expect_eq(cntr, &raw);
	number = attr->op_mask;
	return 0;
}

Test(record_latest, comp_cntr_is_attached_to_a_qp)
{
	struct ibv_qp_attach_comp_cntr_attr attr = { .op_mask = IBV_QP_ATTACH_COMP_CNTR_OP_SEND };
	struct vx_qp *qp;

	adopt_counter();
	qp_raw.context = vx_ctx_raw(ctx);
	made(vx_qp_adopt(pd, &qp_raw, &qp));
	replace("ibv_qp_attach_comp_cntr", attach);
	made(vx_qp_attach_comp_cntr(qp, counter, &attr));
	cr_expect_eq(number, IBV_QP_ATTACH_COMP_CNTR_OP_SEND);
	give_back(qp);
	give_back(counter);
}

static int query_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size)
{
	cr_expect_eq(context, vx_ctx_raw(ctx));
	cr_expect_eq(size, sizeof(*caps));
	caps->max_counters = 5;
	return 0;
}

Test(record_latest, comp_cntr_has_capabilities)
{
	struct ibv_comp_cntr_caps caps = { 0 };

	replace("_ibv_query_comp_cntr_caps", query_caps);
	made(vx_ctx_query_comp_cntr_caps(ctx, &caps));
	cr_expect_eq(caps.max_counters, 5);
}

#else

/* Refused before any argument is looked at. */
#define REFUSED(call)                                                    \
	do {                                                             \
		cr_expect_eq(call, -EOPNOTSUPP, "%s", #call);            \
		expect_reason("65");                                     \
	} while (0)

Test(record_latest, comp_cntr_needs_release_65)
{
	REFUSED(vx_comp_cntr_adopt(ctx, NULL, NULL));
	REFUSED(vx_comp_cntr_set(NULL, 1));
	REFUSED(vx_comp_cntr_set_err(NULL, 1));
	REFUSED(vx_comp_cntr_inc(NULL, 1));
	REFUSED(vx_comp_cntr_inc_err(NULL, 1));
	REFUSED(vx_comp_cntr_read(NULL, NULL));
	REFUSED(vx_comp_cntr_read_err(NULL, NULL));
	REFUSED(vx_ctx_query_comp_cntr_caps_sized(ctx, NULL, 0)); /* their structures, only a program of 65 has */
	REFUSED(vx_qp_attach_comp_cntr_sized(NULL, NULL, NULL, 0));
}

#endif

#if VX_RDMA_CORE < 59

Test(record_latest, dmah_needs_release_59)
{
	cr_expect_eq(vx_dmah_adopt(ctx, NULL, NULL), -EOPNOTSUPP);
	expect_reason("59");
}

#endif

#if VX_RDMA_CORE >= 62

static struct ibv_dm dm_raw;

static int export_dm(struct ibv_dm *dm)
{
	cr_expect_eq(dm, &dm_raw);
	return 77;
}

Test(record_latest, dm_is_exported)
{
	struct vx_dm *dm;
	void *released;
	int fd = 0;

	dm_raw.context = vx_ctx_raw(ctx);
	made(vx_dm_adopt(ctx, &dm_raw, &dm));
	replace("ibv_dm_export_dmabuf_fd", export_dm);
	made(vx_dm_export_dmabuf_fd(dm, &fd));
	cr_expect_eq(fd, 77);
	released = vx_give_back(dm);
	cr_assert_not_null(released, "%s", vx_error_text());
}

#else

Test(record_latest, dm_is_exported_from_release_62_on)
{
	cr_expect_eq(vx_dm_export_dmabuf_fd(NULL, NULL), -EOPNOTSUPP);
	expect_reason("62");
}

#endif
