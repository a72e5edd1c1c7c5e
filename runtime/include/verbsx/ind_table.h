/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_IND_TABLE_H
#define VERBSX_IND_TABLE_H

/**
 * @file
 * Indirection tables: the work queues over which a QP spreads by hash what it receives.
 */

#include <verbsx/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a new table is to be like. */
struct vx_ind_table_init {
	struct vx_wq *const *wqs;	/**< one for each value of the hash; one WQ may be there more than once */
	size_t count;			/**< of them, a power of two */
};

VX_EXPORT int vx_ind_table_create_sized(struct vx_ctx *parent, const struct vx_ind_table_init *init, size_t size, struct vx_ind_table **out);

/**
 * Make an indirection table, for the field rwq_ind_tbl of struct vx_qp_init.
 *
 * @param parent  the context that it belongs to, which is that of the WQs
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where count is no power of two or a WQ is NULL
 *
 * Closing one of the WQs closes the table first. Thread-safe. Stands for ibv_create_rwq_ind_table(3).
 */
static inline int vx_ind_table_create(struct vx_ctx *parent, const struct vx_ind_table_init *init, struct vx_ind_table **out)
{
	return vx_ind_table_create_sized(parent, init, sizeof(*init), out);
}

/**
 * Take over a table that was made without libverbsx: vx_close() destroys it, vx_give_back() gives it back.
 *
 * @param parent  the context that it was made under
 * @return 0, or a negative errno with vx_error() filled: -EINVAL where it is of another context
 *
 * Thread-safe, and so is vx_ind_table_borrow().
 */
VX_EXPORT int vx_ind_table_adopt(struct vx_ctx *parent, struct ibv_rwq_ind_table *raw, struct vx_ind_table **out);

/** Use a table of somebody else: as vx_ind_table_adopt(), but left alone by vx_close(). */
static inline int vx_ind_table_borrow(struct vx_ctx *parent, struct ibv_rwq_ind_table *raw, struct vx_ind_table **out)
{
	int rc = vx_ind_table_adopt(parent, raw, out);

	if (rc == 0)
		vx_disown(*out);
	return rc;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBSX_IND_TABLE_H */
