/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What goes wrong on request, other than calls. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "selftest.h"

TestSuite(fault, .init = open_mlx5, .fini = close_bed);

static int ask(const char *format, uint32_t number)
{
	char spec[64];

	snprintf(spec, sizeof(spec), format, number);
	return emu_fault(spec, NULL, 0);
}

static const struct {
	const char *name;
	enum ibv_wc_status status;
} statuses[] = {
	{ "LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR },
	{ "LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR },
	{ "LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR },
	{ "WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR },
	{ "MW_BIND_ERR", IBV_WC_MW_BIND_ERR },
	{ "BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR },
	{ "LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR },
	{ "REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR },
	{ "IBV_WC_REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR },
	{ "REM_OP_ERR", IBV_WC_REM_OP_ERR },
	{ "RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR },
	{ "RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR },
	{ "GENERAL_ERR", IBV_WC_GENERAL_ERR },
};

/* The second of four, of which the last is not signaled: all that follow are flushed */
Test(fault, any_status_can_end_a_send_request)
{
	char spec[64];

	for (size_t i = 0; i < SIZE(statuses); i++) {
		snprintf(spec, sizeof(spec), "%s#2:0x%x", statuses[i].name, bed.a->qp_num);
		emu_fail(spec);
		for (int wr = 1; wr <= 4; wr++)
			post_write(bed.a, wr, bed.mr->rkey, address(4096), "x");
		expect_wc(1, 0, IBV_WC_RDMA_WRITE);
		expect_error(2, statuses[i].status);
		expect_error(3, IBV_WC_WR_FLUSH_ERR);
		expect_error(4, IBV_WC_WR_FLUSH_ERR);
		CHECK(state_of(bed.a) == IBV_QPS_ERR && state_of(bed.b) == IBV_QPS_RTS);
		reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	}
}

Test(fault, any_status_can_end_a_receive_request)
{
	char spec[64];

	for (size_t i = 0; i < SIZE(statuses); i++) {
		snprintf(spec, sizeof(spec), "recv_%s#1:0x%x", statuses[i].name, bed.b->qp_num);
		emu_fail(spec);
		post_recv(bed.b, 1, 4096, 64);
		post_recv(bed.b, 2, 4096, 64);
		post_send(bed.a, 3, 0, 8);
		expect_error(1, statuses[i].status);
		CHECK(wait_wc(bed.cq).status && wait_wc(bed.cq).status);
		CHECK(state_of(bed.a) == IBV_QPS_ERR && state_of(bed.b) == IBV_QPS_ERR);
		reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	}
}

/* What people search the web for */
Test(fault, an_error_has_the_code_that_the_vendor_gives_it)
{
	static const struct {
		const char *name;
		uint32_t code;
	} codes[] = { { "RETRY_EXC_ERR", 0x81 },  { "RNR_RETRY_EXC_ERR", 0x87 }, { "LOC_PROT_ERR", 0x51 },
		      { "REM_ACCESS_ERR", 0x88 }, { "REM_INV_REQ_ERR", 0x8a },	 { "REM_OP_ERR", 0x89 },
		      { "LOC_QP_OP_ERR", 0x68 } };

	for (size_t i = 0; i < SIZE(codes); i++) {
		emu_fail(codes[i].name);
		post_write(bed.a, 1, bed.mr->rkey, address(4096), "x");
		post_write(bed.a, 2, bed.mr->rkey, address(4096), "x");
		cr_expect_eq(wait_wc(bed.cq).vendor_err, codes[i].code, "%s", codes[i].name);
		cr_expect_eq(wait_wc(bed.cq).vendor_err, 0xf9, "WR_FLUSH_ERR");
		reconnect(bed.a, bed.b, NO_RNR_LIMIT);
	}
}

/* Over an unreliable service only the send queue stops */
Test(fault, an_unreliable_qp_goes_to_sqe)
{
	struct ibv_qp *q = make_uc_loop();

	CHECK(!ask("LOC_QP_OP_ERR:0x%x", q->qp_num));
	post_write(q, 1, bed.mr->rkey, address(4096), "x");
	expect_error(1, IBV_WC_LOC_QP_OP_ERR);
	CHECK(state_of(q) == IBV_QPS_SQE);
	CHECK(!ibv_destroy_qp(q));
}

/* Which is what messages have */
Test(fault, a_call_may_be_named_by_the_function_that_makes_it)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;

	CHECK(!emu_fault("ibv_query_port:EIO", NULL, 0));
	CHECK(ibv_query_port(bed.ctx, 1, &port) == EIO);
	CHECK(!emu_fault("ibv_query_device_ex:EIO", NULL, 0));
	CHECK(ibv_query_device(bed.ctx, &device) == EIO);
	CHECK(!emu_fault("rdma_connect:EIO", NULL, 0));
}

static const struct {
	const char *list, *why;
} refused[] = {
	{ "query_prot:EIO", "column 1: no such call, event, status or fault: 'query_prot': did you mean query_port?" },
	{ "create_qp:EIO, reg_mr", "column 16: 'reg_mr' wants an errno after a colon" },
	{ "create_qp#2:NOTHING", "column 13: no such errno: 'NOTHING'" },
	{ "create_qp:0", "column 11: 0 is no errno" },
	{ "create_qp#0:EIO", "column 11: counts go up from 1" },
	{ "drop#4-2", "column 6: counts go up from 1" },
	{ "drop#x", "column 6: no number up to 2147483647: 'x'" },
	{ "drop:", "column 6: no number up to 4294967295: ''" },
	{ "drop@3", "column 6: no time is wanted here; which one is said by a #, as in drop#3" },
	{ "delay#2", "column 7: a delay wants milliseconds after an @" },
	{ "SM_CHANGE#2", "column 11: nothing to count here" },
	{ "INV_EECN_ERR", "column 1: no completion of this device has the status 'INV_EECN_ERR'" },
	{ "recv_TM_ERR", "column 1: no completion of this device has the status 'TM_ERR'" },
	{ "port_down:9", "column 11: no such port: '9'" },
	{ "SM_CHANGE:0", "column 11: no such port: '0'" },
	{ "speed:9=100", "column 7: no such port: '9'" },
	{ "lid:65536", "column 5: no number up to 65535: '65536'" },
	{ "speed:99", "column 7: no speed of a port in Gb/s: '99'" },
	{ "drop#1#2", "column 7: not expected: '#'" },
};

Test(fault, a_refusal_names_the_column)
{
	char why[128];

	for (size_t i = 0; i < SIZE(refused); i++) {
		CHECK(emu_fault(refused[i].list, why, sizeof(why)) == -1);
		if (strcmp(why, refused[i].why))
			fprintf(stderr, "%s: %s\n", refused[i].list, why);
		CHECK(!strcmp(why, refused[i].why));
	}
	for (int i = 0; i < 64; i++)
		CHECK(!emu_fault("drop#1000", why, sizeof(why)));
	CHECK(emu_fault("drop", why, sizeof(why)) && !strcmp(why, "more than 64 faults wait"));
}

/* All that is in a refused list is refused */
Test(fault, a_refused_list_changes_nothing)
{
	char why[128];

	CHECK(emu_fault("SM_CHANGE, call:EIO, nonsense", why, sizeof(why)));
	CHECK(!readable(bed.ctx->async_fd, 20));
}

static const char *const events[] = {
	"CQ_ERR",
	"QP_FATAL",
	"QP_REQ_ERR",
	"QP_ACCESS_ERR",
	"COMM_EST",
	"SQ_DRAINED",
	"PATH_MIG",
	"PATH_MIG_ERR",
	"DEVICE_FATAL",
	"PORT_ACTIVE",
	"PORT_ERR",
	"LID_CHANGE",
	"PKEY_CHANGE",
	"SM_CHANGE",
	"SRQ_ERR",
	"SRQ_LIMIT_REACHED",
	"QP_LAST_WQE_REACHED",
	"CLIENT_REREGISTER",
	"GID_CHANGE",
	"WQ_FATAL",
	"DEVICE_SPEED_CHANGE",
};

/* As many as verbs.h has; that of a WQ is with the tests of WQs */
Test(fault, any_event_can_be_asked_for)
{
	struct ibv_srq_init_attr init = { .attr = { 16, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(bed.pd, &init);

	CHECK(srq);
	CHECK(SIZE(events) == IBV_EVENT_WQ_FATAL + 2);
	for (int type = 0; type < (int)SIZE(events); type++) {
		if (type == IBV_EVENT_WQ_FATAL)
			continue;
		CHECK(!emu_fault(events[type], NULL, 0));
		wait_async(type);
	}
	CHECK(!ibv_destroy_srq(srq));
}

Test(fault, a_lost_packet_is_sent_again)
{
	double before = now_ms();

	CHECK(!ask("drop:0x%x", bed.a->qp_num));
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "again");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 4096, "again", 5));
	CHECK(now_ms() - before >= ACK_TIMEOUT_MS);
}

/* The first attempt and RETRY_CNT more, each with a time to wait after it */
Test(fault, when_all_is_lost_the_retries_run_out)
{
	double before = now_ms(), spent;

	CHECK(!ask("drop#2-:0x%x", bed.a->qp_num));
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "x");
	post_write(bed.a, 2, bed.mr->rkey, address(4096), "y");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	expect_error(2, IBV_WC_RETRY_EXC_ERR);
	spent = now_ms() - before;
	CHECK(spent >= (RETRY_CNT + 1) * ACK_TIMEOUT_MS);
	CHECK(bed.buf[4096] == 'x');
}

Test(fault, a_lost_packet_of_an_unreliable_qp_stays_lost)
{
	struct ibv_qp *q = make_uc_loop();

	CHECK(!ask("drop:0x%x", q->qp_num));
	post_write(q, 1, bed.mr->rkey, address(4096), "x");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	CHECK(!bed.buf[4096]);
	CHECK(!ibv_destroy_qp(q));
}

static void fetch_and_add(uint64_t wr_id)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(bed.a);

	start(x, wr_id, IBV_SEND_SIGNALED);
	ibv_wr_atomic_fetch_add(x, bed.mr->rkey, address(4096), 1);
	ibv_wr_set_sge(x, bed.mr->lkey, address(4104), 8);
	CHECK(!ibv_wr_complete(x));
}

/* The request is sent again, as a device does, but not executed again */
Test(fault, a_lost_answer_does_nothing_twice)
{
	double before = now_ms();

	CHECK(!ask("drop_answer:0x%x", bed.a->qp_num));
	CHECK(!ask("drop_answer#3:0x%x", bed.a->qp_num));
	fetch_and_add(1);
	expect_wc(1, 0, IBV_WC_FETCH_ADD);
	CHECK(*(uint64_t *)(bed.buf + 4096) == 1 && *(uint64_t *)(bed.buf + 4104) == 0);
	post_recv(bed.b, 2, 8192, 64);
	post_recv(bed.b, 3, 8192, 64);
	post_send(bed.a, 4, 0, 8);
	expect_wc(2, 0, IBV_WC_RECV);
	expect_wc(4, 0, IBV_WC_SEND);
	CHECK(now_ms() - before >= 2 * ACK_TIMEOUT_MS);
	post_send(bed.a, 5, 0, 8);
	expect_wc(3, 0, IBV_WC_RECV);
	expect_wc(5, 0, IBV_WC_SEND);
}

Test(fault, a_delayed_packet_arrives_late)
{
	double before = now_ms();

	CHECK(!ask("delay#2:0x%x@60", bed.a->qp_num));
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "soon");
	post_write(bed.a, 2, bed.mr->rkey, address(4096), "late");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(now_ms() - before >= 60);
	CHECK(!memcmp(bed.buf + 4096, "late", 4));
}

Test(fault, a_corrupt_packet_has_one_wrong_bit)
{
	CHECK(!emu_fault("corrupt#2", NULL, 0));
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "bit");
	post_write(bed.a, 2, bed.mr->rkey, address(4100), "bit");
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
	expect_wc(2, 0, IBV_WC_RDMA_WRITE);
	CHECK(!memcmp(bed.buf + 4096, "bit", 3) && !memcmp(bed.buf + 4100, "cit", 3));
}

Test(fault, nothing_passes_a_port_that_is_down)
{
	CHECK(!emu_fault("port_down", NULL, 0));
	wait_async(IBV_EVENT_PORT_ERR);
	CHECK(first_port().state == IBV_PORT_DOWN && first_port().phys_state == 2);
	post_write(bed.a, 1, bed.mr->rkey, address(4096), "up");
	usleep(20000);
	CHECK(!bed.buf[4096]);
	CHECK(!emu_fault("port_up", NULL, 0));
	wait_async(IBV_EVENT_PORT_ACTIVE);
	CHECK(first_port().state == IBV_PORT_ACTIVE && first_port().phys_state == 5);
	expect_wc(1, 0, IBV_WC_RDMA_WRITE);
}

Test(fault, lid_and_speed_can_change)
{
	char back[32];

	if (bed.ethernet)
		skip("Ethernet ports have no LID");
	snprintf(back, sizeof(back), "lid:%d speed:100", bed.lid);
	CHECK(!emu_fault("lid:9,speed:1=200@5", NULL, 0));
	wait_async(IBV_EVENT_LID_CHANGE);
	wait_async(IBV_EVENT_WQ_FATAL + 1);
	CHECK(first_port().lid == 9 && first_port().active_speed == 64);
	CHECK(!emu_fault(back, NULL, 0));
	wait_async(IBV_EVENT_LID_CHANGE);
	wait_async(IBV_EVENT_WQ_FATAL + 1);
	CHECK(first_port().lid == bed.lid && first_port().active_speed == 32);
}

static union ibv_gid gid_at(int index)
{
	union ibv_gid gid;

	CHECK(!ibv_query_gid(bed.ctx, 1, index, &gid));
	return gid;
}

static bool same(union ibv_gid a, union ibv_gid b)
{
	return !memcmp(&a, &b, sizeof(a));
}

/* As sysfs tells it, where some programs look */
static union ibv_gid gid_in_sysfs(int index)
{
	char path[512], text[64];
	union ibv_gid gid;
	FILE *f;

	snprintf(path, sizeof(path), "%s/ports/1/gids/%d", bed.dev->ibdev_path, index);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof(text), f));
	fclose(f);
	text[strcspn(text, "\n")] = 0;
	CHECK(inet_pton(AF_INET6, text, &gid) == 1);
	return gid;
}

Test(fault, a_flap_renumbers_gids)
{
	union ibv_gid first = gid_at(0), third;
	struct ibv_port_attr before = first_port();

	if (!bed.ethernet)
		skip("an InfiniBand port has but one GID");
	third = gid_at(2);
	CHECK(!same(first, third));
	CHECK(!emu_fault("port_flap", NULL, 0));
	wait_async(IBV_EVENT_PORT_ERR);
	wait_async(IBV_EVENT_GID_CHANGE);
	wait_async(IBV_EVENT_PORT_ACTIVE);
	CHECK(same(gid_at(0), third) && same(gid_at(2), first) && same(gid_in_sysfs(0), third));
	CHECK(first_port().state == before.state);
	CHECK(!emu_fault("port_flap", NULL, 0));
	wait_async(IBV_EVENT_PORT_ERR);
	wait_async(IBV_EVENT_GID_CHANGE);
	wait_async(IBV_EVENT_PORT_ACTIVE);
	CHECK(same(gid_at(0), first));
}

static _Atomic bool flaps_are_over;

/* How often the file of the P_Key had no line in it */
static void *look_for_pkey(void *missed)
{
	char path[512], text[64];

	snprintf(path, sizeof(path), "%s/ports/1/pkeys/0", bed.dev->ibdev_path);
	while (!flaps_are_over) {
		FILE *f = fopen(path, "r");

		*(int *)missed += !f || !fgets(text, sizeof(text), f);
		if (f)
			fclose(f);
	}
	return NULL;
}

Test(fault, who_reads_sysfs_meanwhile_finds_all_there)
{
	pthread_t reader;
	int missed = 0;

	CHECK(!pthread_create(&reader, NULL, look_for_pkey, &missed));
	for (int i = 0; i < 10; i++) {
		CHECK(!emu_fault("port_flap", NULL, 0));
		wait_async(IBV_EVENT_PORT_ERR);
		wait_async(IBV_EVENT_GID_CHANGE);
		wait_async(IBV_EVENT_PORT_ACTIVE);
	}
	flaps_are_over = true;
	CHECK(!pthread_join(reader, NULL));
	cr_assert_eq(missed, 0, "the P_Key was missed %d times", missed);
}
