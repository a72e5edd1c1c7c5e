/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What is right, and what compilers have to refuse with a message: the lines that end in a comment. C, and C++ as well. */

#include <verbsx/verbsx.h>

struct other {
	int field;
};

void use(struct vx_qp *qp, const struct vx_cq *cq, struct vx_mr *mr, struct ibv_qp *raw, struct other *other, void *any,
	 struct ibv_port_attr *port, const struct vx_object *object);

void use(struct vx_qp *qp, const struct vx_cq *cq, struct vx_mr *mr, struct ibv_qp *raw, struct other *other, void *any,
	 struct ibv_port_attr *port, const struct vx_object *object)
{
	struct ibv_mr *raw_mr = vx_mr_raw(mr);
	char name[10];

	vx_close(qp);
	vx_close(NULL);
	vx_close(any);
	vx_close(VX_TAKE(mr));
	vx_give_back(qp);
	vx_give_back(any);
	vx_object_kind_of(cq);
	vx_object_kind_of(object);
	vx_object_name(name, sizeof(name), cq);
	vx_print(stdout, cq);
	vx_print(stdout, port);
	vx_print(stdout, raw);
	vx_print(stdout, raw_mr);

	vx_close(&qp); /* handle */
	vx_close(raw); /* handle */
	vx_give_back(&mr); /* handle */
	vx_give_back(other); /* handle */
	vx_object_kind_of(raw_mr); /* handle */
	vx_object_name(name, sizeof(name), name); /* handle */
	vx_print(stdout, &qp); /* structure */
	vx_print(stdout, other); /* structure */
	vx_print(stdout, &any); /* structure */
	(void)VX_TYPEOF(&name[0]); /* structure */
	(void)VX_TYPEOF(any); /* structure */
}
