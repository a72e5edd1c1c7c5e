/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* strerrorname_np(3) is too new for the oldest C library that is supported. */

#include <errno.h>

#include "form.h"

#define WORDS(X) \
	X(EPERM) X(ENOENT) X(ESRCH) X(EINTR) X(EIO) X(ENXIO) X(E2BIG) X(ENOEXEC) X(EBADF) \
	X(ECHILD) X(EAGAIN) X(ENOMEM) X(EACCES) X(EFAULT) X(EBUSY) X(EEXIST) X(EXDEV) X(ENODEV) \
	X(ENOTDIR) X(EISDIR) X(EINVAL) X(ENFILE) X(EMFILE) X(ENOTTY) X(EFBIG) X(ENOSPC) X(ESPIPE) \
	X(EROFS) X(EMLINK) X(EPIPE) X(EDOM) X(ERANGE) X(EDEADLK) X(ENAMETOOLONG) X(ENOLCK) \
	X(ENOSYS) X(ENOTEMPTY) X(ELOOP) X(ENOMSG) X(EIDRM) X(ENOSTR) X(ENODATA) X(ETIME) \
	X(ENOLINK) X(EPROTO) X(EBADMSG) X(EOVERFLOW) X(EILSEQ) X(EUSERS) X(ENOTSOCK) \
	X(EDESTADDRREQ) X(EMSGSIZE) X(EPROTOTYPE) X(ENOPROTOOPT) X(EPROTONOSUPPORT) \
	X(ESOCKTNOSUPPORT) X(EOPNOTSUPP) X(EPFNOSUPPORT) X(EAFNOSUPPORT) X(EADDRINUSE) \
	X(EADDRNOTAVAIL) X(ENETDOWN) X(ENETUNREACH) X(ENETRESET) X(ECONNABORTED) X(ECONNRESET) \
	X(ENOBUFS) X(EISCONN) X(ENOTCONN) X(ESHUTDOWN) X(ETIMEDOUT) X(ECONNREFUSED) X(EHOSTDOWN) \
	X(EHOSTUNREACH) X(EALREADY) X(EINPROGRESS) X(ESTALE) X(EREMOTEIO) X(EDQUOT) X(ECANCELED) \
	X(ENOKEY) X(EKEYEXPIRED) X(EKEYREVOKED) X(EKEYREJECTED) X(EOWNERDEAD) X(ENOTRECOVERABLE)

/* The words stand one after the other, each at the place of its member here. */
struct pool {
	char none[1];
#define MEMBER(code) char at_##code[sizeof(#code)];
	WORDS(MEMBER)
};

#define TEXT(code) #code "\0"
#define PLACE(code) [code] = offsetof(struct pool, at_##code),

static const char words[] = "\0" WORDS(TEXT);
static const uint16_t places[] = { WORDS(PLACE) };

const char *vx_errno_word(int64_t code)
{
	if (code < 0 || (size_t)code >= sizeof(places) / sizeof(places[0]) || !places[code])
		return NULL;
	return words + places[code];
}
