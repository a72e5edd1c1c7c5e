/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Functions. */

#include <string.h>

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

static size_t put_call(struct report *r, const struct vx_call_info *info)
{
	report_item(r, "function", info->name);
	report_text(r, "is", kind_word(info->kind));
	report_text(r, "library", info->library);
	report_text(r, "version", info->version);
	report_text(r, "failing", error_word(info->error));
	report_text(r, "result", info->note);
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
