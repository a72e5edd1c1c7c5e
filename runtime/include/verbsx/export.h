/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_EXPORT_H
#define VERBSX_EXPORT_H

/** Marks what the shared library offers; everything else in it is hidden. A program has no need of it, and reads headers the faster. */
#if defined(__GNUC__) && defined(VERBSX_BUILDING)
#define VX_EXPORT __attribute__((visibility("default")))
#else
#define VX_EXPORT
#endif

#if defined(__GNUC__)
/** Gives the same for the same arguments, always, and touches nothing. */
#define VX_CONST __attribute__((const))
#define VX_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define VX_CONST
#define VX_PRINTF(text, args)
#endif

/* Called often for little: by what the loader has found, rather than by a jump to it that the linker makes. */
#ifdef __has_attribute
#if __has_attribute(noplt)
#define VX_DIRECT __attribute__((noplt))
#endif
#endif
#ifndef VX_DIRECT
#define VX_DIRECT
#endif

/* A compiler that can do so refuses a program that calls the function, and says why. */
#ifdef __has_attribute
#if __has_attribute(error)
#define VX_ERROR(text) __attribute__((error(text)))
#endif
#endif
#ifndef VX_ERROR
#define VX_ERROR(text)
#endif

#endif /* VERBSX_EXPORT_H */
