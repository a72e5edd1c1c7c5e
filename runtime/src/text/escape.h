/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VERBSX_SRC_ESCAPE_H
#define VERBSX_SRC_ESCAPE_H

/* Text from outside, whatever bytes it holds, made safe for a terminal, a log line or a JSON reader. */

#include "out.h"

/** For VX_TEXT: what cannot be shown, or is not UTF-8, becomes \xNN. */
void vx_put_plain(struct vx_out *out, const char *text, size_t len);

/** For VX_COMPACT: in quotes, where "\ and the like are escaped, unless it is one plain word. */
void vx_put_word(struct vx_out *out, const char *text, size_t len);

/** A JSON string: always valid UTF-8; a byte that is not part of a valid character becomes \u00NN. */
void vx_put_json_string(struct vx_out *out, const char *text, size_t len);

#endif
