/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/*
 * What failed last in each thread. Not in thread-local storage: the first use of that in a library which was opened by
 * dlopen(3) ends the program when there is no memory, and room for it may not be there at all.
 *
 * glibc has two functions of the name strerror_r(3); this asks for the one of POSIX whatever the build defines.
 */
#undef _GNU_SOURCE
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbsx/config.h>

#include "fail.h"
#include "text/out.h"

#define LONGEST_REASON 512

struct texts {
	char call[80];
	char object[128];
	char reason[LONGEST_REASON];
};

struct record {
	struct vx_error_info error;
	char later[VX_ROOM_TO_GROW];
	struct texts texts[2]; /* a failure may be told in words of the one before */
	vx_tell_function tell; /* NULL: all is told */
	_Alignas(max_align_t) char facts[VX_MOST_FACTS];
};

/* Of a thread, from its first failure on. */
struct failures {
	struct record last;
	struct record tried; /* stands for it while failures may yet turn out to be none */
	unsigned int trying;
	char text[896]; /* made when it is asked for */
};

/*
 * Filled by make_key(), so that no address in them needs a relocation; never changed from then on. A thread that has no
 * memory for failures of its own has one of the lost instead, so that at least the code is kept: by it, and the first of
 * them for what is no code of this system.
 */
static struct record nothing;
static struct vx_error_info lost[EHWPOISON + 1];

_Atomic(vx_reachable_function) vx_reachable;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static bool is_lost(const void *failures)
{
	return (uintptr_t)failures - (uintptr_t)lost < sizeof(lost);
}

static const struct vx_error_info *lost_with(int code)
{
	return &lost[code < 0 && code >= -EHWPOISON ? -code : 0];
}

static void forget(void *failures)
{
	if (!is_lost(failures))
		free(failures);
}

static void make_key(void)
{
	int i;

	nothing.error = (struct vx_error_info){ .call = "", .object = "", .reason = "" };
	for (i = 0; i <= EHWPOISON; i++)
		lost[i] = (struct vx_error_info){ i ? -i : -ENOMEM, "vx_error", "", "no memory to keep what failed" };
	has_key = !pthread_key_create(&key, forget);
}

/* When the library is closed by dlclose(3), nobody may call forget() any more. */
__attribute__((destructor)) static void delete_key(void)
{
	if (!has_key)
		return;
	forget(pthread_getspecific(key));
	pthread_setspecific(key, NULL);
	pthread_key_delete(key);
	has_key = false;
}

/* Its failures, or which of the lost it has; NULL where nothing has failed. */
static const void *of_thread(void)
{
	pthread_once(&once, make_key);
	return has_key ? pthread_getspecific(key) : lost_with(-ENOMEM);
}

static struct record *record_of(struct failures *f)
{
	return f->trying ? &f->tried : &f->last;
}

/* NULL where there is no memory, or nothing has failed and @p make is not set. */
static struct failures *own_failures(bool make)
{
	const void *kept = of_thread();
	struct failures *f;

	if (kept && !is_lost(kept))
		return pthread_getspecific(key);
	if (!make || !has_key)
		return NULL;
	f = malloc(sizeof(*f));
	if (!f)
		return NULL;
	*f = (struct failures){ .last = nothing, .tried = nothing };
	if (kept)
		f->last.error = *(const struct vx_error_info *)kept;
	if (!pthread_setspecific(key, f))
		return f;
	free(f);
	return NULL;
}

/* Some of it may come from the program or a file: no terminal acts on it, and one line stays one. */
static void keep_printable(char *buf, size_t len, const char *text)
{
	struct vx_out out = vx_out_in(buf, len);

	vx_put_plain(&out, text, strlen(text));
	vx_out_finish(&out);
}

static void write_record(struct record *r, int code, const char *call, const char *object, const char *reason)
{
	struct texts *texts = &r->texts[r->error.object == r->texts[0].object];

	keep_printable(texts->call, sizeof(texts->call), call ? call : "");
	keep_printable(texts->object, sizeof(texts->object), object ? object : "");
	keep_printable(texts->reason, sizeof(texts->reason), reason);
	r->error = (struct vx_error_info){ code, texts->call, texts->object, texts->reason };
	r->tell = NULL;
}

static VX_COLD void tell_now(struct record *r)
{
	char object[sizeof(r->texts->object)], reason[LONGEST_REASON];
	struct vx_out of = vx_out_in(object, sizeof(object)), why = vx_out_in(reason, sizeof(reason));

	r->tell(r->facts, &of, &why);
	vx_out_finish(&of);
	vx_out_finish(&why);
	write_record(r, r->error.code, r->error.call, object, reason);
}

static const struct vx_error_info *told(struct record *r)
{
	if (r->tell)
		tell_now(r);
	return &r->error;
}

const struct vx_error_info *vx_error(void)
{
	const void *kept = of_thread();

	if (is_lost(kept))
		return kept;
	return kept ? told(record_of(pthread_getspecific(key))) : &nothing.error;
}

void vx_error_try(void)
{
	struct failures *f = own_failures(true);

	if (f)
		f->trying++;
}

void vx_error_tried(int rc)
{
	struct failures *f = own_failures(false);
	const struct vx_error_info *e;

	if (!f || !f->trying || --f->trying || rc >= 0)
		return;
	e = told(&f->tried);
	vx_fail(rc, e->call, e->object, *e->reason ? "%s" : NULL, e->reason);
}

void vx_error_clear(void)
{
	struct failures *f = own_failures(false);

	if (f) {
		record_of(f)->error = nothing.error;
		record_of(f)->tell = NULL;
	} else if (has_key) {
		pthread_setspecific(key, NULL);
	}
}

/* Where a failure is to be recorded. NULL: there is no memory for that, and the thread has its code alone. */
static struct record *record_for(int code)
{
	const int saved_errno = errno;
	struct failures *f = own_failures(true);

	if (!f && has_key)
		pthread_setspecific(key, lost_with(code));
	errno = saved_errno;
	return f ? record_of(f) : NULL;
}

void *vx_fail_later(int code, const char *call, const char *reason, vx_tell_function tell)
{
	struct record *r = record_for(code);

	if (!r)
		return NULL;
	r->error = (struct vx_error_info){ code, call, "", reason };
	r->tell = tell;
	return r->facts;
}

int vx_fail_text(int code, const char *call, const char *object, const char *reason)
{
	struct record *r = record_for(code);

	if (r)
		write_record(r, code, call, object, reason);
	return code;
}

static int fail_in_words(int code, const char *call, const char *object, const char *format, va_list args)
{
	int saved_errno = errno;
	char reason[LONGEST_REASON] = "";

	if (format)
		vsnprintf(reason, sizeof(reason), format, args);
	errno = saved_errno;
	return vx_fail_text(code, call, object, reason);
}

int vx_fail(int code, const char *call, const char *object, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_in_words(code, call, object, format, args);
	va_end(args);
	return code;
}

int vx_null_fail(const char *call, const char *what)
{
	return vx_fail(-EINVAL, call, NULL, "%s is NULL", what);
}

int vx_call_fail(int code, const char *call, const char *object, const char *format, ...)
{
	vx_reachable_function reachable = atomic_load_explicit(&vx_reachable, memory_order_acquire);
	int rc = reachable ? reachable(call) : 0;
	va_list args;

	va_start(args, format);
	rc = rc < 0 ? vx_fail(rc, call, object, "%s", vx_error()->reason) : fail_in_words(code, call, object, format, args);
	va_end(args);
	return rc;
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
	struct failures *f = own_failures(false);
	const struct vx_error_info *e = vx_error();
	int saved_errno = errno;
	char message[128] = "";
	bool alone;

	if (!f)
		return e->code ? e->reason : "no error";
	if (!e->code)
		return "no error";
	/* getaddrinfo(3) has words of its own for what ENOENT is only the nearest to: no file is missing. */
	alone = e->code == -ENOENT && *e->reason && !strcmp(e->call, "rdma_getaddrinfo");
	snprintf(f->text, sizeof(f->text), "%s%s%s%s%s%s%s", e->call, *e->call && *e->object ? " on " : "", e->object,
		 *e->call || *e->object ? ": " : "", alone ? "" : vx_code_text(e->code, message, sizeof(message)),
		 *e->reason && !alone ? ": " : "", e->reason);
	errno = saved_errno;
	return f->text;
}

/* ---- the border of the library ---- */

int vx_take_in(void *own, size_t own_size, const void *theirs, size_t their_size, const char *call, const char *what,
	       const char *last)
{
	const unsigned char *bytes = theirs;
	size_t i;

	if (!theirs) {
		memset(own, 0, own_size);
		return 0;
	}
	if (vx_no_place(theirs, their_size, call, what))
		return -EINVAL;
	for (i = own_size; i < their_size; i++)
		if (bytes[i])
			return vx_fail(-E2BIG, call, NULL,
				       "%s has something at byte %zu, in a field behind %s, the last that libverbsx " VERBSX_VERSION
				       " with rdma-core %d knows: that field needs a newer one", what, i, last, VX_RDMA_CORE);
	vx_give_out(own, own_size, theirs, their_size);
	return 0;
}
