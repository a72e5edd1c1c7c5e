/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Of names that are known, the one that was likely meant by one that is not. */
#ifndef EMU_NEAREST_H
#define EMU_NEAREST_H

struct nearest {
	const char *word; /* as it was written */
	const char *name; /* the nearest so far, or NULL: none is near */
	unsigned int distance; /* of that one */
};

/* Look at one more name that there is. */
void nearest_see(struct nearest *n, const char *name);

#endif
