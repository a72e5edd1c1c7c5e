/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * Any text given to whatever looks for a name. Input: a byte, the text. Suggestions take long, so they are asked for
 * only when both are small; then the byte says for how many there is room.
 */

#include <verbsx/call.h>
#include <verbsx/describe.h>
#include <verbsx/enum.h>

#include "input.h"

#define MOST_ROOM 17
#define LONGEST 6

static void suggest(const char *text, size_t max)
{
	const char **names = malloc(max * sizeof(*names));
	size_t count = vx_suggest(text, names, max), i;

	must(count <= max);
	for (i = 0; i < count; i++)
		must(*names[i]);
	free(names);
}

static void find(const char *text)
{
	struct vx_enumerator at;
	struct vx_meaning meaning;
	struct vx_errno_info code;
	struct vx_call_info call;
	const struct vx_enum_info *e;

	must(!vx_enum_find(text) || !strcmp(vx_enum_tag(vx_enum_find(text)), text));
	must(!vx_enumerator_find(text, &e, &at) || !strcmp(at.name, text));
	must(!vx_meaning_of(text, &meaning) || *meaning.says);
	must(!vx_errno_find(text, &code) || *code.name);
	must(!vx_call_find(text, &call) || !strcmp(call.name, text));
	must(!vx_man_page(text) || *vx_man_page(text));
	must(!vx_stands_for(text) || *vx_stands_for(text));
	vx_struct_find(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, size };
	size_t max = take_number(&in, 1);
	char *text = take_text(&in);

	find(text);
	if (max <= MOST_ROOM && in.size <= LONGEST)
		suggest(text, max);
	free(text);
	return 0;
}
