/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "loader.h"

#if VERBSX_LOADER

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error/fail.h"
#include "know/tables.h"
#include "reach.h"

#define LONGEST_CALL 64
#define LONGEST_SYMBOL 128
#define LONGEST_WHY 512	/* of dlerror(3) */

/* musl knows no versions of symbols: there a name has one meaning. */
#if !defined(__GLIBC__) || defined(VERBSX_WITHOUT_DLVSYM)
#define dlvsym(handle, name, version) ((void)(version), dlsym(handle, name))
#endif

static const char *text(vx_name name)
{
	return vx_call_names + name;
}

/* The file that the environment names in the place of a library; NULL in a program that is setuid. */
static const char *override_of(unsigned int library)
{
	const char *file = secure_getenv(text(vx_libraries[library].variable));

	return file && *file ? file : NULL;
}

static void *open_library(unsigned int library)
{
	void *handle = atomic_load_explicit(&vx_handles[library], memory_order_acquire);
	const char *file;

	if (handle)
		return handle;
	file = override_of(library);
	handle = dlopen(file ? file : text(vx_libraries[library].soname), RTLD_LAZY | RTLD_LOCAL);
	if (handle)
		atomic_store_explicit(&vx_handles[library], handle, memory_order_release);
	return handle;
}

/* What dlopen(3) says in words alone, which are the language's: whether a descriptor is to be had is tried. */
static int code_of_missing(void)
{
	const int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return code == EMFILE || code == ENFILE ? -code : -ENOSYS;
}

static int library_missing(const struct vx_call_row *row)
{
	const struct vx_library_row *library = &vx_libraries[row->library];
	char why[LONGEST_WHY];
	int code;

	snprintf(why, sizeof(why), "%s", dlerror()); /* which is another's once somebody else looks for a symbol, as what stands before open(2) may */
	code = code_of_missing();
	if (code != -ENOSYS)
		return vx_fail(code, text(row->name), NULL, "%s", why);
	if (override_of(row->library))
		return vx_fail(-ENOSYS, text(row->name), NULL, "%s (named by %s)", why, text(library->variable));
	return vx_fail(-ENOSYS, text(row->name), NULL, "%s; it is in the package %s", why, text(library->package));
}

/* The symbol that a row wants, as linkers write it. */
static const char *symbol_of(const struct vx_call_row *row, char *buf, size_t len)
{
	snprintf(buf, len, "%s%s%s", text(row->name), row->version ? "@" : "", text(row->version));
	return buf;
}

static int function_missing(const struct vx_call_row *row, void *handle)
{
	unsigned int release = vx_library_release(handle);
	const char *soname = text(vx_libraries[row->library].soname);
	char symbol[LONGEST_SYMBOL];

	if (release && release < row->since)
		return vx_fail(-EOPNOTSUPP, text(row->name), NULL, "needs rdma-core %u, this is %u", row->since, release);
	if (release)
		return vx_fail(-EOPNOTSUPP, text(row->name), NULL, "%s of rdma-core %u lacks the symbol %s", soname,
			       release, symbol_of(row, symbol, sizeof(symbol)));
	return vx_fail(-EOPNOTSUPP, text(row->name), NULL, "needs rdma-core %u, but this %s lacks the symbol %s",
		       row->since, soname, symbol_of(row, symbol, sizeof(symbol)));
}

static int find_function(const struct vx_call_row *row, vx_function *out)
{
	void *handle, *symbol;

	handle = open_library(row->library);
	if (!handle)
		return library_missing(row);

	/* Of what headers alone know nobody says at which version it is there. */
	symbol = row->version ? dlvsym(handle, text(row->name), text(row->version)) : dlsym(handle, text(row->name));
	if (!symbol)
		return function_missing(row, handle);

	/* POSIX has dlsym() give functions as objects; C alone knows no such cast. */
	memcpy(out, &symbol, sizeof(*out));
	return 0;
}

vx_function vx_loader_resolve(size_t call)
{
	int saved = errno;
	vx_function function = NULL;
	int rc = find_function(&vx_calls[call], &function);

	if (rc < 0) {
		atomic_store_explicit(&vx_reachable, vx_loader_check, memory_order_release);
		errno = -rc;
		return NULL;
	}
	atomic_store_explicit(&vx_slots[call], function, memory_order_release);
	errno = saved;
	return function;
}

static size_t slot_of(const char *call)
{
	size_t index = vx_call_index(call);

	return index != VX_NO_CALL && vx_calls[index].library ? index : VX_NO_CALL;
}

int vx_loader_replace(const char *call, vx_function function)
{
	size_t slot = slot_of(call);

	if (slot == VX_NO_CALL)
		return vx_fail(-ENOENT, "vx_loader_replace", NULL, "%s is not a function of rdma-core", call);
	atomic_store_explicit(&vx_slots[slot], function, memory_order_release);
	return 0;
}

void *vx_loader_open(const char *soname)
{
	unsigned int i;

	for (i = 1; i < vx_library_count; i++)
		if (!strcmp(soname, text(vx_libraries[i].soname)))
			return open_library(i);
	return NULL;
}

int vx_loader_check(const char *call)
{
	char beneath[LONGEST_CALL];
	size_t slot = slot_of(call);

	/* An inline ibv_query_gid_ex() stands on an exported _ibv_query_gid_ex(). */
	if (slot == VX_NO_CALL) {
		snprintf(beneath, sizeof(beneath), "_%s", call);
		slot = slot_of(beneath);
	}
	return slot == VX_NO_CALL || vx_loader_get(slot) ? 0 : -errno;
}

#endif
