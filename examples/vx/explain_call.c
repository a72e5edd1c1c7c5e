/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Functions. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/describe.h>

#include "command.h"
#include "explain.h"

static const char *kind_word(enum vx_call_kind kind)
{
	switch (kind) {
	case VX_CALL_EXTERN:
		return "exported by its library";
	case VX_CALL_INLINE:
		return "static inline in a header";
	case VX_CALL_PRIVATE:
		return "for rdma-core itself only, not to be called";
	case VX_CALL_MACRO:
		return "a function that newer headers replace by a macro";
	}
	return "";
}

static const char *error_word(enum vx_call_error error)
{
	switch (error) {
	case VX_CALL_ERROR_NONE:
		return "it cannot fail, or cannot say so";
	case VX_CALL_ERROR_NULL:
		return "returns NULL, the code is in errno";
	case VX_CALL_ERROR_MINUS_ONE:
		return "returns -1, the code is in errno";
	case VX_CALL_ERROR_ERRNO:
		return "returns the errno";
	case VX_CALL_ERROR_NEGATIVE:
		return "returns the errno negated";
	case VX_CALL_ERROR_COUNT:
		return "returns a negative number that is no errno";
	case VX_CALL_ERROR_TEXT:
		return "returns a text in any case";
	case VX_CALL_ERROR_OWN:
		return "returns a negative number of its own";
	}
	return "";
}

static void put_page(struct report *r, const struct vx_call_info *info)
{
	char own[128];

	snprintf(own, sizeof(own), "%s(3)", info->name);
	report_text(r, "page", info->page ? own : vx_man_page(info->name));
}

/* Whether a function is one of those before a colon: "ibv_reg_mr, ibv_create_cq: ..." */
static bool is_named(const char *head, size_t len, const char *function)
{
	const char *at = memmem(head, len, function, strlen(function));
	const char *end = at ? at + strlen(function) : NULL;

	return at && (at == head || at[-1] == ' ') && end <= head + len && *end != '_' && !isalnum((unsigned char)*end);
}

/* Of the causes of an errno, that are parted by semicolons, those that are said of a function: malloc()ed, added to the text. */
static char *add_causes(char *text, const struct vx_errno_info *info, const char *function)
{
	const char *cause, *colon, *end;
	char *longer;

	for (cause = info->causes; *cause; cause = *end ? end + strlen("; ") : end) {
		end = strstr(cause, "; ");
		end = end ? end : cause + strlen(cause);
		colon = memmem(cause, (size_t)(end - cause), ": ", strlen(": "));
		if (!colon || !is_named(cause, (size_t)(colon - cause), function))
			continue;
		longer = need_text("%s%s%s%.*s", text, *text ? "; " : "", info->name, (int)(end - colon), colon);
		free(text);
		text = longer;
	}
	return text;
}

static void put_errors(struct report *r, const char *function)
{
	char *text = need_text("%s", "");
	struct vx_errno_info info;
	size_t i;

	for (i = 0; vx_errno_at(i, &info); i++)
		text = add_causes(text, &info, function);
	report_text(r, "errors", text);
	free(text);
}

static size_t put_call(struct report *r, const struct vx_call_info *info)
{
	report_item(r, "function", info->name);
	report_text(r, "is", kind_word(info->kind));
	report_text(r, "library", info->library);
	report_text(r, "version", info->version);
	report_text(r, "failing", error_word(info->error));
	report_text(r, "result", info->note);
	put_errors(r, info->name);
	report_since(r, info->since);
	put_page(r, info);
	report_text(r, "wrapped", vx_stands_for(info->name));
	report_close(r);
	return 1;
}

size_t explain_call(struct report *r, const char *text)
{
	struct vx_call_info info;

	return vx_call_find(text, &info) ? put_call(r, &info) : 0;
}
