/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Programs find devices in the order in which a folder of a class is read, and a file system has its own: so that the first
 * device is mlx5_0 everywhere, these are read by name.
 */
#define _GNU_SOURCE
#include "sysfs/order.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "calls/real.h"

/* A folder that a program has open, and what is in it */
struct listing {
	LIST_ENTRY(listing) link;
	DIR *dir;
	struct dirent *entries;
	size_t count, next;
};

static LIST_HEAD(, listing) listings = LIST_HEAD_INITIALIZER(listings);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct dirent *)a)->d_name, ((const struct dirent *)b)->d_name);
}

/* What there is no memory for is read as it comes */
static bool read_all(struct listing *l)
{
	struct dirent *e, *more;

	while ((e = REAL(readdir)(l->dir))) {
		more = reallocarray(l->entries, l->count + 1, sizeof(*e));
		if (!more)
			return false;
		l->entries = more;
		memcpy(&l->entries[l->count++], e, e->d_reclen);
	}
	qsort(l->entries, l->count, sizeof(*l->entries), by_name);
	return true;
}

static void free_listing(struct listing *l)
{
	free(l->entries);
	free(l);
}

void order_by_name(DIR *dir)
{
	struct listing *l = dir ? calloc(1, sizeof(*l)) : NULL;

	if (!l)
		return;
	l->dir = dir;
	if (!read_all(l)) {
		rewinddir(dir);
		free_listing(l);
		return;
	}
	pthread_mutex_lock(&lock);
	LIST_INSERT_HEAD(&listings, l, link);
	pthread_mutex_unlock(&lock);
}

/* The lock is held */
static struct listing *find_listing(DIR *dir)
{
	struct listing *l;

	LIST_FOREACH(l, &listings, link)
	{
		if (l->dir == dir)
			return l;
	}
	return NULL;
}

/* False where it is none of ours */
static bool next_of(DIR *dir, struct dirent **entry)
{
	struct listing *l;

	if (LIST_EMPTY(&listings)) /* as nearly always: whoever opened one of ours knows of it */
		return false;
	pthread_mutex_lock(&lock);
	l = find_listing(dir);
	if (l)
		*entry = l->next < l->count ? &l->entries[l->next++] : NULL;
	pthread_mutex_unlock(&lock);
	return l;
}

void order_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}

INTERPOSED struct dirent *readdir(DIR *dir)
{
	struct dirent *entry;

	return next_of(dir, &entry) ? entry : REAL(readdir)(dir);
}

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "they are one where off_t has 64 bits");

INTERPOSED struct dirent64 *readdir64(DIR *dir)
{
	struct dirent *entry;

	return next_of(dir, &entry) ? (struct dirent64 *)entry : REAL(readdir64)(dir);
}

INTERPOSED void rewinddir(DIR *dir)
{
	struct listing *l;

	pthread_mutex_lock(&lock);
	l = find_listing(dir);
	if (l)
		l->next = 0;
	pthread_mutex_unlock(&lock);
	REAL(rewinddir)(dir);
}

INTERPOSED int closedir(DIR *dir)
{
	struct listing *l;

	pthread_mutex_lock(&lock);
	l = find_listing(dir);
	if (l)
		LIST_REMOVE(l, link);
	pthread_mutex_unlock(&lock);
	if (l)
		free_listing(l);
	return REAL(closedir)(dir);
}
