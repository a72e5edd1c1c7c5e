/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "closest.h"
#include "explain.h"
#include "text/nearest.h"

/* Of "vx_" and "VERBSX_". */
static size_t prefix_of(const char *name)
{
	const char *underscore = strchr(name, '_');

	return underscore ? (size_t)(underscore - name) + 1 : 0;
}

size_t closest_enums(const char *text, const char **names, size_t max)
{
	struct vx_nearest nearest = { .wanted = text, .len = strlen(text), .names = names, .max = max };
	const struct vx_enum_info *e;
	size_t i;

	for (i = 0; *text && (e = vx_enum_at(i)); i++)
		vx_nearest_try(&nearest, vx_enum_tag(e), prefix_of(vx_enum_tag(e)));
	return nearest.count;
}

size_t closest_names(const char *text, const char **names, size_t max)
{
	struct vx_nearest nearest = { .wanted = text, .len = strlen(text), .names = names, .max = max };
	const char *known[VX_MOST_NEAREST];
	size_t i, count = vx_suggest(text, known, VX_MOST_NEAREST);
	const struct own *own;

	for (i = 0; *text && i < count; i++)
		vx_nearest_try(&nearest, known[i], prefix_of(known[i]));
	for (i = 0; *text && (own = own_at(i)); i++)
		if (!strchr(own->name, '.'))
			vx_nearest_try(&nearest, own->name, prefix_of(own->name));
	return nearest.count;
}

/* As the kernel and udev call devices. */
static bool is_device(const char *text)
{
	static const char *const begins[] = {
		"mlx5_", "mlx4_", "rxe", "siw", "efa_", "hns_", "bnxt_re", "irdma", "i40iw", "cxgb4_", "qedr", "ionic_", "mana_", "erdma_",
		"rocep", "roceo", "rocex", "ibp", "ibo", "ibx", "iwp", "iwo", "rdmap",
	};
	size_t i, len;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		len = strlen(begins[i]);
		if (!strncmp(text, begins[i], len) && isdigit((unsigned char)text[len]))
			return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
	}
	return false;
}

/* Four groups of four digits. */
static bool is_guid(const char *text)
{
	size_t i;

	for (i = 0; i < 4; i++, text += 5)
		if (strspn(text, "0123456789abcdefABCDEF") != 4 || text[4] != (i < 3 ? ':' : '\0'))
			return false;
	return true;
}

bool look_elsewhere(const char *text, const char **what, const char **command)
{
	struct in6_addr address;

	if (is_device(text)) {
		*what = "the name of a device";
		*command = "devinfo";
		return true;
	}
	*command = "ports";
	*what = is_guid(text) ? "a GUID" : "an address or a GID";
	return is_guid(text) || inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}
