/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the tests of the emulated device share. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "../emu.h"

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "%s:%d: %s: failed (errno: %s)\n", __FILE__, __LINE__, #x, \
				strerror(errno));                                                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define ACCESS_ALL \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

enum {
	QKEY = 0x1234,
	DC_KEY = 0xabcd,
	PORT_LID = 7,
	ROCE_V2_IPV4 = 3, /* the index of such a GID */
	NO_RNR_LIMIT = 7,
	FIRST_PSN = 0xfffffe, /* soon it goes round */
	ACK_TIMEOUT = 14,
	ACK_TIMEOUT_MS = 67, /* 4.096 us * 2^14 */
	RETRY_CNT = 6,
	BUF_SIZE = 65536
};

/* Made once; the two RC QPs, connected with each other, anew for each test */
struct bed {
	struct ibv_device *dev;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr; /* of buf */
	struct ibv_qp *a, *b;
	uint8_t link_layer;
	bool ethernet;
	uint16_t lid; /* 0 on Ethernet */
	char buf[BUF_SIZE] __attribute__((aligned(4096)));
};
extern struct bed bed;

/* The functions of emu.h, as found at run time */
extern __typeof__(&vx_emu_fault) emu_fault;
extern __typeof__(&vx_emu_fail) emu_fail;
extern __typeof__(&vx_emu_live) emu_live;

/* A test; a table of them ends with an empty row. */
struct test {
	const char *name;
	void (*run)(void);
};
extern const struct test async_tests[], check_tests[], connected_tests[], cq_tests[], datagram_tests[],
	dc_tests[], devx_tests[], dm_tests[], error_tests[], fabric_tests[], fail_tests[], fault_tests[],
	infiniband_tests[], limit_tests[], mkey_tests[], mr_tests[], retry_tests[], roce_tests[],
	state_tests[];

/* Open the device and fill in the bed but for the QPs */
void open_bed(struct ibv_device *dev);

uint64_t address(size_t offset); /* in bed.buf */

/* From the port to itself; on Ethernet by the GID of that index */
struct ibv_ah_attr path_to_self(int gid_index);

/* Making QPs and moving them */
struct ibv_qp *make_qp(enum ibv_qp_type type, uint64_t ops, struct mlx5dv_qp_init_attr *dv);
struct ibv_qp *make_rc(struct ibv_cq *cq, struct ibv_srq *srq);
struct ibv_qp *make_ud(void); /* ready to send */
void to_reset(struct ibv_qp *q);
void to_init(struct ibv_qp *q, int access);
struct ibv_qp_attr path_to(uint32_t dest); /* what the next two usually get */
void connect_rc(struct ibv_qp *q, struct ibv_qp_attr a); /* from INIT */
void start_rc(struct ibv_qp *q, struct ibv_qp_attr a); /* from any state */
void reconnect(struct ibv_qp *a, struct ibv_qp *b, int rnr_retry);
struct ibv_qp *make_uc_loop(void); /* connected with itself */
int state_of(struct ibv_qp *q);

/* Posting; what is sent comes from the start of bed.buf */
void start(struct ibv_qp_ex *x, uint64_t wr_id, unsigned int flags);
void post_recv(struct ibv_qp *q, uint64_t wr_id, size_t offset, uint32_t len);
void post_send(struct ibv_qp *q, uint64_t wr_id, unsigned int flags, uint32_t len);
void send_datagram(struct ibv_qp *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);
void post_write(struct ibv_qp *q, uint64_t wr_id, uint32_t rkey, uint64_t to, const char *text);

/* Waiting; each fails the test after two seconds */
struct ibv_wc wait_wc(struct ibv_cq *cq);
void expect_wc(uint64_t wr_id, enum ibv_wc_status status, int opcode);
void expect_error(uint64_t wr_id, enum ibv_wc_status status);
struct ibv_async_event wait_async(enum ibv_event_type type);
int readable(int fd, int ms);
double now_ms(void);

#endif
