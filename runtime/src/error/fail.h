/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_FAIL_H
#define VERBSX_SRC_FAIL_H

/* How the runtime reports a failure: make a negative errno of it, fill the thread's record, hand the code on. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <verbsx/error.h>

#include "text/give.h"

/* Only for what fails: compilers keep the way there out of the way. */
#define VX_COLD __attribute__((cold, noinline))
/* The same for what is called now and then, where nothing has failed. */
#define VX_SELDOM_CALLED __attribute__((cold, noinline))
/* For what most objects are made and closed by: linkers put it side by side, on few pages. */
#define VX_HOT __attribute__((hot))

/**
 * Record a failure and return its code.
 *
 * @param code    negative errno
 * @param call    a static string: the call that failed
 * @param object  copied; may be NULL
 * @param format  the reason, as for printf(3); may be NULL
 * @return @p code
 */
int vx_fail(int code, const char *call, const char *object, const char *format, ...) VX_PRINTF(4, 5) VX_COLD;

/** The same with a reason that is there already, which is faster: for what programs may run into often. */
int vx_fail_text(int code, const char *call, const char *object, const char *reason) VX_COLD;

/** What a failure is told by once somebody asks, and where the words go. */
#define VX_MOST_FACTS 192
struct vx_out;
typedef void (*vx_tell_function)(const void *facts, struct vx_out *object, struct vx_out *reason);

/**
 * Record a failure that programs run into all the time, and mostly do not ask for.
 *
 * @param reason  a static string, for who has kept what vx_error() gave before and does not ask again
 * @return where @p tell will find the facts: VX_MOST_FACTS bytes to be written now. NULL: there is no memory for them
 */
void *vx_fail_later(int code, const char *call, const char *reason, vx_tell_function tell) VX_COLD;

/** Refuse, with -EINVAL, what must not be NULL: "the parent", "attr". */
int vx_null_fail(const char *call, const char *what) VX_COLD;

/**
 * As vx_fail(), for a call of rdma-core that has failed. Where the call could not be reached at all, that is what is
 * recorded and returned.
 */
int vx_call_fail(int code, const char *call, const char *object, const char *format, ...) VX_PRINTF(4, 5) VX_COLD;

/**
 * Tells, 0 or a negative errno that it records, whether a call of rdma-core can be reached. Set by the loader from the
 * first time on that it failed to reach one.
 */
typedef int (*vx_reachable_function)(const char *call);
extern _Atomic(vx_reachable_function) vx_reachable;

/**
 * Keep the record as it is until vx_error_tried(): what fails in between may be tried again with success. Only where it
 * all ends with a failure is that the last one.
 */
void vx_error_try(void);
void vx_error_tried(int rc);

/** Do something of which it is no matter to anybody whether it fails. */
#define VX_QUIETLY(...) do { vx_error_try(); __VA_ARGS__; vx_error_tried(0); } while (0)

/** Do something that a thread which is cancelled meanwhile goes through with. It is not left but by its end. */
#define VX_NOT_CANCELLED(...) do {					\
		int cancelling_;					\
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling_);	\
		__VA_ARGS__;						\
		pthread_setcancelstate(cancelling_, NULL);		\
	} while (0)

/** What an errno, negative or not, means: "Cannot allocate memory"; in the buffer, which is returned. */
const char *vx_code_text(int code, char *buf, size_t len);

/* rdma-core says no in many ways; these make one of them. */

/* The outcome of a call that returns NULL or -1 and leaves the code in errno. Some do not: clear errno before. */
static inline int vx_code_in_errno(void)
{
	return errno > 0 ? -errno : -EIO;
}

/*
 * The outcome of a call that makes or changes an object and leaves the code in errno. Some providers refuse what they cannot
 * do without one: the device is all right, and EIO would say that it is not.
 */
static inline int vx_code_of_refusal(void)
{
	return errno > 0 ? -errno : -EINVAL;
}

/*
 * The outcome of a call that returns 0 or a positive errno. Some providers return it negated or -1 with errno: clear
 * errno before.
 */
static inline int vx_code_returned(int rc)
{
	return rc == -1 ? vx_code_in_errno() : rc > 0 ? -rc : rc;
}

/* ---- the border of the library ---- */

/* Whether a structure of the program is nowhere, or has a size of 0, as none has: -EINVAL is recorded. */
static inline bool vx_no_place(const void *theirs, size_t size, const char *call, const char *what)
{
	return theirs ? !size && vx_fail(-EINVAL, call, NULL, "%s has a size of 0", what) : vx_null_fail(call, what);
}

/*
 * Structures that cross the border of the library: a program has those of the headers that it was compiled with, which may be
 * shorter or longer than the library's own. Fields are only ever added at the end, so that both know what both have.
 *
 * Take a program's structure: what both know, the rest of the library's is zero; all of it for NULL. Returns 0, or -E2BIG, recorded,
 * where the program set something that this library does not know, as openat2(2) does: its name is not known either, but that of
 * the last field before it is.
 */
int vx_take_in(void *own, size_t own_size, const void *theirs, size_t their_size, const char *call, const char *what,
	       const char *last);

#endif
