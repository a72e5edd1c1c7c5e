/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the parts of the WQE printer share. */
#ifndef WQE_H
#define WQE_H

#include <stdint.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

/* A send queue that nothing leaves, and what its requests need */
struct bed {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr; /* of buffer */
	struct ibv_mw *mw;
	uint32_t mw_key; /* that it is to be bound with */
	struct mlx5dv_mkey *mkey, *sig_mkey, *crypto_mkey;
	struct mlx5dv_dek *dek;
	struct ibv_ah *ah;
	struct ibv_xrcd *xrcd;
	struct ibv_qp *qp;
	uint32_t length; /* of the data */
};
extern struct bed bed;

#define BUFFER_SIZE 65536
extern char buffer[BUFFER_SIZE];

/* QP types that have a builder */
enum {
	RC = 1,
	UC = 2,
	UD = 4,
	XRC = 8,
	DCI = 16,
	RAW = 32,
	GUARDED = 64, /* RC, with keys that sign and encrypt */
	CONNECTED = RC | UC | XRC | DCI,
	RELIABLE = RC | XRC | DCI,
	ANY = CONNECTED | UD
};

struct builder {
	const char *name;
	int types;
	int (*post)(const struct builder *self); /* 0 or an errno */
	int opcode; /* of ibv_post_send() */
	unsigned int flags;
};

/* Each table ends with an empty row. */
extern const struct builder post_send_builders[], wr_builders[], mlx5dv_builders[];

uint64_t address(size_t offset); /* in the buffer */
struct ibv_sge sge(size_t offset, uint32_t length);

/* Say where a request goes, as the QP type wants it */
void set_destination(struct ibv_qp_ex *x);

/* Numbers of nothing, the same in each run */
enum {
	REMOTE_QPN = 0x123456,
	REMOTE_QKEY = 0x11223344,
	REMOTE_SRQN = 0x42,
	REMOTE_KEY = 0x5a5a5a01,
	IMMEDIATE = 0x01020304
};
#define DC_KEY 0x1122334455667788ull

#endif
