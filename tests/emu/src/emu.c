/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The functions for tests. */
#include "../emu.h"

#include <pthread.h>

#include "engine/wake.h"
#include "faults/fault.h"
#include "objects/object.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int vx_emu_fault(const char *list, char *why, size_t size)
{
	const int cancelling = device_enter();
	int rc = 0;

	if (!list)
		fault_clear();
	else if (why && size)
		rc = fault_add(list, why, size);
	else
		rc = fault_add_from("vx_emu_fault", list);
	wake_up(); /* some are due at once */
	device_leave(cancelling);
	return rc;
}

EXPORTED void vx_emu_fail(const char *list)
{
	vx_emu_fault(NULL, NULL, 0);
	if (list)
		vx_emu_fault(list, NULL, 0);
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
