/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_EXPLAIN_STREAM_H
#define VX_EXPLAIN_STREAM_H

#include <stdio.h>

#include "command.h"

/* Explains what comes through a pipe, line by line. @return as a command's run() does: ABSENT where no line was understood */
int explain_stream(FILE *in, const struct options *options);

#endif
