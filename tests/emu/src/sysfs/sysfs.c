/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "sysfs/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bounds.h"
#include "calls/fd.h"
#include "calls/real.h"
#include "trace.h"

/*
 * "PID:PATH" of the tree. It outlives an exec, after which the process is still the one
 * that has to clean up, and tells a child that SYSFS_PATH is but its parent's device.
 */
#define OWNER "VERBSX_EMU_SYSFS_OWNER"

#define NAME "verbsx-emu-sysfs."
#define UNFINISHED "unfinished"
#define LONGEST_PATH SYSFS_LONGEST

static char root[PATH_MAX];
static char owner_text[PATH_MAX + 16];
static size_t root_length;
static pid_t chooser, owner; /* of the name, of the tree */

/* The paths of all files, one after the other: removing them must not need any memory */
static char paths[MAX_PORTS * (3 * MAX_GIDS + 56) * LONGEST_PATH];
static size_t paths_end;

/* The full path of a file, in a buffer of PATH_MAX + LONGEST_PATH */
static void locate(char *full, const char *path)
{
	memcpy(full, root, root_length);
	full[root_length] = '/';
	strcpy(full + root_length + 1, path);
}

static void make_parents(char *full)
{
	for (char *slash = full + root_length + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(full, 0755);
	}
}

static bool remember(const char *path)
{
	size_t size = strlen(path) + 1;

	if (size > LONGEST_PATH || size > sizeof(paths) - paths_end)
		return false;
	memcpy(paths + paths_end, path, size);
	paths_end += size;
	return true;
}

static bool make_link(const char *path, const char *target)
{
	char full[PATH_MAX + LONGEST_PATH];

	if (!remember(path))
		return false;
	locate(full, path);
	if (!symlink(target, full))
		return true;
	make_parents(full);
	return !symlink(target, full);
}

static bool fill_file(const char *full, const char *text)
{
	int fd = REAL(open)(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); /* ours would count when the name is a counter's */
	struct iovec line[] = { { (char *)text, strlen(text) }, { "\n", 1 } };
	bool ok;

	if (fd < 0)
		return false;
	ok = writev(fd, line, ARRAY_SIZE(line)) == (ssize_t)(strlen(text) + 1);
	return !REAL(close)(fd) && ok;
}

/* In a tree that is there: who reads it meanwhile finds one line or the other, never none */
static bool rewrite_file(const char *path, const char *text)
{
	char full[PATH_MAX + LONGEST_PATH], unfinished[PATH_MAX + LONGEST_PATH];

	locate(full, path);
	locate(unfinished, UNFINISHED);
	return fill_file(unfinished, text) && !rename(unfinished, full);
}

static bool write_file(const char *path, const char *text)
{
	char full[PATH_MAX + LONGEST_PATH];

	if (!remember(path))
		return false;
	locate(full, path);
	if (fill_file(full, text))
		return true;
	make_parents(full);
	return fill_file(full, text);
}

/* One that nobody can foresee: the directory may be anybody's. It always has one length */
static bool choose_root(void)
{
	const char *tmp = REAL(getenv)("TMPDIR");
	unsigned int random;
	int n;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return false;
	n = snprintf(root, sizeof(root), "%s/" NAME "%08x", tmp && *tmp ? tmp : P_tmpdir, random);
	if (n >= (int)sizeof(root))
		return false;
	root_length = n;
	chooser = getpid();
	snprintf(owner_text, sizeof(owner_text), "%010d:%s", chooser, root);
	return true;
}

static void announce(void)
{
	/* Bash has functions of these names that do not reach what it passes on */
	REAL(setenv)(OWNER, owner_text, 1);
	REAL(setenv)("SYSFS_PATH", root, 1);
}

static void write_over(const char *variable, const char *old, const char *new)
{
	char *value = REAL(getenv)(variable);

	if (value && !strcmp(value, old) && strlen(old) == strlen(new))
		memcpy(value, new, strlen(new));
}

/* In place: at a fork, another thread may have held the lock of setenv() */
void sysfs_fork(void)
{
	char old_root[sizeof(root)], old_text[sizeof(owner_text)];

	/* Once libibverbs has looked there, it keeps the path: then the parent's tree has to do */
	if (!chooser || owner)
		return;
	strcpy(old_root, root);
	strcpy(old_text, owner_text);
	if (!choose_root())
		return;
	write_over("SYSFS_PATH", old_root, root);
	write_over(OWNER, old_text, owner_text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *level)
{
	(void)st;
	(void)type;
	(void)level;
	return remove(path);
}

/* The process that a tree at @path is of, or 0 if it is none of ours */
static pid_t process_of(const char *path)
{
	const char *made = REAL(getenv)(OWNER), *colon = made ? strchr(made, ':') : NULL;

	return colon && !strcmp(colon + 1, path) && strstr(path, "/" NAME) ? atoi(made) : 0;
}

void sysfs_start(void)
{
	const char *path = REAL(getenv)("SYSFS_PATH");
	pid_t of = path && *path ? process_of(path) : 0;

	if (path && *path && !of)
		return;
	/* Made before this process called exec, perhaps with another configuration */
	if (of == getpid())
		nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (choose_root())
		announce();
	else
		complain("no name for the sysfs tree: %m");
}

/*
 * What is locked is of a process that is alive. A directory that was removed between making
 * and locking it is none: ENOENT.
 */
static int lock_tree(const char *path, int how)
{
	int fd = REAL(open)(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
	struct stat ours, there;

	if (fd < 0)
		return -1;
	if (!flock(fd, how) && !REAL(fstat)(fd, &ours) && !REAL(stat)(path, &there) && ours.st_ino == there.st_ino &&
	    ours.st_uid == geteuid())
		return fd;
	REAL(close)(fd);
	return -1;
}

static void remove_if_dead(const char *parent, const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", parent, name) >= (int)sizeof(path))
		return;
	fd = lock_tree(path, LOCK_EX | LOCK_NB);
	if (fd < 0)
		return;
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	flock(fd, LOCK_UN); /* also for a child that was forked meanwhile and has the descriptor */
	REAL(close)(fd);
}

/* What processes have left that were killed */
static void sweep(void)
{
	char parent[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(root, '/') - root), root);
	d = opendir(parent);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (!strncmp(e->d_name, NAME, strlen(NAME)) &&
		    strlen(e->d_name) == strlen(strrchr(root, '/') + 1))
			remove_if_dead(parent, e->d_name);
	closedir(d);
}

/* Another process may take it for a dead one's before it is locked: it is waited for, until it has swept it away */
static bool make_root(void)
{
	int fd;

	do {
		if (mkdir(root, 0700))
			return false;
		fd = lock_tree(root, LOCK_EX);
	} while (fd < 0 && errno == ENOENT);
	if (fd < 0)
		return false;
	if (fd_add_own(fd))
		REAL(close)(fd);
	owner = getpid();
	return true;
}

void sysfs_create(void)
{
	if (chooser != getpid() || sysfs_is_mine())
		return;
	sweep();
	if (make_root() && remember(UNFINISHED) && sysfs_describe(write_file, make_link))
		return;
	complain("cannot make the sysfs tree %s: %m", root);
	sysfs_remove();
}

/* The device's thread and whoever reads counters write anew, by one unfinished file */
static pthread_mutex_t rewriting = PTHREAD_MUTEX_INITIALIZER;

void sysfs_refresh(uint8_t number)
{
	if (!sysfs_is_mine())
		return;
	pthread_mutex_lock(&rewriting);
	sysfs_describe_port(number, rewrite_file);
	pthread_mutex_unlock(&rewriting);
}

void sysfs_count(void)
{
	const int saved = errno;

	if (!sysfs_is_mine())
		return;
	pthread_mutex_lock(&rewriting);
	sysfs_describe_counters(rewrite_file);
	pthread_mutex_unlock(&rewriting);
	errno = saved;
}

const char *sysfs_root(void)
{
	return chooser ? root : NULL;
}

bool sysfs_is_mine(void)
{
	return owner && owner == getpid();
}

/* From the innermost out; a directory goes with the last path that leads through it, and before that neither do those around it */
static void remove_parents(char *full)
{
	char *slash;

	while ((slash = strrchr(full, '/')) && slash > full + root_length) {
		*slash = 0;
		if (rmdir(full) && errno == ENOTEMPTY)
			return;
	}
}

static void each_path(void (*fn)(char *full))
{
	char full[PATH_MAX + LONGEST_PATH];

	for (const char *path = paths; path < paths + paths_end; path += strlen(path) + 1) {
		locate(full, path);
		fn(full);
	}
}

static void unlink_file(char *full)
{
	unlink(full);
}

void sysfs_remove(void)
{
	if (!sysfs_is_mine())
		return;
	each_path(unlink_file);
	each_path(remove_parents);
	rmdir(root);
}
