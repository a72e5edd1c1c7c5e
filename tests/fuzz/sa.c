/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any answer of a subnet administrator, on the emulated device, through what programs call: it fills a path, several, or a group, with what there
 * can be, or is an error that says so. Input: a byte for what is asked and what of the answer is made right; two for its length; the answer.
 */

#include <errno.h>

#include <verbsx/verbsx.h>

#include "input.h"
#include "reach/umad.h"
#include "sa/mad.h"

#define HEAD 64 /* bytes in front of a MAD */
#define IN_TIME 3 /* ms */

enum {
	A_GROUP = 1,
	RIGHT_HEADER = 2,
	RIGHT_STATUS = 4,
	RIGHT_PEER = 8,
	AGAIN = 16, /* a second answer, to nobody */
	A_TABLE = 32,
};

static struct vx_ctx *ctx;
static struct vx_path to_myself;
static uint8_t question[VX_MAD_SIZE];
static struct input answer;
static unsigned int choice, length, answers;

static void made(int rc)
{
	if (rc < 0)
		fprintf(stderr, "%s\n", vx_error_text());
	must(rc == 0);
}

static int give_port(const char *name, int number)
{
	(void)name;
	return number;
}

static int take_port(int id)
{
	(void)id;
	return 0;
}

static int give_agent(int id, int class, int version, uint8_t rmpp, long *mask)
{
	(void)id, (void)class, (void)version, (void)rmpp, (void)mask;
	return 0;
}

static size_t head_size(void)
{
	return HEAD;
}

static void *mad_of(void *umad)
{
	return (uint8_t *)umad + HEAD;
}

static int take_address(void *umad, int dlid, int dqp, int sl, int qkey)
{
	(void)umad, (void)dlid, (void)dqp, (void)sl, (void)qkey;
	return 0;
}

static int take_pkey(void *umad, int index)
{
	(void)umad, (void)index;
	return 0;
}

static int take_question(int id, int agent, void *umad, int size, int timeout_ms, int retries)
{
	(void)id, (void)agent, (void)timeout_ms, (void)retries;
	must(size == VX_MAD_SIZE);
	memcpy(question, mad_of(umad), VX_MAD_SIZE);
	return 0;
}

/* The header of the question, so that the fuzzer need not guess a random number; and more, if the input says so. */
static void make_right(uint8_t *mad)
{
	const unsigned int peer = VX_MAD_RECORD + vx_mad_fields[VX_PATH_RECORD_DGID].offset / 8;

	vx_mad_put(mad, VX_MAD_HEADER_TRANSACTION_ID, vx_mad_get(question, VX_MAD_HEADER_TRANSACTION_ID));
	if (choice & RIGHT_HEADER) {
		unsigned int method = (unsigned int)vx_mad_get(question, VX_MAD_HEADER_METHOD);

		vx_mad_put(mad, VX_MAD_HEADER_MGMT_CLASS, 3);
		vx_mad_put(mad, VX_MAD_HEADER_METHOD, (method == 0x02 ? 0x01 : method) | 0x80);
		vx_mad_put(mad, VX_MAD_HEADER_ATTRIBUTE_ID, vx_mad_get(question, VX_MAD_HEADER_ATTRIBUTE_ID));
	}
	if (choice & RIGHT_STATUS)
		vx_mad_put(mad, VX_MAD_HEADER_STATUS, 0);
	if (choice & RIGHT_PEER && !(choice & (A_GROUP | A_TABLE)))
		memcpy(mad + peer, question + peer, sizeof(union ibv_gid));
}

static int give_answer(int id, void *umad, int *size, int timeout_ms)
{
	size_t room = (size_t)*size, there = answer.size < room ? answer.size : room;

	(void)id, (void)timeout_ms;
	if (answers++ > 3)
		return -ETIMEDOUT;
	if (there)
		memcpy(mad_of(umad), answer.bytes, there);
	make_right(mad_of(umad));
	*size = (int)length;
	return choice & A_TABLE && length > room ? -ENOSPC : 0;
}

static int give_status(void *umad)
{
	(void)umad;
	return choice & AGAIN && answers == 1 ? ETIMEDOUT : 0;
}

static const struct vx_umad fakes = { give_port, take_port, give_agent, head_size, mad_of, take_address, take_pkey, take_question, give_answer,
				      give_status };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ibv_gid_entry gid;

	(void)argc, (void)argv;
	made(vx_ctx_open_index(0, &ctx));
	made(vx_ctx_choose_gid(ctx, 1, NULL, &gid, NULL, 0));
	to_myself = (struct vx_path){ .ctx = ctx, .dgid = gid.gid };
	made(vx_path_resolve(&(struct vx_path){ .ctx = ctx, .dgid = gid.gid }, -1)); /* so that the administrator's time is known */
	made(vx_ctx_keep_paths(ctx, 0));
	vx_umad_replace(&fakes);
	return 0;
}

static void look_at_error(int rc)
{
	must(rc == -EBADMSG || rc == -EREMOTEIO || rc == -ENOENT || rc == -ETIMEDOUT || rc == -EAGAIN);
	must(vx_error()->code == rc);
	must(*vx_error()->reason && *vx_error_text());
}

static void look_at_path(const struct vx_path *path)
{
	char text[2048];

	must(vx_path_snprint(text, sizeof(text), path) < sizeof(text));
	must(path->slid && path->dlid && path->path_mtu >= IBV_MTU_256 && path->path_mtu <= IBV_MTU_4096);
	must(path->sl < 16 && path->flow_label < 1 << 20 && path->packet_life_time < 64);
	must(!memcmp(&path->dgid, &to_myself.dgid, sizeof(path->dgid)));
}

static void resolve(void)
{
	struct vx_path path = to_myself;
	int rc = vx_path_resolve(&path, IN_TIME);

	if (rc == 0)
		look_at_path(&path);
	else
		look_at_error(rc);
}

static void resolve_all(void)
{
	struct vx_path all = { .ctx = ctx }, paths[3];
	char text[2048];
	size_t count = 0, i;
	int rc = vx_path_resolve_all(&all, IN_TIME, paths, 3, &count);

	if (rc < 0) {
		look_at_error(rc);
		return;
	}
	must(count && count <= length / 58);
	for (i = 0; i < count && i < 3; i++) {
		must(vx_path_snprint(text, sizeof(text), &paths[i]) < sizeof(text));
		must(paths[i].slid && paths[i].dlid && paths[i].path_mtu >= IBV_MTU_256 && paths[i].path_mtu <= IBV_MTU_4096);
	}
}

static void join(void)
{
	struct vx_sa_group_init init = { .mgid.raw = { 0xff, 0x12 }, .timeout_ms = IN_TIME };
	struct vx_sa_group *group;
	struct vx_path path;
	char text[2048];
	int rc = vx_sa_group_create(ctx, &init, &group);

	if (rc < 0) {
		look_at_error(rc);
		return;
	}
	made(vx_sa_group_path(group, &path));
	must(vx_path_snprint(text, sizeof(text), &path) < sizeof(text));
	must(vx_snprint(text, sizeof(text), VX_TYPEOF(group), group, VX_COMPACT) < sizeof(text));
	made(vx_close(group));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };

	choice = (unsigned int)take_number(&in, 1);
	length = (unsigned int)take_number(&in, 2) % (2 * VX_MAD_SIZE);
	answer = in;
	answers = 0;
	if (choice & A_GROUP)
		join();
	else if (choice & A_TABLE)
		resolve_all();
	else
		resolve();
	return 0;
}
