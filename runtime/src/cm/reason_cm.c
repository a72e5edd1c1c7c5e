/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Why calls of librdmacm fail, where no table can say it. */

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "cm/cm.h"
#include "cm/reason_cm.h"
#include "error/fail.h"
#include "traced.h"

#define MOST_GIDS 64

/* ---- addresses ---- */

static bool is_of_ipv4(const union ibv_gid *gid)
{
	static const unsigned char begins[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, begins, sizeof(begins));
}

static void put_address(struct vx_out *out, struct ibv_context *context, const union ibv_gid *gid)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, gid->raw + 12, text, sizeof(text));
	vx_put_format(out, " %s (%s)", text, context->device->name);
}

/* Of RoCE, the IPv4 addresses are GIDs; each is there once a version. */
static size_t put_addresses(struct vx_out *out, struct ibv_context *context)
{
	struct ibv_gid_entry *entries = calloc(MOST_GIDS, sizeof(*entries));
	ssize_t i, count = entries ? ibv_query_gid_table(context, entries, MOST_GIDS, 0) : 0;
	size_t put = 0;

	for (i = 0; i < count; i++) {
		if (!is_of_ipv4(&entries[i].gid) || (i && !memcmp(&entries[i].gid, &entries[i - 1].gid, sizeof(entries[i].gid))))
			continue;
		put_address(out, context, &entries[i].gid);
		put++;
	}
	free(entries);
	return put;
}

static void put_devices(struct vx_out *out, struct ibv_context *const *contexts, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!put_addresses(out, contexts[i]))
			vx_put_format(out, " %s", contexts[i]->device->name);
}

void vx_explain_cm_address(struct vx_failure *failure)
{
	struct ibv_context **contexts;
	int count = 0;

	if (failure->code != -ENODEV && failure->code != -EADDRNOTAVAIL)
		return;
	contexts = rdma_get_devices(&count);
	if (!contexts)
		return;
	vx_reason_add(failure, failure->code == -ENODEV ? "no RDMA device is behind the address" : "the address is none of this host that an RDMA device has");
	vx_reason_add(failure, "there are");
	put_devices(&failure->out, contexts, count);
	rdma_free_devices(contexts);
}

/* ---- depths ---- */

static void add_depth(struct vx_failure *failure, const char *name, int most)
{
	const uint64_t said = vx_argument(failure, name);

	if (said != RDMA_MAX_RESP_RES && said > (uint64_t)most)
		vx_reason_add(failure, "%s = %u, and the device allows %d; %d is as many as it can", name, (unsigned int)said, most, RDMA_MAX_RESP_RES);
}

void vx_explain_cm_depth(struct vx_failure *failure)
{
	const struct rdma_cm_id *id = (const struct rdma_cm_id *)(uintptr_t)failure->args[0];
	struct ibv_device_attr attr;

	if (failure->code != -EINVAL || !failure->args[1] || !id->verbs || ibv_query_device(id->verbs, &attr))
		return;
	add_depth(failure, "responder_resources", attr.max_qp_rd_atom);
	add_depth(failure, "initiator_depth", attr.max_qp_init_rd_atom);
}

/* ---- names ---- */

int vx_cm_name_code(int rc)
{
	static const int codes[][2] = {
		{ EAI_SYSTEM, 0 }, { EAI_MEMORY, ENOMEM }, { EAI_AGAIN, EAGAIN }, { EAI_FAMILY, EAFNOSUPPORT }, { EAI_NONAME, ENOENT },
		{ EAI_SERVICE, ENOENT }, { EAI_FAIL, EIO },
	};
	size_t i;

	if (rc == -1 && errno) /* EAI_BADFLAGS is -1 as well */
		return -errno;
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i][0] == rc)
			return -(codes[i][1] ? codes[i][1] : errno);
	return -EINVAL;
}

/* What getaddrinfo(3) itself says, as a code has more meanings than an errno. */
static int ask_again(const char *node, const char *service, const struct rdma_addrinfo *hints)
{
	const struct addrinfo asked = { .ai_flags = hints && hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0,
					.ai_family = hints ? hints->ai_family : AF_UNSPEC };
	struct addrinfo *found = NULL;
	int rc = getaddrinfo(node, service, &asked, &found);

	if (rc == 0)
		freeaddrinfo(found);
	return rc;
}

void vx_explain_cm_names(struct vx_failure *failure)
{
	const char *node = (const char *)(uintptr_t)failure->args[0], *service = (const char *)(uintptr_t)failure->args[1];
	const struct rdma_addrinfo *hints = (const struct rdma_addrinfo *)(uintptr_t)failure->args[2];
	int eai;

	if (!node && !service && !hints)
		vx_reason_add(failure, "node, service and hints are all NULL: nothing is asked for");
	else if ((eai = ask_again(node, service, hints)))
		vx_reason_add(failure, "%s, of node %s and service %s", gai_strerror(eai), node ? node : "NULL", service ? service : "NULL");
}
