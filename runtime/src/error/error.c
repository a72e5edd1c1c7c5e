/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * glibc has two functions of the name strerror_r(3); this asks for the one of POSIX whatever the build
 * defines.
 */
#undef _GNU_SOURCE
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

struct record {
	struct vx_error error;
	char object[128];
	char reason[512];
	char text[896]; /* made when it is asked for */
};

static _Thread_local struct record last;

/* What stands for it while failures may yet turn out to be none. */
static _Thread_local struct record tried;
static _Thread_local unsigned int trying;

static struct record *own_record(void)
{
	struct record *r = trying ? &tried : &last;

	if (!r->error.call)
		r->error = (struct vx_error){ .call = "", .object = r->object, .reason = r->reason };
	return r;
}

void vx_error_try(void)
{
	trying++;
}

void vx_error_tried(int rc)
{
	if (--trying == 0 && rc < 0)
		vx_fail(rc, tried.error.call, tried.object, tried.reason[0] ? "%s" : NULL, tried.reason);
}

const struct vx_error *vx_error(void)
{
	return &own_record()->error;
}

void vx_error_clear(void)
{
	struct record *r = own_record();

	r->error.code = 0;
	r->error.call = "";
	r->object[0] = '\0';
	r->reason[0] = '\0';
}

int vx_fail(int code, const char *call, const char *object, const char *format, ...)
{
	struct record *r = own_record();
	int saved_errno = errno;
	char reason[sizeof(r->reason)] = "";
	va_list args;

	/* The arguments may be parts of the record that is about to be overwritten. */
	if (format) {
		va_start(args, format);
		vsnprintf(reason, sizeof(reason), format, args);
		va_end(args);
	}
	if (object != r->object)
		snprintf(r->object, sizeof(r->object), "%s", object ? object : "");
	memcpy(r->reason, reason, sizeof(reason));
	r->error.code = code;
	r->error.call = call ? call : "";
	errno = saved_errno;
	return code;
}

int vx_null_fail(const char *call, const char *what)
{
	return vx_fail(-EINVAL, call, NULL, "%s is NULL", what);
}

const char *vx_code_text(int code, char *buf, size_t len)
{
	/* Its result does not matter: for an unknown code it says so in the buffer. */
	if (strerror_r(code < 0 ? -code : code, buf, len) && !buf[0])
		snprintf(buf, len, "error %d", code);
	return buf;
}

const char *vx_error_text(void)
{
	struct record *r = own_record();
	const struct vx_error *e = &r->error;
	int saved_errno = errno;
	char message[128] = "";

	if (!e->code)
		return "no error";
	snprintf(r->text, sizeof(r->text), "%s%s%s%s%s%s%s", e->call, *e->call && *e->object ? " on " : "",
		 e->object, *e->call || *e->object ? ": " : "", vx_code_text(e->code, message, sizeof(message)),
		 *e->reason ? ": " : "", e->reason);
	errno = saved_errno;
	return r->text;
}
