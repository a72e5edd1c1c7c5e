/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Methods that hand their arguments on: what rdma-core is called with, and what becomes of its answer. */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "unit/record.h"

TestSuite(record_methods, .init = open_device, .fini = close_device);

/* What is given is not read: an address of its own each. */
static char given[8];
#define GIVEN(type, i) ((type *)(void *)&given[i])

/* What the function in rdma-core's place saw, and what it answers. */
static const void *seen[4];
static uint64_t number[3];
static int answer;

static int see(const void *object, const void *attr)
{
	seen[0] = object;
	seen[1] = attr;
	return answer;
}

static void expect_seen(const void *object, const void *attr)
{
	cr_expect_eq(seen[0], object);
	cr_expect_eq(seen[1], attr);
}

/* What is in a structure that is handed on as a copy, as its size may not be that of the library's. */
static char inside[512];

static int look(const void *object, const void *attr, size_t size)
{
	memcpy(inside, attr, size);
	return see(object, NULL);
}

#define PATTERN 0x15
#define expect_inside(attr) cr_expect_arr_eq(inside, &(attr), sizeof(attr))

/* What it answers from now on, which the library has to hand back negated. */
static void refuse(void)
{
	answer = EINVAL;
}

/* ---- of a context ---- */

static int init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
			   struct ibv_ah_attr *attr)
{
	number[0] = port;
	number[1] = wc->slid;
	number[2] = grh->hop_limit;
	memset(attr, PATTERN, sizeof(*attr));
	return look(context, attr, sizeof(*attr));
}

Test(record_methods, init_ah_from_wc)
{
	struct ibv_ah_attr attr;

	replace("ibv_init_ah_from_wc", init_ah_from_wc);
	made(vx_ctx_init_ah_from_wc(ctx, 1, &(struct ibv_wc){ .slid = 7 }, &(struct ibv_grh){ .hop_limit = 5 }, &attr));
	expect_seen(vx_ctx_raw(ctx), NULL);
	expect_inside(attr);
	cr_expect_eq(number[0], 1);
	cr_expect_eq(number[1], 7);
	cr_expect_eq(number[2], 5);
}

/* What is on the stack above is no business of the program. */
static int fill_nothing(void)
{
	return 0;
}

static __attribute__((noinline)) void soil_the_stack(void)
{
	volatile unsigned char dirt[8192];
	size_t i;

	for (i = 0; i < sizeof(dirt); i++)
		dirt[i] = PATTERN;
}

Test(record_methods, init_ah_from_wc_hands_out_nothing_that_nobody_wrote)
{
	static const struct ibv_ah_attr none;
	struct ibv_ah_attr attr;

	replace("ibv_init_ah_from_wc", fill_nothing);
	soil_the_stack();
	made(vx_ctx_init_ah_from_wc(ctx, 1, &(struct ibv_wc){ 0 }, NULL, &attr));
	cr_expect_arr_eq(&attr, &none, sizeof(attr));
}

static int resolve(struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t mac[6], uint16_t *vid)
{
	seen[2] = mac;
	seen[3] = vid;
	return look(context, attr, sizeof(*attr));
}

Test(record_methods, resolve_eth_l2_from_gid)
{
	struct ibv_ah_attr attr;
	uint8_t mac[6];
	uint16_t vid;

	memset(&attr, PATTERN, sizeof(attr));
	replace("ibv_resolve_eth_l2_from_gid", resolve);
	made(vx_ctx_resolve_eth_l2_from_gid(ctx, &attr, mac, &vid));
	expect_seen(vx_ctx_raw(ctx), NULL);
	expect_inside(attr);
	cr_expect_eq(seen[2], mac);
	cr_expect_eq(seen[3], &vid);
	made(vx_ctx_resolve_eth_l2_from_gid(ctx, &attr, mac, NULL));
	cr_expect_null(seen[3], "rdma-core does without");
}

/* Where the neighbour is not found, the code is in the result, and errno is as it was. */
static int resolve_nobody(struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t mac[6], uint16_t *vid)
{
	(void)context, (void)attr, (void)mac, (void)vid;
	return -EHOSTUNREACH;
}

Test(record_methods, resolve_eth_l2_from_gid_keeps_a_code_that_is_returned)
{
	struct ibv_ah_attr attr = { 0 };
	uint8_t mac[6];
	uint16_t vid;

	replace("ibv_resolve_eth_l2_from_gid", resolve_nobody);
	cr_expect_eq(vx_ctx_resolve_eth_l2_from_gid(ctx, &attr, mac, &vid), -EHOSTUNREACH);
}

static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	number[0] = values->comp_mask;
	values->raw_clock.tv_nsec = 77;
	return see(context, NULL);
}

Test(record_methods, query_rt_values_ex)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	provider()->query_rt_values = query_rt_values;
	made(vx_ctx_query_rt_values_ex(ctx, &values));
	expect_seen(vx_ctx_raw(ctx), NULL);
	cr_expect_eq(number[0], IBV_VALUES_MASK_RAW_CLOCK);
	cr_expect_eq(values.raw_clock.tv_nsec, 77);
	refuse();
	cr_expect_eq(vx_ctx_query_rt_values_ex(ctx, &values), -EINVAL);
}

static int query_nothing(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t size)
{
	(void)context, (void)input, (void)attr, (void)size;
	return 0;
}

Test(record_methods, query_device_ex_gives_zeros_where_the_provider_gives_nothing)
{
	struct ibv_device_attr_ex attr;

	memset(&attr, 0xa5, sizeof(attr));
	provider()->query_device_ex = query_nothing;
	made(vx_ctx_query_device_ex(ctx, &attr));
	cr_expect_arr_eq(&attr, &(struct ibv_device_attr_ex){ 0 }, sizeof(attr));
}

static int pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	number[0] = port;
	number[1] = pkey;
	return see(context, NULL);
}

Test(record_methods, get_pkey_index)
{
	uint32_t index = 0;

	replace("ibv_get_pkey_index", pkey_index);
	answer = 9;
	made(vx_ctx_get_pkey_index(ctx, 2, 0x1234, &index));
	expect_seen(vx_ctx_raw(ctx), NULL);
	cr_expect_eq(number[0], 2);
	cr_expect_eq(number[1], htobe16(0x1234));
	cr_expect_eq(index, 9);
	answer = -1;
	cr_expect_lt(vx_ctx_get_pkey_index(ctx, 2, 0x1234, &index), 0);
	expect_reason("ibv_get_pkey_index");
	cr_expect_eq(index, 9, "left alone");
}

/* ---- of a PD ---- */

static int advise(struct ibv_pd *raw, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *list, uint32_t count)
{
	number[0] = advice;
	number[1] = flags;
	number[2] = count;
	return see(raw, list);
}

Test(record_methods, advise_mr)
{
	struct ibv_sge list[3];

	provider()->advise_mr = advise;
	made(vx_pd_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH, list, 3));
	expect_seen(vx_pd_raw(pd), list);
	cr_expect_eq(number[0], IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	cr_expect_eq(number[1], IBV_ADVISE_MR_FLAG_FLUSH);
	cr_expect_eq(number[2], 3);
}

/* ---- of objects that are adopted, so that no device need have them ---- */

#define ADOPTED(kind, parent)                                                    \
	static struct ibv_##kind raw_##kind;                                     \
                                                                                 \
	static struct vx_##kind *adopted_##kind(void)                            \
	{                                                                        \
		struct vx_##kind *handle;                                        \
                                                                                 \
		raw_##kind.context = vx_ctx_raw(ctx);                        \
		made(vx_##kind##_adopt(parent, &raw_##kind, &handle));           \
		return handle;                                                   \
	}

static void give_back(void *handle)
{
	void *released;

	released = vx_give_back(handle);
	cr_assert_not_null(released, "%s", vx_error_text());
}

ADOPTED(counters, ctx)
ADOPTED(cq, ctx)
ADOPTED(wq, pd)
ADOPTED(qp, pd)

static int read_counters(struct ibv_counters *raw, uint64_t *values, uint32_t count, uint32_t flags)
{
	number[0] = count;
	number[1] = flags;
	return see(raw, values);
}

Test(record_methods, counters_read)
{
	struct vx_counters *counters = adopted_counters();
	uint64_t values[2];

	provider()->read_counters = read_counters;
	made(vx_counters_read(counters, values, 2, IBV_READ_COUNTERS_ATTR_PREFER_CACHED));
	expect_seen(&raw_counters, values);
	cr_expect_eq(number[0], 2);
	cr_expect_eq(number[1], IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	refuse();
	cr_expect_eq(vx_counters_read(counters, values, 2, 0), -EINVAL);
	give_back(counters);
}

Test(record_methods, counters_read_into_nothing)
{
	struct vx_counters *counters = adopted_counters();

	provider()->read_counters = read_counters;
	cr_expect_eq(vx_counters_read(counters, NULL, 1, 0), -EINVAL);
	expect_reason("counters_value is NULL, but ncounters = 1");
	cr_expect_null(seen[0]);
	made(vx_counters_read(counters, NULL, 0, 0));
	give_back(counters);
}

/* Methods of one structure: METHOD(kind, function, structure, its mask and bits of it, where what the library calls is put). */
#define METHOD(kind, function, type, mask, bits, instead)                        \
	static int instead_##function(struct ibv_##kind *raw, struct type *attr) \
	{                                                                        \
		return look(raw, attr, sizeof(*attr));                           \
	}                                                                        \
                                                                                 \
	Test(record_methods, function)                                           \
	{                                                                        \
		struct vx_##kind *handle = adopted_##kind();                     \
		struct type attr;                                                \
                                                                                 \
		memset(&attr, PATTERN, sizeof(attr));                            \
		attr.mask = bits;                                                \
		instead;                                                         \
		made(function(handle, &attr));                                   \
		expect_seen(&raw_##kind, NULL);                                  \
		expect_inside(attr);                                             \
		memset(&attr, 0, sizeof(attr));                                  \
		refuse();                                                        \
		cr_expect_eq(function(handle, &attr), -EINVAL);                  \
		give_back(handle);                                               \
	}

METHOD(cq, vx_cq_modify, ibv_modify_cq_attr, attr_mask, IBV_CQ_ATTR_MODERATE, provider()->modify_cq = instead_vx_cq_modify)
METHOD(wq, vx_wq_modify, ibv_wq_attr, attr_mask, IBV_WQ_ATTR_STATE, provider()->modify_wq = instead_vx_wq_modify)
METHOD(qp, vx_qp_modify_rate_limit, ibv_qp_rate_limit_attr, comp_mask, 0,
       provider()->modify_qp_rate_limit = instead_vx_qp_modify_rate_limit)
METHOD(qp, vx_qp_set_ece, ibv_ece, comp_mask, 0, replace("ibv_set_ece", instead_vx_qp_set_ece))

static int query_ece(struct ibv_qp *raw, struct ibv_ece *ece)
{
	memset(ece, PATTERN, sizeof(*ece));
	return look(raw, ece, sizeof(*ece));
}

Test(record_methods, vx_qp_query_ece)
{
	struct vx_qp *qp = adopted_qp();
	struct ibv_ece ece, untouched = { .options = 5 };

	replace("ibv_query_ece", query_ece);
	made(vx_qp_query_ece(qp, &ece));
	expect_seen(&raw_qp, NULL);
	expect_inside(ece);
	refuse();
	cr_expect_eq(vx_qp_query_ece(qp, &untouched), -EINVAL);
	cr_expect_eq(untouched.options, 5);
	give_back(qp);
}

/* rdma-core does not look whether it is there. */
Test(record_methods, without_the_other_object)
{
	struct vx_cq *cq;
	struct vx_qp *qp;

	made(vx_cq_create(ctx, NULL, &cq));
	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	cr_expect_eq(vx_qp_bind_mw(qp, NULL, GIVEN(struct ibv_mw_bind, 0)), -EINVAL);
	expect_reason("vx_qp_bind_mw: Invalid argument: mw is NULL");
}
