/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * A program compiled with the headers of one release, on a library that was built with those of another: nothing is written behind
 * its structures, nothing in them is left as it was, and the library understands what it is given.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/verbsx.h>

#define CANARY 0xa5

#define WITH_CANARY(type)             \
	struct {                      \
		type it;              \
		unsigned char end[64]; \
	}

static void must(int rc, const char *call)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s: %s\n", call, vx_error_text());
	exit(1);
}

#define MUST(call) must(call, #call)

static void expect(int is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "not so: %s\n", what);
	exit(1);
}

#define EXPECT(what) expect(what, #what)

static void expect_canary(const unsigned char *end, const char *what)
{
	size_t i;

	for (i = 0; i < 64; i++)
		expect(end[i] == CANARY, what);
}

/* The last bytes of a structure, which may be newer than the library: then they are zero. */
#define LAST(structure) (((const unsigned char *)&(structure).it)[sizeof((structure).it) - 1])

static void ask_the_device(struct vx_ctx *ctx)
{
	WITH_CANARY(struct ibv_device_attr_ex) device;
	WITH_CANARY(struct ibv_port_attr) port;
	WITH_CANARY(struct ibv_gid_entry) gid;
	struct ibv_gid_entry table[4];
	size_t count;

	memset(&device, CANARY, sizeof(device));
	memset(&port, CANARY, sizeof(port));
	memset(&gid, CANARY, sizeof(gid));
	MUST(vx_ctx_query_device_ex(ctx, &device.it));
	MUST(vx_ctx_query_port(ctx, 1, &port.it));
	MUST(vx_ctx_query_gid(ctx, 1, 0, &gid.it));
	MUST(vx_ctx_query_gid_table(ctx, table, 4, &count));
	expect_canary(device.end, "behind ibv_device_attr_ex");
	expect_canary(port.end, "behind ibv_port_attr");
	expect_canary(gid.end, "behind ibv_gid_entry");
	EXPECT(device.it.orig_attr.phys_port_cnt > 0);
	EXPECT(LAST(device) != CANARY);
	EXPECT(port.it.state == IBV_PORT_ACTIVE);
	EXPECT(LAST(port) != CANARY);
	EXPECT(gid.it.port_num == 1);
	EXPECT(count > 0 && !memcmp(&table[0], &gid.it, sizeof(gid.it)));
}

static void make_objects(struct vx_ctx *ctx)
{
	static char memory[4096];
	WITH_CANARY(struct ibv_qp_attr) attr;
	struct vx_qp_init qp_init;
	struct vx_mr_init mr_init;
	struct vx_cq_init cq_init;
	struct ibv_qp_init_attr init_attr;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_qp *qp;
	struct vx_mr *mr;

	memset(&qp_init, 0, sizeof(qp_init));
	memset(&mr_init, 0, sizeof(mr_init));
	memset(&cq_init, 0, sizeof(cq_init));
	MUST(vx_pd_create(ctx, NULL, &pd));
	cq_init.cqe = 100;
	cq_init.wc_flags = IBV_WC_EX_WITH_BYTE_LEN;
	MUST(vx_cq_create(ctx, &cq_init, &cq));
	EXPECT(vx_cq_raw(cq)->cqe >= 100);
	qp_init.send_cq = cq;
	qp_init.recv_cq = cq;
	qp_init.cap.max_send_wr = 5;
	qp_init.qp_type = IBV_QPT_UD;
	qp_init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	MUST(vx_qp_create(pd, &qp_init, &qp));
	EXPECT(vx_qp_raw(qp)->qp_type == IBV_QPT_UD);
	memset(&attr, CANARY, sizeof(attr));
	MUST(vx_qp_query(qp, &attr.it, IBV_QP_STATE | IBV_QP_CAP, &init_attr));
	expect_canary(attr.end, "behind ibv_qp_attr");
	EXPECT(attr.it.qp_state == IBV_QPS_RESET);
	EXPECT(init_attr.cap.max_send_wr >= 5);
	mr_init.addr = memory;
	mr_init.length = sizeof(memory);
	mr_init.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	MUST(vx_mr_create(pd, &mr_init, &mr));
	EXPECT(vx_mr_length(mr) == sizeof(memory));
}

/* What the headers of the program have, and those of the library may not. */
static void ask_for_what_is_newer(struct vx_ctx *ctx)
{
#if COMPILED_FOR >= 65
	WITH_CANARY(struct ibv_comp_cntr_caps) caps;
	int rc;

	memset(&caps, CANARY, sizeof(caps));
	rc = vx_ctx_query_comp_cntr_caps(ctx, &caps.it);
	EXPECT(rc == -EOPNOTSUPP || LAST(caps) != CANARY);
	expect_canary(caps.end, "behind ibv_comp_cntr_caps");
	EXPECT(VX_STRUCT(ibv_comp_cntr_caps).size == sizeof(caps.it));
#else
	(void)ctx;
#endif
}

int main(void)
{
	struct vx_ctx *ctx;

	MUST(vx_ctx_open_index(0, &ctx));
	ask_the_device(ctx);
	make_objects(ctx);
	ask_for_what_is_newer(ctx);
	MUST(vx_close(ctx));
	printf("compiled for %d, on a library for %u: as it should be\n", COMPILED_FOR, vx_release_built());
	return 0;
}
