/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The functions of the C library that this library stands in front of. */
#ifndef EMU_REAL_H
#define EMU_REAL_H

#include <dlfcn.h>

#define REAL(function)                                                                        \
	({                                                                                    \
		static __typeof__(&function) real_##function;                                 \
		if (!real_##function)                                                         \
			real_##function = (__typeof__(&function))dlsym(RTLD_NEXT, #function); \
		real_##function;                                                              \
	})

/* Seen from outside, so that it comes before the C library's own. */
#define INTERPOSED __attribute__((visibility("default")))

#endif
