/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* DEVX: objects of any type, memory, pages, and the descriptors. */
#include <endian.h>
#include <sys/mman.h>

#include "selftest.h"

TestSuite(devx, .init = open_mlx5, .fini = close_bed);

enum {
	CREATE_GENERAL = 0xa00,
	MODIFY_GENERAL = 0xa01,
	QUERY_GENERAL = 0xa02,
	CREATE_SQ = 0x904,
	SOME_TYPE = 0x0d,
	STATUS_BAD_OP = 2,
	BODY = 16 /* after the header */
};

/* A mailbox of a general object */
struct mailbox {
	__be16 opcode, uid, reserved, type;
	__be32 id, more;
	char body[BODY];
};

static struct mailbox mailbox(uint16_t opcode, uint32_t id, const char *body)
{
	struct mailbox m = { .opcode = htobe16(opcode), .type = htobe16(SOME_TYPE), .id = htobe32(id) };

	strcpy(m.body, body);
	return m;
}

static struct mlx5dv_devx_obj *create(uint32_t *id)
{
	struct mailbox in = mailbox(CREATE_GENERAL, 0, "created"), out;
	struct mlx5dv_devx_obj *o = mlx5dv_devx_obj_create(bed.ctx, &in, sizeof(in), &out, sizeof(out));

	CHECK(o);
	*id = be32toh(out.id);
	return o;
}

Test(devx, a_general_object_keeps_what_it_is_given)
{
	struct mailbox in, out;
	struct mlx5dv_devx_obj *o;
	uint32_t id;

	o = create(&id);
	in = mailbox(QUERY_GENERAL, id, "");
	CHECK(!mlx5dv_devx_obj_query(o, &in, sizeof(in), &out, sizeof(out)));
	CHECK(!strcmp(out.body, "created"));
	in = mailbox(MODIFY_GENERAL, id, "modified");
	CHECK(!mlx5dv_devx_obj_modify(o, &in, sizeof(in), &out, sizeof(out)));
	in = mailbox(QUERY_GENERAL, id, "");
	CHECK(!mlx5dv_devx_obj_query(o, &in, sizeof(in), &out, sizeof(out)));
	CHECK(!strcmp(out.body, "modified"));
	in = mailbox(QUERY_GENERAL, id + 1, "");
	CHECK(mlx5dv_devx_obj_query(o, &in, sizeof(in), &out, sizeof(out)));
	CHECK(!mlx5dv_devx_obj_destroy(o));
}

Test(devx, what_the_device_does_not_know_has_a_status)
{
	struct mailbox in = mailbox(CREATE_SQ, 0, ""), out;

	CHECK(!mlx5dv_devx_obj_create(bed.ctx, &in, sizeof(in), &out, sizeof(out)) && errno == EREMOTEIO);
	CHECK(be16toh(out.opcode) >> 8 == STATUS_BAD_OP);
}

Test(devx, what_makes_no_object_is_no_creation)
{
	struct mailbox in = mailbox(QUERY_GENERAL, 1, ""), out;

	CHECK(!mlx5dv_devx_obj_create(bed.ctx, &in, sizeof(in), &out, sizeof(out)));
	cr_expect_eq(errno, EINVAL);
}

Test(devx, a_query_need_not_be_waited_for)
{
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(bed.ctx);
	_Alignas(8) char result[sizeof(struct mlx5dv_devx_async_cmd_hdr) + sizeof(struct mailbox)];
	struct mlx5dv_devx_async_cmd_hdr *header = (void *)result;
	const struct mailbox *out = (const void *)header->out_data;
	struct mlx5dv_devx_obj *o;
	struct mailbox in;
	uint32_t id;

	CHECK(comp);
	o = create(&id);
	in = mailbox(QUERY_GENERAL, id, "");
	CHECK(!mlx5dv_devx_obj_query_async(o, &in, sizeof(in), sizeof(*out), 77, comp));
	wait_readable(comp->fd);
	CHECK(!mlx5dv_devx_get_async_cmd_comp(comp, header, sizeof(result)));
	CHECK(header->wr_id == 77 && !strcmp(out->body, "created"));
	CHECK(!mlx5dv_devx_obj_destroy(o));
	mlx5dv_devx_destroy_cmd_comp(comp);
}

Test(devx, events_can_be_subscribed_to)
{
	struct mlx5dv_devx_event_channel *channel = mlx5dv_devx_create_event_channel(bed.ctx, 0);
	uint16_t types[] = { 1, 2 };
	struct mlx5dv_devx_obj *o;
	uint32_t id;

	CHECK(channel);
	o = create(&id);
	CHECK(!mlx5dv_devx_subscribe_devx_event(channel, o, sizeof(types), types, 5));
	CHECK(!readable(channel->fd, 0));
	CHECK(!mlx5dv_devx_obj_destroy(o));
	mlx5dv_devx_destroy_event_channel(channel);
}

/* As of memory that is registered, the kernel pins the pages */
Test(devx, memory_that_is_not_there_is_refused)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(bed.ctx, page, 4096, 0);

	CHECK(page != MAP_FAILED && umem && !mlx5dv_devx_umem_dereg(umem));
	errno = 0;
	CHECK(!mlx5dv_devx_umem_reg(bed.ctx, page, 4096, IBV_ACCESS_LOCAL_WRITE) && errno == EFAULT);
	CHECK(!munmap(page, 4096));
	errno = 0;
	CHECK(!mlx5dv_devx_umem_reg(bed.ctx, page, 4096, 0) && errno == EFAULT);
}

Test(devx, memory_and_pages_have_numbers)
{
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(bed.ctx, bed.buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct mlx5dv_var *var = mlx5dv_alloc_var(bed.ctx, 0);
	struct mlx5dv_pp *pp = mlx5dv_pp_alloc(bed.ctx, 16, bed.buf, 0);
	uint32_t eqn;

	CHECK(umem && umem->umem_id && var && var->length == 4096 && pp && pp->index);
	CHECK(!mlx5dv_devx_umem_reg(bed.ctx, bed.buf, 4096, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
	CHECK(!mlx5dv_devx_query_eqn(bed.ctx, 1, &eqn) && mlx5dv_devx_query_eqn(bed.ctx, 4096, &eqn));
	mlx5dv_pp_free(pp);
	mlx5dv_free_var(var);
	CHECK(!mlx5dv_devx_umem_dereg(umem));
}
