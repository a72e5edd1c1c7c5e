/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* A flow as rdma-core wants it: specs behind the attributes without a gap; and what it uses: QP, actions, counters. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error/fail.h"
#include "flow_spec.h"
#include "steps.h"

/* What programs have that were compiled with the first release; specs only grow. */
#define SHORTEST_SPEC (offsetof(struct vx_flow_spec, counters) + sizeof(struct vx_counters *))

struct draft {
	struct ibv_flow_attr attr;
	unsigned char specs[VX_FLOW_MAX_SPECS * sizeof(struct ibv_flow_spec)];
};

_Static_assert(offsetof(struct draft, specs) == sizeof(struct ibv_flow_attr), "no gap");

/* The attributes' own size is there already. */
static int add_spec(struct vx_gathered *gathered, const struct vx_flow_spec *spec, size_t index)
{
	struct draft *draft = gathered->raw;
	struct ibv_flow_spec raw;
	const char *lack;
	int rc = vx_flow_spec_fill(&raw, spec, index);

	if (rc < 0)
		return rc;
	lack = spec->counters ? vx_counters_lack(spec->counters) : NULL;
	if (lack)
		return vx_flow_fail(&(struct vx_flow_place){ index, "", "counters" }, "%s", lack);
	memcpy(draft->specs + draft->attr.size - sizeof(draft->attr), &raw, raw.hdr.size);
	gathered->size = draft->attr.size = (uint16_t)(draft->attr.size + raw.hdr.size);
	draft->attr.num_of_specs++;
	if (spec->action)
		gathered->uses[gathered->used++] = spec->action;
	if (spec->counters)
		gathered->uses[gathered->used++] = spec->counters;
	return 0;
}

static int take_specs(struct vx_gathered *gathered, const struct vx_flow_init *init, size_t spec_size)
{
	const char *theirs = (const char *)init->specs;
	struct vx_flow_spec own;
	size_t i;
	int rc = 0;

	for (i = 0; i < init->count && rc == 0; i++) {
		rc = vx_take_in(&own, sizeof(own), theirs + i * spec_size, spec_size, "vx_flow_create", "an element of specs", "counters");
		if (rc == 0)
			rc = add_spec(gathered, &own, i);
	}
	return rc;
}

int vx_flow_gather(struct vx_gathered *gathered, struct vx_qp *parent, struct vx_flow_init *init, size_t spec_size)
{
	struct draft *draft;

	if (init->count > VX_FLOW_MAX_SPECS)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "count = %zu, which is more than %d", init->count,
			       VX_FLOW_MAX_SPECS);
	if (init->count && spec_size < SHORTEST_SPEC)
		return vx_fail(-EINVAL, "vx_flow_create", NULL,
			       "elements of specs have %zu bytes, and those of the first libverbsx had %zu", spec_size, SHORTEST_SPEC);
	if (init->count && !init->specs)
		return vx_fail(-EINVAL, "vx_flow_create", NULL, "specs is NULL, but count = %zu", init->count);
	gathered->uses = calloc(1 + init->count, sizeof(void *));
	gathered->raw = draft = calloc(1, sizeof(*draft));
	if (!gathered->uses || !draft)
		return vx_fail(-ENOMEM, "vx_flow_create", NULL, NULL);
	gathered->uses[gathered->used++] = parent;
	if (!init->port_num)
		init->port_num = 1;
	draft->attr = (struct ibv_flow_attr){
		.type = init->type, .size = sizeof(draft->attr), .priority = init->priority,
		.port = (uint8_t)init->port_num, .flags = init->flags,
	};
	gathered->size = draft->attr.size;
	return take_specs(gathered, init, spec_size);
}
