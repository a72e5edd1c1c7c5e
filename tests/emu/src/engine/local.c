/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "engine/local.h"

#include <endian.h>
#include <stdlib.h>

#include "config.h"
#include "objects/mkey.h"
#include "objects/qp.h"

int local_nop(struct qp *q, struct send_wqe *w)
{
	(void)q;
	(void)w;
	return 0;
}

/* Memory to memory */
int local_mmo(struct qp *q, struct send_wqe *w)
{
	const struct mlx5_wqe_data_seg *from = (const void *)(w->raw + MMO_SOURCE);
	const struct mlx5_wqe_data_seg *to = (const void *)(w->raw + MMO_DESTINATION);
	uint32_t n = be32toh(from->byte_count);
	uint8_t *data = config.mmo && w->ds == MMO_SEGMENTS ? malloc(n ? n : 1) : NULL;
	int rc;

	if (!data)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	rc = mkey_read(q->o.pd, be32toh(from->lkey), be64toh(from->addr), n, 0, data);
	if (!rc)
		rc = mkey_write(q->o.pd, be32toh(to->lkey), be64toh(to->addr), n, IBV_ACCESS_LOCAL_WRITE,
				data);
	free(data);
	return rc ? MLX5_CQE_SYNDROME_LOCAL_PROT_ERR : 0;
}
