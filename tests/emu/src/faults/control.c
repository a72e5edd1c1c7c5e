/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#define _GNU_SOURCE
#include "faults/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/control_socket.h"
#include "faults/fault.h"
#include "trace.h"

static const char *followed;
static off_t followed_to;
static int line_number, mistakes;


int control_obey(const char *line, char *why, size_t size)
{
	if (*line == '#')
		return 0;
	if (strcmp(line, "clear"))
		return fault_add(line, why, size);
	fault_clear();
	return 0;
}

static void obey(const char *line)
{
	char why[MAX_WHY];

	line_number++;
	if (!control_obey(line, why, sizeof(why)))
		return;
	complain("%s:%d: %s", followed, line_number, why);
	mistakes++;
}

/* Whole lines only: the rest of the last one may be on its way */
static void obey_lines(char *text)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		obey(text);
		followed_to += end + 1 - text;
	}
}

static void follow_file(void)
{
	char buffer[4096];
	FILE *f = followed ? fopen(followed, "re") : NULL;
	size_t n;

	if (!f)
		return;
	fseeko(f, followed_to, SEEK_SET);
	n = fread(buffer, 1, sizeof(buffer) - 1, f);
	buffer[n] = 0;
	obey_lines(buffer);
	fclose(f);
}

/* One that is not there yet may be written later; one that will never be a file, or not for this user, is a mistake */
static bool can_be_followed(void)
{
	struct stat s;
	int fd = open(followed, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd >= 0 && (fstat(fd, &s) || S_ISDIR(s.st_mode))) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd < 0) {
		complain("cannot follow the faults in '%s': %m", followed);
		return false;
	}
	close(fd);
	return true;
}

int control_start(const char *list_or_file)
{
	if (list_or_file && strchr(list_or_file, '/')) {
		followed = strdup(list_or_file);
		if (!can_be_followed())
			return -1;
		follow_file();
		return mistakes ? -1 : 0;
	}
	return list_or_file ? fault_add_from("VERBSX_EMU_FAULT", list_or_file) : 0;
}

void control_follow(void)
{
	follow_file();
	control_socket_serve();
}
