/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Two processes, each with a device of its own, that connect through a socket and send; and what becomes of one when the other goes. */

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handshake/handshake_wire.h"
#include "unit/path/device.h"

TestSuite(connect, .timeout = 60);

static int ends[2];

/* What the other process does; true where all went well there. */
static pid_t other_process(bool (*does)(int fd))
{
	bool well;
	pid_t child;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	cr_assert_geq(child, 0);
	if (child)
		return close(ends[1]), child;
	close(ends[0]);
	open_device();
	well = does(ends[1]);
	if (!well)
		fprintf(stderr, "in the other process: %s\n", vx_error_text());
	close_device();
	_exit(well ? 0 : 1);
}

static void expect_well(pid_t child)
{
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status), "0x%x", (unsigned int)status);
}

/* ---- all goes well ---- */

#define LENGTH 64

static struct vx_cq *cq_of(struct vx_qp *qp)
{
	struct vx_cq *cq;

	made(vx_cq_borrow((struct vx_ctx *)path_to_itself(qp).ctx, vx_qp_raw(qp)->send_cq, &cq));
	return cq;
}

static void wait_for(struct vx_qp *qp, enum ibv_wc_opcode opcode)
{
	struct vx_cq *cq = cq_of(qp);
	struct ibv_wc wc;

	while (!ibv_poll_cq(vx_cq_raw(cq), 1, &wc))
		;
	cr_expect_eq(wc.status, IBV_WC_SUCCESS, "%d", wc.status);
	cr_expect_eq(wc.opcode, opcode);
	vx_close(cq);
}

static struct vx_mr *region_of(struct vx_qp *qp, int access)
{
	struct vx_pd *pd;
	struct vx_mr *mr;

	made(vx_pd_borrow(path_to_itself(qp).ctx, vx_qp_raw(qp)->pd, &pd));
	made(vx_mr_create(pd, &(struct vx_mr_init){ .length = LENGTH, .access = IBV_ACCESS_LOCAL_WRITE | access }, &mr));
	return mr;
}

/* Where a process can be written to. */
struct window {
	uint64_t addr;
	uint32_t rkey;
};

/* The side that is written to: the last byte of the stream says that it is done. */
static bool is_written_to(int fd)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_mr *mr = region_of(qp, IBV_ACCESS_REMOTE_WRITE);
	struct window window = { (uintptr_t)vx_mr_addr(mr), vx_mr_rkey(mr) };
	struct vx_path path = { .access = IBV_ACCESS_REMOTE_WRITE };
	char done;

	if (vx_accept(qp, fd, &(struct vx_connect_init){ .path = &path, .private_data = &window, .private_data_len = sizeof(window) }, NULL) < 0)
		return false;
	return read(fd, &done, 1) == 1 && !strcmp(vx_mr_addr(mr), "hello");
}

/* The other side: what is written there, and the byte that says so. */
static void say_hello(struct vx_qp *qp, struct window window)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct vx_mr *mr = region_of(qp, 0);
	struct ibv_sge sge = { (uintptr_t)strcpy(vx_mr_addr(mr), "hello"), 6, vx_mr_lkey(mr) };

	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = window.addr;
	wr.wr.rdma.rkey = window.rkey;
	cr_assert_eq(ibv_post_send(vx_qp_raw(qp), &wr, &bad), 0);
	wait_for(qp, IBV_WC_RDMA_WRITE);
	cr_expect_eq(write(ends[0], "!", 1), 1);
}

/* What monitors read of the first port, of the emulated device; others need not have it. */
static unsigned long long counter(const char *name)
{
	unsigned long long count = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/counters/%s", device_name(), name);
	file = fopen(path, "r");
	cr_assert(file && fscanf(file, "%llu", &count) == 1, "%s", path);
	fclose(file);
	return count;
}

Test(connect, is_seen_in_the_counters_of_the_port)
{
	pid_t child = other_process(is_written_to);
	unsigned long long packets, data;
	struct window window;
	struct vx_peer peer = { .private_data = &window, .private_data_room = sizeof(window) };
	struct vx_qp *qp;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	made(vx_connect(qp, ends[0], NULL, &peer));
	packets = is_emulated() ? counter("port_xmit_packets") : 0;
	data = is_emulated() ? counter("port_xmit_data") : 0;
	say_hello(qp, window);
	if (is_emulated()) {
		cr_expect_gt(counter("port_xmit_packets"), packets);
		cr_expect_gt(counter("port_xmit_data"), data);
		cr_expect_eq(counter("symbol_error"), 0);
	}
	expect_well(child);
	close_device();
}

Test(connect, lets_one_process_write_to_another)
{
	pid_t child = other_process(is_written_to);
	struct window window;
	struct vx_path path;
	struct vx_peer peer = { .paths = &path, .private_data = &window, .private_data_room = sizeof(window) };
	struct vx_qp *qp;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	made(vx_connect(qp, ends[0], NULL, &peer));
	cr_expect_eq(peer.private_data_len, sizeof(window));
	cr_expect_eq(path.dqpn, queried(qp, IBV_QP_DEST_QPN).dest_qp_num);
	say_hello(qp, window);
	expect_well(child);
	close_device();
}

/* What verbsx/path.h says of programs that exchange their paths themselves; each is at another port. */
static bool connect_by_hand(struct vx_qp *qp, int fd, uint8_t port)
{
	struct vx_path here = { .port_num = port, .access = IBV_ACCESS_REMOTE_WRITE }, there;

	if (vx_path_fill(&here, qp) < 0 || write(fd, &here, sizeof(here)) < 0 || read(fd, &there, sizeof(there)) != sizeof(there))
		return false;
	vx_path_reverse(&there);
	there.ctx = here.ctx;
	there.port_num = here.port_num;
	there.spsn = here.spsn;
	return vx_qp_to_rts(qp, &there) == 0;
}

static bool is_written_to_at_the_second_port(int fd)
{
	struct vx_qp *qp = new_qp(IBV_QPT_RC);
	struct vx_mr *mr = region_of(qp, IBV_ACCESS_REMOTE_WRITE);
	struct window window = { (uintptr_t)vx_mr_addr(mr), vx_mr_rkey(mr) };
	char done;

	if (!connect_by_hand(qp, fd, 2) || queried(qp, IBV_QP_PORT).port_num != 2 || write(fd, &window, sizeof(window)) < 0)
		return false;
	return read(fd, &done, 1) == 1 && !strcmp(vx_mr_addr(mr), "hello");
}

Test(connect, may_be_done_by_hand_from_one_port_to_another)
{
	pid_t child = other_process(is_written_to_at_the_second_port);
	struct window window;
	struct vx_qp *qp;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_assert(connect_by_hand(qp, ends[0], 1), "%s", vx_error_text());
	cr_expect_eq(queried(qp, IBV_QP_PORT).port_num, 1);
	cr_assert_eq(read(ends[0], &window, sizeof(window)), sizeof(window));
	say_hello(qp, window);
	expect_well(child);
	close_device();
}

#define MANY 40

static bool connects_many(int fd)
{
	struct vx_qp *qps[MANY];
	size_t i;

	for (i = 0; i < MANY; i++)
		qps[i] = new_qp(i % 2 ? IBV_QPT_RC : IBV_QPT_UC);
	return vx_connect_many(qps, MANY, fd, NULL, NULL) == 0;
}

Test(connect, joins_many_at_once_the_first_with_the_first)
{
	pid_t child = other_process(connects_many);
	struct vx_path paths[MANY];
	struct vx_peer peer = { .paths = paths };
	struct vx_qp *qps[MANY];
	size_t i;

	open_device();
	for (i = 0; i < MANY; i++)
		qps[i] = new_qp(i % 2 ? IBV_QPT_RC : IBV_QPT_UC);
	made(vx_accept_many(qps, MANY, ends[0], NULL, &peer));
	for (i = 0; i < MANY; i++) {
		cr_expect(!i || paths[i].dqpn > paths[i - 1].dqpn);
		cr_expect_eq(vx_qp_state(qps[i]), IBV_QPS_RTS);
	}
	expect_well(child);
	close_device();
}

/* Tables of GIDs and P_Keys are read by many calls each. */
Test(connect, asks_for_what_all_have_in_common_only_once)
{
	static const char *const common[] = { "ibv_query_gid_table", "ibv_get_pkey_index", "ibv_query_device", "ibv_query_port" };
	uint64_t counts[sizeof(common) / sizeof(common[0])];
	pid_t child = other_process(connects_many);
	struct vx_qp *qps[MANY];
	size_t i;

	open_device();
	for (i = 0; i < MANY; i++)
		qps[i] = new_qp(i % 2 ? IBV_QPT_RC : IBV_QPT_UC);
	made(vx_trace_counting(true));
	made(vx_accept_many(qps, MANY, ends[0], NULL, NULL));
	for (i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		made(vx_trace_count(common[i], &counts[i]));
		cr_expect_leq(counts[i], 10, "%s %lu", common[i], (unsigned long)counts[i]);
	}
	cr_expect_geq(counts[2], 1);
	made(vx_trace_counting(false));
	expect_well(child);
	close_device();
}

/* As the tests of transitions have types: also receivers of XRC, which no type of the other side is like. */
static bool connects_datagrams(int fd)
{
	struct vx_path path = { .qkey = 0x22 };
	uint32_t srqn = 0;

	return vx_connect(new_qp(IBV_QPT_UD), fd, &(struct vx_connect_init){ .path = &path }, NULL) == 0 &&
	       vx_connect(new_qp(IBV_QPT_XRC_SEND), fd, NULL, &(struct vx_peer){ .srqns = &srqn }) == 0 && srqn == 0x345;
}

Test(connect, joins_datagrams_and_xrc)
{
	pid_t child = other_process(connects_datagrams);
	struct vx_path path;
	struct vx_qp *qp, *receiver;

	open_device();
	qp = new_qp(IBV_QPT_UD);
	receiver = new_qp(IBV_QPT_XRC_RECV);
	made(vx_accept(qp, ends[0], NULL, &(struct vx_peer){ .paths = &path }));
	cr_expect_eq(path.qkey, 0x22);
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RTS);
	made(vx_accept(receiver, ends[0], &(struct vx_connect_init){ .srqns = &(uint32_t){ 0x345 } }, NULL));
	expect_well(child);
	close_device();
}

/* ---- the other side goes ---- */

static size_t so_many;

/* Begin a handshake, and die after so many bytes of the offer. */
static bool dies(int fd)
{
	unsigned char bytes[VX_WIRE_HEADER + VX_WIRE_ENTRY] = { 0 };

	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 1, .type = VX_WIRE_OFFER, .count = 1, .length = VX_WIRE_ENTRY,
							    .entry = VX_WIRE_ENTRY });
	if (write(fd, bytes, so_many) == (ssize_t)so_many)
		raise(SIGKILL);
	return false;
}

Test(connect, fails_when_the_peer_dies_at_any_byte)
{
	static const size_t at[] = { 0, 1, 15, 16, 17, 79 };
	struct vx_qp *qp;
	pid_t child;
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		so_many = at[i];
		child = other_process(dies);
		open_device();
		qp = new_qp(IBV_QPT_RC);
		cr_expect_eq(vx_accept(qp, ends[0], NULL, NULL), -ECONNRESET);
		expect_reason("vx_accept on mlx5_0 qp ");
		expect_reason("the peer was gone while waiting for an offer");
		cr_expect_eq(vx_qp_state(qp), IBV_QPS_RESET);
		close_device();
		close(ends[0]);
		cr_assert_eq(waitpid(child, NULL, 0), child);
	}
}

/* An offer that fits, and then nothing any more. */
static bool dies_after_the_answer(int fd)
{
	unsigned char bytes[VX_WIRE_HEADER + VX_WIRE_ENTRY] = { 0 };
	struct vx_path path = path_to_itself(new_qp(IBV_QPT_RC));

	vx_wire_put_header(bytes, &(struct vx_wire_header){ .version = 1, .type = VX_WIRE_OFFER, .count = 1, .length = VX_WIRE_ENTRY,
							    .entry = VX_WIRE_ENTRY });
	vx_wire_put_entry(bytes + VX_WIRE_HEADER,
			  &(struct vx_wire_entry){ .path = path, .qp_type = IBV_QPT_RC,
						   .link_layer = is_roce() ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND });
	if (write(fd, bytes, sizeof(bytes)) == sizeof(bytes) && read(fd, bytes, VX_WIRE_HEADER) == VX_WIRE_HEADER)
		raise(SIGKILL);
	return false;
}

Test(connect, takes_all_back_when_the_peer_dies_before_it_is_ready)
{
	pid_t child = other_process(dies_after_the_answer);
	struct vx_qp *qp;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_accept(qp, ends[0], NULL, NULL), -ECONNRESET);
	expect_reason("while waiting for the peer's READY; the QPs are in RESET, and receives that were posted are gone");
	cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	close_device();
}

Test(connect, fails_when_the_peer_dies_before_it_answers)
{
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(ends[1]);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_connect(qp, ends[0], NULL, NULL), -ECONNRESET);
	expect_reason("while waiting for the answer");
	close_device();
}

/* ---- the other side is somebody else, or nobody ---- */

Test(connect, waits_no_longer_than_it_is_to)
{
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_connect(qp, ends[0], &(struct vx_connect_init){ .timeout_ms = 20 }, NULL), -ETIMEDOUT);
	expect_reason("the time was up while waiting for the answer");
	cr_expect_eq(vx_accept(qp, ends[0], &(struct vx_connect_init){ .timeout_ms = 20 }, NULL), -ETIMEDOUT);
	expect_reason("the time was up while waiting for an offer; do both sides accept?");
	close_device();
}

Test(connect, tells_what_came_of_somebody_else)
{
	struct vx_qp *qp;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	cr_assert_eq(write(ends[1], "GET / HTTP/1.1\r\n\r\n", 18), 18);
	open_device();
	qp = new_qp(IBV_QPT_RC);
	cr_expect_eq(vx_accept(qp, ends[0], NULL, NULL), -EPROTO);
	expect_reason("byte 0 is 0x47, and each message begins with \"VXQP\": somebody else speaks there");
	cr_expect_eq(vx_qp_state(qp), IBV_QPS_RESET);
	close_device();
}

static bool connects_datagrams_in_vain(int fd)
{
	return vx_connect(new_qp(IBV_QPT_UD), fd, NULL, NULL) == -EINVAL && strstr(vx_error_text(), "the other side refused: QP 1 of 1: type RC");
}

Test(connect, fails_on_both_sides_where_they_do_not_fit_together)
{
	pid_t child = other_process(connects_datagrams_in_vain);

	open_device();
	cr_expect_eq(vx_accept(new_qp(IBV_QPT_RC), ends[0], NULL, NULL), -EINVAL);
	expect_reason("type RC here and UD there are no peers");
	expect_well(child);
	close_device();
}

static bool is_refused_a_move(int fd)
{
	return vx_connect(new_qp(IBV_QPT_RC), fd, NULL, NULL) == -EINVAL && strstr(vx_error_text(), "the other side refused: ibv_modify_qp");
}

Test(connect, tells_the_peer_why_a_qp_could_not_be_moved)
{
	pid_t child = other_process(is_refused_a_move);
	struct vx_path path = { .access = IBV_ACCESS_MW_BIND };
	struct vx_qp *qp;

	open_device();
	qp = new_qp(IBV_QPT_RC);
	let_fail("modify_qp:EINVAL");
	cr_expect_eq(vx_accept(qp, ends[0], &(struct vx_connect_init){ .path = &path }, NULL), -EINVAL);
	let_fail("");
	expect_reason("ibv_modify_qp on mlx5_0 qp ");
	expect_reason("qp_access_flags");
	cr_expect_eq(state_of(qp), IBV_QPS_RESET);
	expect_well(child);
	close_device();
}
