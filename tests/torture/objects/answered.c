/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Calls that neither the device nor, perhaps, the rdma-core at hand has: answered in their place, by yes or as told. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "reach/loader.h"
#include "torture.h"

#if VERBSX_LOADER

#define ADOPTED(call) { #call, NULL, BY_NULL, NULL }
#define LENGTH 64

#if VX_RDMA_CORE >= 59
static char memory[LENGTH];
static struct vx_mr *mr;
#endif
static struct ibv_qp raw_qp;
static struct ibv_mr raw_mr;
static struct ibv_dm raw_dm;
static struct ibv_srq raw_srq;

/* ---- who answers ---- */

/* For whatever returns 0 or an errno; the arguments are not looked at. */
static int agree(void)
{
	return inject_refuses();
}

static int agree_by_minus(void)
{
	return -inject_refuses();
}

#if VX_RDMA_CORE >= 60
static struct rdma_addrinfo raw_addrinfo;

static int agree_by_minus_one(void)
{
	return inject_refuses() ? -1 : 0;
}

static int find_addresses(struct rdma_cm_id *id, struct rdma_addrinfo **out)
{
	(void)id;
	*out = inject_made(&raw_addrinfo);
	return *out ? 0 : -1;
}
#endif

#if VX_RDMA_CORE >= 62
static int agree_by_fd(void)
{
	return inject_refuses() ? -1 : 77;
}
#endif

static struct ibv_mr *begin_mr(struct ibv_pd *pd)
{
	raw_mr = (struct ibv_mr){ .context = pd->context, .pd = pd };
	return inject_made(&raw_mr);
}

static struct ibv_dm *import_dm(struct ibv_context *context)
{
	raw_dm = (struct ibv_dm){ .context = context };
	return inject_made(&raw_dm);
}

/* It cannot refuse. */
static void unimport_dm(void)
{
	standing--;
}

static struct ibv_qp *open_qp(struct ibv_context *context)
{
	raw_qp = (struct ibv_qp){ .context = context };
	return inject_made(&raw_qp);
}

static struct ibv_srq *begin_srq(struct ibv_context *context)
{
	raw_srq = (struct ibv_srq){ .context = context };
	return inject_made(&raw_srq);
}

/* The stage has QPs of the device's own. */
static int end_qp(struct ibv_qp *qp)
{
	int (*destroy)(struct ibv_qp *) =
		(int (*)(struct ibv_qp *))dlsym(dlopen("libibverbs.so.1", RTLD_NOLOAD | RTLD_LAZY), "ibv_destroy_qp");

	return qp == &raw_qp ? inject_ended() : destroy(qp);
}

#if VX_RDMA_CORE >= 59
static struct ibv_dmah raw_dmah;

static struct ibv_dmah *begin_dmah(struct ibv_context *context)
{
	raw_dmah = (struct ibv_dmah){ .context = context };
	return inject_made(&raw_dmah);
}
#endif

#if VX_RDMA_CORE >= 64
static char raw_buf[1];

static void *begin_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	(void)pd, (void)size;
	*buf = (struct ibv_buf *)(void *)raw_buf;
	return inject_made(memory);
}
#endif

#if VX_RDMA_CORE >= 65
static struct ibv_comp_cntr raw_cntr;

static struct ibv_comp_cntr *begin_cntr(struct ibv_context *context)
{
	raw_cntr = (struct ibv_comp_cntr){ .context = context };
	return inject_made(&raw_cntr);
}
#endif

static void answer(const char *call, vx_function function)
{
	if (vx_loader_replace(call, function) == 0)
		return;
	fprintf(stderr, "%s\n", vx_error_text());
	exit(2);
}

static const struct {
	const char *call;
	vx_function function;
} answers[] = {
	{ "ibv_dereg_mr", (vx_function)inject_ended },
	{ "ibv_destroy_qp", (vx_function)end_qp },
	{ "ibv_destroy_srq", (vx_function)inject_ended },
	{ "ibv_import_dm", (vx_function)import_dm },
	{ "ibv_init_ah_from_wc", (vx_function)agree_by_minus },
	{ "ibv_query_ece", (vx_function)agree },
	{ "ibv_reg_dmabuf_mr", (vx_function)begin_mr },
	{ "ibv_resolve_eth_l2_from_gid", (vx_function)agree_by_minus },
	{ "ibv_set_ece", (vx_function)agree },
	{ "ibv_unimport_dm", (vx_function)unimport_dm },
#if VX_RDMA_CORE >= 59
	{ "ibv_alloc_dmah", (vx_function)begin_dmah },
	{ "ibv_dealloc_dmah", (vx_function)inject_ended },
	{ "ibv_reg_mr_ex", (vx_function)begin_mr },
#endif
#if VX_RDMA_CORE >= 60
	{ "rdma_freeaddrinfo", (vx_function)unimport_dm },
	{ "rdma_query_addrinfo", (vx_function)find_addresses },
	{ "rdma_resolve_addrinfo", (vx_function)agree_by_minus_one },
	{ "rdma_write_cm_event", (vx_function)agree_by_minus_one },
#endif
#if VX_RDMA_CORE >= 62
	{ "ibv_dm_export_dmabuf_fd", (vx_function)agree_by_fd },
	{ "ibv_query_port_speed", (vx_function)agree },
#endif
#if VX_RDMA_CORE >= 64
	{ "ibv_alloc_buf", (vx_function)begin_buf },
	{ "ibv_free_buf", (vx_function)unimport_dm },
	{ "ibv_reg_buf_mr", (vx_function)begin_mr },
#endif
#if VX_RDMA_CORE >= 65
	{ "_ibv_query_comp_cntr_caps", (vx_function)agree },
	{ "ibv_create_comp_cntr", (vx_function)begin_cntr },
	{ "ibv_destroy_comp_cntr", (vx_function)inject_ended },
	{ "ibv_export_buf_dmabuf_fd", (vx_function)agree_by_fd },
	{ "ibv_inc_comp_cntr", (vx_function)agree },
	{ "ibv_inc_err_comp_cntr", (vx_function)agree },
	{ "ibv_qp_attach_comp_cntr", (vx_function)agree },
	{ "ibv_read_comp_cntr", (vx_function)agree },
	{ "ibv_read_err_comp_cntr", (vx_function)agree },
	{ "ibv_set_comp_cntr", (vx_function)agree },
	{ "ibv_set_err_comp_cntr", (vx_function)agree },
#endif
};

void answered_install(void)
{
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		answer(answers[i].call, answers[i].function);
}

/* Inline calls end in the provider's table, or in that of an object. */
#define ANSWER(slot, function) ((slot) = (__typeof__(slot))(vx_function)(function))

void answered_inline(void)
{
	struct verbs_context *provider = verbs_get_ctx(vx_ctx_raw(stage.ctx));

	ANSWER(provider->advise_mr, agree);
	ANSWER(provider->alloc_null_mr, begin_mr);
	ANSWER(provider->attach_counters_point_flow, agree);
	ANSWER(provider->modify_flow_action_esp, agree);
	ANSWER(provider->modify_qp_rate_limit, agree);
	ANSWER(provider->open_qp, open_qp);
	ANSWER(provider->query_rt_values, agree);
	ANSWER(provider->context.ops.bind_mw, agree);
	ANSWER(vx_dm_raw(stage.dm)->memcpy_to_dm, agree);
	ANSWER(vx_dm_raw(stage.dm)->memcpy_from_dm, agree);
}

/* ---- what is asked ---- */

#define ASK(name, call)                        \
	static int name(void)                  \
	{                                      \
		return call;                   \
	}

static char given[64]; /* whatever is asked for */
#if VX_RDMA_CORE >= 62
static int fd;
#endif

ASK(null_mr, vx_mr_create(stage.pd, &(struct vx_mr_init){ .flags = VX_MR_NULL }, &made.mr))
ASK(mr_of_dmabuf, vx_mr_create(stage.pd, &(struct vx_mr_init){ .fd = 33, .length = LENGTH }, &made.mr))
ASK(dm_import, vx_dm_import(stage.ctx, 7, &made.dm))
ASK(opened_qp, vx_opened_qp_create(stage.ctx, &(struct vx_opened_qp_init){ .xrcd = stage.xrcd }, &made.qp))

/* SRQs of other types are the device's. */
static int tm_srq(void)
{
	const struct vx_srq_init init = { .srq_type = IBV_SRQT_TM, .cq = stage.cq, .tm_cap = { 16, 4 } };

	ANSWER(verbs_get_ctx(vx_ctx_raw(stage.ctx))->create_srq_ex, begin_srq);
	return vx_srq_create(stage.pd, &init, &made.srq);
}

/* Only a connected QP has windows. */
static struct vx_qp *connected;

static int mw(void)
{
	const struct vx_qp_init rc = { .qp_type = IBV_QPT_RC, .send_cq = stage.cq, .recv_cq = stage.cq };
	int code = vx_qp_create(stage.pd, &rc, &connected);

	return code ? code : vx_mw_create(stage.pd, NULL, &made.mw);
}

ASK(counters, vx_counters_create(stage.ctx, NULL, &made.counters))
ASK(action, vx_flow_action_create(stage.ctx, NULL, &made.flow_action))

ASK(ah_from_wc, vx_ctx_init_ah_from_wc(stage.ctx, 1, (void *)given, (void *)given, (void *)given))
ASK(neighbour, vx_ctx_resolve_eth_l2_from_gid(stage.ctx, (void *)given, (void *)given, (void *)given))
ASK(clock_values, vx_ctx_query_rt_values_ex(stage.ctx, (void *)given))
ASK(advice, vx_pd_advise_mr(stage.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, (void *)given, 1))
ASK(binding, vx_qp_bind_mw(connected, made.mw, (void *)given))
ASK(rate, vx_qp_modify_rate_limit(stage.ud, (void *)given))
ASK(ece, vx_qp_query_ece(stage.ud, (void *)given))
ASK(new_ece, vx_qp_set_ece(stage.ud, (void *)given))
ASK(to_dm, vx_dm_memcpy_to(stage.dm, 0, given, 8))
ASK(from_dm, vx_dm_memcpy_from(stage.dm, given, 0, 8))
ASK(point, vx_counters_attach_point_flow(made.counters, (void *)given, NULL))
ASK(new_esp, vx_flow_action_modify_esp(made.flow_action, (void *)given))
#if VX_RDMA_CORE >= 59
/* Somebody else's. */
static int lend(void)
{
	raw_dmah = (struct ibv_dmah){ .context = vx_ctx_raw(stage.ctx) };
#if VX_RDMA_CORE >= 65
	raw_cntr = (struct ibv_comp_cntr){ .context = vx_ctx_raw(stage.ctx) };
#endif
	standing++;
	return 0;
}

ASK(dmah, vx_dmah_create(stage.ctx, NULL, &made.dmah))
ASK(mr_with_dmah, vx_mr_create(stage.pd, &(struct vx_mr_init){ .addr = memory, .length = LENGTH, .dmah = made.dmah }, &mr))
ASK(adopted_dmah, vx_dmah_adopt(stage.ctx, &raw_dmah, &made.dmah))
#endif
#if VX_RDMA_CORE >= 60
ASK(found, vx_cm_found_create(connections_id, NULL, &made.cm_addrinfo))
ASK(finding, vx_cm_id_resolve_addrinfo(connections_id, "localhost", "7471", NULL))
ASK(own_event, vx_cm_id_write_cm_event(connections_id, (enum rdma_cm_event_type)18, 0, 7))
#endif
#if VX_RDMA_CORE >= 62
ASK(dm_fd, vx_dm_export_dmabuf_fd(stage.dm, &fd))
ASK(speed, vx_ctx_query_port_speed(stage.ctx, 1, (void *)given))
#endif
#if VX_RDMA_CORE >= 64
ASK(buf, vx_buf_create(stage.pd, &(struct vx_buf_init){ .length = LENGTH }, &made.buf))
ASK(adopted_buf, vx_buf_adopt(stage.pd, (void *)raw_buf, memory, LENGTH, &made.buf))
ASK(mr_of_buf, vx_mr_create(stage.pd, &(struct vx_mr_init){ .buf = made.buf }, &mr))
#endif
#if VX_RDMA_CORE >= 65
ASK(cntr, vx_comp_cntr_create(stage.ctx, NULL, &made.cntr))
ASK(adopted_cntr, vx_comp_cntr_adopt(stage.ctx, &raw_cntr, &made.cntr))
ASK(buf_fd, vx_buf_export_dmabuf_fd(made.buf, &fd))
ASK(cntr_caps, vx_ctx_query_comp_cntr_caps(stage.ctx, (void *)given))
ASK(attaching, vx_qp_attach_comp_cntr(stage.ud, made.cntr, (void *)given))
ASK(inc, vx_comp_cntr_inc(made.cntr, 1))
ASK(inc_err, vx_comp_cntr_inc_err(made.cntr, 1))
ASK(value, vx_comp_cntr_read(made.cntr, (void *)given))
ASK(err_value, vx_comp_cntr_read_err(made.cntr, (void *)given))
ASK(new_value, vx_comp_cntr_set(made.cntr, 1))
ASK(new_err_value, vx_comp_cntr_set_err(made.cntr, 1))
#endif

const struct kind answered_kinds[] = {
	{ "null mr", null_mr, IN_PLACE(ibv_alloc_null_mr), IN_PLACE(ibv_dereg_mr) },
	{ "mr of a dma-buf", mr_of_dmabuf, IN_PLACE(ibv_reg_dmabuf_mr), IN_PLACE(ibv_dereg_mr) },
	{ "tag matching srq", tm_srq, IN_PLACE(ibv_create_srq_ex), IN_PLACE(ibv_destroy_srq) },
	{ "opened qp", opened_qp, IN_PLACE(ibv_open_qp), IN_PLACE(ibv_destroy_qp) },
#if VX_RDMA_CORE >= 59
	{ "dmah", dmah, IN_PLACE(ibv_alloc_dmah), IN_PLACE(ibv_dealloc_dmah) },
#endif
#if VX_RDMA_CORE >= 65
	{ "comp_cntr", cntr, IN_PLACE(ibv_create_comp_cntr), IN_PLACE(ibv_destroy_comp_cntr) },
#endif
	{ 0 },
};

const struct method answered_methods[] = {
	{ "import of a dm", NULL, dm_import, IN_PLACE(ibv_import_dm) },
	{ "ah attributes from a completion", NULL, ah_from_wc, ASKING_FIRST(ibv_query_port, ibv_init_ah_from_wc) },
	{ "a neighbour's address", NULL, neighbour, IN_PLACE(ibv_resolve_eth_l2_from_gid) },
	{ "values of a clock", NULL, clock_values, IN_PLACE(ibv_query_rt_values_ex) },
	{ "advice", NULL, advice, IN_PLACE(ibv_advise_mr) },
	{ "binding an mw", mw, binding, IN_PLACE(ibv_bind_mw) },
	{ "a rate", NULL, rate, IN_PLACE(ibv_modify_qp_rate_limit) },
	{ "asking for ece", NULL, ece, IN_PLACE(ibv_query_ece) },
	{ "setting ece", NULL, new_ece, IN_PLACE(ibv_set_ece) },
	{ "copying to a dm", NULL, to_dm, IN_PLACE(ibv_memcpy_to_dm) },
	{ "copying from a dm", NULL, from_dm, IN_PLACE(ibv_memcpy_from_dm) },
	{ "a point of counters", counters, point, IN_PLACE(ibv_attach_counters_point_flow) },
	{ "change of a flow action", action, new_esp, IN_PLACE(ibv_modify_flow_action_esp) },
#if VX_RDMA_CORE >= 59
	{ "adopting a dmah", lend, adopted_dmah, ADOPTED(vx_dmah_adopt) },
	{ "mr with a dmah", dmah, mr_with_dmah, IN_PLACE(ibv_reg_mr_ex) },
#endif
#if VX_RDMA_CORE >= 60
	{ "addresses that an id has found", connections_make_id, found, IN_PLACE(rdma_query_addrinfo) },
	{ "finding of addresses", connections_make_id, finding, IN_PLACE(rdma_resolve_addrinfo) },
	{ "event of the program's own", connections_make_id, own_event, IN_PLACE(rdma_write_cm_event) },
#endif
#if VX_RDMA_CORE >= 62
	{ "export of a dm", NULL, dm_fd, IN_PLACE(ibv_dm_export_dmabuf_fd) },
	{ "speed of a port", NULL, speed, IN_PLACE(ibv_query_port_speed) },
#endif
#if VX_RDMA_CORE >= 64
	{ "making a buf", NULL, buf, IN_PLACE(ibv_alloc_buf) },
	{ "adopting a buf", lend, adopted_buf, ADOPTED(vx_buf_adopt) },
	{ "mr of a buf", buf, mr_of_buf, IN_PLACE(ibv_reg_buf_mr) },
#endif
#if VX_RDMA_CORE >= 65
	{ "adopting a comp_cntr", lend, adopted_cntr, ADOPTED(vx_comp_cntr_adopt) },
	{ "export of a buf", buf, buf_fd, IN_PLACE(ibv_export_buf_dmabuf_fd) },
	{ "capabilities of counters", NULL, cntr_caps, IN_PLACE(ibv_query_comp_cntr_caps) },
	{ "attaching a counter", cntr, attaching, IN_PLACE(ibv_qp_attach_comp_cntr) },
	{ "increasing a counter", cntr, inc, IN_PLACE(ibv_inc_comp_cntr) },
	{ "increasing a counter of errors", cntr, inc_err, IN_PLACE(ibv_inc_err_comp_cntr) },
	{ "reading a counter", cntr, value, IN_PLACE(ibv_read_comp_cntr) },
	{ "reading a counter of errors", cntr, err_value, IN_PLACE(ibv_read_err_comp_cntr) },
	{ "setting a counter", cntr, new_value, IN_PLACE(ibv_set_comp_cntr) },
	{ "setting a counter of errors", cntr, new_err_value, IN_PLACE(ibv_set_err_comp_cntr) },
#endif
	{ 0 },
};

#else

void answered_inline(void)
{
}

#endif
