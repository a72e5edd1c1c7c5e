/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx api: how much of rdma-core libverbsx knows, and which of it is here. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/describe.h>
#include <verbsx/version.h>

#include "command.h"
#include "explain.h"
#include "explain_counter.h"
#include "table.h"

#define LABEL 11

struct counts {
	size_t enums, enumerators, structs, fields, calls, errnos, own, counters;
};

static size_t enumerators_of(const struct vx_enum_info *e)
{
	struct vx_enumerator at;
	size_t count = 0;

	while (vx_enumerator_at(e, count, &at))
		count++;
	return count;
}

static void count_enums(struct counts *counts)
{
	const struct vx_enum_info *e;

	for (; (e = vx_enum_at(counts->enums)); counts->enums++)
		counts->enumerators += enumerators_of(e);
}

static size_t fields_of(const struct vx_struct *s)
{
	struct vx_field_info field;
	size_t i, count = 0;

	for (i = 0; vx_struct_field_at(s, i, &field); i++) {
		struct vx_struct_info info = { .tag = "" };

		if (field.s)
			vx_struct_describe(field.s, &info);
		count += field.s && vx_struct_find(info.tag) != field.s ? fields_of(field.s) : 1;
	}
	return count;
}

static void count_structs(struct counts *counts)
{
	const struct vx_struct *s;

	for (; (s = vx_struct_at(counts->structs)); counts->structs++)
		counts->fields += fields_of(s);
}

/* What libverbsx itself has by name; fields go by that of their structure. */
static bool is_own_name(const struct own *own)
{
	return strcmp(own->kind, "field") && !is_described(own);
}

static size_t count_own(void)
{
	const struct own *own;
	size_t i, count = 0;

	for (i = 0; (own = own_at(i)); i++)
		count += is_own_name(own);
	return count;
}

static size_t count_counters(void)
{
	size_t count = 0;
	char *name;

	for (; (name = counter_name(count)); count++)
		free(name);
	return count;
}

static struct counts count_all(void)
{
	struct counts counts = { .enums = 0 };
	struct vx_call_info call;
	struct vx_errno_info info;

	count_enums(&counts);
	count_structs(&counts);
	while (vx_call_at(counts.calls, &call))
		counts.calls++;
	while (vx_errno_at(counts.errnos, &info))
		counts.errnos++;
	counts.own = count_own();
	counts.counters = count_counters();
	return counts;
}

static void put_counts(struct report *r)
{
	struct counts counts = count_all();

	report_number(r, "enums", (int64_t)counts.enums);
	report_number(r, "enumerators", (int64_t)counts.enumerators);
	report_number(r, "structs", (int64_t)counts.structs);
	report_number(r, "fields", (int64_t)counts.fields);
	report_number(r, "functions", (int64_t)counts.calls);
	report_number(r, "errnos", (int64_t)counts.errnos);
	report_number(r, "own", (int64_t)counts.own);
	report_number(r, "counters", (int64_t)counts.counters);
}

/* Whether a library has been met at a call before this one. */
static bool is_known(const char *library, size_t before)
{
	struct vx_call_info call;
	size_t i;

	for (i = 0; i < before && vx_call_at(i, &call); i++)
		if (!strcmp(call.library, library))
			return true;
	return false;
}

static size_t calls_of(const char *library)
{
	struct vx_call_info call;
	size_t i, count = 0;

	for (i = 0; vx_call_at(i, &call); i++)
		count += !strcmp(call.library, library);
	return count;
}

static void add_library(struct table *t, const char *library)
{
	unsigned int release = vx_release_of(library);

	table_text(t, library);
	table_number(t, (int64_t)calls_of(library));
	if (release)
		table_number(t, release);
	else
		table_text(t, "");
}

static void put_libraries(struct report *r)
{
	static const struct column columns[] = {
		{ "library", TEXT }, { "functions", NUMBER }, { "release", NUMBER },
	};
	struct table t = TABLE(r, "libraries", columns);
	struct vx_call_info call;
	size_t i;

	for (i = 0; vx_call_at(i, &call); i++)
		if (*call.library && !is_known(call.library, i))
			add_library(&t, call.library);
	table_end(&t);
}

static void put_summary(struct report *r)
{
	unsigned int running = vx_release_running();

	report_label(r, LABEL);
	report_text(r, "libverbsx", vx_version());
	report_text(r, "link_mode", vx_link_mode() == VX_LINK_LOADER ? "loader" : "direct");
	report_number_as(r, "headers", vx_release_built(), "rdma-core %u", vx_release_built());
	if (running)
		report_number_as(r, "running", running, "rdma-core %u", running);
	put_counts(r);
	put_libraries(r);
}

static void put_enum_names(struct report *r)
{
	const struct vx_enum_info *e;
	struct vx_enumerator at;
	size_t i, j;

	for (i = 0; (e = vx_enum_at(i)); i++) {
		report_text(r, NULL, vx_enum_tag(e));
		for (j = 0; vx_enumerator_at(e, j, &at); j++)
			report_text(r, NULL, at.name);
	}
}

static void put_struct_names(struct report *r)
{
	const struct vx_struct *s;
	struct vx_struct_info info;
	size_t i;

	for (i = 0; (s = vx_struct_at(i)); i++) {
		vx_struct_describe(s, &info);
		report_text(r, NULL, info.tag);
	}
}

static void put_counter_names(struct report *r)
{
	char *name;
	size_t i;

	for (i = 0; (name = counter_name(i)); i++) {
		report_text(r, NULL, name);
		free(name);
	}
}

static void put_names(struct report *r)
{
	struct vx_call_info call;
	struct vx_errno_info info;
	const struct own *own;
	size_t i;

	report_list(r, "names");
	put_enum_names(r);
	put_struct_names(r);
	for (i = 0; vx_call_at(i, &call); i++)
		report_text(r, NULL, call.name);
	for (i = 0; vx_errno_at(i, &info); i++)
		report_text(r, NULL, info.name);
	for (i = 0; (own = own_at(i)); i++)
		if (is_own_name(own))
			report_text(r, NULL, own->name);
	put_counter_names(r);
	report_close(r);
}

static int run(const struct options *options)
{
	struct report r;

	report_start(&r, options->json);
	if (options->names)
		put_names(&r);
	else
		put_summary(&r);
	report_finish(&r);
	return DONE;
}

const struct command api_command = {
	.name = "api",
	.summary = "how much of rdma-core is known, and which release runs here",
	.help = "usage: vx api [--names] [--json]\n"
		"\n"
		"Counts the enums, structures, fields and functions of rdma-core that libverbsx knows, of all\n"
		"releases, and tells the release of the headers it was built with and of the libraries here.\n"
		"A field that has fields of its own counts as those; where these headers lack it, as one. Own is\n"
		"what libverbsx itself has: functions, structures, macros, variables of the environment; counters\n"
		"are those of ports and drivers that vx explain knows.\n"
		"\n"
		"  -n, --names  print the names that vx explain knows, a line each\n"
		"  -j, --json   print JSON\n"
		"  -h, --help   show this\n",
	.letters = "jn",
	.run = run,
};
