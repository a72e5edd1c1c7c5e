/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Programs whose structures are shorter or longer than those of the library, as those of other headers are. */

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/device.h"

TestSuite(border, .init = open_device, .fini = close_device);

#define CANARY 0xa5
#define MORE 16

/* A structure of a program with newer headers: what the library knows of it, and then some. */
#define LONGER(type)                        \
	struct {                            \
		type known;                 \
		unsigned char newer[MORE];  \
	}

static void expect_canary(const void *from, size_t size)
{
	const unsigned char *byte = from;
	size_t i;

	for (i = 0; i < size; i++)
		cr_expect_eq(byte[i], CANARY, "byte %zu behind the structure is 0x%02x", i, byte[i]);
}

/* What is filled is as long as the program's structure, and all of that. */
#define FILLS(type, call_with, last)                                                     \
	do {                                                                             \
		LONGER(type) it;                                                         \
		type *out = &it.known;                                                   \
		size_t size = offsetof(type, last) + sizeof(it.known.last);              \
		type whole;                                                              \
                                                                                         \
		memset(&it, CANARY, sizeof(it));                                         \
		made(call_with);                                                         \
		expect_canary((char *)out + size, sizeof(it) - size);                    \
		size = sizeof(it);                                                       \
		made(call_with);                                                         \
		cr_expect_arr_eq(it.newer, (unsigned char[MORE]){ 0 }, MORE);            \
		out = &whole;                                                            \
		size = sizeof(whole);                                                    \
		made(call_with);                                                         \
		cr_expect_arr_eq(&it.known, &whole, sizeof(whole));                      \
	} while (0)

Test(border, a_port)
{
	FILLS(struct ibv_port_attr, vx_ctx_query_port_sized(ctx, 1, out, size), link_layer);
}

Test(border, a_device)
{
	FILLS(struct ibv_device_attr, vx_ctx_query_device_sized(ctx, out, size), max_qp);
	FILLS(struct ibv_device_attr_ex, vx_ctx_query_device_ex_sized(ctx, out, size), odp_caps);
}

Test(border, a_gid)
{
	FILLS(struct ibv_gid_entry, vx_ctx_query_gid_sized(ctx, 1, 0, out, size), port_num);
}

static struct vx_cq *make_cq(void)
{
	struct vx_cq *cq;

	made(vx_cq_create(ctx, NULL, &cq));
	return cq;
}

static struct vx_qp *make_qp(void)
{
	struct vx_cq *cq = make_cq();
	struct vx_qp *qp;

	made(vx_qp_create(pd, &(struct vx_qp_init){ .send_cq = cq, .recv_cq = cq }, &qp));
	return qp;
}

Test(border, a_qp)
{
	struct vx_qp *qp = make_qp();
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	FILLS(struct ibv_qp_attr, vx_qp_query_sized(qp, out, size, IBV_QP_STATE, &init, sizeof(init)), qp_state);
	FILLS(struct ibv_qp_init_attr, vx_qp_query_sized(qp, &attr, sizeof(attr), IBV_QP_STATE, out, size), cap);
}

Test(border, gids_stand_as_far_apart_as_the_programs_are_long)
{
	LONGER(struct ibv_gid_entry) longer[8];
	struct ibv_gid_entry own[8];
	const size_t shorter = offsetof(struct ibv_gid_entry, gid_type);
	char cut[8 * sizeof(own[0])];
	size_t i, count, again;

	memset(longer, CANARY, sizeof(longer));
	memset(cut, CANARY, sizeof(cut));
	made(vx_ctx_query_gid_table(ctx, own, 8, &count));
	cr_assert_gt(count, 0);
	made(vx_ctx_query_gid_table_sized(ctx, &longer[0].known, sizeof(longer[0]), 8, &again));
	cr_expect_eq(again, count);
	made(vx_ctx_query_gid_table_sized(ctx, (struct ibv_gid_entry *)(void *)cut, shorter, 8, &again));
	for (i = 0; i < count; i++) {
		cr_expect_arr_eq(&longer[i].known, &own[i], sizeof(own[i]));
		cr_expect_arr_eq(longer[i].newer, (unsigned char[MORE]){ 0 }, MORE);
		cr_expect_arr_eq(cut + i * shorter, &own[i], shorter);
	}
	expect_canary(cut + count * shorter, sizeof(cut) - count * shorter);
	expect_canary(&longer[count], (8 - count) * sizeof(longer[0]));
}

/* ---- what goes in ---- */

/* A copy of the first bytes of a structure, behind which there is no memory. */
static void *at_the_edge(const void *structure, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)pages, MAP_FAILED);
	cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
	return memcpy(pages + page - size, structure, size);
}

#define CUT(structure, last) at_the_edge(&(structure), offsetof(__typeof__(structure), last)), offsetof(__typeof__(structure), last)

/* A program that is newer reads its own fields of what the library keeps. */
Test(border, a_list_of_devices_has_zeros_behind_it)
{
	const size_t more = sizeof(struct vx_device_list) + 64;
	struct vx_device_list *list;
	size_t i;

	made(vx_device_list_get(&list));
	cr_assert_geq(malloc_usable_size(list), more);
	for (i = sizeof(*list); i < more; i++)
		cr_expect_eq(((unsigned char *)list)[i], 0);
	vx_device_list_free(list);
}

Test(border, a_structure_without_its_last_field_is_not_read_past_its_end)
{
	static char memory[4096];
	struct vx_mr_init mr_init = { .addr = memory, .length = sizeof(memory) };
	struct vx_cq_init cq_init = { .cqe = 7 };
	struct vx_mr_change change = { .access = IBV_ACCESS_REMOTE_READ };
	struct vx_mr *mr;
	struct vx_cq *cq;

	made(vx_mr_create_sized(pd, CUT(mr_init, buf), &mr));
	made(vx_mr_rereg_sized(mr, CUT(change, flags), NULL));
	made(vx_cq_create_sized(ctx, CUT(cq_init, parent_domain), &cq));
	cr_expect_geq(vx_cq_raw(cq)->cqe, 7);
}

Test(border, a_newer_structure_is_taken_where_nothing_new_is_set)
{
	LONGER(struct vx_cq_init) init = { .known = { .cqe = 7 } };
	LONGER(struct ibv_qp_attr) attr = { .known = { .qp_state = IBV_QPS_INIT, .port_num = 1 } };
	struct vx_cq *cq;

	made(vx_cq_create_sized(ctx, &init.known, sizeof(init), &cq));
	made(vx_qp_modify_sized(make_qp(), &attr.known, sizeof(attr),
				IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
}

Test(border, what_the_library_does_not_know_is_refused)
{
	LONGER(struct vx_pd_init) pd_init = { .newer = { [3] = 1 } };
	LONGER(struct ibv_qp_attr) attr = { .newer = { [MORE - 1] = 1 } };
	LONGER(struct vx_qp_init) qp_init = { .newer = { 1 } };
	struct vx_qp *qp = make_qp();
	struct vx_pd *other = NULL;
	char where[256];

	cr_expect_eq(vx_pd_create_sized(ctx, &pd_init.known, sizeof(pd_init), &other), -E2BIG);
	snprintf(where, sizeof(where),
		 "vx_pd_create: Argument list too long: init has something at byte 7, in a field behind comp_mask, "
		 "the last that libverbsx " VERBSX_VERSION " with rdma-core %d knows: that field needs a newer one",
		 VX_RDMA_CORE);
	cr_expect_str_eq(vx_error_text(), where); /* docs/guide.md quotes it */
	cr_expect_null(other);
	cr_expect_eq(vx_qp_modify_sized(qp, &attr.known, sizeof(attr), IBV_QP_STATE), -E2BIG);
	snprintf(where, sizeof(where), "vx_qp_modify: Argument list too long: attr has something at byte %zu,",
		 offsetof(__typeof__(attr), newer) + MORE - 1);
	expect_reason(where);
	expect_reason("in a field behind rate_limit, the last that libverbsx ");
	cr_expect_eq(vx_qp_create_sized(pd, &qp_init.known, sizeof(qp_init), &(struct vx_qp *){ NULL }), -E2BIG);
	expect_reason("in a field behind checked, the last that libverbsx ");
}

/* No structure has it: it would leave out untouched with a return of 0, or take all that is asked for as not asked for. */
Test(border, a_size_of_zero_is_refused)
{
	struct vx_pd_init pd_init = { .comp_mask = 1 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct vx_comp_channel *channel;
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct vx_pd *none;

	cr_expect_eq(vx_pd_create_sized(ctx, &pd_init, 0, &none), -EINVAL);
	cr_expect_str_eq(vx_error_text(), "vx_pd_create: Invalid argument: init has a size of 0");
	cr_expect_eq(vx_qp_modify_sized(make_qp(), &attr, 0, IBV_QP_STATE), -EINVAL);
	expect_reason("vx_qp_modify: Invalid argument: attr has a size of 0");
	cr_expect_eq(vx_ctx_query_port_sized(ctx, 1, &port, 0), -EINVAL);
	expect_reason("vx_ctx_query_port: Invalid argument: ");
	expect_reason(" has a size of 0");
	cr_expect_eq(vx_ctx_query_gid_table_sized(ctx, &gid, 0, 1, &(size_t){ 0 }), -EINVAL);
	expect_reason("vx_ctx_query_gid_table: Invalid argument: entries has a size of 0");
	cr_expect_eq(vx_ctx_get_async_event_sized(ctx, 0, &(struct vx_async_event){ .number = 0 }, 0), -EINVAL);
	expect_reason("vx_ctx_get_async_event: Invalid argument: event has a size of 0");
	made(vx_comp_channel_create(ctx, NULL, &channel));
	cr_expect_eq(vx_comp_channel_get_event_sized(channel, 0, &(struct vx_comp_event){ .cq = NULL }, 0), -EINVAL);
	expect_reason("vx_comp_channel_get_event: Invalid argument: event has a size of 0");
}

/* rdma-core is handed the array itself. */
Test(border, an_array_of_others_is_refused)
{
	LONGER(struct ibv_sge) list[2] = { 0 };

	cr_expect_eq(vx_pd_advise_mr_sized(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &list[0].known, sizeof(list[0]), 2), -E2BIG);
	expect_reason("elements of sg_list have 32 bytes, and those that libverbsx knows 16");
}

Test(border, bits_of_a_mask_that_has_none_yet)
{
	struct vx_comp_channel *channel;

	cr_expect_eq(vx_comp_channel_create(ctx, &(struct vx_comp_channel_init){ .comp_mask = 2 }, &channel), -EINVAL);
	expect_reason("vx_comp_channel_create: Invalid argument: comp_mask has 0x2, which has no meaning there");
	made(vx_comp_channel_create(ctx, &(struct vx_comp_channel_init){ 0 }, &channel));
}
