/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The functions for tests. */
#include "../emu.h"

#include <pthread.h>

#include "fault.h"
#include "inject.h"
#include "object.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int vx_emu_async(const char *spec)
{
	int rc;

	pthread_mutex_lock(&device_lock);
	rc = inject_event(spec);
	pthread_mutex_unlock(&device_lock);
	return rc;
}

EXPORTED void vx_emu_fail(const char *list)
{
	pthread_mutex_lock(&device_lock);
	fault_list(list);
	pthread_mutex_unlock(&device_lock);
}

EXPORTED int vx_emu_live(const char *kind)
{
	int n;

	pthread_mutex_lock(&device_lock);
	n = object_count(kind);
	pthread_mutex_unlock(&device_lock);
	return n;
}

EXPORTED unsigned long vx_emu_ioctls(void)
{
	unsigned long n;

	pthread_mutex_lock(&device_lock);
	n = fault_calls();
	pthread_mutex_unlock(&device_lock);
	return n;
}
