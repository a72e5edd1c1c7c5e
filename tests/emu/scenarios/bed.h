/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What each test has at hand: the first device, of whatever kind, with two RC QPs that are connected. */
#ifndef BED_H
#define BED_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#define CHECK(x) cr_assert((x), "%s (errno: %s)", #x, strerror(errno))
#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ACCESS_ALL \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define OPS_RC                                                                                       \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |            \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW)

enum {
	QKEY = 0x1234,
	NO_RNR_LIMIT = 7,
	FIRST_PSN = 0xfffffe, /* soon it goes round */
	ACK_TIMEOUT = 14,
	ACK_TIMEOUT_MS = 67, /* 4.096 us * 2^14 */
	RETRY_CNT = 6,
	PATIENCE = 60000, /* ms until what should happen is missed, on a busy machine */
	BUF_SIZE = 65536
};

/* Made anew for each test */
struct bed {
	struct ibv_device *dev;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr; /* of buf */
	struct ibv_qp *a, *b;
	bool ethernet;
	bool soft_roce;
	uint16_t lid; /* 0 on Ethernet */
	char buf[BUF_SIZE] __attribute__((aligned(4096)));
};
extern struct bed bed;

/* The .init and .fini of a suite. Nothing may be left by a test: no completion, event or object */
void open_bed(void);
void close_bed(void);
/* Of which open_bed is made */
struct ibv_device *first_device(void);
struct ibv_port_attr first_port(void); /* as it is now */
void furnish(struct ibv_context *ctx); /* all but the QPs */
void connect_bed(void); /* the QPs, and fill the buffer */

/* End a test, at its beginning, that is not for this device, and say why */
void skip(const char *why);
void skip_on_soft_roce(const char *why);

uint64_t address(size_t offset); /* in bed.buf */

/* From the port to itself; on Ethernet by the GID of that index */
struct ibv_ah_attr path_to_self(int gid_index);

/* Making QPs and moving them */
struct ibv_qp *make_qp(enum ibv_qp_type type, uint64_t ops);
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

/* Waiting; each fails the test when PATIENCE is over */
struct ibv_wc wait_wc(struct ibv_cq *cq);
void expect_wc(uint64_t wr_id, enum ibv_wc_status status, int opcode);
void expect_error(uint64_t wr_id, enum ibv_wc_status status);
void expect_own_error(enum ibv_wc_status status); /* of A's request 1; its peer sees nothing of it */
void invalidate(struct ibv_qp *q, uint32_t key);
struct ibv_async_event wait_async(enum ibv_event_type type);
/* Of a responder that refuses: IB has it so, and soft-RoCE sends none */
void expect_qp_event(enum ibv_event_type type, const struct ibv_qp *q);
int readable(int fd, int ms);
void wait_readable(int fd);
double now_ms(void);

#endif
