/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_TESTS_TORTURE_OBJECTS_H
#define VERBSX_TESTS_TORTURE_OBJECTS_H

/* What is done, and how it is made to fail. */

#include <stdbool.h>
#include <stddef.h>

#include <verbsx/verbsx.h>

/* How a function of rdma-core says no. */
enum says_no {
	BY_NULL,
	BY_CODE,
	BY_MINUS_ONE,
	BY_NEGATIVE, /* the code, negated */
	BY_PROVIDER, /* as what lacking.c has in the provider's place */
	BY_WAITING, /* -1, but EAGAIN is no refusal: it is asked again */
	BY_WAITING_CODE, /* the same of one that returns the code */
};

/* A function of rdma-core, as an error names it, and what can be replaced beneath it: NULL where that is inline. */
struct call {
	const char *name;
	const char *slot;
	enum says_no how;
	const char *first;	/* what is asked before it, and fails by names of its own; NULL: nothing */
};

/* What is to be done and can fail. */
struct scenario {
	const char *name;
	int (*before)(void);	/* what it needs besides the objects of stage_build(); NULL: nothing */
	int (*act)(void);
	struct call call;
	bool many;		/* closes several objects: some may have gone although it failed */
	bool once;		/* one call fails, and what follows it does not: librdmacm ends what it has begun without looking */
	bool slow;		/* fewer codes will do */
};

/* A kind of object: how one is made in the stage, by which call, and how it ends. */
struct kind {
	const char *name;
	int (*create)(void);
	struct call made_by, ended_by;
};

/* Something that is done with an object of the stage. */
struct method {
	const char *name;
	int (*create)(void);	/* the object; NULL: one of stage_build() */
	int (*act)(void);
	struct call call;
};

/* A function of rdma-core that can be replaced, or only what is beneath it. */
#define NAMED(call, how) { #call, #call, how, NULL }
#define CODED(call) NAMED(call, BY_CODE)
#define MADE_BY(call) NAMED(call, BY_NULL)
#define INLINE(call) { #call, NULL, BY_NULL, NULL }
#define IN_PLACE(call) { #call, NULL, BY_PROVIDER, NULL }
#define ASKING_FIRST(first, call) { #call, NULL, BY_PROVIDER, #first }

/* ---- stage.c: the objects ---- */

/* What scenarios start from; those that a device does not have, and other, are NULL. */
struct stage {
	struct vx_ctx *ctx;
	struct vx_pd *pd;
	struct vx_cq *cq;
	struct vx_comp_channel *channel;
	struct vx_xrcd *xrcd;
	struct vx_qp *ud;
	struct vx_dm *dm;
	struct vx_wq *wq;
	struct vx_ind_table *table;
	struct vx_ctx *other;	/* the same device once more, as another process would import it */
	bool ethernet;
	struct vx_cm_channel *connections, *elsewhere;	/* those of connection_steps.c */
};
extern struct stage stage;

/* What a scenario makes. */
union made {
	void *object;
	struct vx_ctx *context;
	struct vx_pd *pd;
	struct vx_td *td;
	struct vx_mr *mr;
	struct vx_pool *pool;
	struct vx_mw *mw;
	struct vx_dm *dm;
	struct vx_ah *ah;
	struct vx_cq *cq;
	struct vx_srq *srq;
	struct vx_qp *qp;
	struct vx_wq *wq;
	struct vx_ind_table *ind_table;
	struct vx_xrcd *xrcd;
	struct vx_comp_channel *comp_channel;
	struct vx_comp_cntr *cntr;
	struct vx_dmah *dmah;
	struct vx_buf *buf;
	struct vx_mcast *mcast;
	struct vx_sa_group *sa_group;
	struct vx_counters *counters;
	struct vx_flow *flow;
	struct vx_flow_action *flow_action;
	struct vx_cm_channel *cm_channel;
	struct vx_cm_id *cm_id;
	struct vx_cm_addrinfo *cm_addrinfo;
	struct vx_cm_group *cm_group;
	struct vx_cm_client *cm_client;
	struct vx_cm_server *cm_server;
};
extern union made made;

/* What a call has made, where it has. */
static inline int keep_made(int rc, void *object)
{
	if (rc == 0)
		made.object = object;
	return rc;
}

/* kinds.c and methods.c; each ends with an empty row: of any device, and of one on Ethernet or on InfiniBand. */
extern const struct kind kinds[], ethernet_kinds[];
extern const struct method methods[], ethernet_methods[], infiniband_methods[];

/* lacking.c: what no device here has. */
extern const struct kind lacking_kinds[];
extern const struct method lacking_methods[];
void lacking_install(struct ibv_context *context);

/* imported.c: what others made; adopting.c: what is taken over; events.c: what the device tells. */
extern const struct method imported[], adopting[], adopting_on_ethernet[], events[];

/* mlx5.c: what a vendor's header has; its direct rules in mlx5_dr.c, its flows in mlx5_flows.c, and what is taken over of it in mlx5_adopted.c. */
extern const struct kind mlx5_kinds[], mlx5_ethernet_kinds[];
extern const struct method mlx5_methods[], mlx5_ethernet_methods[], mlx5_flows[], mlx5_adopted[];

/* data_path.c: paths, and what waits for completions. */
extern const struct method data_path[];

/* connections.c: ids and what is made on them. */
extern const struct kind connection_kinds[];
extern const struct method connections[], connections_once[];

/* connection_steps.c: between a beginning, which opens what librdmacm never closes, and an end. */
void connections_begin(void);
void connections_end(void);
int connections_close(void);
int connections_make_id(void);
extern struct vx_cm_id *connections_id;

/* answered.c: what may be lacking in rdma-core as well. */
extern const struct kind answered_kinds[];
extern const struct method answered_methods[];
void answered_install(void);

/* answered_mlx5.c: what the emulated device lacks of mlx5. */
extern const struct kind answered_mlx5_kinds[];
extern const struct method answered_mlx5_methods[];
void answered_mlx5_install(void);
void answered_inline(void);

/* The parents; 0, or what failed. */
int stage_build(void);
int stage_close_made(void);
int stage_close_pd(void);
int stage_close(void);
int stage_make_many(void);

/* Make an object of a kind, by the name that it has in a table. */
int stage_make(const char *kind);

/* Whether the parents still work. */
int stage_use(void);

/* ---- inject.c: what goes wrong ---- */

enum point {
	KERNEL,		/* a call into the kernel */
	RDMA_CORE,	/* a function of rdma-core */
	MEMORY,		/* an allocation of libverbsx */
	POINTS,
};

struct injection {
	enum point point;
	unsigned long number;	/* which, from 1 */
	bool on;		/* and all after it */
	int code;		/* an errno */
	const struct call *call;
};

/* Something goes wrong from now on; until inject_end(), which returns how often such a thing was asked for. */
void inject(const struct injection *what);
unsigned long inject_end(void);

/* How the error of the first allocation that failed begins. */
const char *inject_refused(void);

/* In a function of lacking.c: 0, or the code that it has to refuse with, which is in errno as well. */
int inject_refuses(void);

/* What such a function returns that makes or ends an object, and how many of these there are. */
void *inject_made(void *object);
int inject_ended(void);
extern int standing;

/* Objects that the emulated device has, those in the provider's place, and what libverbsx has mapped. */
int live_objects(void);

#endif
