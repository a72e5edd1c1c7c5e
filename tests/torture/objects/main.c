/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Whatever fails in making, using or closing an object, once or from then on: the error names the call, nothing is
 * left over, the parents work, and a second try does.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>

#include "descriptors.h"
#include "torture.h"

static unsigned long cases, failures;
static bool tried_elsewhere; /* with all codes: what does not depend on the link, on InfiniBand */
static int idle; /* objects that are there without a stage */
static const char *const point_names[] = { "call into the kernel", "call of rdma-core", "allocation" };

/* What a scenario does when nothing goes wrong. */
struct clean {
	unsigned long calls[POINTS];	/* into the kernel, and allocations */
	int before, after;		/* objects alive */
};

static void expect(bool holds, const char *what, const struct scenario *scenario, const struct injection *injection)
{
	cases++;
	if (holds)
		return;
	failures++;
	printf("%s, %s %lu fails%s (%s): not so: %s; %s\n", scenario->name, point_names[injection->point],
	       injection->number, injection->on ? " and all after it" : "", strerror(injection->code), what,
	       vx_error_text());
}

static void need(int rc, const char *what, const struct scenario *scenario)
{
	if (rc == 0)
		return;
	printf("%s: %s: %s\n", scenario->name, what, vx_error_text());
	exit(1);
}

static void build(const struct scenario *scenario)
{
	need(stage_build(), "building", scenario);
	need(scenario->before ? scenario->before() : 0, "before it", scenario);
}

/* Neither failing nor anything else: a number that is never reached. */
static unsigned long count(const struct scenario *scenario, enum point point, struct clean *clean)
{
	build(scenario);
	clean->before = live_objects();
	inject(&(struct injection){ .point = point, .number = 1000, .code = EIO });
	need(scenario->act(), "undisturbed", scenario);
	clean->calls[point] = inject_end();
	clean->after = live_objects();
	need(stage_close(), "closing", scenario);
	return clean->calls[point];
}

/* Want of memory is our own failure, or that of mmap(2). */
static bool is_named(const struct scenario *scenario, const struct injection *injection, const char *call)
{
	if (injection->point == MEMORY)
		return !strncmp(call, inject_refused(), strlen(inject_refused()));
	if (scenario->many)
		return !strncmp(call, "ibv_", 4);
	return !strcmp(call, scenario->call.name) || (scenario->call.first && strstr(scenario->call.first, call));
}

static bool waits(const struct scenario *scenario)
{
	return scenario->call.how == BY_WAITING || scenario->call.how == BY_WAITING_CODE;
}

/* What libmlx5 can do without may fail unseen. */
static void check_outcome(const struct scenario *scenario, const struct injection *injection, int rc,
			  const struct clean *clean)
{
	const struct vx_error_info *error = vx_error();
	int live = live_objects();

	if (rc == 0) {
		expect(live == clean->after, "as many objects as undisturbed", scenario, injection);
		expect(injection->point != RDMA_CORE || (waits(scenario) && injection->code == EAGAIN), "a refusal is seen",
		       scenario, injection);
		return;
	}
	if (rc == -EAGAIN && waits(scenario)) {
		expect(error->code == 0, "that nothing came is no failure", scenario, injection);
		expect(live == clean->before, "as many objects as before", scenario, injection);
		return;
	}
	expect(rc < 0 && error->code == rc, "a negative errno, which is recorded", scenario, injection);
	expect(injection->point != MEMORY || rc == -ENOMEM, "it is -ENOMEM", scenario, injection);
	expect(injection->point != RDMA_CORE || rc == -injection->code || (rc == -EBUSY && injection->code == EAGAIN),
	       "it is that of the call", scenario, injection); /* of what goes on by steps -EAGAIN is no failure */
	expect(is_named(scenario, injection, error->call), "the error names the call", scenario, injection);
	expect(live == clean->before || (scenario->many && live < clean->before && live > clean->after),
	       "as many objects as before", scenario, injection);
}

static void try(const struct scenario *scenario, const struct injection *injection, const struct clean *clean)
{
	int rc;

	build(scenario);
	vx_error_clear();
	inject(injection);
	rc = scenario->act();
	expect(inject_end() >= injection->number, "it was reached", scenario, injection);
	check_outcome(scenario, injection, rc, clean);
	expect(stage_use() == 0, "the parents work", scenario, injection);
	if (rc < 0) {
		expect(scenario->act() == 0, "a second try works", scenario, injection);
		expect(live_objects() == clean->after, "it leaves as many objects as undisturbed", scenario, injection);
	}
	need(stage_close(), "closing", scenario);
	expect(live_objects() == idle, "nothing is left at the end", scenario, injection);
}

static void try_points(const struct scenario *scenario, struct injection injection, unsigned long points,
		       const struct clean *clean)
{
	for (injection.number = 1; injection.number <= points; injection.number++) {
		injection.on = false;
		try(scenario, &injection, clean);
		injection.on = true;
		if (!scenario->once)
			try(scenario, &injection, clean);
	}
}

static bool can_refuse(const struct call *call)
{
	return (VERBSX_LOADER && call->slot) || call->how == BY_PROVIDER;
}

/* Without the loader, some have nothing that can be made to fail. */
static void check_points(const struct scenario *scenario, const struct clean *clean)
{
	if (!VERBSX_LOADER || clean->calls[KERNEL] || clean->calls[MEMORY] || can_refuse(&scenario->call))
		return;
	failures++;
	printf("%s: nothing in it can fail\n", scenario->name);
}

static void torture(const struct scenario *scenario)
{
	/* Those of all man pages of libibverbs, for every call, and those that a reason is looked for. */
	static const int codes[] = {
		ENOMEM, EINVAL, EBUSY, EIO, EOPNOTSUPP, ENOSYS, EPERM, EACCES, EAGAIN, ENOSPC, ENODEV, EFAULT, EMFILE, ENOENT,
		ENODATA,
	};
	/* Of connections, of which each takes long to bring about, and of what was tried with all: those that librdmacm's functions have, and what is asked again. */
	static const int few[] = { ENOMEM, EINVAL, EIO, EAGAIN };
	const bool some = scenario->slow || tried_elsewhere;
	const int *list = some ? few : codes;
	const size_t length = some ? sizeof(few) / sizeof(few[0]) : sizeof(codes) / sizeof(codes[0]);
	struct injection injection = { .call = &scenario->call };
	struct clean clean;
	size_t i;

	count(scenario, KERNEL, &clean);
	count(scenario, MEMORY, &clean);
	check_points(scenario, &clean);
	for (i = 0; i < length; i++) {
		injection.code = list[i];
		injection.point = KERNEL;
		try_points(scenario, injection, clean.calls[KERNEL], &clean);
		injection.point = RDMA_CORE;
		if (can_refuse(&scenario->call))
			try_points(scenario, injection, 1, &clean);
	}
	injection.point = MEMORY;
	injection.code = ENOMEM;
	try_points(scenario, injection, clean.calls[MEMORY], &clean);
}

static void torture_kind(const struct kind *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "making a %s", kind->name);
	torture(&(struct scenario){ .name = name, .act = kind->create, .call = kind->made_by });
	snprintf(name, sizeof(name), "closing a %s", kind->name);
	torture(&(struct scenario){ .name = name, .before = kind->create, .act = stage_close_made,
				    .call = kind->ended_by });
}

static void torture_kinds(const struct kind *kind)
{
	for (; kind->name; kind++)
		torture_kind(kind);
}

static void torture_methods(const struct method *method)
{
	for (; method->name; method++)
		torture(&(struct scenario){ .name = method->name, .before = method->create, .act = method->act,
					    .call = method->call });
}

static void torture_connections(const struct method *method, bool once)
{
	for (; method->name; method++)
		torture(&(struct scenario){ .name = method->name, .before = method->create, .act = method->act,
					    .call = method->call, .once = once, .slow = true });
}

static bool is_ethernet(void)
{
	bool ethernet;

	need(stage_build(), "building", &(struct scenario){ .name = "a look at the port" });
	ethernet = stage.ethernet;
	need(stage_close(), "closing", &(struct scenario){ .name = "a look at the port" });
	return ethernet;
}

static void torture_ethernet(void)
{
	torture_kinds(ethernet_kinds);
	torture_methods(ethernet_methods);
	torture_methods(adopting_on_ethernet);
	torture_kinds(mlx5_ethernet_kinds);
	torture_methods(mlx5_ethernet_methods);
	torture_methods(mlx5_flows);
}

/* The last: from here on rdma-core is no longer asked. */
static void torture_answered(void)
{
#if VERBSX_LOADER
	answered_install();
	torture_kinds(answered_kinds);
	torture_methods(answered_methods);
	answered_mlx5_install();
	torture_kinds(answered_mlx5_kinds);
	torture_methods(answered_mlx5_methods);
#endif
}

/* What is opened once and for good is open after the first look. */
static void torture_all(bool links_alone)
{
	bool ethernet = is_ethernet();
	int before;

	tried_elsewhere = links_alone;
	connections_begin();
	before = open_files();
	idle = live_objects();
	torture_kinds(connection_kinds);
	torture_connections(connections, false);
	torture_connections(connections_once, true);
	torture_kinds(kinds);
	torture_kinds(lacking_kinds);
	torture_methods(methods);
	torture_methods(lacking_methods);
	torture_methods(imported);
	torture_methods(adopting);
	torture_methods(events);
	torture_methods(data_path);
	torture_kinds(mlx5_kinds);
	torture_methods(mlx5_methods);
	torture_methods(mlx5_adopted);
	tried_elsewhere = false;
	if (ethernet)
		torture_ethernet();
	else
		torture_methods(infiniband_methods);
	tried_elsewhere = links_alone;
	torture(&(struct scenario){ .name = "closing many", .before = stage_make_many, .act = stage_close_pd,
				    .many = true });
	if (open_files() != before) {
		failures++;
		printf("%d files stay open\n", open_files() - before);
	}
	torture_answered();
	connections_end();
}

/* With `links`, what does not depend on the link of the port is tried with few codes. */
int main(int argc, char **argv)
{
	torture_all(argc > 1 && !strcmp(argv[1], "links"));
	printf("cases: %lu, failed: %lu\n", cases, failures);
	return failures != 0;
}
