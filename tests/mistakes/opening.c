/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */

/* Opening a device, and asking it. */

#include "mistakes.h"

static int misspelled(struct bench *b)
{
	(void)b;
	return vx_context_open("mlx5_O", &(struct vx_context *){ NULL });
}

static int nameless(struct bench *b)
{
	(void)b;
	return vx_context_open(NULL, &(struct vx_context *){ NULL });
}

static int past_the_list(struct bench *b)
{
	(void)b;
	return vx_context_open_index(5, &(struct vx_context *){ NULL });
}

static int port_0(struct bench *b)
{
	return vx_context_query_port(b->ctx, 0, &(struct ibv_port_attr){ 0 });
}

static int port_2(struct bench *b)
{
	return vx_context_query_port(b->ctx, 2, &(struct ibv_port_attr){ 0 });
}

static int empty_gid(struct bench *b)
{
	return vx_context_query_gid(b->ctx, 1, 3, &(struct ibv_gid_entry){ 0 });
}

static int gid_past_the_table(struct bench *b)
{
	return vx_context_query_gid(b->ctx, 1, 300, &(struct ibv_gid_entry){ 0 });
}

static int pkey_past_the_table(struct bench *b)
{
	return vx_context_query_pkey(b->ctx, 1, 300, &(uint16_t){ 0 });
}

static int misspelled_state(struct bench *b)
{
	int64_t value;

	(void)b;
	return vx_enum_parse(vx_enum_find("ibv_qp_state"), "IBV_QPS_RTZ", &value);
}

static int misspelled_flag(struct bench *b)
{
	int64_t value;

	(void)b;
	return vx_enum_parse(vx_enum_find("ibv_access_flags"), "LOCAL_WRITE|REMOTE_WRIT", &value);
}

static const struct mistake mistakes[] = {
	{ "a letter for a digit in the device's name", misspelled, -ENODEV, "did you mean mlx5_0?" },
	{ "a device's name from a variable that is not set", nameless, -EINVAL, "name is NULL" },
	{ "the sixth device where there is one", past_the_list, -ENODEV, "the devices are: mlx5_0" },
	{ "ports counted from 0", port_0, -EINVAL, "the ports are 1 to 1" },
	{ "the second port of a device that has one", port_2, -EINVAL, "port = 2, but the ports are 1 to 1" },
	{ "a GID that is not set", empty_gid, -ENODATA, "GID 3 of port 1 is empty" },
	{ "a GID past the end of the table", gid_past_the_table, -EINVAL, "gid_tbl_len = 4" },
	{ "a P_Key past the end of the table", pkey_past_the_table, -EINVAL, "pkey_tbl_len = 4" },
	{ "a state misspelled in a configuration file", misspelled_state, -EINVAL, "IBV_QPS_RT" },
	{ "a flag misspelled in a configuration file", misspelled_flag, -EINVAL, "REMOTE_WRITE" },
};

CHAPTER(opening, "Opening and asking");
