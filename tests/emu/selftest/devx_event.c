/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events of DEVX, as they come to those who subscribed. */
#include <endian.h>
#include <unistd.h>
#include <sys/eventfd.h>

#include "selftest.h"

TestSuite(devx_event, .init = open_mlx5, .fini = close_bed);

enum {
	CREATE_GENERAL = 0xa00,
	SOME_TYPE = 0x0d,
	PORT_CHANGE = 0x09,
	OBJECT_CHANGE = 0x27,
	PORT_CHANGE_DOWN = 1,
	OBJECT_COOKIE = 77,
	PORT_COOKIE = 78
};

/* What the program reads: a cookie, and an entry of the device's event queue */
struct event {
	uint64_t cookie;
	uint8_t reserved, type, reserved2, sub_type;
	uint8_t reserved3[32];
	__be32 object;
	uint8_t reserved4[24];
};

struct subscriber {
	struct mlx5dv_devx_event_channel *channel;
	struct mlx5dv_devx_obj *object;
	uint32_t id;
};

static struct subscriber subscribe(enum mlx5dv_devx_create_event_channel_flags flags)
{
	__be16 in[16] = { [0] = htobe16(CREATE_GENERAL), [3] = htobe16(SOME_TYPE) };
	__be32 out[8];
	uint16_t change[] = { OBJECT_CHANGE }, port[] = { PORT_CHANGE };
	struct subscriber s = {
		.channel = mlx5dv_devx_create_event_channel(bed.ctx, flags),
		.object = mlx5dv_devx_obj_create(bed.ctx, in, sizeof(in), out, sizeof(out)),
		.id = be32toh(out[2]),
	};

	CHECK(s.channel && s.object);
	CHECK(!mlx5dv_devx_subscribe_devx_event(s.channel, s.object, sizeof(change), change, OBJECT_COOKIE));
	CHECK(!mlx5dv_devx_subscribe_devx_event(s.channel, NULL, sizeof(port), port, PORT_COOKIE));
	return s;
}

static void unsubscribe(struct subscriber *s)
{
	CHECK(!readable(s->channel->fd, 0));
	mlx5dv_devx_destroy_event_channel(s->channel);
	CHECK(!mlx5dv_devx_obj_destroy(s->object));
}

static struct event wait_event(struct subscriber *s, ssize_t size)
{
	struct event e = { 0 };

	wait_readable(s->channel->fd);
	CHECK(mlx5dv_devx_get_event(s->channel, (void *)&e, sizeof(e)) == size);
	return e;
}

Test(devx_event, one_about_an_object_has_its_number)
{
	struct subscriber s = subscribe(0);
	struct event e;

	CHECK(!emu_fault("devx_event:1=0x27", NULL, 0));
	e = wait_event(&s, sizeof(e));
	CHECK(e.cookie == OBJECT_COOKIE && e.type == OBJECT_CHANGE && be32toh(e.object) == s.id);
	unsubscribe(&s);
}

Test(devx_event, one_about_the_port_says_what_changed)
{
	struct subscriber s = subscribe(0);
	struct event e;

	CHECK(!emu_fault("port_down", NULL, 0));
	e = wait_event(&s, sizeof(e));
	CHECK(e.cookie == PORT_COOKIE && e.type == PORT_CHANGE && e.sub_type == PORT_CHANGE_DOWN);
	wait_async(IBV_EVENT_PORT_ERR);
	unsubscribe(&s);
}

Test(devx_event, without_data_an_unread_one_stands_for_all)
{
	struct subscriber s = subscribe(MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);

	for (int i = 0; i < 2; i++) {
		CHECK(!emu_fault("devx_event:1=0x27,devx_event:1=0x27,SM_CHANGE", NULL, 0));
		wait_async(IBV_EVENT_SM_CHANGE);
		CHECK(wait_event(&s, sizeof(uint64_t)).cookie == OBJECT_COOKIE);
		CHECK(!readable(s.channel->fd, 0));
	}
	unsubscribe(&s);
}

Test(devx_event, it_can_go_to_an_eventfd)
{
	struct subscriber s = subscribe(0);
	int fd = eventfd(0, 0);
	uint64_t count;

	CHECK(!mlx5dv_devx_subscribe_devx_event_fd(s.channel, fd, s.object, 0x20));
	CHECK(!emu_fault("devx_event:1=0x20", NULL, 0));
	wait_readable(fd);
	CHECK(read(fd, &count, sizeof(count)) == sizeof(count) && count == 1);
	unsubscribe(&s);
	close(fd);
}

Test(devx_event, what_cannot_happen_to_an_object_is_refused)
{
	struct subscriber s = subscribe(0);
	uint16_t port[] = { PORT_CHANGE }, unknown[] = { 0x100 };

	CHECK(mlx5dv_devx_subscribe_devx_event(s.channel, s.object, sizeof(port), port, 0) == EINVAL);
	CHECK(mlx5dv_devx_subscribe_devx_event(s.channel, s.object, sizeof(unknown), unknown, 0) == EINVAL);
	unsubscribe(&s);
}
